#include "rfnn/training/members.hpp"

#include <algorithm>
#include <chrono>

#include "rfnn/training/tuning.hpp"

namespace rfnn::training {

std::size_t MemberPlan::planned(const TrainedNetwork& first) const {
  if (options_.members > 0) return static_cast<std::size_t>(options_.members);
  if (first.reason == StopReason::tolerance) return 1;
  if (first.blocks[0].record.method == Method::sequential) return tuning::grown_members;
  return rows_ <= tuning::side_by_side_rows && may_have_other_laws(first) ? tuning::members_with_laws : 1;
}

std::size_t MemberPlan::wanted(const TrainedNetwork& first) const {
  const bool for_the_rest = options_.members <= 0 && budget_.limited() && may_have_other_laws(first);
  return for_the_rest ? std::max(planned(first), tuning::members_with_laws) : planned(first);
}

double MemberPlan::share(const TrainedNetwork& first) const {
  if (first.blocks[0].record.method == Method::kernel) return shares::wide;
  if (!budget_.limited() || first.complete) return shares::member;
  return std::max(shares::least_member, shares::networks - budget_.training_used());
}

bool MemberPlan::time_for_another(double seconds) const {
  if (!budget_.limited()) return true;
  const std::chrono::duration<double> needed(shares::time_for_member * seconds);
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(needed) < budget_.end_of(shares::networks);
}

bool MemberPlan::may_have_other_laws(const TrainedNetwork& first) const {
  const finders::FoundBlock& block = first.blocks[0];
  return first.reason != StopReason::tolerance && inputs_ > 2 && block.record.method == Method::kernel && block.last &&
         !block.fitted_to_all;
}

}  // namespace rfnn::training
