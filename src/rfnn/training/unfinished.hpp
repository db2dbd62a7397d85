#pragma once

// Private header. How a run of preset auto ended, and what it had planned and clock or signal kept from being done.

#include <cstddef>
#include <string>

#include "rfnn/model/history.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::training {

/// A smaller size that the plan chose because time is short is no part of it: that was done.
struct Unfinished {
  struct Part {
    std::size_t missing = 0, planned = 0;
  };
  Part ways;                  ///< to begin a network; missing: not begun, or ended before there was a block
  Part folds;                 ///< parts of the rows; missing: nobody was judged by them
  Part members;               ///< of the average
  std::size_t cut_short = 0;  ///< networks that went into the race as they were when their time ended

  [[nodiscard]] bool any() const { return ways.missing + folds.missing + members.missing + cut_short > 0; }
  /// In words for people, for a sentence: "1 of 2 ways to begin a network was not tried, 2 networks were cut short".
  [[nodiscard]] std::string text() const;
};

/// Why a run of preset auto ended, in words; `mean`: without a block.
[[nodiscard]] std::string words_of_end(StopReason reason, const Options& options, bool mean);

}  // namespace rfnn::training
