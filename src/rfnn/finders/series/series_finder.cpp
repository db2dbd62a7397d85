#include "rfnn/finders/series/series_finder.hpp"

#include <memory>
#include <utility>

#include "rfnn/finders/series/series_law.hpp"
#include "rfnn/model/fields.hpp"

namespace rfnn::series {

template <class Archive>
void fields(Archive& archive, SeriesPart& part) {
  archive(part.law, part.noise, part.share);
}

namespace {

struct SeriesRecipe final : finders::RecipeOfFields<SeriesRecipe> {
  SeriesLaw law;
};
template <class Archive>
void fields(Archive& archive, SeriesRecipe& recipe) {
  archive(recipe.law.parts, recipe.law.left_out, recipe.law.complete, recipe.law.visits);
}

/// Nothing when interrupted.
std::optional<Block> fit_series(const Series& series, const SeriesLaw& law, Interrupt& interrupt) {
  Matrix centres(series.places(), 1);
  for (std::size_t i = 0; i < series.places(); ++i) centres(i, 0) = series.x()[i];
  Block block;
  for (const SeriesPart& part : law.parts) {
    least_squares::MarkovSolution solution;
    if (!series.solve(part.law, part.noise, 0, series.places(), interrupt, solution)) return std::nullopt;
    Matrix& coefficients = solution.coefficients;
    for (std::size_t i = 0; i < coefficients.size(); ++i) coefficients.data()[i] *= part.share;
    block.branches.emplace_back().closed_form = ClosedForm{part.law, centres, std::move(coefficients)};
  }
  return block;
}

double ridge_of(const SeriesLaw& law) {
  double ridge = 0.0;
  for (const SeriesPart& part : law.parts) ridge += part.share * part.noise / part.law.variance();
  return ridge;
}

}  // namespace

std::optional<finders::FoundBlock> SeriesFinder::find(const finders::Search& search) {
  if (search.train.inputs() != 1) return std::nullopt;
  search.tell("a law of a series");
  const Series series(search.train);
  std::optional<SeriesLaw> law = learn_series_law(series, search.interrupt);
  if (!law) return std::nullopt;
  // Next to learning the law this takes no time, also when that is over.
  Interrupt never;
  finders::FoundBlock found;
  found.block = *fit_series(series, *law, never);
  found.record = finders::record_of(Method::series, found.block, search.train.count(), ridge_of(*law),
                                    law->complete && !search.interrupt.stopped());
  auto recipe = std::make_shared<SeriesRecipe>();
  recipe->law = std::move(*law);
  found.recipe = std::move(recipe);
  // All rows are centres: what is left on them says nothing about other rows.
  found.last = true;
  return found;
}

std::optional<Block> SeriesFinder::refit(const finders::FoundBlock& found, rows::RowWork&, const rows::RowState& rows,
                                         Interrupt& interrupt) const {
  return fit_series(Series(rows), static_cast<const SeriesRecipe&>(*found.recipe).law, interrupt);
}

std::optional<rows::TiledColumns> SeriesFinder::left_out(const finders::FoundBlock& found, rows::RowWork& work,
                                                         const rows::RowState& rows, Interrupt& interrupt) const {
  const SeriesLaw& law = static_cast<const SeriesRecipe&>(*found.recipe).law;
  const Series series(rows);
  const std::optional<Block> block = fit_series(series, law, interrupt);
  rows::RowState seen = rows;
  if (!block || !work.advance(*block, seen, interrupt)) return std::nullopt;
  // What the block leaves as its sums are really computed: where rows follow their law without noise, rounding is all
  // that many of them have.
  rows::TiledColumns left = std::move(seen.residual);
  for (const SeriesPart& part : law.parts) {
    least_squares::MarkovSolution solution;
    if (!series.solve(part.law, part.noise, 0, series.places(), interrupt, solution)) return std::nullopt;
    series.add_leaving_out(solution, part.noise, part.share, left);
  }
  return left;
}

std::shared_ptr<const finders::Recipe> SeriesFinder::recipe_from(ArchiveReader& archive, const finders::Search&) const {
  return SeriesRecipe::from(archive);
}

}  // namespace rfnn::series
