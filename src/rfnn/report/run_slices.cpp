#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

/// The distance of two values of an input as the network sees it: of their logarithms where it sees those.
double distance_seen(const Model& model, std::size_t input, double a, double b) {
  const double from = model.inputs[input].min;
  return seen_as_logarithm(model, input) ? std::abs(std::log(std::max(a, from) / std::max(b, from))) : std::abs(a - b);
}

/// With two inputs, rows near the slice: those nearest to the median in the other input.
std::vector<std::size_t> rows_near(const Model& model, const ShownRows& rows, std::size_t other, double value) {
  constexpr std::size_t most = 200;
  std::vector<std::size_t> order(rows.inputs.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(most, std::max<std::size_t>(order.size() / 20, 1));
  const auto nearer = [&](std::size_t a, std::size_t b) {
    const double da = distance_seen(model, other, rows.inputs(a, other), value);
    const double db = distance_seen(model, other, rows.inputs(b, other), value);
    return da < db || (da == db && a < b);
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), nearer);
  order.resize(count);
  return order;
}

/// The same scale for all slices of an output, so that inputs can be compared.
void share_scale(std::vector<Figure*> figures) {
  double low = INFINITY, high = -INFINITY;
  const auto look_at = [&](const std::vector<Series>& list) {
    for (const Series& series : list) {
      for (const double y : series.y) {
        if (!std::isfinite(y)) continue;
        low = std::min(low, y);
        high = std::max(high, y);
      }
    }
  };
  for (const Figure* figure : figures) {
    look_at(figure->series);
    for (const Frame& frame : figure->frames) look_at(frame.series);
  }
  if (!(high > low)) return;
  const double margin = 0.03 * (high - low);
  for (Figure* figure : figures) {
    figure->y.low = low - margin;
    figure->y.high = high + margin;
  }
}

/// What all slices of a page share.
struct Slices {
  std::vector<std::size_t> ranked;  ///< inputs by their part in the learned function
  std::vector<std::size_t> chosen;  ///< those shown, in the order of the table
  std::vector<std::size_t> depths;
  std::size_t points = 0;
  std::vector<double> base;  ///< where the other inputs stay
  bool has_categories = false;
};

Slices plan_slices(const Model& model, const ShownRows& rows) {
  const std::size_t outputs = outputs_shown(model);
  Slices slices;
  slices.ranked = inputs_by_effect(model);
  std::erase_if(slices.ranked, [&](std::size_t input) { return !has_values(model, input); });
  const std::size_t count = std::min(slices.ranked.size(), std::max<std::size_t>(2, 6 / outputs));
  slices.chosen.assign(slices.ranked.begin(), slices.ranked.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(slices.chosen.begin(), slices.chosen.end());
  slices.depths = depths_shown(model.blocks());
  slices.points =
      std::clamp<std::size_t>(10000 / std::max<std::size_t>(slices.depths.size() * count * outputs, 1), 40, 200);
  slices.base = medians(model, rows);
  for (const ColumnCode& code : model.table.inputs)
    slices.has_categories = slices.has_categories || code.kind == ColumnKind::category;
  return slices;
}

std::string slices_text(const Slices& slices) {
  std::string text =
      "Slices: the prediction along one input while the others stay at their median, all on the same scale.";
  if (slices.has_categories) text += " Of a category it is the level that most rows have.";
  if (slices.chosen.size() < slices.ranked.size()) {
    text += fmt::format(" They are shown along {} of {} inputs, those with the largest part in the learned function.",
                        slices.chosen.size(), slices.ranked.size());
  }
  return text;
}

/// With two inputs: the rows near the slice.
void add_data_nearby(Figure& figure, const Model& model, const ShownRows& rows, const Slices& slices, std::size_t input,
                     std::size_t output) {
  const std::size_t other = slices.ranked[0] == input ? slices.ranked[1] : slices.ranked[0];
  Series data{.name = rows.name + " nearby", .mark = Mark::points, .colour = Colour::black, .x = {}, .y = {}};
  double distance = 0.0;
  for (const std::size_t i : rows_near(model, rows, other, slices.base[other])) {
    data.x.push_back(rows.inputs(i, input));
    data.y.push_back(rows.targets(i, output));
    distance = std::max(distance, distance_seen(model, other, rows.inputs(i, other), slices.base[other]));
  }
  const std::string near = seen_as_logarithm(model, other)
                               ? fmt::format("a factor of {}", short_number(std::exp(distance)))
                               : short_number(distance);
  figure.caption += fmt::format(" Black: the {} nearest {}, with {} within {} of the median.", data.x.size(), rows.name,
                                label_of(model.inputs[other].name), near);
  figure.series.push_back(std::move(data));
}

Figure slice_figure(const Model& model, const ShownRows& rows, const Slices& slices, std::size_t input,
                    const std::vector<double>& x, const std::vector<Matrix>& predictions, std::size_t output) {
  const std::string name = label_of(model.inputs[input].name), target = label_of(model.targets[output].name);
  Figure figure{.id = fmt::format("slice-{}{}", input + 1, suffix(output, model.outputs())),
                .title = fmt::format("{} along {}", target, name),
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  figure.x = axis_of(model, input);
  figure.x.logarithmic = seen_as_logarithm(model, input) && x.front() > 0.0;
  figure.y.label = target;
  const bool two = slices.ranked.size() == 2 && !slices.has_categories;
  figure.size = two ? FigureSize::half : FigureSize::third;
  figure.slider = "blocks used";
  figure.caption = fmt::format(
      "Red: the prediction along {} with the other inputs at their median and as many blocks as the slider says.",
      name);
  if (two) add_data_nearby(figure, model, rows, slices, input, output);
  for (std::size_t f = 0; f < slices.depths.size(); ++f)
    figure.frames.push_back({depth_label(slices.depths[f]), {prediction_line(x, predictions[f], output)}});
  figure.first_frame = slices.depths.size() - 1;
  const std::vector<double>& last = figure.frames.back().series.front().y;
  const auto [least, most] = std::minmax_element(last.begin(), last.end());
  figure.alternative = fmt::format("With {} the prediction lies between {} and {} while {} goes from {} to {}.",
                                   depth_label(model.blocks()), short_number(*least), short_number(*most), name,
                                   value_text(model, input, x.front()), value_text(model, input, x.back()));
  return figure;
}

}  // namespace

std::vector<Item> prediction_slices(const RunStory& story, const ShownRows& rows) {
  const Model& model = *story.model;
  const std::size_t outputs = outputs_shown(model);
  const Slices slices = plan_slices(model, rows);
  if (slices.chosen.empty()) return {};
  std::vector<Item> items = {Paragraph{slices_text(slices)}};
  for (const std::size_t input : slices.chosen) {
    const auto [low, high] = range_along(rows, input);
    const std::vector<double> x = grid_along(model, input, low, high, slices.points);
    const std::vector<Matrix> predictions =
        predictions_at(model, rows_along(slices.base, input, x).view(), slices.depths);
    for (std::size_t o = 0; o < outputs; ++o)
      items.emplace_back(slice_figure(model, rows, slices, input, x, predictions, o));
  }
  for (std::size_t o = 0; o < outputs; ++o) {
    std::vector<Figure*> of_output;
    for (std::size_t i = 0; i < slices.chosen.size(); ++i)
      of_output.push_back(&std::get<Figure>(items[1 + i * outputs + o]));
    share_scale(of_output);
  }
  return items;
}

}  // namespace rfnn::report
