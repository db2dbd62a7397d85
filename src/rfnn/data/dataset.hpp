#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"

namespace rfnn {

/// Named columns of numbers: what a file holds, and what `fit` learns from once inputs and targets are chosen.
struct Dataset {
  Matrix inputs;                          ///< rows × d
  Matrix targets;                         ///< rows × m
  std::vector<std::string> input_names;   ///< d names, or empty: x1, x2, …
  std::vector<std::string> target_names;  ///< m names, or empty: y, or y1, y2, …
};

/// Hash of shape and bits of inputs and targets, as 32 hex digits: the same data give the same fingerprint.
RFNN_API std::string fingerprint(ConstMatrixView inputs, ConstMatrixView targets);

}  // namespace rfnn
