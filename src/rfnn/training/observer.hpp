#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "rfnn/core/export.hpp"
#include "rfnn/model/history.hpp"

namespace rfnn {

/// Where a training run stands. Errors are mean squared errors in the target's units.
struct Progress {
  std::string stage;        ///< what is being done, in words ("member 1, block 3: which inputs matter"); may be empty
  std::int64_t member = 0;  ///< network being trained, from 0
  std::int64_t block = 0;   ///< block being trained, from 1; 0 while the rows are prepared
  std::int64_t blocks = 0;
  std::int64_t iteration = 0;
  std::int64_t iterations = 0;                             ///< 0: there is no chain
  double acceptance = 0.0;                                 ///< over the branches of this block so far
  double loss = std::numeric_limits<double>::quiet_NaN();  ///< misfit of the kept state on the block's rows; NaN before
                                                           ///< the first solve
  double previous_train_mse = 0.0;                         ///< before this block
  std::optional<double> previous_validation_mse;
  std::optional<double> best_validation_mse;  ///< the least of any network so far
  double share = 0.0;                         ///< of the time budget that is used; 0 without one
  double elapsed = 0.0;                       ///< seconds since fit began
  std::optional<double> remaining;  ///< estimate of the seconds left to the end of all blocks or of the budget
};

/// Sees a training run and may end it. Every call comes on the thread that called fit(), `progress` at least every
/// 100 ms. Returning false ends the run at the next tile of rows: the kept state becomes a valid model.
class RFNN_API Observer {
 public:
  virtual ~Observer() = default;
  virtual bool progress(const Progress&) { return true; }
  /// A block has joined a network. With preset auto several networks are tried, `member` counting them in the order of
  /// trying; the model keeps the best and numbers them anew.
  virtual bool block_done(const BlockRecord&) { return true; }
  virtual void warning(const std::string&) {}
};

}  // namespace rfnn
