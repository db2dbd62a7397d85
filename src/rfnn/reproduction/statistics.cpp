#include "rfnn/reproduction/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace rfnn::reproduction {

Quartiles quartiles(std::span<const double> values) {
  std::vector<double> sorted;
  for (const double value : values)
    if (std::isfinite(value)) sorted.push_back(value);
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
  };
  return {quantile(0.25), quantile(0.5), quantile(0.75)};
}

std::optional<double> log_slope(std::span<const double> x, std::span<const double> y) {
  double count = 0.0, mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (!(x[i] > 0.0 && y[i] > 0.0 && std::isfinite(x[i]) && std::isfinite(y[i]))) continue;
    const double u = std::log(x[i]), v = std::log(y[i]);
    count += 1.0;
    const double step_x = u - mean_x, step_y = v - mean_y;
    mean_x += step_x / count;
    mean_y += step_y / count;
    xx += step_x * (u - mean_x);
    xy += step_x * (v - mean_y);
  }
  if (count < 2.0 || !(xx > 0.0)) return std::nullopt;
  return xy / xx;
}

}  // namespace rfnn::reproduction
