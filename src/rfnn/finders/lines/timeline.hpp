#pragma once

// Private header.

#include <cstddef>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/rows/row_state.hpp"

namespace rfnn::lines {

/// Rows in the order of one input, time. Of one input rows at the same time are one of their common weight.
struct Timeline {
  Timeline(const rows::RowState& rows, std::size_t time);

  std::size_t time = 0;  ///< which of the inputs
  std::vector<double> x, weight;
  Matrix y;       ///< what is left: places × outputs
  Matrix others;  ///< the inputs, time among them, where there are several: places × inputs
  double spacing = 0.0;

  [[nodiscard]] std::size_t places() const { return x.size(); }
  [[nodiscard]] std::size_t outputs() const { return y.cols(); }
  [[nodiscard]] std::size_t inputs() const { return others.empty() ? 1 : others.cols(); }
  [[nodiscard]] double extent() const { return x.empty() ? 0.0 : x.back() - x.front(); }
};

}  // namespace rfnn::lines
