#pragma once

// Private header.

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace rfnn {

/// Quantiles of numbers ≥ 0 that come one by one, each counting by its weight, in bounded memory: exact for up to a
/// million of them, to about a part in 8000 of their size beyond.
class QuantileSum {
 public:
  /// A number that is not one counts as larger than all others; one of weight 0 is not there.
  void add(double value, double weight = 1.0);
  /// The smallest of the numbers that at least a share q of the weight does not exceed; NaN where there are none.
  [[nodiscard]] double quantile(double q) const;

  static constexpr std::size_t most_exact = 1'000'000;

 private:
  std::vector<std::pair<double, double>> values_;  ///< with their weights
  std::map<std::uint32_t, double> bins_;           ///< by the first 24 bits of the number
};

}  // namespace rfnn
