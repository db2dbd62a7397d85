#include "rfnn/training/control.hpp"

#include "rfnn/training/tuning.hpp"

namespace rfnn::training {

std::optional<StopReason> ErrorBound::begin(const Standing& standing) {
  if (const std::optional<StopReason> stop = control_.at_start()) return stop;
  if (standing.blocks == 0) return std::nullopt;
  return control_.go_on(static_cast<std::int64_t>(standing.blocks), standing.judged_mse);
}

std::optional<StopReason> ErrorBound::after(const BlockRecord* joined, const Standing&) {
  return joined == nullptr ? std::nullopt : control_.after(*joined);
}

std::optional<StopReason> HeldOutGain::begin(const Standing& standing) {
  best_ = standing.judged;
  return enough(standing);
}

bool HeldOutGain::joins(const HeldOut& after, const HeldOut& before, const Standing& standing) const {
  if (standing.blocks > 0) return surely_smaller(after, before, tuning::sure_later, true);
  return sure_first_ < 0.0 || surely_smaller(after, before, sure_first_, true);
}

std::optional<StopReason> HeldOutGain::after(const BlockRecord* joined, const Standing& standing) {
  ++without_gain_;
  if (joined != nullptr) {
    if (standing.judged < tuning::block_gain * best_) without_gain_ = 0;
    const bool hopeless = cannot_win(standing.judged, best_, standing.blocks, rival_);
    best_ = standing.judged;
    if (hopeless) return StopReason::stalled;
  }
  if (begins_once_ && standing.attempts == 1 && standing.blocks == 0) return StopReason::stalled;
  if (options_.tolerance > 0.0 && standing.judged_mse <= options_.tolerance) return StopReason::tolerance;
  if (const std::optional<StopReason> stop = enough(standing)) return stop;
  if (options_.patience > 0 && without_gain_ >= options_.patience) return StopReason::stalled;
  return std::nullopt;
}

std::optional<StopReason> HeldOutGain::enough(const Standing& standing) const {
  if (standing.blocks >= static_cast<std::size_t>(options_.blocks)) return StopReason::all_blocks;
  if (!(standing.train > tuning::exact * standing.at_first)) return StopReason::all_blocks;
  return std::nullopt;
}

}  // namespace rfnn::training
