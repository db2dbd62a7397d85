#pragma once

// Private header. Neighbouring rows taken together, so that what is kept of them is no row of the table.

#include <cstddef>
#include <vector>

#include "rfnn/core/matrix.hpp"

namespace rfnn::uncertainty {

/// Rows halved along the longest side of their box until parts have fewer than twice `least` rows; per row the number
/// of its part. Each has `least` rows at the least, where there are as many.
struct Groups {
  std::vector<std::size_t> of_row;
  std::size_t count = 0;

  /// Weighted means over each group's rows; `weights` empty: all alike.
  [[nodiscard]] Matrix means(const Matrix& rows, const std::vector<double>& weights) const;
  /// Sums of the weights.
  [[nodiscard]] std::vector<double> sums(const std::vector<double>& weights) const;
};
Groups group_rows(const Matrix& rows, std::size_t least);

}  // namespace rfnn::uncertainty
