#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn {
namespace {

/// With two inputs, rows near the slice: those nearest to the median in the other input.
std::vector<std::size_t> rows_near(const ShownRows& rows, std::size_t other, double value) {
  constexpr std::size_t most = 200;
  std::vector<std::size_t> order(rows.inputs.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(most, std::max<std::size_t>(order.size() / 20, 1));
  const auto nearer = [&](std::size_t a, std::size_t b) {
    const double da = std::abs(rows.inputs(a, other) - value), db = std::abs(rows.inputs(b, other) - value);
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

}  // namespace

std::vector<Item> prediction_slices(const RunStory& story, const ShownRows& rows) {
  const Model& model = *story.model;
  const std::size_t outputs = outputs_shown(model);
  const std::vector<std::size_t> ranked = inputs_by_effect(model);
  std::vector<std::size_t> chosen(
      ranked.begin(),
      ranked.begin() + static_cast<std::ptrdiff_t>(std::min(ranked.size(), std::max<std::size_t>(2, 6 / outputs))));
  std::sort(chosen.begin(), chosen.end());
  const std::vector<std::size_t> depths = depths_shown(model.blocks());
  const std::size_t points = std::clamp<std::size_t>(10000 / (depths.size() * chosen.size() * outputs), 40, 200);
  const std::vector<double> base = medians(model, rows);

  std::vector<Item> items;
  std::string text =
      "Slices: the prediction along one input while the others stay at their median, all on the same scale.";
  if (chosen.size() < ranked.size()) {
    text += fmt::format(" They are shown along {} of {} inputs, those with the largest part in the learned function.",
                        chosen.size(), ranked.size());
  }
  items.emplace_back(Paragraph{std::move(text)});
  for (const std::size_t input : chosen) {
    const std::string name = label_of(model.inputs[input].name);
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = 0; i < rows.inputs.rows(); ++i) {
      low = std::min(low, rows.inputs(i, input));
      high = std::max(high, rows.inputs(i, input));
    }
    Matrix grid(points, model.input_count());
    const std::vector<double> x = grid_along(model, input, low, high, points);
    for (std::size_t i = 0; i < points; ++i) {
      std::copy(base.begin(), base.end(), grid.data() + i * base.size());
      grid(i, input) = x[i];
    }
    const std::vector<Matrix> predictions = predictions_at(model, grid.view(), depths);
    for (std::size_t o = 0; o < outputs; ++o) {
      const std::string target = label_of(model.targets[o].name);
      Figure figure{.id = fmt::format("slice-{}{}", input + 1, suffix(o, model.outputs())),
                    .title = fmt::format("{} along {}", target, name),
                    .caption = {},
                    .alternative = {},
                    .x = {},
                    .y = {}};
      figure.x.label = name;
      figure.x.logarithmic = seen_as_logarithm(model, input) && low > 0.0;
      figure.y.label = target;
      figure.size = ranked.size() == 2 ? FigureSize::half : FigureSize::third;
      figure.slider = "blocks used";
      figure.caption = fmt::format(
          "Red: the prediction along {} with the other inputs at their median and as many blocks as the slider says.",
          name);
      if (ranked.size() == 2) {
        const std::size_t other = ranked[0] == input ? ranked[1] : ranked[0];
        Series data{.name = std::string(name_of(rows.role)) + " nearby",
                    .mark = Mark::points,
                    .colour = Colour::black,
                    .x = {},
                    .y = {}};
        double distance = 0.0;
        for (const std::size_t i : rows_near(rows, other, base[other])) {
          data.x.push_back(rows.inputs(i, input));
          data.y.push_back(rows.targets(i, o));
          distance = std::max(distance, std::abs(rows.inputs(i, other) - base[other]));
        }
        figure.caption += fmt::format(" Black: the {} nearest {}, with {} within {} of the median.", data.x.size(),
                                      name_of(rows.role), label_of(model.inputs[other].name), short_number(distance));
        figure.series.push_back(std::move(data));
      }
      for (std::size_t f = 0; f < depths.size(); ++f) {
        Series line{.name = "prediction", .mark = Mark::line, .colour = Colour::red, .x = x, .y = {}};
        for (std::size_t i = 0; i < points; ++i) line.y.push_back(predictions[f](i, o));
        figure.frames.push_back({depth_label(depths[f]), {std::move(line)}});
      }
      figure.first_frame = depths.size() - 1;
      const std::vector<double>& last = figure.frames.back().series.front().y;
      const auto [least, most] = std::minmax_element(last.begin(), last.end());
      figure.alternative = fmt::format("With {} the prediction lies between {} and {} while {} goes from {} to {}.",
                                       depth_label(model.blocks()), short_number(*least), short_number(*most), name,
                                       short_number(low), short_number(high));
      items.emplace_back(std::move(figure));
    }
  }
  for (std::size_t o = 0; o < outputs; ++o) {
    std::vector<Figure*> of_output;
    for (std::size_t i = 0; i < chosen.size(); ++i) of_output.push_back(&std::get<Figure>(items[1 + i * outputs + o]));
    share_scale(of_output);
  }
  return items;
}

}  // namespace rfnn
