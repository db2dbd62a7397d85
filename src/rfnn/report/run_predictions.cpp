#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn {
namespace {

/// Place of the only input used.
std::size_t only_input(const Model& model) {
  const auto used = std::find_if(model.inputs.begin(), model.inputs.end(), [](const Column& c) { return c.used; });
  return static_cast<std::size_t>(used - model.inputs.begin());
}

/// Highest frequency with a noticeable amplitude, in radians per unit of the only input or its logarithm.
double highest_frequency(const Model& model) {
  const std::vector<SpectralLine> lines = spectrum(model);
  double highest = 0.0;
  for (const SpectralLine& line : lines) {
    if (line.branch == BranchKind::input && line.amplitude[0] > 1e-2 * lines.front().amplitude[0]) {
      highest = std::max(highest, std::abs(line.frequency[0]));
    }
  }
  return highest;
}

/// d = 1: data and prediction over the input.
std::vector<Item> line_plots(const RunStory& story, const ShownRows& rows) {
  constexpr std::size_t most_points = 2000, grid_points = 600;
  const Model& model = *story.model;
  const std::size_t input = only_input(model);
  const std::string name = label_of(model.inputs[input].name);
  double low = INFINITY, high = -INFINITY;
  for (std::size_t i = 0; i < rows.inputs.rows(); ++i) {
    low = std::min(low, rows.inputs(i, input));
    high = std::max(high, rows.inputs(i, input));
  }
  const std::vector<double> base = medians(model, rows);
  Matrix grid(grid_points, model.input_count());
  const std::vector<double> x = grid_along(model, input, low, high, grid_points);
  const bool logarithmic = seen_as_logarithm(model, input) && low > 0.0;
  for (std::size_t i = 0; i < grid_points; ++i) {
    std::copy(base.begin(), base.end(), grid.data() + i * base.size());
    grid(i, input) = x[i];
  }
  const std::vector<std::size_t> depths = depths_shown(model.blocks());
  const std::vector<Matrix> predictions = predictions_at(model, grid.view(), depths);
  const std::vector<std::size_t> points = spread(rows.inputs.rows(), most_points);
  const double range = logarithmic ? std::log(high / low) : high - low;
  const double points_per_period =
      2.0 * std::numbers::pi / highest_frequency(model) * static_cast<double>(grid_points) / range;

  std::vector<Item> items;
  for (std::size_t o = 0; o < outputs_shown(model); ++o) {
    const std::string target = label_of(model.targets[o].name);
    Figure figure{.id = "predictions" + suffix(o, model.outputs()),
                  .title = fmt::format("{} over {}", target, name),
                  .caption = {},
                  .alternative = {},
                  .x = {},
                  .y = {}};
    figure.x.label = name;
    figure.x.logarithmic = logarithmic;
    figure.y.label = target;
    Series data{
        .name = std::string(name_of(rows.role)), .mark = Mark::points, .colour = Colour::black, .x = {}, .y = {}};
    for (const std::size_t i : points) {
      data.x.push_back(rows.inputs(i, input));
      data.y.push_back(rows.targets(i, o));
    }
    figure.series.push_back(std::move(data));
    for (std::size_t f = 0; f < depths.size(); ++f) {
      Series line{.name = "prediction", .mark = Mark::line, .colour = Colour::red, .x = x, .y = {}};
      for (std::size_t i = 0; i < grid_points; ++i) line.y.push_back(predictions[f](i, o));
      figure.frames.push_back({depth_label(depths[f]), {std::move(line)}});
    }
    figure.slider = "blocks used";
    figure.first_frame = depths.size() - 1;
    figure.caption = sentences(
        {fmt::format(
             "Black dots: the {}. Red line: the prediction at {} points, with as many blocks as the slider says.",
             name_of(rows.role), grid_points),
         spread_note(rows.total, points.size()),
         points_per_period < 6.0 ? "The network has frequencies too high for this line: it does not show every wave."
                                 : ""});
    const auto error = story.final_error(rows.role);
    figure.alternative =
        fmt::format("The prediction with {} follows the {} with a root mean squared error of {}.",
                    depth_label(model.blocks()), name_of(rows.role), error ? short_number(std::sqrt(*error)) : "–");
    items.emplace_back(std::move(figure));
  }
  return items;
}

/// d > 2: predicted against true values.
std::vector<Item> parity_plots(const RunStory& story, const ShownRows& rows) {
  const Model& model = *story.model;
  const std::vector<std::size_t> depths = depths_shown(model.blocks());
  const std::size_t most_points = std::clamp<std::size_t>(11000 / (depths.size() * outputs_shown(model)), 150, 1500);
  const std::vector<std::size_t> points = spread(rows.inputs.rows(), most_points);
  Matrix inputs(points.size(), model.input_count());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < inputs.cols(); ++k) inputs(i, k) = rows.inputs(points[i], k);
  }
  const std::vector<Matrix> predictions = predictions_at(model, inputs.view(), depths);

  std::vector<Item> items;
  for (std::size_t o = 0; o < outputs_shown(model); ++o) {
    const std::string target = label_of(model.targets[o].name);
    Figure figure{.id = "parity" + suffix(o, model.outputs()),
                  .title = fmt::format("{}: predicted against true", target),
                  .caption = {},
                  .alternative = {},
                  .x = {},
                  .y = {}};
    figure.x.label = fmt::format("{} in the data", target);
    figure.y.label = fmt::format("{} predicted", target);
    figure.size = model.outputs() == 1 ? FigureSize::full : FigureSize::half;
    std::vector<double> truth;
    for (const std::size_t i : points) truth.push_back(rows.targets(i, o));
    const auto [low, high] = std::minmax_element(truth.begin(), truth.end());
    figure.series.push_back({.name = "equal",
                             .mark = Mark::line,
                             .colour = Colour::grey,
                             .dashed = true,
                             .x = {*low, *high},
                             .y = {*low, *high}});
    for (std::size_t f = 0; f < depths.size(); ++f) {
      Series dots{
          .name = std::string(name_of(rows.role)), .mark = Mark::points, .colour = Colour::red, .x = truth, .y = {}};
      for (std::size_t i = 0; i < points.size(); ++i) dots.y.push_back(predictions[f](i, o));
      figure.frames.push_back({depth_label(depths[f]), {std::move(dots)}});
    }
    figure.slider = "blocks used";
    figure.first_frame = depths.size() - 1;
    figure.caption =
        sentences({fmt::format("Red: the predictions for the {}, with as many blocks as the slider says. On the "
                               "dashed grey line prediction and data are equal.",
                               name_of(rows.role)),
                   spread_note(rows.total, points.size())});
    const auto share = story.explained(rows.role);
    figure.alternative =
        fmt::format("{} between {} and {}. The prediction explains {} of the variance.", counted(points.size(), "row"),
                    short_number(*low), short_number(*high), share ? percent(*share) : "an unknown share");
    items.emplace_back(std::move(figure));
  }
  return items;
}

}  // namespace

std::vector<double> medians(const Model& model, const ShownRows& rows) {
  std::vector<double> result, column;
  for (std::size_t k = 0; k < model.input_count(); ++k) {
    result.push_back(model.inputs[k].mean);
    if (!model.inputs[k].used || rows.inputs.rows() == 0) continue;
    column.clear();
    for (std::size_t i = 0; i < rows.inputs.rows(); ++i) column.push_back(rows.inputs(i, k));
    const auto middle = column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2);
    std::nth_element(column.begin(), middle, column.end());
    result.back() = *middle;
  }
  return result;
}

Section run_predictions(const RunStory& story) {
  Section section{.id = "predictions", .title = "Predictions against data", .items = {}};
  const ShownRows* rows = story.main_rows();
  if (!story.model || rows == nullptr || rows->inputs.rows() == 0) {
    section.items.emplace_back(Notice{to_utf8(story.model ? story.rows_missing : story.model_missing), Tone::caution});
    if (story.model) {
      section.items.emplace_back(Paragraph{"This command makes the page with predictions for the rows of TEST.csv:"});
      section.items.emplace_back(Code{report_with_data(story)});
    }
    return section;
  }
  const std::size_t inputs = story.model->used_inputs();
  section.items.emplace_back(Paragraph{sentences(
      {fmt::format("On the {} of {}.", name_of(rows->role), to_utf8(rows->origin)), outputs_note(*story.model)})});
  if (rows->outside > 0) {
    section.items.emplace_back(Notice{
        fmt::format("{} of {} rows lie outside the range seen in training; predictions there are extrapolations.",
                    rows->outside, rows->total),
        Tone::caution});
  }
  std::vector<Item> figures;
  if (inputs == 1) figures = line_plots(story, *rows);
  if (inputs == 2) figures = prediction_maps(story, *rows);
  if (inputs > 2 || inputs == 0) figures = parity_plots(story, *rows);
  for (Item& item : figures) section.items.push_back(std::move(item));
  if (inputs > 1) {
    for (Item& item : prediction_slices(story, *rows)) section.items.push_back(std::move(item));
  }
  return section;
}

}  // namespace rfnn
