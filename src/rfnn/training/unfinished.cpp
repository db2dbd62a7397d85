#include "rfnn/training/unfinished.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace rfnn::training {
namespace {

std::string_view was(std::size_t count) { return count == 1 ? "was" : "were"; }

}  // namespace

std::string Unfinished::text() const {
  std::vector<std::string> list;
  if (ways.missing > 0)
    list.push_back(
        fmt::format("{} of {} ways to begin a network {} not tried", ways.missing, ways.planned, was(ways.missing)));
  if (behind > 0)
    list.push_back(fmt::format("{} way{} left the race for want of time", behind, behind == 1 ? "" : "s"));
  if (cut_short > 0)
    list.push_back(fmt::format("{} network{} {} cut short", cut_short, cut_short == 1 ? "" : "s", was(cut_short)));
  if (folds.missing > 0)
    list.push_back(fmt::format("{} of {} parts of the rows did not judge", folds.missing, folds.planned));
  if (members.missing > 0)
    list.push_back(fmt::format("{} of {} networks of the average {} not trained", members.missing, members.planned,
                               was(members.missing)));
  if (logarithms) list.emplace_back("whether to take logarithms of inputs was not found out");
  if (refit) list.emplace_back("the fit to all rows did not come about");
  if (error_bars) list.emplace_back("error bars were not learnt to the end");
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string words_of_end(StopReason reason, const Options& options, bool mean) {
  switch (reason) {
    case StopReason::constant_target:
      return "the target is constant: its value is the model";
    case StopReason::no_inputs:
      return "no input varies: the mean is the model";
    case StopReason::interrupted:
      return "interrupted; what was learnt by then is kept";
    case StopReason::out_of_time:
      return fmt::format("the time budget of {:g} s ended training early", options.max_time);
    case StopReason::tolerance:
      return fmt::format("the wanted error of {:g} is reached", options.tolerance);
    case StopReason::all_blocks:
      return "all blocks are trained";
    case StopReason::stalled:
      break;
  }
  return mean ? "held-out rows see nothing to be learnt: the mean is the model" : "held-out rows see no more gain";
}

}  // namespace rfnn::training
