#include "rfnn/finders/grown/grown_finder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rfnn/finders/grown/refinement.hpp"
#include "rfnn/finders/grown/screening.hpp"
#include "rfnn/finders/grown/tuning.hpp"
#include "rfnn/rows/fields.hpp"

namespace rfnn::grown {
namespace {

struct GrownRecipe final : finders::RecipeOfFields<GrownRecipe> {
  rows::FeatureBlock block;
  double ridge = 0.0;
  std::int64_t steps = 0;
};
template <class Archive>
void fields(Archive& archive, GrownRecipe& recipe) {
  archive(recipe.block, recipe.ridge, recipe.steps);
}

/// How much the network bends along each input, the largest 1; nothing before there is one.
std::vector<double> input_weights(const Network& network, std::size_t inputs) {
  std::vector<double> weights(inputs, 0.0);
  for (const Block& block : network.blocks)
    for (const Branch& branch : block.branches) {
      if (branch.kind == BranchKind::state) continue;
      for (std::size_t j = 0; j < branch.frequencies.rows(); ++j) {
        double energy = 0.0;
        for (std::size_t part = 0; part < 2; ++part)
          for (std::size_t o = 0; o < branch.amplitudes.cols(); ++o)
            energy += branch.amplitudes(2 * j + part, o) * branch.amplitudes(2 * j + part, o);
        for (std::size_t k = 0; k < inputs; ++k)
          weights[k] += energy * branch.frequencies(j, k) * branch.frequencies(j, k);
      }
    }
  const double largest = *std::max_element(weights.begin(), weights.end());
  if (!(largest > 0.0)) return {};
  for (double& weight : weights) weight = std::max(tuning::least_chance, std::sqrt(weight / largest));
  return weights;
}

}  // namespace

std::size_t affordable_features(double operations, double memory, std::size_t rows, std::size_t variables,
                                std::size_t outputs) {
  const auto count = static_cast<double>(rows);
  // No more numbers to find than rows to find them from.
  double columns = std::min(std::sqrt(operations / (tuning::growth_cost * count)), count);
  if (memory > 0.0)
    columns = std::min(columns, std::sqrt(tuning::share_of_memory * memory / (tuning::sums_at_once * sizeof(double))));
  const double per_feature = 2.0 + static_cast<double>(variables) * std::sqrt(static_cast<double>(outputs));
  return static_cast<std::size_t>(std::clamp(columns / per_feature, tuning::fewest_features, tuning::most_features));
}

std::optional<finders::FoundBlock> GrownFinder::find(const finders::Search& search) {
  const std::size_t blocks = search.network.blocks.size();
  without_gain_ = blocks > blocks_ ? 0 : without_gain_;
  blocks_ = blocks;
  if (search.attempt == 1) {
    search.tell("which inputs matter");
    screened_ = (search.journal / "inputs")
                    .piece(search.interrupt,
                           [&] {
                             return std::optional(screen_inputs(search.work, search.train, search.held_out,
                                                                {options_.seed, search.member}, search.interrupt));
                           })
                    .value();
  }
  const Resolution resolution = resolution_of(search.train);
  std::optional<GrownBlock> best;
  bool complete = true;
  for (const bool joint : joint_or_not(search)) {
    if (!complete) break;
    search.tell(joint ? "frequencies over inputs and state together" : "frequencies one by one");
    GrownBlock grown =
        grow_block(search.work, search.train, search.held_out, resolution, plan(search, joint), search.interrupt);
    complete = grown.complete && !search.interrupt.stopped();
    if (grown.block.size() == 0 || (best && !(grown.held_out < best->held_out))) continue;
    best = std::move(grown);
    joint_ = joint;
  }
  ++without_gain_;
  if (!best) return std::nullopt;
  auto recipe = std::make_shared<GrownRecipe>();
  recipe->block = best->block;
  recipe->ridge = best->ridge;
  recipe->steps = options_.refine ? tuning::refinement_steps : 0;
  finders::FoundBlock found{
      best->block.as_block(search.train.inputs(), search.train.outputs()), {}, recipe, std::move(best->honest)};
  found.record = finders::record_of(Method::sequential, found.block, search.train.count(), best->ridge, complete);
  return found;
}

std::optional<Block> GrownFinder::refit(const finders::FoundBlock& found, rows::RowWork& work,
                                        const rows::RowState& rows, Interrupt& interrupt) const {
  const auto& recipe = static_cast<const GrownRecipe&>(*found.recipe);
  rows::FeatureBlock block = recipe.block;
  rows::FeatureSums sums;
  Misfit misfit;
  if (!work.features(rows, block.features, sums, interrupt)) return std::nullopt;
  solve_amplitudes(sums, static_cast<double>(rows.count()), recipe.ridge, block);
  if (!refine(work, rows, recipe.ridge, recipe.steps, tuning::refined_enough, block, misfit, interrupt))
    return std::nullopt;
  return block.as_block(rows.inputs(), rows.outputs());
}

/// Branches to try for the next block.
std::vector<bool> GrownFinder::joint_or_not(const finders::Search& search) const {
  const std::size_t blocks = search.network.blocks.size();
  if (blocks == 0) return {false};
  if (options_.branches == Branches::joint) return {true};
  if (options_.branches == Branches::input_state) return {false};
  if (blocks == 1 && without_gain_ == 0) return {true, false};
  return {without_gain_ % 2 == 1 ? !joint_ : joint_};
}

GrowthPlan GrownFinder::plan(const finders::Search& search, bool joint) const {
  const bool first = search.network.blocks.empty();
  const std::size_t outputs = search.train.outputs(), rows = search.train.count();
  GrowthPlan growth;
  growth.inputs = search.train.inputs();
  const auto used =
      static_cast<std::size_t>(screened_.empty() ? static_cast<std::ptrdiff_t>(growth.inputs)
                                                 : std::count_if(screened_.begin(), screened_.end(), [](double chance) {
                                                     return chance > tuning::screened_out;
                                                   }));
  const std::size_t variables = std::min(used, tuning::costly_variables) + (joint ? outputs : 0);
  growth.features =
      affordable_features(search.operations / tuning::blocks_in_effort, options_.memory, rows, variables, outputs);
  if (options_.width > 0)
    growth.features = std::min(growth.features, static_cast<std::size_t>(options_.width) * (first ? 1 : 2));
  growth.pool = std::clamp(tuning::candidates_per_row * rows, tuning::fewest_candidates, tuning::most_candidates);
  growth.weight = input_weights(search.network, growth.inputs);
  if (growth.weight.empty()) growth.weight = screened_;
  for (std::size_t k = 0; k < screened_.size(); ++k)
    if (screened_[k] <= tuning::screened_out) growth.weight[k] = std::min(growth.weight[k], tuning::screened_out);
  growth.address = {options_.seed, search.member, search.attempt};
  growth.constant = first;
  growth.journal = search.journal / (joint ? "joint" : "apart");
  growth.steps = options_.refine ? tuning::refinement_steps : 0;
  if (outputs == 1) {
    const double sd = model_.scaler.output_sd[0];
    growth.enough = options_.tolerance / (sd * sd);
  }
  if (!options_.ridge.empty())
    growth.ridge = options_.ridge_of(static_cast<std::int64_t>(search.network.blocks.size() + 1));
  if (!first) growth.kinds = joint ? std::vector{BranchKind::joint} : std::vector{BranchKind::input, BranchKind::state};
  return growth;
}

std::shared_ptr<const finders::Recipe> GrownFinder::recipe_from(ArchiveReader& archive, const finders::Search&) const {
  return GrownRecipe::from(archive);
}

void GrownFinder::save_memory(ArchiveWriter& archive) const { archive(screened_, blocks_, without_gain_, joint_); }

void GrownFinder::load_memory(ArchiveReader& archive) { archive(screened_, blocks_, without_gain_, joint_); }

}  // namespace rfnn::grown
