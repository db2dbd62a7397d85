#include "rfnn/finders/lines/lines_finder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "rfnn/data/split.hpp"
#include "rfnn/finders/lines/line_search.hpp"
#include "rfnn/finders/lines/tuning.hpp"

namespace rfnn::lines {
namespace {

constexpr int most_degree = 2;

struct LinesRecipe final : finders::RecipeOfFields<LinesRecipe> {
  LineSeries series;
};
template <class Archive>
void fields(Archive& archive, LinesRecipe& recipe) {
  auto& [model, background, score, complete] = recipe.series;
  archive(model.degree, model.frequencies, model.coefficients, model.squares, background.numbers, background.wanders,
          background.strength, background.loss, score, complete);
}

/// As many as so many multiply-adds are enough for.
std::size_t affordable_lines(double operations, const Timeline& timeline) {
  const auto places = static_cast<double>(timeline.places()), outputs = static_cast<double>(timeline.outputs());
  std::size_t lines = 1;
  for (double spent = 0.0; lines < tuning::most_lines && spent < operations; ++lines) {
    const double columns = (2.0 + outputs) * static_cast<double>(lines);
    spent += tuning::passes * places * columns * (0.5 * columns + tuning::cost_of_a_column);
  }
  return lines;
}

/// With what wanders as a closed form, whose centres are rows, or without.
Block block_of(const Timeline& timeline, const LineSeries& series, bool with_rows) {
  const LineModel& model = series.model;
  const std::size_t inputs = timeline.inputs(), outputs = timeline.outputs(), lines = model.frequencies.size();
  const std::size_t degree = static_cast<std::size_t>(std::max(model.degree, inputs > 1 ? 1 : 0));
  const auto c = [&](std::size_t term, std::size_t o) {
    return model.coefficients(static_cast<Eigen::Index>(term), static_cast<Eigen::Index>(o));
  };
  Block block;
  Branch& branch = block.branches.emplace_back();
  branch.frequencies = Matrix(lines, inputs);
  branch.amplitudes = Matrix(2 * lines, outputs);
  branch.trend = Matrix(1 + degree * inputs, outputs);
  const std::size_t first_line = model.trend_terms(timeline);
  for (std::size_t j = 0; j < lines; ++j) branch.frequencies(j, timeline.time) = model.frequencies[j];
  for (std::size_t o = 0; o < outputs; ++o) {
    std::size_t term = 0;
    branch.trend(0, o) = c(term++, o);
    for (std::size_t q = 0; q < static_cast<std::size_t>(model.degree); ++q)
      branch.trend(1 + q * inputs + timeline.time, o) = c(term++, o);
    for (std::size_t k = 0; k < inputs; ++k)
      if (k != timeline.time) branch.trend(1 + k, o) = c(term++, o);
    for (std::size_t j = 0; j < 2 * lines; ++j) branch.amplitudes(j, o) = c(first_line + j, o);
  }
  if (!series.background.wanders || !with_rows) return block;
  Matrix centres(timeline.places(), 1);
  for (std::size_t i = 0; i < timeline.places(); ++i) centres(i, 0) = timeline.x[i];
  block.branches.emplace_back().closed_form =
      ClosedForm{series.background.law(), std::move(centres), background_coefficients(timeline, series)};
  return block;
}

}  // namespace

std::size_t used_time_input(const Options& options, const Model& model) {
  const auto end =
      model.inputs.begin() + static_cast<std::ptrdiff_t>(std::min(time_input(options), model.inputs.size()));
  return static_cast<std::size_t>(
      std::count_if(model.inputs.begin(), end, [](const Column& column) { return column.used; }));
}

LinesFinder::LinesFinder(const finders::Setting& setting)
    : time_(used_time_input(setting.options, setting.model)),
      bounded_(setting.options.width > 0),
      most_lines_(bounded_ ? static_cast<std::size_t>(setting.options.width) : tuning::most_lines) {}

std::optional<finders::FoundBlock> LinesFinder::find(const finders::Search& search) {
  const Timeline timeline(search.train, time_);
  std::optional<LineSeries> series =
      find_lines(search.work, timeline, most_degree,
                 std::min(most_lines_, affordable_lines(search.operations, timeline)), search.interrupt, search.tell);
  if (!series) return std::nullopt;
  finders::FoundBlock found;
  found.block = block_of(timeline, *series, !bounded_);
  const Background& background = series->background;
  const double ridge = background.wanders ? background.noise() / background.law().variance() : 0.0;
  found.record = finders::record_of(Method::lines, found.block, search.train.count(), ridge, series->complete);
  // Along time this is all that goes on; other inputs may have more in them.
  found.last = timeline.inputs() == 1;
  auto recipe = std::make_shared<LinesRecipe>();
  recipe->series = std::move(*series);
  found.recipe = std::move(recipe);
  return found;
}

std::optional<Block> LinesFinder::refit(const finders::FoundBlock& found, rows::RowWork&, const rows::RowState& rows,
                                        Interrupt& interrupt) const {
  const Timeline timeline(rows, time_);
  const auto series = refit_lines(timeline, static_cast<const LinesRecipe&>(*found.recipe).series, interrupt);
  if (!series) return std::nullopt;
  return block_of(timeline, *series, !bounded_);
}

std::shared_ptr<const finders::Recipe> LinesFinder::recipe_from(ArchiveReader& archive, const finders::Search&) const {
  return LinesRecipe::from(archive);
}

}  // namespace rfnn::lines
