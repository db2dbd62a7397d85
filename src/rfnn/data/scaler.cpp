#include "rfnn/data/scaler.hpp"

#include <algorithm>
#include <cmath>

namespace rfnn {
namespace {

constexpr double constant_below = 1e-11;

/// A sum that remembers what rounding took from it.
class CompensatedSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  [[nodiscard]] double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0.0;
  double lost_ = 0.0;
};

}  // namespace

ColumnStatistics column_statistics(ConstMatrixView values, std::size_t column, std::span<const std::size_t> rows) {
  const std::size_t count = rows.empty() ? values.rows() : rows.size();
  if (count == 0) return {};
  const auto for_each = [&](const auto& visit) {
    for (std::size_t i = 0; i < count; ++i) visit(values(rows.empty() ? i : rows[i], column));
  };
  const auto n = static_cast<double>(count);

  ColumnStatistics s;
  s.min = s.max = values(rows.empty() ? 0 : rows[0], column);
  for_each([&](double v) {
    s.min = std::min(s.min, v);
    s.max = std::max(s.max, v);
  });

  // In units of the half range around its middle every value lies in [−1, 1]: nothing overflows, underflows or cancels.
  const double centre = 0.5 * s.min + 0.5 * s.max;
  const double half = 0.5 * s.max - 0.5 * s.min;
  if (!(half > 0.0)) {
    s.mean = s.min;
    return s;
  }
  CompensatedSum sum;
  for_each([&](double v) { sum.add((v - centre) / half); });
  const double mean = sum.value() / n;
  CompensatedSum squares;
  for_each([&](double v) {
    const double deviation = (v - centre) / half - mean;
    squares.add(deviation * deviation);
  });
  s.mean = std::clamp(centre + half * mean, s.min, s.max);
  s.sd = half * std::sqrt(squares.value() / n);
  s.constant = s.sd <= constant_below * std::max(std::abs(s.min), std::abs(s.max));
  return s;
}

}  // namespace rfnn
