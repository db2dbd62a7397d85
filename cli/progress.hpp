#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rfnn/model/history.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/training/observer.hpp"

namespace rfnn::cli {

/// Progress for people, on standard error: a live line on a terminal, one line per finished block everywhere; where
/// nothing redraws a line, a sign of life when nothing else was said for half a minute.
class ProgressLines {
 public:
  explicit ProgressLines(const Options& options);
  ~ProgressLines() { clear(); }
  ProgressLines(const ProgressLines&) = delete;
  ProgressLines& operator=(const ProgressLines&) = delete;

  /// Redraws the live line, at most ten times a second, or gives the sign of life.
  void progress(const Progress& now);
  /// Leaves the finished block's line. `elapsed`: seconds since the command began.
  void block(const BlockRecord& record, double elapsed);
  /// A line between the others.
  void line(std::string_view text);
  /// Takes the live line away.
  void clear();

 private:
  std::int64_t blocks_;
  bool several_;  ///< members, as far as known
  bool live_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_draw_{};
  bool said_ = true;          ///< a line, since the last progress
  double quiet_since_ = 0.0;  ///< elapsed seconds at the first progress after the last line
  std::map<std::int64_t, double>
      before_;  ///< per member: error before the block at hand, validation where there is one
};

}  // namespace rfnn::cli
