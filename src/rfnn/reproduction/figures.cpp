#include "rfnn/reproduction/figures.hpp"

#include <algorithm>
#include <cmath>

#include "rfnn/reproduction/statistics.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::reproduction {

void add_over_seeds(std::vector<Series>& series, const SeedCurves& curves, Mark mark) {
  Series middle{.name = curves.name, .mark = mark, .colour = curves.colour, .x = curves.x, .y = {}};
  Series band{.name = curves.name + ", quartiles", .mark = Mark::band, .colour = curves.colour, .x = curves.x, .y = {}};
  for (std::size_t i = 0; i < curves.x.size(); ++i) {
    std::vector<double> values;
    for (const std::vector<double>& of_seed : curves.y)
      if (i < of_seed.size()) values.push_back(of_seed[i]);
    const Quartiles over_seeds = quartiles(values);
    middle.y.push_back(over_seeds.median);
    band.low.push_back(over_seeds.lower);
    band.y.push_back(over_seeds.upper);
  }
  if (curves.y.size() > 1) {
    middle.name += ", median";
    series.push_back(std::move(band));
  }
  series.push_back(std::move(middle));
}

const Run* first_run(std::span<const Run> runs, Target target, std::string_view method) {
  const std::vector<const Run*> found = runs_of(runs, target, method);
  return found.empty() ? nullptr : found.front();
}

std::vector<double> even_grid(double low, double high, std::size_t points) {
  std::vector<double> grid(points);
  for (std::size_t i = 0; i < points; ++i)
    grid[i] = low + (high - low) * static_cast<double>(i) / static_cast<double>(points - 1);
  return grid;
}

std::vector<double> target_values(Target target, const std::vector<double>& x) {
  std::vector<double> values;
  values.reserve(x.size());
  for (const double place : x) values.push_back(evaluate(target, {&place, 1}));
  return values;
}

std::vector<double> predicted_values(const Run& run, const std::vector<double>& x, std::int64_t blocks) {
  const Matrix values = predict(run.model, ConstMatrixView(x.data(), x.size(), 1),
                                {.blocks = static_cast<std::size_t>(blocks), .threads = 1});
  return {values.data(), values.data() + values.size()};
}

std::string block_label(std::int64_t blocks) { return std::to_string(blocks) + (blocks == 1 ? " block" : " blocks"); }

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace rfnn::reproduction
