#include "rfnn/diagnostics/quantile_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace rfnn {
namespace {

constexpr unsigned dropped_bits = 40;  // 12 of the 52 bits of the fraction stay

std::uint32_t bin_of(double value) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> dropped_bits);
}

double middle_of(std::uint32_t bin) {
  const std::uint64_t bits = std::uint64_t{bin} << dropped_bits;
  const double edge = std::bit_cast<double>(bits);
  return std::isfinite(edge) && edge > 0.0 ? std::bit_cast<double>(bits | (std::uint64_t{1} << (dropped_bits - 1)))
                                           : edge;
}

template <class Sorted, class Value>
double quantile_of(const Sorted& sorted, double q, const Value& value_of) {
  double total = 0.0;
  for (const auto& [value, weight] : sorted) total += weight;
  double below = 0.0, last = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [value, weight] : sorted) {
    last = value_of(value);
    below += weight;
    // A share of a sum in another order may miss it by rounding.
    if (below >= q * total * (1.0 - 1e-12)) break;
  }
  return last;
}

}  // namespace

void QuantileSum::add(double value, double weight) {
  if (!(weight > 0.0)) return;
  value = std::isnan(value) ? std::numeric_limits<double>::infinity() : std::abs(value);
  if (bins_.empty()) {
    if (values_.size() < most_exact) {
      values_.emplace_back(value, weight);
      return;
    }
    for (const auto& [known, counts] : values_) bins_[bin_of(known)] += counts;
    values_ = {};
  }
  bins_[bin_of(value)] += weight;
}

double QuantileSum::quantile(double q) const {
  if (!bins_.empty()) return quantile_of(bins_, q, middle_of);
  auto sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  return quantile_of(sorted, q, [](double value) { return value; });
}

}  // namespace rfnn
