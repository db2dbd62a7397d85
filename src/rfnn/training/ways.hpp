#pragma once

// Private header. The ways to begin a network that race against each other with preset auto.

#include <cstddef>
#include <vector>

#include "rfnn/model/history.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::training {

/// A way to begin a network, and its share of the effort.
struct Way {
  Method first;
  double share;
  bool to_stand_on = false;  ///< a first block for the later ones' sake, where one before it is complete in itself
  bool on_top = false;       ///< a block on top of the first one of the best network so far
};

/// Is the model to be used beyond the rows, or where a stretch of them is missing?
[[nodiscard]] bool beyond(const Options& options);

/// Are rows many and the inputs few? Then closed forms of windows need little time.
[[nodiscard]] bool windows_pay(const Options& options, std::size_t inputs, std::size_t rows);

/// For so many inputs that vary and so many rows; the cheapest promising one first, a grown one last.
std::vector<Way> ways_to_begin(const Options& options, std::size_t inputs, std::size_t rows);

}  // namespace rfnn::training
