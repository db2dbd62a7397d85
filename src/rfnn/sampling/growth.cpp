#include "rfnn/sampling/growth.hpp"

#include <algorithm>

#include "rfnn/sampling/refinement.hpp"

namespace rfnn {
namespace {

double mean_square_left(GrowthPasses& passes, const GrowthRows& rows, const FeatureBlock& block, Interrupt& interrupt) {
  Eigen::VectorXd energy;
  if (!passes.misfit(rows, block, energy, interrupt)) return -1.0;
  return energy.sum() / static_cast<double>(std::max<std::size_t>(rows.count(), 1));
}

/// λ and amplitudes anew for the block's frequencies.
bool settle(GrowthPasses& passes, const GrowthRows& rows, const GrowthPlan& plan, FeatureBlock& block, double& ridge,
            Misfit& misfit, Interrupt& interrupt) {
  FeatureSums sums;
  if (!passes.features(rows, block.features, sums, interrupt)) return false;
  const auto count = static_cast<double>(rows.count());
  const double columns = 2.0 * static_cast<double>(block.size());
  const double cost = 1.0 + static_cast<double>(block.movable()) / columns;
  ridge = plan.ridge ? *plan.ridge : choose_ridge(sums, count, cost, plan.least_ridge).lambda;
  misfit = solve_amplitudes(sums, count, ridge, block);
  return true;
}

/// Refinement with λ following what the frequencies have become.
bool refine_and_settle(GrowthPasses& passes, const GrowthRows& rows, const GrowthPlan& plan, std::int64_t rounds,
                       FeatureBlock& block, double& ridge, Misfit& misfit, Interrupt& interrupt) {
  for (std::int64_t round = 0; round < rounds && plan.steps > 0; ++round) {
    const double before = misfit.mean_square;
    if (!refine(passes, rows, ridge, plan.steps, 1e-3, block, misfit, interrupt)) return false;
    if (round > 0 && misfit.mean_square > 0.99 * before) break;
    if (!settle(passes, rows, plan, block, ridge, misfit, interrupt)) return false;
  }
  return true;
}

/// Takes inputs that bend the block little out of all its features, as many as held-out rows do not miss: what they
/// would do elsewhere is noise. False when interrupted.
bool prune(GrowthPasses& passes, const GrowthRows& train, const GrowthRows& judge, const GrowthPlan& plan,
           FeatureBlock& block, double& ridge, Misfit& misfit, Interrupt& interrupt) {
  constexpr std::size_t many_inputs = 4;
  constexpr double not_missed = 1.003;
  if (plan.inputs < many_inputs) return true;
  const std::vector<double> bends = bending(block, plan.inputs);
  const double before = mean_square_left(passes, judge, block, interrupt);
  if (before < 0.0) return false;
  for (const double least : {0.2, 0.05, 0.01}) {
    FeatureBlock pruned;
    bool changed = false;
    for (const Feature& feature : block.features) {
      Feature kept = feature;
      std::erase_if(kept.active, [&](std::uint32_t k) {
        if (k >= plan.inputs || bends[k] >= least) return false;
        kept.frequency[k] = 0.0;
        changed = true;
        return true;
      });
      if (!kept.active.empty() || feature.active.empty()) pruned.features.push_back(std::move(kept));
    }
    if (!changed) return true;
    double new_ridge = ridge;
    Misfit new_misfit;
    if (!settle(passes, train, plan, pruned, new_ridge, new_misfit, interrupt)) return false;
    const double after = mean_square_left(passes, judge, pruned, interrupt);
    if (after < 0.0) return false;
    if (after > not_missed * before) continue;
    block = std::move(pruned);
    ridge = new_ridge;
    misfit = new_misfit;
    return true;
  }
  return true;
}

}  // namespace

GrownBlock grow_block(GrowthPasses& passes, const GrowthRows& train, const GrowthRows& held_out,
                      const Resolution& resolution, const GrowthPlan& plan, Interrupt& interrupt) {
  const std::size_t outputs = train.residual.columns();
  const GrowthRows& judge = held_out.count() > 0 ? held_out : train;
  GrownBlock best;
  best.block.amplitudes.resize(0, static_cast<Eigen::Index>(outputs));
  best.held_out = mean_square_left(passes, judge, best.block, interrupt);
  best.train = mean_square_left(passes, train, best.block, interrupt);

  const Stream pool_stream(plan.seed, Purpose::initial, plan.member, plan.block);
  const Stream choice_stream(plan.seed, Purpose::proposal, plan.member, plan.block);
  const std::size_t stride =
      std::max<std::size_t>(1, train.residual.tiles() * tile_rows / std::max<std::size_t>(plan.spectrum_rows, 1));
  best.complete = best.held_out >= 0.0 && best.train >= 0.0;
  if (!best.complete || best.train == 0.0) return best;
  FeatureBlock block = best.block;
  // The mean over the rows is not the constant of a sum of lines.
  if (plan.constant && plan.features > 1)
    block.features.push_back({std::vector<double>(train.variables.columns(), 0.0), {}});
  if (plan.constant && plan.features > 1) block.amplitudes.setZero(2, static_cast<Eigen::Index>(outputs));
  double ridge = plan.least_ridge;
  Misfit misfit{best.train, best.train};
  std::vector<double> power;
  std::int64_t without_gain = 0;
  constexpr double exact = 1e-26;  // of the energy: what is left is rounding
  const double energy = best.train;
  const auto judged = [&] {
    const double left = mean_square_left(passes, judge, block, interrupt);
    const double on_train = mean_square_left(passes, train, block, interrupt);  // sums lose it in rounding
    if (left < 0.0 || on_train < 0.0) return false;
    misfit.mean_square = on_train;
    without_gain = left < 0.998 * best.held_out ? 0 : without_gain + 1;
    if (left < best.held_out) best = {block, ridge, left, misfit.mean_square, true};
    return true;
  };
  // Where a block explains little, inputs it does without may still matter, many at a time.
  const double at_first = best.held_out;
  const auto telling = [&] { return block.size() >= 8 && best.held_out < 0.3 * at_first; };
  // Inputs that bend the block count more, once it is worth asking.
  const auto weights = [&] {
    std::vector<double> weight = plan.weight.empty() ? std::vector<double>(plan.inputs, 1.0) : plan.weight;
    if (!telling()) return weight;
    const std::vector<double> bends = bending(block, plan.inputs);
    for (std::size_t k = 0; k < weight.size(); ++k) weight[k] = std::max(weight[k] < 1.0 ? weight[k] : 0.05, bends[k]);
    return weight;
  };
  std::size_t batch = 1;
  std::optional<LineSpectrum> lines;
  for (std::uint64_t turn = 0; block.size() < plan.features && without_gain < plan.patience; ++turn) {
    const BranchKind kind = plan.kinds[turn % plan.kinds.size()];
    const double before = best.held_out;
    const std::size_t few = std::min(std::max({std::size_t{1}, block.size() / 5, batch}), plan.features - block.size());
    GrowthRows left = train;
    const bool added = passes.subtract(block, left, interrupt) && [&] {
      std::vector<Feature> pool;
      if (kind == BranchKind::input && plan.inputs == 1) {
        if (!lines) lines.emplace(train, resolution, passes.workers());
        if (!lines->strongest(left, pool, power, interrupt)) return false;
      } else {
        pool = draw_pool(kind, plan.inputs, resolution, weights(), plan.pool, pool_stream, turn);
        if (!passes.spectrum(left, pool, stride, power, interrupt)) return false;
      }
      const std::vector<Feature> chosen = draw_strongest(pool, power, resolution, few, choice_stream, turn);
      if (chosen.empty()) {  // the spectrum is zero
        without_gain = plan.patience;
        return true;
      }
      block.features.insert(block.features.end(), chosen.begin(), chosen.end());
      return settle(passes, train, plan, block, ridge, misfit, interrupt);
    }();
    if (!added || !refine_and_settle(passes, train, plan, 1, block, ridge, misfit, interrupt) || !judged()) {
      best.complete = false;
      return best;
    }
    if (misfit.mean_square < exact * energy || best.held_out <= plan.enough) break;
    if (telling() && !prune(passes, train, judge, plan, block, ridge, misfit, interrupt)) {
      best.complete = false;
      return best;
    }
    // Where single features gain little, more of them are added at a time.
    const double gain = 1.0 - best.held_out / before;
    batch = gain < 0.01 ? std::min(2 * few, std::max<std::size_t>(plan.features / 8, 1)) : gain > 0.1 ? 1 : batch;
  }
  block = best.block;
  ridge = best.ridge;
  if (block.size() > 0 && best.held_out > plan.enough &&
      (!refine_and_settle(passes, train, plan, plan.final_rounds, block, ridge, misfit, interrupt) || !judged()))
    best.complete = false;
  return best;
}

}  // namespace rfnn
