#include "rfnn/training/supervision.hpp"

#include <algorithm>
#include <limits>

namespace rfnn {

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

Supervision::Supervision(const Options& options, const FitExtras& extras)
    : options_(options), observer_(extras.observer), began_(Clock::now()), started_(extras.started.value_or(began_)) {
  where_.blocks = options.blocks;
  if (extras.start != nullptr) blocks_before_ = static_cast<double>(extras.start->blocks());
  where_.iterations = options.preset == Preset::paper ? options.iterations : 0;
  chain.loss = std::numeric_limits<double>::quiet_NaN();
  if (options.max_time <= 0.0) return;
  // A little of the budget is left for the last pass over the validation rows and for writing the model.
  const double reserve = std::min(0.05 * options.max_time, 0.25);
  deadline_ =
      started_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.max_time - reserve));
}

bool Supervision::poll() {
  const auto now = Clock::now();
  if (deadline_ && now >= *deadline_) return stop(StopReason::out_of_time);
  if (observer_ == nullptr) return true;
  where_.stage = stage;
  where_.iteration = chain.iteration;
  where_.acceptance = chain.acceptance;
  where_.loss = chain.loss;
  where_.elapsed = seconds_between(began_, now);
  where_.remaining = remaining(now);
  return observer_->progress(where_) || stop(StopReason::interrupted);
}

bool Supervision::stop(StopReason reason) {
  if (!reason_) reason_ = reason;
  return false;
}

void Supervision::begin_block(std::int64_t block, std::size_t moving, const History& history) {
  where_.block = block;
  const bool first = history.blocks.empty();
  where_.previous_train_mse = first ? history.empty_train_mse : history.blocks.back().train_mse;
  where_.previous_validation_mse = first ? history.empty_validation_mse : history.blocks.back().validation_mse;
  chain = {0, 0.0, std::numeric_limits<double>::quiet_NaN()};
  moving_ = static_cast<double>(moving);
}

// Work counts branch moves: block 1 has one moving branch, later blocks mostly two.
std::optional<double> Supervision::remaining(Clock::time_point now) const {
  const double later = options_.state_branch == StateBranch::sampled ? 2.0 : 1.0;
  const double done = work_done_ + moving_ * static_cast<double>(chain.iteration);
  const double blocks = static_cast<double>(options_.blocks) - blocks_before_;
  const double moves = blocks_before_ > 0.0 ? later * blocks : 1.0 + later * (blocks - 1.0);
  const double total = static_cast<double>(options_.iterations) * moves;
  std::optional<double> left;
  if (done > 0.0) left = seconds_between(began_, now) * std::max(0.0, total / done - 1.0);
  if (deadline_)
    left = std::min(left.value_or(std::numeric_limits<double>::infinity()), seconds_between(now, *deadline_));
  return left;
}

}  // namespace rfnn
