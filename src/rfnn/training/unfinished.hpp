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
  std::size_t behind = 0;     ///< ways that left the race as they had no time for all parts of the rows
  std::size_t cut_short = 0;  ///< networks that were taken as they were when their time ended
  bool logarithms = false;    ///< whether to take logarithms of inputs was not found out
  bool refit = false;         ///< the fit to all rows did not come about
  bool error_bars = false;    ///< nor did they, or they are not what they would have been

  [[nodiscard]] bool any() const {
    return ways.missing + folds.missing + members.missing + behind + cut_short > 0 || logarithms || refit || error_bars;
  }
  /// In words for people, for a sentence: "1 of 2 ways to begin a network was not tried, 2 networks were cut short".
  [[nodiscard]] std::string text() const;
};

/// Why a run of preset auto ended, in words; `mean`: without a block.
[[nodiscard]] std::string words_of_end(StopReason reason, const Options& options, bool mean);

}  // namespace rfnn::training
