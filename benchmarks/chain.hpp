#pragma once

// A chain of a later block on made-up data of any size, for measuring iterations.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rfnn/data/dataset.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/rows/row_work.hpp"
#include "timed_engine.hpp"

namespace rfnn::bench {

struct Size {
  std::size_t rows = 0, inputs = 1, width = 1;
};

/// Inputs uniform with mean 0 and variance 1, a wave of the first as target, noise.
Dataset made_up(const Size& size);

Options options_for(const Size& size, std::size_t threads);

/// Iterations that were timed one by one.
struct Timing {
  std::size_t iterations = 0;
  double mean = 0.0;  ///< seconds per iteration over all of them
  double best =
      0.0;  ///< the same over the best stretch of a few milliseconds, or the best iteration where one is longer
};

/// The second block of a network on `data`, which must outlive it.
class Chain {
 public:
  Chain(const Dataset& data, const Size& size, std::size_t threads);
  Chain(const Chain&) = delete;  // the engine refers to the rows
  Chain& operator=(const Chain&) = delete;
  /// Iterates for `seconds`, at least `least` times; each call starts the chain anew.
  Timing run(double seconds, std::size_t least);
  [[nodiscard]] const TimedEngine& engine() const { return engine_; }

 private:
  Size size_;
  Options options_;
  rows::RowState rows_;
  std::unique_ptr<rows::RowWork> work_;
  TimedEngine engine_;
};

}  // namespace rfnn::bench
