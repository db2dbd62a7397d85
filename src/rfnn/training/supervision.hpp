#pragma once

// Private header.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/finders/block_finder.hpp"
#include "rfnn/model/history.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/training/budget.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::training {

/// The clock and the observer of one run: what the interrupt asks between tiles of rows. Networks on other threads tell
/// it what they do; the observer hears of it on the thread that called fit(), at the next poll.
class Supervision {
 public:
  Supervision(const Options& options, const FitExtras& extras);

  /// Tells the observer where the run stands; false when it or the budget ends the run.
  bool poll();
  /// What was told and has not been passed on; false when the observer ends the run.
  bool deliver();

  /// Networks begin: before its first block each has the errors of the mean.
  void begin_networks(const History& history);
  /// From any thread: what a network does, and a block that has joined it.
  void tell(std::int64_t member, std::int64_t block, std::string stage);
  void tell(const BlockRecord& record);

  /// A sampled block begins; `moving`: branches of the block that are sampled.
  void begin_block(std::int64_t block, std::size_t moving, const History& history);
  void end_block() { work_done_ += moving_ * static_cast<double>(chain.iteration); }

  /// Why the run was ended from outside; nothing: it was not.
  [[nodiscard]] std::optional<StopReason> ended() const { return reason_; }
  [[nodiscard]] StopReason reason() const { return reason_.value_or(StopReason::interrupted); }
  /// Seconds since fit() was called.
  [[nodiscard]] double elapsed() const { return seconds_between(began_, Clock::now()); }

  Budget budget;
  finders::ChainProgress chain;  ///< kept up to date by the sampler

 private:
  bool stop(StopReason reason);
  [[nodiscard]] std::optional<double> remaining(Clock::time_point now) const;

  const Options& options_;
  Observer* observer_;
  Clock::time_point began_;
  std::optional<StopReason> reason_;
  /// Errors a network has reached.
  struct Reached {
    double train = 0.0;
    std::optional<double> validation;
  };
  std::mutex mutex_;  ///< of the next four
  Progress where_;
  std::vector<BlockRecord> told_;
  Reached at_first_;
  std::map<std::int64_t, Reached> reached_;  ///< by member
  double moving_ = 1.0, work_done_ = 0.0;
  double blocks_before_ = 0.0;  ///< trained by an earlier run
};

}  // namespace rfnn::training
