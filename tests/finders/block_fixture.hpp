#pragma once

// Rows, an engine that is watched, and plans of blocks, for tests of the sampler without training around it.

#include <cmath>
#include <memory>
#include <vector>

#include "finders/spy_engine.hpp"
#include "rfnn/finders/block_finder.hpp"
#include "rfnn/finders/sampled/gibbs.hpp"
#include "rfnn/rows/row_work.hpp"
#include "rows/naive.hpp"

namespace rfnn::testing {

struct SampledRows {
  SampledRows(Matrix theta_values, Matrix target_values, rows::Implementation kind = rows::Implementation::threads)
      : theta(std::move(theta_values)),
        target(std::move(target_values)),
        state(rows::ScaledRows(theta.view(), target.view())),
        work(rows::make_row_work(kind, 1)),
        engine(work->chain(state)) {}
  SampledRows(const SampledRows&) = delete;  // the engine refers to the state
  SampledRows& operator=(const SampledRows&) = delete;

  bool advance(const Block& block, Interrupt& interrupt) { return work->advance(block, state, interrupt); }

  Matrix theta, target;
  rows::RowState state;
  std::unique_ptr<rows::RowWork> work;
  SpyEngine engine;
};

/// A block as training plans it: the inputs, and from block 2 on the state; variances 2.4²/d and 2.4²/m.
inline sampled::BlockPlan plan_block(std::int64_t number, const SampledRows& rows, const Options& options) {
  sampled::BlockPlan plan;
  plan.number = number;
  plan.lambda = options.ridge_of(number);
  plan.output_variance.assign(rows.target.cols(), 1.0);
  const auto add = [&](BranchKind kind, std::size_t variables, double gamma, const NumberOrAuto& delta) {
    sampled::BranchPlan branch;
    branch.shape = {kind, static_cast<std::size_t>(options.width)};
    branch.variables = variables;
    branch.moves.seed = options.seed;
    branch.moves.block = static_cast<std::uint64_t>(number);
    branch.moves.branch = plan.branches.size();
    branch.moves.gamma = gamma;
    branch.moves.step = std::sqrt(delta.value_or(2.4 * 2.4 / static_cast<double>(variables)));
    branch.moves.negative = options.negative;
    branch.moves.frozen = kind == BranchKind::state && options.state_branch == StateBranch::frozen;
    branch.units.assign(variables, 1.0);
    for (std::size_t k = 0; k < variables; ++k)
      branch.variable_names.push_back(std::string(name_of(kind)) + std::to_string(k));
    plan.branches.push_back(branch);
  };
  add(BranchKind::input, rows.theta.cols(), options.gamma, options.delta);
  if (number > 1) add(BranchKind::state, rows.target.cols(), options.gamma_state, options.delta_state);
  return plan;
}

/// Begins a block of the plan and samples it.
inline std::optional<sampled::SampledBlock> sample(SampledRows& rows, const sampled::BlockPlan& plan,
                                                   const Options& options, Interrupt& interrupt,
                                                   finders::ChainProgress& progress) {
  std::vector<rows::BranchShape> shapes;
  for (const sampled::BranchPlan& branch : plan.branches) shapes.push_back(branch.shape);
  rows.engine.begin_block(shapes, {});
  return sample_block(rows.engine, plan, options, interrupt, progress);
}

inline sampled::SampledBlock sample(SampledRows& rows, const sampled::BlockPlan& plan, const Options& options) {
  Interrupt never;
  finders::ChainProgress progress;
  return sample(rows, plan, options, never, progress).value();
}

}  // namespace rfnn::testing
