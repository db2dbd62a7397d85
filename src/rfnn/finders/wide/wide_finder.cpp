#include "rfnn/finders/wide/wide_finder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/steps.hpp"
#include "rfnn/finders/wide/chosen_features.hpp"
#include "rfnn/finders/wide/drawn_size.hpp"
#include "rfnn/finders/wide/tuning.hpp"

namespace rfnn::wide {
namespace {

/// Frequencies and amplitudes to begin from are the block's own.
struct WideRecipe final : finders::RecipeOfFields<WideRecipe> {
  std::vector<double> prior;
  double lambda = 0.0;
  std::uint64_t seed = 1;
};
template <class Archive>
void fields(Archive& archive, WideRecipe& recipe) {
  archive(recipe.prior, recipe.lambda, recipe.seed);
}

std::vector<double> lambdas_to_try(const LearntLaw& law, std::size_t rows) {
  std::vector<double> lambdas;
  if (rows <= tuning::most_dual_rows) {
    for (const double factor : tuning::lambda_factors)
      lambdas.push_back(factor * std::max(law.noise, tuning::least_noise));
    return lambdas;
  }
  for (double lambda = tuning::first_lambda;
       lambdas.empty() || (lambda > tuning::last_lambda * law.noise && lambdas.size() < tuning::most_lambdas);
       lambda /= tuning::lambda_step)
    lambdas.push_back(lambda);
  return lambdas;
}

}  // namespace

/// With a time budget a small block comes first, so that there is one; then the full one, or half-way where the small
/// one says that it would hardly be in time.
std::optional<finders::FoundBlock> WideFinder::find(const finders::Search& search) {
  search.tell("a law for many frequencies");
  const Size full = size_for(search, 1.0);
  if (!std::isfinite(search.seconds_left())) return find(search, full);
  const double hope = full.rows > tuning::most_dual_rows ? tuning::hope_of_iterations : 1.0;
  return finders::find_by_steps(search, {1.0 / 64.0, 1.0 / 8.0, 1.0}, hope, [&](double share) {
    const Size size = size_for(search, share);
    return finders::Step{size == full, share, [this, &search, size] { return find(search, size); }};
  });
}

/// Of a share of the effort, the dual's rows are fewer too: it costs their cube.
WideFinder::Size WideFinder::size_for(const finders::Search& search, double share) const {
  const double operations = share * search.operations;
  std::size_t rows = search.train.count();
  if (share < 1.0 && rows <= tuning::most_dual_rows)
    rows = std::min(rows, static_cast<std::size_t>(std::cbrt(share) * static_cast<double>(tuning::most_dual_rows)));
  std::size_t features =
      affordable_width(operations, static_cast<double>(rows), static_cast<double>(search.train.inputs()));
  if (options_.width > 0) features = std::min(features, static_cast<std::size_t>(options_.width));
  return {law_rows_for(operations), features, rows};
}

std::optional<finders::FoundBlock> WideFinder::find(const finders::Search& search, const Size& size) const {
  const bool some = size.rows < search.train.count();
  const rows::RowState sample =
      some ? search.train.some(size.rows, Stream({options_.seed, search.member}, Purpose::trial_rows))
           : rows::RowState();
  const rows::RowState& train = some ? sample : search.train;
  const rows::RowState& judge = search.held_out.count() > 0 ? search.held_out : train;
  const std::uint64_t seed = options_.seed;
  LawSearch laws(search.work, train, train.inputs(), seed + search.member, search.interrupt, search.journal / "law");
  std::optional<LearntLaw> law = laws.begin({2, false}, std::min(size.law_rows, tuning::law_rows_at_first));
  if (law && law->rows < std::min(size.law_rows, train.count())) law = laws.go_on(*law, law->shape, size.law_rows);
  if (!law) return std::nullopt;
  std::vector<double> lambdas = lambdas_to_try(*law, train.count());
  if (train.count() > tuning::most_dual_rows && size.features > tuning::many_features) {
    // λ is found with fewer features, which takes less.
    const rows::WideFeatures fewer = draw_features(law->law, size.features / tuning::fewer, seed, search.member);
    const std::optional<WideFit> look = fit_wide(search.work, train, judge, fewer, lambdas, seed, search.interrupt);
    if (!look || look->held_out > tuning::hopeless * search.rival) return std::nullopt;
    lambdas = {look->lambda};
  }
  std::optional<rows::WideFeatures> features =
      choose_features(*law, size.features, seed, search.member, search.work, train, search.interrupt);
  if (!features) return std::nullopt;
  std::optional<WideFit> fitted = fit_wide(search.work, train, judge, *features, lambdas, seed, search.interrupt);
  if (!fitted) return std::nullopt;
  if (lambdas.size() > 1) {
    // Where the law is smooth and many inputs matter, those drawn may be better than those chosen.
    rows::WideFeatures drawn = draw_features(law->law, size.features, seed, search.member);
    std::optional<WideFit> other = fit_wide(search.work, train, judge, drawn, lambdas, seed, search.interrupt);
    if (!other) return std::nullopt;
    if (other->held_out < fitted->held_out) {
      features = std::move(drawn);
      fitted = std::move(other);
    }
  }
  auto recipe = std::make_shared<WideRecipe>();
  recipe->prior = std::move(features->prior);
  recipe->lambda = fitted->lambda;
  recipe->seed = seed;
  finders::FoundBlock found;
  found.block.branches.push_back(
      {BranchKind::input, std::move(features->frequencies), std::move(fitted->amplitudes), {}});
  found.record =
      finders::record_of(Method::random, found.block, train.count(), fitted->lambda, !search.interrupt.stopped());
  found.recipe = std::move(recipe);
  return found;
}

std::optional<Block> WideFinder::refit(const finders::FoundBlock& found, rows::RowWork& work,
                                       const rows::RowState& rows, Interrupt& interrupt) const {
  const auto& recipe = static_cast<const WideRecipe&>(*found.recipe);
  const Branch& branch = found.block.branches.front();
  rows::WideFeatures features{branch.frequencies, recipe.prior};
  std::optional<WideFit> again =
      fit_wide(work, rows, rows, features, {recipe.lambda}, recipe.seed, interrupt, &branch.amplitudes);
  if (!again) return std::nullopt;
  Block block;
  block.branches.push_back({BranchKind::input, std::move(features.frequencies), std::move(again->amplitudes), {}});
  return block;
}

std::shared_ptr<const finders::Recipe> WideFinder::recipe_from(ArchiveReader& archive, const finders::Search&) const {
  return WideRecipe::from(archive);
}

}  // namespace rfnn::wide
