#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rfnn/diagnostics/law_density.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

/// Place of the only input used.
std::size_t only_input(const Model& model) {
  const auto used = std::find_if(model.inputs.begin(), model.inputs.end(), [](const Column& c) { return c.used; });
  return static_cast<std::size_t>(used - model.inputs.begin());
}

/// Highest frequency with a noticeable amplitude, in radians per unit of the only input or its logarithm; of a closed
/// form, the one below which nine tenths of its law are.
double highest_frequency(const Model& model) {
  const std::vector<SpectralLine> lines = spectrum(model);
  double highest = 0.0;
  for (const SpectralLine& line : lines) {
    if (line.branch == BranchKind::input && line.amplitude[0] > 1e-2 * lines.front().amplitude[0]) {
      highest = std::max(highest, std::abs(line.frequency[0]));
    }
  }
  for (const BranchLaw& law : laws(model)) highest = std::max(highest, law_quantile(law, 0, 0.9));
  return highest;
}

/// The line of a prediction over the only input, at every number of blocks shown.
struct Curve {
  std::size_t input = 0;
  std::vector<double> x;
  bool logarithmic = false;
  bool too_coarse = false;  ///< the network has waves between its points
  std::vector<std::size_t> depths;
  std::vector<Matrix> predictions;  ///< by depth
};

Curve curve_of(const Model& model, const ShownRows& rows, std::vector<std::size_t> depths) {
  constexpr std::size_t points = 600;
  Curve curve;
  curve.input = only_input(model);
  const auto [low, high] = range_along(rows, curve.input);
  curve.x = grid_along(model, curve.input, low, high, points);
  curve.logarithmic = seen_as_logarithm(model, curve.input) && low > 0.0;
  curve.depths = std::move(depths);
  curve.predictions =
      predictions_at(model, rows_along(medians(model, rows), curve.input, curve.x).view(), curve.depths);
  const double range = curve.logarithmic ? std::log(high / low) : high - low;
  curve.too_coarse = 2.0 * std::numbers::pi / highest_frequency(model) * static_cast<double>(points) / range < 6.0;
  return curve;
}

Series data_points(const ShownRows& rows, std::size_t input, std::size_t output,
                   const std::vector<std::size_t>& points) {
  Series data{.name = rows.name, .mark = Mark::points, .colour = Colour::black, .x = {}, .y = {}};
  for (const std::size_t i : points) {
    data.x.push_back(rows.inputs(i, input));
    data.y.push_back(rows.targets(i, output));
  }
  return data;
}

/// d = 1: data and prediction over the input.
Figure line_plot(const RunStory& story, const ShownRows& rows, const Curve& curve, std::size_t output) {
  constexpr std::size_t most_points = 2000;
  const Model& model = *story.model;
  const std::string name = label_of(model.inputs[curve.input].name), target = label_of(model.targets[output].name);
  const std::vector<std::size_t> points = spread(rows.inputs.rows(), most_points);
  Figure figure{.id = "predictions" + suffix(output, model.outputs()),
                .title = fmt::format("{} over {}", target, name),
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  figure.x = axis_of(model, curve.input);
  figure.x.logarithmic = curve.logarithmic;
  figure.y.label = target;
  figure.series.push_back(data_points(rows, curve.input, output, points));
  for (std::size_t f = 0; f < curve.depths.size(); ++f)
    figure.frames.push_back({depth_label(curve.depths[f]), {prediction_line(curve.x, curve.predictions[f], output)}});
  figure.slider = "blocks used";
  figure.first_frame = curve.depths.size() - 1;
  figure.caption = sentences(
      {fmt::format("Black dots: the {}. Red line: the prediction at {} points, with as many blocks as the slider says.",
                   rows.name, curve.x.size()),
       spread_note(rows.total, points.size()),
       curve.too_coarse ? "The network has frequencies too high for this line: it does not show every wave." : ""});
  const auto error = story.final_error(rows.role);
  figure.alternative =
      fmt::format("The prediction with {} follows the {} with a root mean squared error of {}.",
                  depth_label(model.blocks()), rows.name, error ? short_number(std::sqrt(*error)) : "–");
  return figure;
}

std::vector<Item> line_plots(const RunStory& story, const ShownRows& rows) {
  const Curve curve = curve_of(*story.model, rows, depths_shown(story.model->blocks()));
  std::vector<Item> items;
  for (std::size_t o = 0; o < outputs_shown(*story.model); ++o) items.emplace_back(line_plot(story, rows, curve, o));
  return items;
}

/// d > 2: predicted against true values. `predictions`: by depth, for the rows `points`.
Figure parity_plot(const RunStory& story, const ShownRows& rows, const std::vector<std::size_t>& points,
                   const std::vector<std::size_t>& depths, const std::vector<Matrix>& predictions, std::size_t output) {
  const Model& model = *story.model;
  const std::string target = label_of(model.targets[output].name);
  Figure figure{.id = "parity" + suffix(output, model.outputs()),
                .title = fmt::format("{}: predicted against true", target),
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  figure.x.label = fmt::format("{} in the data", target);
  figure.y.label = fmt::format("{} predicted", target);
  figure.size = model.outputs() == 1 ? FigureSize::full : FigureSize::half;
  std::vector<double> truth;
  for (const std::size_t i : points) truth.push_back(rows.targets(i, output));
  const auto [low, high] = std::minmax_element(truth.begin(), truth.end());
  figure.series.push_back({.name = "equal",
                           .mark = Mark::line,
                           .colour = Colour::grey,
                           .dashed = true,
                           .x = {*low, *high},
                           .y = {*low, *high}});
  for (std::size_t f = 0; f < depths.size(); ++f) {
    Series dots{.name = rows.name, .mark = Mark::points, .colour = Colour::red, .x = truth, .y = {}};
    for (std::size_t i = 0; i < points.size(); ++i) dots.y.push_back(predictions[f](i, output));
    figure.frames.push_back({depth_label(depths[f]), {std::move(dots)}});
  }
  figure.slider = "blocks used";
  figure.first_frame = depths.size() - 1;
  figure.caption = sentences({fmt::format("Red: the predictions for the {}, with as many blocks as the slider says. On "
                                          "the dashed grey line prediction and data are equal.",
                                          rows.name),
                              spread_note(rows.total, points.size())});
  const auto share = story.explained(rows.role);
  figure.alternative = fmt::format("{} between {} and {}. The prediction explains {} of the variance.",
                                   io::counted(points.size(), "row"), short_number(*low), short_number(*high),
                                   share ? percent(*share) : "an unknown share");
  return figure;
}

std::vector<Item> parity_plots(const RunStory& story, const ShownRows& rows, const std::vector<std::size_t>& depths) {
  const Model& model = *story.model;
  const std::size_t most_points = std::clamp<std::size_t>(11000 / (depths.size() * outputs_shown(model)), 150, 1500);
  const std::vector<std::size_t> points = spread(rows.inputs.rows(), most_points);
  Matrix inputs(points.size(), model.input_count());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < inputs.cols(); ++k) inputs(i, k) = rows.inputs(points[i], k);
  }
  const std::vector<Matrix> predictions = predictions_at(model, inputs.view(), depths);
  std::vector<Item> items;
  for (std::size_t o = 0; o < outputs_shown(model); ++o)
    items.emplace_back(parity_plot(story, rows, points, depths, predictions, o));
  return items;
}

}  // namespace

std::pair<double, double> range_along(const ShownRows& rows, std::size_t input) {
  double low = INFINITY, high = -INFINITY;
  for (std::size_t i = 0; i < rows.inputs.rows(); ++i) {
    low = std::min(low, rows.inputs(i, input));
    high = std::max(high, rows.inputs(i, input));
  }
  return {low, high};
}

Matrix rows_along(const std::vector<double>& base, std::size_t input, const std::vector<double>& values) {
  Matrix rows(values.size(), base.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::copy(base.begin(), base.end(), rows.data() + i * base.size());
    rows(i, input) = values[i];
  }
  return rows;
}

Series prediction_line(const std::vector<double>& x, const Matrix& predictions, std::size_t output) {
  Series line{.name = "prediction", .mark = Mark::line, .colour = Colour::red, .x = x, .y = {}};
  for (std::size_t i = 0; i < x.size(); ++i) line.y.push_back(predictions(i, output));
  return line;
}

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
  // Of a category the level that most rows have: the medians of its inputs may all be 0.
  std::size_t first = 0;
  for (const ColumnCode& code : model.table.inputs) {
    const std::size_t levels = code.levels.size();
    std::vector<double> counts(levels, 0.0);
    for (std::size_t k = 0; k < levels; ++k)
      for (std::size_t i = 0; i < rows.inputs.rows(); ++i) counts[k] += rows.inputs(i, first + k);
    const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
    for (std::size_t k = 0; k < levels; ++k) result[first + k] = k == static_cast<std::size_t>(most) ? 1.0 : 0.0;
    first += inputs_of(code);
  }
  return result;
}

std::vector<Item> opening_pictures(const RunStory& story, const ShownRows& rows) {
  const Model& model = *story.model;
  if (inputs_drawn(model) == 2) return opening_maps(story, rows);
  const std::vector<std::size_t> all = {model.blocks()};
  std::vector<Item> items;
  if (inputs_drawn(model) == 1) {
    const Curve curve = curve_of(model, rows, all);
    for (std::size_t o = 0; o < outputs_shown(model); ++o) {
      Figure figure = at_rest(line_plot(story, rows, curve, o));
      figure.size = model.outputs() == 1 ? FigureSize::full : FigureSize::half;
      items.emplace_back(std::move(figure));
    }
    return items;
  }
  for (Item& item : parity_plots(story, rows, all)) items.emplace_back(at_rest(std::move(std::get<Figure>(item))));
  return items;
}

Section run_predictions(const RunStory& story) {
  Section section{.id = "predictions", .title = "Predictions against data", .items = {}};
  const ShownRows* rows = story.main_rows();
  if (!story.model || rows == nullptr || rows->inputs.rows() == 0) {
    section.items.emplace_back(
        Notice{io::to_utf8(story.model ? story.rows_missing : story.model_missing), Tone::caution});
    if (story.model) {
      section.items.emplace_back(Paragraph{"This makes the page with predictions for rows of your own:"});
      section.items.emplace_back(Code{report_with_data(story)});
    }
    return section;
  }
  const std::size_t inputs = inputs_drawn(*story.model);
  section.items.emplace_back(Paragraph{
      sentences({fmt::format("On the {} of {}.", rows->name, io::to_utf8(rows->origin)), outputs_note(*story.model)})});
  if (rows->outside > 0) {
    section.items.emplace_back(Notice{
        fmt::format("{} of {} rows lie outside the range seen in training; predictions there are extrapolations.",
                    rows->outside, rows->total),
        Tone::caution});
  }
  std::vector<Item> figures;
  if (inputs == 1) figures = line_plots(story, *rows);
  if (inputs == 2) figures = prediction_maps(story, *rows);
  if (inputs > 2 || inputs == 0) figures = parity_plots(story, *rows, depths_shown(story.model->blocks()));
  for (Item& item : figures) section.items.push_back(std::move(item));
  if (inputs > 1) {
    for (Item& item : prediction_slices(story, *rows)) section.items.push_back(std::move(item));
  }
  return section;
}

}  // namespace rfnn::report
