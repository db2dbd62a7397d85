#include "rfnn/data/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/data/row_blocks.hpp"

namespace rfnn {
namespace {

/// Spread below so many units in the last place of the largest magnitude is rounding.
constexpr double constant_below = 16.0 * std::numeric_limits<double>::epsilon();

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

/// A column on the way: in units of the half range around its middle every value lies in [−1, 1], so that nothing
/// overflows, underflows or cancels.
struct Units {
  double centre = 0.0, half = 0.0, mean = 0.0;
  CompensatedSum sum, squares;
};

}  // namespace

std::vector<ColumnStatistics> column_statistics(const Columns& columns, std::span<const std::size_t> rows,
                                                std::span<const double> weights) {
  const std::size_t count = rows.empty() ? columns.rows() : rows.size();
  std::vector<ColumnStatistics> all(columns.size());
  if (count == 0) return all;
  const auto weight_of = [&](std::size_t place) {
    return weights.empty() ? 1.0 : weights[rows.empty() ? place : rows[place]];
  };
  CompensatedSum all_weights;
  for (std::size_t i = 0; i < count; ++i) all_weights.add(weight_of(i));
  const double n = all_weights.value();
  for (std::size_t k = 0; k < all.size(); ++k) all[k].min = all[k].max = columns[k][rows.empty() ? 0 : rows[0]];
  // Three passes over the rows for all columns at once, each column summed in the order of the rows.
  const auto for_each = [&](const auto& visit) {
    for (RowBlocks block(columns, rows); block.next();)
      for (std::size_t k = 0; k < all.size(); ++k)
        for (std::size_t i = 0; i < block.count(); ++i) visit(k, block.column(k)[i], weight_of(block.first() + i));
  };
  for_each([&](std::size_t k, double v, double) {
    all[k].min = std::min(all[k].min, v);
    all[k].max = std::max(all[k].max, v);
  });
  std::vector<Units> units(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    units[k].centre = 0.5 * all[k].min + 0.5 * all[k].max;
    units[k].half = 0.5 * all[k].max - 0.5 * all[k].min;
  }
  for_each([&](std::size_t k, double v, double weight) {
    units[k].sum.add(weight * ((v - units[k].centre) / units[k].half));
  });
  for (Units& u : units) u.mean = u.sum.value() / n;
  for_each([&](std::size_t k, double v, double weight) {
    const double deviation = (v - units[k].centre) / units[k].half - units[k].mean;
    units[k].squares.add(weight * (deviation * deviation));
  });
  for (std::size_t k = 0; k < all.size(); ++k) {
    ColumnStatistics& s = all[k];
    const Units& u = units[k];
    if (!(u.half > 0.0)) {  // one value throughout: the sums are of 0/0
      s.mean = s.min;
      continue;
    }
    s.mean = std::clamp(u.centre + u.half * u.mean, s.min, s.max);
    s.sd = u.half * std::sqrt(u.squares.value() / n);
    s.constant = s.max - s.min <= constant_below * std::max(std::abs(s.min), std::abs(s.max));
  }
  return all;
}

}  // namespace rfnn
