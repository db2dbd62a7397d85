#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

/// The rectangle of a map: input `place[0]` to the right, `place[1]` upwards, `side` cells each way.
struct MapGrid {
  std::array<std::size_t, 2> place{};
  std::array<double, 2> low{}, high{};
  std::array<bool, 2> logarithmic{};  ///< cells are then of equal ratio
  std::size_t side = 1;

  /// Cell of a point, row by row from the lowest; points on the upper edge belong to the last cell.
  [[nodiscard]] std::size_t cell(double x, double y) const {
    const auto index = [this](double value, std::size_t axis) {
      const double share = logarithmic[axis]
                               ? std::log(std::max(value, low[axis]) / low[axis]) / std::log(high[axis] / low[axis])
                               : (value - low[axis]) / (high[axis] - low[axis]);
      return std::min(side - 1, static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(side)));
    };
    return index(y, 1) * side + index(x, 0);
  }
  [[nodiscard]] double centre(std::size_t index, std::size_t axis) const {
    const double share = (static_cast<double>(index) + 0.5) / static_cast<double>(side);
    return logarithmic[axis] ? low[axis] * std::pow(high[axis] / low[axis], share)
                             : low[axis] + (high[axis] - low[axis]) * share;
  }
};

MapGrid grid_of(const Model& model, const ShownRows& rows, std::size_t side) {
  MapGrid grid;
  grid.side = side;
  std::size_t found = 0;
  for (std::size_t k = 0; k < model.input_count() && found < 2; ++k) {
    if (model.inputs[k].used) grid.place[found++] = k;
  }
  for (std::size_t axis = 0; axis < 2; ++axis) {
    auto [low, high] = range_along(rows, grid.place[axis]);
    if (!(high > low)) high = low + std::max(1.0, std::abs(low)) * 1e-3;  // one row, or all at one place
    grid.low[axis] = low;
    grid.high[axis] = high;
    grid.logarithmic[axis] = seen_as_logarithm(model, grid.place[axis]) && low > 0.0;
  }
  return grid;
}

/// Means of values over the cells their rows fall into; not a number where there are none.
std::vector<double> cell_means(const MapGrid& grid, const ShownRows& rows, const std::vector<double>& values) {
  std::vector<double> sum(grid.side * grid.side, 0.0), count(grid.side * grid.side, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t cell = grid.cell(rows.inputs(i, grid.place[0]), rows.inputs(i, grid.place[1]));
    sum[cell] += values[i];
    count[cell] += 1.0;
  }
  for (std::size_t c = 0; c < sum.size(); ++c) sum[c] = count[c] > 0.0 ? sum[c] / count[c] : NAN;
  return sum;
}

/// No eye tells colours closer than this apart, and the page stays small.
void round_to(std::vector<double>& values, double range) {
  const double step = range / 4096.0;
  if (!(step > 0.0) || !std::isfinite(step)) return;
  const double unit = std::pow(10.0, std::floor(std::log10(step)));
  for (double& value : values) value = std::round(value / unit) * unit;
}

Series cells(std::string name, std::vector<double> values, std::size_t side) {
  return {.name = std::move(name), .mark = Mark::cells, .x = {}, .y = std::move(values), .columns = side};
}

Figure map_figure(const Model& model, const MapGrid& grid, std::string id, std::string title) {
  Figure figure{.id = std::move(id), .title = std::move(title), .caption = {}, .alternative = {}, .x = {}, .y = {}};
  const auto axis = [&](std::size_t k) {
    Axis shown = axis_of(model, grid.place[k]);
    shown.logarithmic = grid.logarithmic[k];
    shown.low = grid.low[k];
    shown.high = grid.high[k];
    return shown;
  };
  figure.x = axis(0);
  figure.y = axis(1);
  figure.size = FigureSize::third;
  figure.slider = "blocks used";
  return figure;
}

std::pair<double, double> range_of(const std::vector<double>& values) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(high >= low)) return {0.0, 1.0};
  if (high == low) return {low - 0.5, high + 0.5};
  return {low, high};
}

/// The maps of one page: cells for predictions, coarser ones for data, and what the network says there.
struct Maps {
  MapGrid grid, bins;
  std::vector<std::size_t> depths;
  std::vector<Matrix> on_grid, on_rows;  ///< predictions by depth
};

Maps plan_maps(const Model& model, const ShownRows& rows, std::vector<std::size_t> depths) {
  Maps maps;
  maps.depths = std::move(depths);
  const auto kept = static_cast<double>(rows.inputs.rows());
  const double room = std::sqrt(14000.0 / static_cast<double>(maps.depths.size() * outputs_shown(model)));
  const std::size_t fine = std::clamp<std::size_t>(static_cast<std::size_t>(room), 12, 40);
  // About four rows in a cell, so that few are empty.
  const std::size_t coarse = std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(kept / 4.0)), 4, fine);
  maps.grid = grid_of(model, rows, fine);
  maps.bins = grid_of(model, rows, coarse);

  const std::vector<double> base = medians(model, rows);
  Matrix centres(fine * fine, model.input_count());
  for (std::size_t c = 0; c < fine * fine; ++c) {
    std::copy(base.begin(), base.end(), centres.data() + c * base.size());
    centres(c, maps.grid.place[0]) = maps.grid.centre(c % fine, 0);
    centres(c, maps.grid.place[1]) = maps.grid.centre(c / fine, 1);
  }
  maps.on_grid = predictions_at(model, centres.view(), maps.depths);
  maps.on_rows = predictions_at(model, rows.inputs.view(), maps.depths);
  return maps;
}

Figure data_map(const Model& model, const ShownRows& rows, const Maps& maps, std::size_t output, ColourScale& scale) {
  const std::string target = label_of(model.targets[output].name);
  std::vector<double> values(rows.inputs.rows());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = rows.targets(i, output);
  std::vector<double> means = cell_means(maps.bins, rows, values);
  const auto [low, high] = range_of(means);
  scale = {.label = target, .low = low, .high = high, .diverging = false};
  round_to(means, high - low);
  Figure figure =
      map_figure(model, maps.bins, "data-map" + suffix(output, model.outputs()), fmt::format("{} in the data", target));
  figure.scale = scale;
  figure.series.push_back(cells("data", std::move(means), maps.bins.side));
  figure.caption = fmt::format("Mean of the {} in {} × {} cells; cells without a row are empty. {}", rows.name,
                               maps.bins.side, maps.bins.side, spread_note(rows.total, values.size()));
  figure.alternative =
      fmt::format("Cell means of {} between {} and {}.", target, short_number(low), short_number(high));
  return figure;
}

Figure prediction_map(const Model& model, const Maps& maps, std::size_t output, const ColourScale& scale) {
  Figure figure = map_figure(model, maps.grid, "prediction-map" + suffix(output, model.outputs()),
                             fmt::format("{} predicted", scale.label));
  figure.scale = scale;
  for (std::size_t f = 0; f < maps.depths.size(); ++f) {
    std::vector<double> predicted(maps.on_grid[f].rows());
    for (std::size_t c = 0; c < predicted.size(); ++c) predicted[c] = maps.on_grid[f](c, output);
    round_to(predicted, scale.high - scale.low);
    figure.frames.push_back({depth_label(maps.depths[f]), {cells("prediction", std::move(predicted), maps.grid.side)}});
  }
  figure.first_frame = maps.depths.size() - 1;
  figure.caption = "The prediction with as many blocks as the slider says, in the colours of the data's map.";
  figure.alternative = fmt::format("The prediction with {}, on the scale from {} to {}.", depth_label(model.blocks()),
                                   short_number(scale.low), short_number(scale.high));
  return figure;
}

Figure difference_map(const Model& model, const ShownRows& rows, const Maps& maps, std::size_t output) {
  Figure figure =
      map_figure(model, maps.bins, "difference-map" + suffix(output, model.outputs()), "Data minus prediction");
  std::vector<std::vector<double>> left;
  std::vector<double> values(rows.inputs.rows());
  for (const Matrix& predictions : maps.on_rows) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = rows.targets(i, output) - predictions(i, output);
    left.push_back(cell_means(maps.bins, rows, values));
  }
  const auto [below, above] = range_of(left.back());
  const double reach = std::max({std::abs(below), std::abs(above), 1e-300});
  figure.scale = ColourScale{.label = "difference", .low = -reach, .high = reach, .diverging = true};
  for (std::size_t f = 0; f < maps.depths.size(); ++f) {
    round_to(left[f], 2.0 * reach);
    figure.frames.push_back({depth_label(maps.depths[f]), {cells("difference", std::move(left[f]), maps.bins.side)}});
  }
  figure.first_frame = maps.depths.size() - 1;
  figure.caption = fmt::format(
      "Mean of data minus prediction in the cells of the data's map. The colours reach as far as the differences that "
      "are left {}; larger ones have the outermost colour.",
      model.blocks() == 0 ? "by the mean" : "by all blocks");
  figure.alternative =
      fmt::format("With {} the cell means differ by at most {}.", depth_label(model.blocks()), short_number(reach));
  return figure;
}

}  // namespace

std::vector<Item> prediction_maps(const RunStory& story, const ShownRows& rows) {
  const Model& model = *story.model;
  const Maps maps = plan_maps(model, rows, depths_shown(model.blocks()));
  std::vector<Item> items;
  for (std::size_t o = 0; o < outputs_shown(model); ++o) {
    ColourScale scale;
    items.emplace_back(data_map(model, rows, maps, o, scale));
    items.emplace_back(prediction_map(model, maps, o, scale));
    items.emplace_back(difference_map(model, rows, maps, o));
  }
  return items;
}

std::vector<Item> opening_maps(const RunStory& story, const ShownRows& rows) {
  const Model& model = *story.model;
  const Maps maps = plan_maps(model, rows, {model.blocks()});
  ColourScale scale;
  Figure data = at_rest(data_map(model, rows, maps, 0, scale));
  Figure predicted = at_rest(prediction_map(model, maps, 0, scale));
  data.size = predicted.size = FigureSize::half;
  std::vector<Item> items;
  items.emplace_back(std::move(data));
  items.emplace_back(std::move(predicted));
  return items;
}

}  // namespace rfnn::report
