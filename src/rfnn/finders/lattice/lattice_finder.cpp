#include "rfnn/finders/lattice/lattice_finder.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rfnn/finders/lattice/lattice_geometry.hpp"
#include "rfnn/finders/lattice/tuning.hpp"
#include "rfnn/finders/steps.hpp"
#include "rfnn/rows/fields.hpp"

namespace rfnn::lattice {

template <class Archive>
void fields(Archive& archive, LatticePrior& prior) {
  auto& [map, lattice, spectrum, ridge, start, held_out_mse, honest, cut, complete] = prior;
  archive(map, lattice, spectrum, ridge, start, held_out_mse, honest, cut, complete);
}

namespace {

struct LatticeRecipe final : finders::RecipeOfFields<LatticeRecipe> {
  LatticePrior prior;
};
template <class Archive>
void fields(Archive& archive, LatticeRecipe& recipe) {
  archive(recipe.prior);
}

Block as_block(LatticeBlock&& lattice) {
  Block block;
  block.branches.push_back(std::move(lattice.branch));
  return block;
}

}  // namespace

/// With a time budget a small lattice comes first, so that there is one; then the full one, or half-way where the small
/// one says that it would hardly be in time.
std::optional<finders::FoundBlock> LatticeFinder::find(const finders::Search& search) {
  if (search.train.inputs() > 2) return std::nullopt;
  search.tell("lattice of frequencies");
  const std::size_t full = most_features();
  if (!std::isfinite(search.seconds_left())) return find(search, full);
  const Matrix theta = rows::theta_of(search.train), held_theta = rows::theta_of(search.held_out);
  const auto whole = lattice_for(theta.view(), held_theta.view(), full);
  if (!whole) return std::nullopt;
  const auto points = static_cast<double>(whole->lattice.points());
  return finders::find_by_steps(search, {tuning::first_share, tuning::second_share, 1.0}, 1.0, [&](double share) {
    const bool all = share == 1.0 || points <= tuning::points_at_once;
    const std::size_t features =
        all ? full : static_cast<std::size_t>(std::max(share * points, tuning::points_at_once));
    // The rows cost as much whatever the lattice: they are spread over some cells each.
    const double cost =
        tuning::cost_of_row * static_cast<double>(search.train.count()) + (all ? points : share * points);
    return finders::Step{all, cost, [this, &search, features] { return find(search, features); }};
  });
}

std::optional<finders::FoundBlock> LatticeFinder::find(const finders::Search& search, std::size_t features) const {
  std::optional<LatticePrior> learnt =
      (search.journal / ("prior" + std::to_string(features))).piece(search.interrupt, [&] {
        return learn_lattice_prior(search.work, search.train, search.held_out, features, search.interrupt);
      });
  if (!learnt) return std::nullopt;
  auto recipe = std::make_shared<LatticeRecipe>();
  recipe->prior = std::move(*learnt);
  std::optional<LatticeBlock> fitted;
  if (recipe->prior.complete)
    fitted = fit_lattice(search.work, recipe->prior, search.train, features, search.interrupt);
  if (!fitted)
    fitted = fit_lattice(search.work, recipe->prior, search.train, features, search.interrupt, FitEffort::as_learnt);
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

std::optional<Block> LatticeFinder::rough_refit(const finders::FoundBlock& found, rows::RowWork& work,
                                                const rows::RowState& rows, Interrupt& interrupt) const {
  const auto& recipe = static_cast<const LatticeRecipe&>(*found.recipe);
  std::optional<LatticeBlock> again =
      fit_lattice(work, recipe.prior, rows, most_features(), interrupt, FitEffort::rough);
  if (!again) return std::nullopt;
  return as_block(std::move(*again));
}

std::size_t LatticeFinder::most_features() const {
  return options_.width > 0 ? static_cast<std::size_t>(options_.width) : tuning::most_points;
}

std::shared_ptr<const finders::Recipe> LatticeFinder::recipe_from(ArchiveReader& archive,
                                                                  const finders::Search&) const {
  return LatticeRecipe::from(archive);
}

}  // namespace rfnn::lattice
