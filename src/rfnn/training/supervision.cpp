#include "rfnn/training/supervision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rfnn::training {

Supervision::Supervision(const Options& options, const FitExtras& extras)
    : budget(options, extras), options_(options), observer_(extras.observer), began_(Clock::now()) {
  where_.blocks = options.blocks;
  if (extras.start != nullptr) blocks_before_ = static_cast<double>(extras.start->blocks());
  where_.iterations = options.preset == Preset::paper ? options.iterations : 0;
  chain.loss = std::numeric_limits<double>::quiet_NaN();
}

bool Supervision::poll() {
  if (budget.used_up()) return stop(StopReason::out_of_time);
  if (observer_ == nullptr) return true;
  if (!deliver()) return false;
  Progress now;
  {
    const std::lock_guard lock(mutex_);
    now = where_;
  }
  now.iteration = chain.iteration;
  now.acceptance = chain.acceptance;
  now.loss = chain.loss;
  now.elapsed = elapsed();
  now.share = budget.share_used();
  now.remaining = remaining(Clock::now());
  return observer_->progress(now) || stop(StopReason::interrupted);
}

bool Supervision::deliver() {
  std::vector<BlockRecord> told;
  {
    const std::lock_guard lock(mutex_);
    std::swap(told, told_);
  }
  bool go_on = true;
  for (const BlockRecord& record : told)
    if (observer_ != nullptr && !observer_->block_done(record)) go_on = false;
  return go_on || stop(StopReason::interrupted);
}

void Supervision::begin_networks(const History& history) {
  const std::lock_guard lock(mutex_);
  at_first_ = {history.empty_train_mse, history.empty_validation_mse};
}

void Supervision::tell(std::int64_t member, std::int64_t block, std::string stage) {
  const std::lock_guard lock(mutex_);
  where_.member = member;
  where_.block = block;
  where_.stage = std::move(stage);
  const auto known = reached_.find(member);
  const Reached& before = known == reached_.end() ? at_first_ : known->second;
  where_.previous_train_mse = before.train;
  where_.previous_validation_mse = before.validation;
}

void Supervision::tell(const BlockRecord& record) {
  const std::lock_guard lock(mutex_);
  told_.push_back(record);
  reached_[record.member] = {record.train_mse, record.validation_mse};
  if (record.validation_mse)
    where_.best_validation_mse =
        std::min(where_.best_validation_mse.value_or(*record.validation_mse), *record.validation_mse);
}

bool Supervision::stop(StopReason reason) {
  if (!reason_) reason_ = reason;
  return false;
}

void Supervision::begin_block(std::int64_t block, std::size_t moving, const History& history) {
  const std::lock_guard lock(mutex_);
  where_.block = block;
  where_.stage.clear();
  const bool first = history.blocks.empty();
  where_.previous_train_mse = first ? history.empty_train_mse : history.blocks.back().train_mse;
  where_.previous_validation_mse = first ? history.empty_validation_mse : history.blocks.back().validation_mse;
  chain = {0, 0.0, std::numeric_limits<double>::quiet_NaN()};
  moving_ = static_cast<double>(moving);
}

// Work counts branch moves: block 1 has one moving branch, later blocks mostly two.
std::optional<double> Supervision::remaining(Clock::time_point now) const {
  std::optional<double> left;
  if (options_.preset == Preset::paper) {
    const double later = options_.state_branch == StateBranch::sampled ? 2.0 : 1.0;
    const double done = work_done_ + moving_ * static_cast<double>(chain.iteration);
    const double blocks = static_cast<double>(options_.blocks) - blocks_before_;
    const double moves = blocks_before_ > 0.0 ? later * blocks : 1.0 + later * (blocks - 1.0);
    const double total = static_cast<double>(options_.iterations) * moves;
    if (done > 0.0) left = seconds_between(began_, now) * std::max(0.0, total / done - 1.0);
  }
  if (budget.limited()) left = std::min(left.value_or(std::numeric_limits<double>::infinity()), budget.left());
  return left;
}

}  // namespace rfnn::training
