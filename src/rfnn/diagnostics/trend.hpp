#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

/// One term of a trend in the units of the data: coefficient · (x − about)^power, on top of the target's mean.
struct TrendTerm {
  std::size_t member = 0;  ///< from 0
  std::size_t block = 0;   ///< from 1
  BranchKind branch = BranchKind::input;
  std::string variable;  ///< `log(x)` where the network sees the logarithm of x; empty for the constant
  std::size_t power = 0;
  double about = 0.0;               ///< the variable's mean over the training rows; 0 where it is not standardised
  std::vector<double> coefficient;  ///< per output: the target's units over the variable's to this power
};

/// The terms of all trends that are not zero, in the order of members, blocks and powers.
RFNN_API std::vector<TrendTerm> trends(const Model& model);

}  // namespace rfnn
