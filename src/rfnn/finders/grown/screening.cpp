#include "rfnn/finders/grown/screening.hpp"

#include <algorithm>
#include <cmath>

#include "rfnn/finders/grown/candidates.hpp"
#include "rfnn/finders/grown/growth.hpp"
#include "rfnn/finders/grown/refinement.hpp"
#include "rfnn/finders/grown/tuning.hpp"

namespace rfnn::grown {
namespace {

/// The block's features on those inputs alone that bend it enough; amplitudes are to be found anew.
rows::FeatureBlock restricted_to(const std::vector<double>& bends, const rows::FeatureBlock& block) {
  rows::FeatureBlock kept = block;
  for (rows::Feature& feature : kept.features) {
    for (std::size_t k = 0; k < bends.size(); ++k)
      if (bends[k] < tuning::bends_enough) feature.frequency[k] = 0.0;
    std::erase_if(feature.active, [&](std::uint32_t k) { return k < bends.size() && bends[k] < tuning::bends_enough; });
  }
  return kept;
}

}  // namespace

std::vector<double> screen_inputs(rows::RowWork& work, const rows::RowState& train, const rows::RowState& held_out,
                                  const Address& address, Interrupt& interrupt) {
  const std::size_t inputs = train.inputs();
  const std::vector<double> all(inputs, 1.0);
  if (inputs <= tuning::unscreened_inputs || inputs > train.count()) return all;
  const rows::RowState some = train.some(tuning::screening_rows, Stream(address, Purpose::screening_rows));
  const Resolution resolution = resolution_of(some);
  GrowthPlan plan;
  plan.inputs = inputs;
  plan.features = std::min<std::size_t>(tuning::screening_features, some.count() / tuning::rows_per_screening_feature);
  plan.pool = tuning::screening_candidates;
  plan.spectrum_rows = tuning::screening_spectrum_rows;
  plan.constant = true;
  plan.address = address;
  plan.pool_purpose = Purpose::screening_pool;
  plan.choice_purpose = Purpose::screening_choice;
  const rows::RowState judge = held_out.some(tuning::screening_held_out, Stream(address, Purpose::screening_held_out));
  const GrownBlock grown = grow_block(work, some, judge, resolution, plan, interrupt);
  // Where a small block explains little, what it does without says nothing: inputs may matter many at a time. A few
  // features may have missed an input, unless they explain everything.
  const double unexplained = grown.held_out / work.mean_squares(held_out.count() > 0 ? held_out : train).sum();
  const bool enough = grown.block.size() >= tuning::telling_features || unexplained < tuning::all_explained;
  if (!(unexplained <= tuning::explained) || !enough || !grown.complete) return all;
  std::vector<double> chances = bending(grown.block, inputs);
  // What the block leaves without the inputs in question: where it has found the little they do, nothing else shows it.
  rows::FeatureBlock without = restricted_to(chances, grown.block);
  rows::FeatureSums sums;
  rows::TiledColumns left;
  if (!work.features(some, without.features, sums, interrupt)) return all;
  solve_amplitudes(sums, static_cast<double>(some.count()), grown.ridge, without);
  if (!work.left_by(some, without, left, interrupt)) return all;
  double energy = 0.0;
  for (std::size_t i = 0; i < some.count(); ++i)
    for (std::size_t o = 0; o < some.outputs(); ++o) {
      const double weighted = some.weight(i) * left(i, o);
      energy += weighted * weighted;
    }
  if (!(energy > 0.0)) return all;

  // Of noise, the power at a frequency is about its energy, and rarely much more: an input without influence shows
  // nothing beyond that, alone or with any other.
  const Stream stream(address, Purpose::probes);
  std::vector<rows::Feature> probes;
  std::vector<std::size_t> probed;
  for (std::size_t k = 0; k < inputs; ++k) {
    if (chances[k] >= tuning::bends_enough) continue;
    for (std::size_t other = 0; other < inputs; ++other) {
      std::vector<double> pair(inputs, 0.0);
      pair[k] = 1.0;
      if (other != k && chances[other] < tuning::bends_enough) continue;
      pair[other] = 1.0;
      const std::vector<rows::Feature> drawn =
          draw_pool(BranchKind::input, inputs, resolution, pair, tuning::probes_a_pair, stream, k * inputs + other);
      for (const rows::Feature& probe : drawn) {
        // Too slow along k, it would see what is left of the other input.
        if (std::abs(probe.frequency[k]) <
            (probe.active.size() > 1 ? tuning::slowest_probe_of_two : tuning::slowest_probe))
          continue;
        probes.push_back(probe);
        probed.push_back(k);
      }
    }
  }
  std::vector<double> power;
  if (!work.spectrum(some, left, probes, 1, power, interrupt)) return all;
  const double striking =
      energy * (tuning::striking + std::log(static_cast<double>(std::max<std::size_t>(probes.size(), 1))));
  std::vector<char> seen(inputs, 0);
  for (std::size_t i = 0; i < probes.size(); ++i)
    if (power[i] > striking) seen[probed[i]] = 1;
  for (std::size_t k = 0; k < inputs; ++k)
    chances[k] = chances[k] >= tuning::bends_enough || seen[k] != 0 ? std::max(chances[k], tuning::least_chance)
                                                                    : tuning::screened_out;
  return chances;
}

}  // namespace rfnn::grown
