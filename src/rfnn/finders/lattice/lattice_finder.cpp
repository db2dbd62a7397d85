#include "rfnn/finders/lattice/lattice_finder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rfnn/core/timer.hpp"

namespace rfnn::lattice {
namespace {

struct LatticeRecipe final : finders::Recipe {
  LatticePrior prior;
};

Block as_block(LatticeBlock&& lattice) {
  Block block;
  block.branches.push_back(std::move(lattice.branch));
  return block;
}

}  // namespace

/// With a time budget a small lattice comes first, and larger ones as long as the last says that they will be in time.
std::optional<finders::FoundBlock> LatticeFinder::find(const finders::Search& search) {
  if (search.train.inputs() > 2) return std::nullopt;
  search.tell("lattice of frequencies");
  const std::size_t full = most_features();
  if (!std::isfinite(search.seconds_left())) return find(search, full);
  constexpr std::size_t small = 4096;
  constexpr double step_up = 8.0;
  std::optional<finders::FoundBlock> best;
  std::size_t tried = 0;
  for (std::size_t features = std::min(small, full); tried < full; features = std::min(8 * features, full)) {
    const auto began = Clock::now();
    std::optional<finders::FoundBlock> found = find(search, features);
    if (!found || (best && !found->record.complete)) break;
    best = std::move(found);
    // A lattice that was not cut is the one that more features would have, too.
    tried = static_cast<const LatticeRecipe&>(*best->recipe).prior.cut ? features : full;
    if (seconds_between(began, Clock::now()) * step_up > search.seconds_left()) break;
  }
  if (best && tried < full) best->record.complete = false;
  return best;
}

std::optional<finders::FoundBlock> LatticeFinder::find(const finders::Search& search, std::size_t features) const {
  std::optional<LatticePrior> learnt =
      learn_lattice_prior(search.work, search.train, search.held_out, features, search.interrupt);
  if (!learnt) return std::nullopt;
  auto recipe = std::make_shared<LatticeRecipe>();
  recipe->prior = std::move(*learnt);
  std::optional<LatticeBlock> fitted;
  if (recipe->prior.complete)
    fitted = fit_lattice(search.work, recipe->prior, search.train, features, search.interrupt);
  if (!fitted) fitted = fit_lattice(search.work, recipe->prior, search.train, features, search.interrupt, true);
  const double ridge = fitted->ridge;
  finders::FoundBlock found{as_block(std::move(*fitted)), {}, recipe, recipe->prior.honest};
  found.record = finders::record_of(Method::lattice, found.block, search.train.count(), ridge,
                                    recipe->prior.complete && !search.interrupt.stopped());
  return found;
}

std::optional<Block> LatticeFinder::refit(const finders::FoundBlock& found, rows::RowWork& work,
                                          const rows::RowState& rows, Interrupt& interrupt) const {
  const auto& recipe = static_cast<const LatticeRecipe&>(*found.recipe);
  std::optional<LatticeBlock> again = fit_lattice(work, recipe.prior, rows, most_features(), interrupt);
  if (!again) return std::nullopt;
  return as_block(std::move(*again));
}

std::size_t LatticeFinder::most_features() const {
  return options_.width > 0 ? static_cast<std::size_t>(options_.width) : std::size_t{1} << 18;
}

}  // namespace rfnn::lattice
