// Functions that the model holds possible, over the only input.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/uncertainty/error_bars.hpp"
#include "rfnn/uncertainty/function_draws.hpp"

namespace rfnn::report {
namespace {

constexpr std::size_t points = 300, most_functions = 10, most_rows = 1000;
constexpr double coverage = 0.9, beyond = 0.1;

/// What is drawn over the input: rows of inputs along it, predictions, error bars and functions there.
struct Curves {
  std::size_t input = 0, count = 0;
  std::vector<double> x;
  Matrix predictions, widths, functions;
};

Curves curves_of(const Model& model, const ErrorBars& bars, const ShownRows& rows) {
  Curves curves;
  const auto used = std::find_if(model.inputs.begin(), model.inputs.end(), [](const Column& c) { return c.used; });
  curves.input = static_cast<std::size_t>(used - model.inputs.begin());
  const auto [low, high] = range_along(rows, curves.input);
  // Beyond the rows too, where bars and functions part; not below 0 where a logarithm is taken.
  const double margin = seen_as_logarithm(model, curves.input) ? 0.0 : beyond * (high - low);
  curves.x = grid_along(model, curves.input, low - margin, high + margin, points);
  curves.count = std::min(most_functions, functions_to_draw(model).value_or(most_functions));
  const Matrix inputs = rows_along(medians(model, rows), curves.input, curves.x);
  curves.predictions = predict(model, inputs.view());
  curves.widths = Matrix(points, model.outputs());
  curves.functions = Matrix(points, model.outputs() * curves.count);
  const ConstMatrixView predicted = std::as_const(curves.predictions).view();
  bars.widths(inputs.view(), predicted, curves.widths.view());
  FunctionDraws(model, {.count = curves.count}).values(inputs.view(), predicted, curves.functions.view());
  return curves;
}

Figure figure_of(const Model& model, const ErrorBars& bars, const ShownRows& rows, const Curves& curves,
                 std::size_t output) {
  const std::string target = label_of(model.targets[output].name);
  Figure figure{.id = "functions" + suffix(output, model.outputs()),
                .title = fmt::format("{}: functions that the model holds possible", target),
                .caption = {},
                .alternative = {},
                .x = axis_of(model, curves.input),
                .y = {.label = target}};
  figure.x.logarithmic = seen_as_logarithm(model, curves.input) && curves.x.front() > 0.0;
  Series band{.name = "90 % of new rows", .mark = Mark::band, .colour = Colour::grey, .x = curves.x, .y = {}};
  double widest = 0.0, narrowest = INFINITY;
  for (std::size_t i = 0; i < points; ++i) {
    const double width = curves.widths(i, output), prediction = curves.predictions(i, output);
    band.low.push_back(prediction + bars.quantile(output, 0.5 * (1.0 - coverage)) * width);
    band.y.push_back(prediction + bars.quantile(output, 0.5 * (1.0 + coverage)) * width);
    widest = std::max(widest, band.y.back() - band.low.back());
    narrowest = std::min(narrowest, band.y.back() - band.low.back());
  }
  figure.series.push_back(std::move(band));
  Series data{.name = rows.name, .mark = Mark::points, .colour = Colour::black, .x = {}, .y = {}};
  for (const std::size_t i : spread(rows.inputs.rows(), most_rows)) {
    data.x.push_back(rows.inputs(i, curves.input));
    data.y.push_back(rows.targets(i, output));
  }
  figure.series.push_back(std::move(data));
  for (std::size_t k = 0; k < curves.count; ++k) {
    Series function{.name = k == 0 ? "samples of functions" : "", .colour = Colour::cyan, .x = curves.x, .y = {}};
    for (std::size_t i = 0; i < points; ++i) function.y.push_back(curves.functions(i, output * curves.count + k));
    figure.series.push_back(std::move(function));
  }
  figure.series.push_back(prediction_line(curves.x, curves.predictions, output));
  figure.caption = sentences(
      {fmt::format(
           "Grey: where nine of ten new rows are meant to lie. Cyan: {} functions that the model holds possible, "
           "without the noise of rows. Red: the prediction.",
           curves.count),
       figure.x.logarithmic ? "" : "A tenth of the range is added on either side.",
       spread_note(rows.total, std::min(rows.inputs.rows(), most_rows))});
  figure.alternative =
      fmt::format("The band is between {} and {} wide.", short_number(narrowest), short_number(widest));
  return figure;
}

}  // namespace

std::vector<Item> function_samples(const RunStory& story) {
  std::vector<Item> items;
  const ShownRows* const rows = story.main_rows();
  if (!story.model || rows == nullptr || rows->inputs.rows() < 2 || inputs_drawn(*story.model) != 1 ||
      functions_to_draw(*story.model) == 0)
    return items;
  const ErrorBars bars(*story.model);
  const Curves curves = curves_of(*story.model, bars, *rows);
  for (std::size_t o = 0; o < outputs_shown(*story.model); ++o)
    items.emplace_back(figure_of(*story.model, bars, *rows, curves, o));
  return items;
}

}  // namespace rfnn::report
