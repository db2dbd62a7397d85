#include "rfnn/finders/lattice/lattice_finder.hpp"

#include <utility>

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

std::optional<finders::FoundBlock> LatticeFinder::find(const finders::Search& search) {
  if (search.train.inputs() > 2) return std::nullopt;
  search.tell("lattice of frequencies");
  std::optional<LatticePrior> learnt =
      learn_lattice_prior(search.work, search.train, search.held_out, most_features(), search.interrupt);
  if (!learnt) return std::nullopt;
  auto recipe = std::make_shared<LatticeRecipe>();
  recipe->prior = std::move(*learnt);
  std::optional<LatticeBlock> fitted;
  if (recipe->prior.complete)
    fitted = fit_lattice(search.work, recipe->prior, search.train, most_features(), search.interrupt);
  if (!fitted) fitted = fit_lattice(search.work, recipe->prior, search.train, most_features(), search.interrupt, true);
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
