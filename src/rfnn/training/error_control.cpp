#include "rfnn/training/error_control.hpp"

#include <fmt/format.h>

namespace rfnn::training {

ErrorControl::ErrorControl(const Options& options, const History& start)
    : tolerance_(options.tolerance),
      max_time_(options.max_time),
      patience_(options.patience),
      blocks_(options.blocks),
      on_validation_(start.empty_validation_mse.has_value()),
      error_(start.empty_validation_mse.value_or(start.empty_train_mse)),
      best_error_(error_) {}

std::optional<StopReason> ErrorControl::at_start() const {
  if (within_tolerance()) return StopReason::tolerance;
  return std::nullopt;
}

std::optional<StopReason> ErrorControl::go_on(std::int64_t blocks, double error) {
  last_block_ = best_block_ = blocks;
  block_at_work_ = blocks + 1;
  error_ = best_error_ = error;
  if (within_tolerance()) return StopReason::tolerance;
  if (blocks >= blocks_) return StopReason::all_blocks;
  return std::nullopt;
}

std::optional<StopReason> ErrorControl::after(const BlockRecord& record) {
  last_block_ = record.block;
  block_at_work_ = record.complete ? record.block + 1 : record.block;
  // A block cut short may have no validation error; it is then judged by nothing and kept only where all are.
  if (on_validation_ && !record.validation_mse) return std::nullopt;
  error_ = on_validation_ ? *record.validation_mse : record.train_mse;
  if (error_ < best_error_) {
    best_error_ = error_;
    best_block_ = record.block;
  }
  if (within_tolerance()) return StopReason::tolerance;
  if (patience_ > 0 && record.block - best_block_ >= patience_) return StopReason::stalled;
  if (record.block >= blocks_) return StopReason::all_blocks;
  return std::nullopt;
}

std::string ErrorControl::words(StopReason reason, double elapsed) const {
  const std::string_view rows = on_validation_ ? "validation" : "training";
  const std::string back = blocks_to_keep() < last_block_
                               ? fmt::format("; went back to the best, {} of {} blocks", best_block_, last_block_)
                               : "";
  switch (reason) {
    case StopReason::all_blocks:
      return fmt::format("{} trained{}", blocks_ == 1 ? "the one block is" : fmt::format("all {} blocks are", blocks_),
                         back);
    case StopReason::tolerance:
      return fmt::format("the {} error {:.4g} is within the tolerance {:.4g} after {} block{}", rows, error_,
                         tolerance_, last_block_, last_block_ == 1 ? "" : "s");
    case StopReason::stalled:
      return fmt::format("{} block{} in a row did not lower the {} error{}", patience_, patience_ == 1 ? "" : "s", rows,
                         back);
    case StopReason::out_of_time:
      return fmt::format("the time budget of {:.4g} s ended in block {}{}", max_time_, block_at_work_, back);
    case StopReason::interrupted:
      return fmt::format("interrupted after {:.1f} s{}", elapsed, back);
    case StopReason::constant_target:
      return "the target is constant; its mean is the model";
    case StopReason::no_inputs:
      return "no input column varies; the mean of the target is the model";
  }
  return {};
}

}  // namespace rfnn::training
