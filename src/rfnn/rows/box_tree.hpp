#pragma once

// Private header.

#include <cstddef>
#include <vector>

#include "rfnn/core/function_ref.hpp"
#include "rfnn/core/matrix.hpp"

namespace rfnn::rows {

/// Boxes, found by place: a tree of boxes around neighbours in the list, which is quick where neighbours in the list
/// are neighbours in space. Refers to the boxes' corners (boxes × variables), which must outlive it.
class BoxTree {
 public:
  BoxTree(const Matrix& low, const Matrix& high);

  /// Calls with(box) for every box that has points in common with the one between these corners, in their order.
  void each(const double* low, const double* high, FunctionRef<void(std::size_t box)> with) const;

 private:
  [[nodiscard]] bool apart(const Matrix& lows, const Matrix& highs, std::size_t box, const double* low,
                           const double* high) const;
  void look(std::size_t level, std::size_t node, const double* low, const double* high,
            FunctionRef<void(std::size_t box)> with) const;

  const Matrix &low_, &high_;
  /// Level l: boxes around `fan` of level l − 1 each, of the list itself for the first.
  std::vector<Matrix> lows_, highs_;
};

}  // namespace rfnn::rows
