#include "rfnn/finders/lines/timeline.hpp"

#include <algorithm>
#include <numeric>

namespace rfnn::lines {

Timeline::Timeline(const rows::RowState& rows, std::size_t time_input) : time(time_input) {
  const std::size_t count = rows.count(), outputs = rows.outputs(), inputs = rows.inputs();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return rows.variable_of(i, time) < rows.variable_of(j, time); });
  std::vector<double> sums;
  for (const std::size_t row : order) {
    const double at = rows.variable_of(row, time), w = rows.weight(row);
    if (x.empty() || inputs > 1 || at > x.back()) {
      x.push_back(at);
      weight.push_back(0.0);
      sums.insert(sums.end(), outputs, 0.0);
    }
    weight.back() += w;
    for (std::size_t o = 0; o < outputs; ++o) sums[sums.size() - outputs + o] += w * rows.residual(row, o);
  }
  y = Matrix(places(), outputs);
  for (std::size_t i = 0; i < places(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) y(i, o) = sums[i * outputs + o] / weight[i];
  if (inputs > 1) {
    others = Matrix(count, inputs);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < inputs; ++k) others(i, k) = rows.variable_of(order[i], k);
  }
  std::vector<double> steps;
  for (std::size_t i = 1; i < places(); ++i)
    if (x[i] > x[i - 1]) steps.push_back(x[i] - x[i - 1]);
  if (steps.empty()) return;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  spacing = *middle;
}

}  // namespace rfnn::lines
