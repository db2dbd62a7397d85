#include "rfnn/finders/steps.hpp"

#include <utility>
#include <vector>

#include "rfnn/core/timer.hpp"

namespace rfnn::finders {
namespace {

/// Mean square that the block leaves on the rows that judge.
double judged(const Search& search, const FoundBlock& found) {
  Interrupt never;
  rows::RowState rows = search.held_out.count() > 0 ? search.held_out : search.train;
  search.work.advance(found.block, rows, never);
  return search.work.mean_squares(rows).sum();
}

}  // namespace

std::optional<FoundBlock> find_by_steps(const Search& search, std::initializer_list<double> shares, double hope,
                                        const std::function<Step(double share)>& step) {
  const std::vector<double> list(shares);
  std::optional<FoundBlock> best;
  bool full = false;
  for (std::size_t i = 0; i < list.size() && !full; ++i) {
    const Step now = step(list[i]);
    const auto began = Clock::now();
    std::optional<FoundBlock> found = now.find();
    if (found && (!best || found->record.complete || judged(search, *found) < judged(search, *best))) {
      full = now.full && found->record.complete;
      best = std::move(found);
    }
    if (search.interrupt.stopped()) break;
    // Straight to the end where it is likely to be in time.
    const double seconds = seconds_between(began, Clock::now());
    if (i + 2 < list.size() && seconds * step(list.back()).cost / now.cost < hope * search.seconds_left())
      i = list.size() - 2;
  }
  if (best && !full) best->record.complete = false;
  return best;
}

}  // namespace rfnn::finders
