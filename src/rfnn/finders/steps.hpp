#pragma once

// Private header. Finding a block against the clock: a small one first, so that nothing is lost when the time ends.

#include <functional>
#include <initializer_list>
#include <optional>

#include "rfnn/finders/block_finder.hpp"

namespace rfnn::finders {

/// One size of a search.
struct Step {
  bool full = false;  ///< the size it would have without a clock
  double cost = 0.0;  ///< in any unit
  std::function<std::optional<FoundBlock>()> find;
};

/// Shares of the effort, ascending, the last 1. The first is made in any case; of the others one is left out where the
/// last says, by the costs of both, that a larger one will be in time. One that is cut short counts if held-out rows
/// like it better. `hope`: how much longer than the time left the full size may seem to take and still be tried at
/// once. Small sizes overstate it, and some searches give what they have when they are cut short.
std::optional<FoundBlock> find_by_steps(const Search& search, std::initializer_list<double> shares, double hope,
                                        const std::function<Step(double share)>& step);

}  // namespace rfnn::finders
