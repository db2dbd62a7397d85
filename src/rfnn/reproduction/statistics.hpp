#pragma once

// Private header. Numbers over seeds. Values that are not finite are left out everywhere.

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace rfnn::reproduction {

struct Quartiles {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double lower = unknown, median = unknown, upper = unknown;
};

/// Linear between the two nearest order statistics: the p-quantile of n values is at place p · (n − 1).
Quartiles quartiles(std::span<const double> values);

/// Least-squares slope of log y against log x over the points that have logarithms; nothing with fewer than two
/// different x.
std::optional<double> log_slope(std::span<const double> x, std::span<const double> y);

}  // namespace rfnn::reproduction
