#pragma once

// Private header.

#include <cstdint>
#include <optional>
#include <string>

#include "rfnn/model/history.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::training {

/// Decides after each block whether to go on. The error watched is that on validation rows, without them that on the
/// training rows; both in the target's units.
class ErrorControl {
 public:
  ErrorControl(const Options& options, const History& start);

  /// The network has so many blocks from an earlier run, which leave this error: they are kept.
  std::optional<StopReason> go_on(std::int64_t blocks, double error);
  /// Takes note of a block; says why to stop now, or nothing.
  std::optional<StopReason> after(const BlockRecord& record);
  /// Why to stop before the first block, or nothing.
  [[nodiscard]] std::optional<StopReason> at_start() const;

  /// Number of blocks to keep of those noted: all, or with patience the best prefix.
  [[nodiscard]] std::int64_t blocks_to_keep() const { return patience_ > 0 ? best_block_ : last_block_; }
  /// The reason in words, with numbers.
  [[nodiscard]] std::string words(StopReason reason, double elapsed) const;

 private:
  [[nodiscard]] bool within_tolerance() const { return tolerance_ > 0.0 && error_ <= tolerance_; }
  double tolerance_, max_time_;
  std::int64_t patience_, blocks_;
  bool on_validation_;
  double error_;  ///< after the last block
  double best_error_;
  std::int64_t last_block_ = 0, best_block_ = 0, block_at_work_ = 1;
};

}  // namespace rfnn::training
