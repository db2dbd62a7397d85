#pragma once

// Private header.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "rfnn/model/history.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/sampling/gibbs.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to);

/// The clock, the budget and the observer of one run: what the interrupt asks between tiles of rows.
class Supervision {
 public:
  Supervision(const Options& options, const FitExtras& extras);

  /// Tells the observer where the run stands; false when it or the budget ends the run.
  bool poll();

  /// `moving`: branches of the block that are sampled.
  void begin_block(std::int64_t block, std::size_t moving, const History& history);
  void end_block() { work_done_ += moving_ * static_cast<double>(chain.iteration); }

  /// Why the run was ended from outside.
  [[nodiscard]] StopReason reason() const { return reason_.value_or(StopReason::interrupted); }
  [[nodiscard]] double elapsed() const { return seconds_between(began_, Clock::now()); }

  ChainProgress chain;  ///< kept up to date by the sampler
  std::string stage;    ///< what is being done, for the observer

 private:
  bool stop(StopReason reason);
  [[nodiscard]] std::optional<double> remaining(Clock::time_point now) const;

  const Options& options_;
  Observer* observer_;
  Clock::time_point began_, started_;
  std::optional<Clock::time_point> deadline_;
  std::optional<StopReason> reason_;
  Progress where_;
  double moving_ = 1.0, work_done_ = 0.0;
  double blocks_before_ = 0.0;  ///< trained by an earlier run
};

}  // namespace rfnn
