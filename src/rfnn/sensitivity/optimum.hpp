#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/sensitivity/factors.hpp"

namespace rfnn {

struct OptimumOptions {
  std::size_t output = 0;
  bool maximum = false;     ///< else the minimum
  std::size_t starts = 32;  ///< of the local search, the best of many points that fill the box
  std::uint64_t seed = 1;   ///< of these
  std::size_t threads = 1;  ///< 0: as many as the process may use; the result does not depend on it
  /// Asked about every 25 ms, on the calling thread; false ends the work with what is found so far.
  std::function<bool()> proceed = {};
};

/// The best place found.
struct Optimum {
  std::vector<double> values;  ///< per factor
  std::vector<double> inputs;  ///< the same as a row of the model's inputs
  double value = 0.0;          ///< the prediction there
  std::size_t starts = 0;      ///< local searches made
  std::size_t agreeing = 0;    ///< of them ended with this value, to a millionth of the spread of the predictions
  bool complete = true;        ///< false: ended by `proceed`
};

/// The minimum (or maximum) of an output over the box of the factors' ranges and levels with a share. From each start
/// L-BFGS-B goes down by the exact gradients in numbers and times; then each category and boolean tries its other
/// levels, one at a time, until nothing gains. A global optimum is likely where many starts agree; it is not proven.
/// Throws UsageError where a factor's range is empty or not finite.
RFNN_API Optimum find_optimum(const Model& model, const std::vector<Factor>& factors,
                              const OptimumOptions& options = {});

}  // namespace rfnn
