#include "rfnn/rows/box_tree.hpp"

#include <algorithm>

namespace rfnn::rows {
namespace {

/// Boxes inside a larger one.
constexpr std::size_t fan = 8;

void around(const Matrix& low, const Matrix& high, Matrix& lows, Matrix& highs) {
  lows = highs = Matrix((low.rows() + fan - 1) / fan, low.cols());
  for (std::size_t box = 0; box < low.rows(); ++box)
    for (std::size_t k = 0; k < low.cols(); ++k) {
      const bool first = box % fan == 0;
      double &least = lows(box / fan, k), &most = highs(box / fan, k);
      least = first ? low(box, k) : std::min(least, low(box, k));
      most = first ? high(box, k) : std::max(most, high(box, k));
    }
}

}  // namespace

BoxTree::BoxTree(const Matrix& low, const Matrix& high) : low_(low), high_(high) {
  const Matrix *below_low = &low_, *below_high = &high_;
  std::size_t levels = 0;
  for (std::size_t boxes = low.rows(); boxes > fan; boxes = (boxes + fan - 1) / fan) ++levels;
  lows_.resize(levels);
  highs_.resize(levels);
  for (std::size_t level = 0; level < levels; ++level) {
    around(*below_low, *below_high, lows_[level], highs_[level]);
    below_low = &lows_[level];
    below_high = &highs_[level];
  }
}

bool BoxTree::apart(const Matrix& lows, const Matrix& highs, std::size_t box, const double* low,
                    const double* high) const {
  for (std::size_t k = 0; k < lows.cols(); ++k)
    if (lows(box, k) > high[k] || highs(box, k) < low[k]) return true;
  return false;
}

void BoxTree::look(std::size_t level, std::size_t node, const double* low, const double* high,
                   FunctionRef<void(std::size_t box)> with) const {
  const bool list = level == 0;
  const Matrix &lows = list ? low_ : lows_[level - 1], &highs = list ? high_ : highs_[level - 1];
  for (std::size_t box = node * fan; box < std::min(lows.rows(), (node + 1) * fan); ++box) {
    if (apart(lows, highs, box, low, high)) continue;
    if (list)
      with(box);
    else
      look(level - 1, box, low, high, with);
  }
}

void BoxTree::each(const double* low, const double* high, FunctionRef<void(std::size_t box)> with) const {
  look(lows_.size(), 0, low, high, with);
}

}  // namespace rfnn::rows
