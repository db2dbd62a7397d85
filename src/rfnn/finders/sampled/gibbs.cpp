#include "rfnn/finders/sampled/gibbs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/core/error.hpp"
#include "rfnn/finders/sampled/amplitudes.hpp"
#include "rfnn/finders/sampled/chain.hpp"
#include "rfnn/finders/sampled/trace.hpp"

namespace rfnn::sampled {
namespace {

double mean_loss(const Eigen::VectorXd& misfit, const std::vector<double>& output_variance) {
  double sum = 0.0;
  for (std::size_t o = 0; o < output_variance.size(); ++o)
    sum += output_variance[o] * misfit(static_cast<Eigen::Index>(o));
  return sum / static_cast<double>(output_variance.size());
}

double acceptance_of(const Chain& chain) {
  return chain.proposed == 0 ? 0.0 : static_cast<double>(chain.accepted) / static_cast<double>(chain.proposed);
}

/// √(mean |ω|²) over the features of all branches.
double frequency_spread(const std::vector<Matrix>& frequencies) {
  double sum = 0.0;
  std::size_t features = 0;
  for (const Matrix& branch : frequencies) {
    features += branch.rows();
    for (std::size_t i = 0; i < branch.rows() * branch.cols(); ++i) sum += branch.data()[i] * branch.data()[i];
  }
  return features == 0 ? 0.0 : std::sqrt(sum / static_cast<double>(features));
}

/// Amplitudes for the state's frequencies, which are the engine's kept ones.
bool solve_for(State& state, Amplitudes& solver, const BlockPlan& plan, Interrupt& interrupt) {
  if (!solver.solve_kept(state.fitted, interrupt)) return false;
  state.penalised = state.fitted.misfit.sum() + plan.lambda * state.fitted.amplitudes.squaredNorm();
  if (!state.fitted.amplitudes.allFinite() || !std::isfinite(state.penalised))
    throw NumericalError("Block " + std::to_string(plan.number) + ": the least-squares solution is not finite.",
                         "Check the data for extreme values, standardise inputs and outputs, or raise the ridge.");
  return true;
}

Block to_block(const BlockPlan& plan, const Amplitudes& solver, const State& state) {
  Block block;
  for (std::size_t b = 0; b < plan.branches.size(); ++b) {
    const std::size_t rows = 2 * plan.branches[b].shape.features;
    const auto outputs = static_cast<std::size_t>(state.fitted.amplitudes.cols());
    Branch branch{plan.branches[b].shape.kind, state.frequencies[b], Matrix(rows, outputs)};
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t o = 0; o < outputs; ++o)
        branch.amplitudes(i, o) =
            state.fitted.amplitudes(solver.first_row(b) + static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o));
    block.branches.push_back(std::move(branch));
  }
  return block;
}

}  // namespace

bool keeps_state(const Options& options, std::int64_t iteration) {
  const std::int64_t burn_in = std::min(options.burn_in, options.iterations / 2), after = iteration - burn_in,
                     all = options.iterations - burn_in;
  if (after < 1 || options.draws < 1) return false;
  // State k is that of iteration burn_in + (k + 1) all / draws, rounded down.
  const auto states_until = [&](std::int64_t i) { return ((i + 1) * options.draws - 1) / all; };
  return states_until(after) > states_until(after - 1);
}

std::vector<rows::BranchShape> BlockPlan::shapes() const {
  std::vector<rows::BranchShape> all;
  for (const BranchPlan& branch : branches) all.push_back(branch.shape);
  return all;
}

std::size_t BlockPlan::moving() const {
  return static_cast<std::size_t>(
      std::count_if(branches.begin(), branches.end(), [](const BranchPlan& branch) { return !branch.moves.frozen; }));
}

std::optional<SampledBlock> sample_block(rows::Engine& engine, const BlockPlan& plan, const Options& options,
                                         Interrupt& interrupt, finders::ChainProgress& progress,
                                         const JournalPlace& journal) {
  const std::size_t branches = plan.branches.size();
  Amplitudes solver(engine, plan.shapes(), plan.output_variance.size(), plan.lambda, options);

  const std::int64_t burn_in = std::min(options.burn_in, options.iterations / 2);
  Chain chain(FlatRule(options.flat_window, options.flat_tolerance), options.draws > 0);
  State& state = chain.state;
  for (const BranchPlan& branch : plan.branches) chain.counters.emplace_back(branch);
  chain.branches.resize(branches);

  const auto solve_kept = [&] {
    if (!solve_for(state, solver, plan, interrupt)) return false;
    chain.solved = state;
    if (options.keep == Keep::best && state.penalised < chain.best.penalised) {
      chain.best = state;
      if (solver.condition_is_cheap()) chain.best_problem = solver.kept_problem();
    }
    progress.iteration = chain.iteration;
    progress.loss = mean_loss(state.fitted.misfit, plan.output_variance);
    if (chain.trace.wants(chain.iteration))
      chain.trace.add(
          {chain.iteration, progress.loss, frequency_spread(state.frequencies), state.fitted.amplitudes.norm()});
    return true;
  };
  const auto keep_all = [&] {
    for (std::size_t b = 0; b < branches; ++b) engine.keep(b, state.frequencies[b]);
  };

  if (journal.restore(chain, solver)) {
    keep_all();
    progress = {chain.iteration, acceptance_of(chain), mean_loss(chain.solved.fitted.misfit, plan.output_variance)};
  } else {
    for (const BranchPlan& branch : plan.branches)
      state.frequencies.push_back(
          initial_frequencies(branch.moves, branch.shape.features, branch.variables, options.initial_spread));
    keep_all();
    if (!solver.start(interrupt) || !solve_kept()) return std::nullopt;
  }

  Matrix proposed;
  Eigen::MatrixXd proposed_amplitudes;
  std::vector<char> accepted;
  bool complete = true;
  while (complete && chain.iteration < options.iterations &&
         !chain.flat.ends(chain.iteration, chain.solved.penalised)) {
    ++chain.iteration;
    for (std::size_t b = 0; b < branches && complete; ++b) {
      const BranchMoves& moves = plan.branches[b].moves;
      if (moves.frozen) continue;
      propose(moves, chain.iteration, state.frequencies[b], proposed);
      engine.propose(b, proposed);
      if (!solver.solve_proposed(b, proposed_amplitudes, interrupt)) {
        complete = false;
        break;
      }
      const std::size_t count = decide(moves, chain.iteration, proposed, proposed_amplitudes, state.fitted.amplitudes,
                                       solver.first_row(b), accepted);
      for (std::size_t j = 0; j < accepted.size(); ++j) {
        if (!accepted[j]) continue;
        for (std::size_t k = 0; k < proposed.cols(); ++k) state.frequencies[b](j, k) = proposed(j, k);
        if (chain.iteration > burn_in) chain.counters[b].add(proposed.data() + j * proposed.cols());
      }
      engine.accept(accepted);
      solver.accepted(b, accepted);
      chain.branches[b].proposed += accepted.size();
      chain.branches[b].accepted += count;
      chain.proposed += accepted.size();
      chain.accepted += count;
      progress.acceptance = acceptance_of(chain);
    }
    if (complete) complete = solve_kept();
    if (complete && keeps_state(options, chain.iteration)) chain.kept.push_back(state.frequencies);
    if (complete && journal.due()) journal.note(chain, solver);
    if (complete && chain.iteration < options.iterations && !interrupt.proceed()) complete = false;
  }

  const bool use_best = options.keep == Keep::best;
  const State& kept = use_best ? chain.best : chain.solved;
  SampledBlock result;
  result.block = to_block(plan, solver, kept);
  BlockRecord& record = result.record;
  record.block = plan.number;
  record.width = static_cast<std::int64_t>(plan.branches.front().shape.features);
  record.rows = record.proposal_rows = engine.block_rows();
  record.iterations = progress.iteration;
  record.complete = complete;
  record.ridge = plan.lambda;
  record.train_mse = mean_loss(kept.fitted.misfit, plan.output_variance);
  record.condition =
      solver.exact_condition(use_best ? chain.best_problem : solver.kept_problem(), kept.fitted.condition);
  record.solves = solver.solves();
  record.solver_fallbacks = solver.fallbacks();
  record.branches = std::move(chain.branches);
  for (std::size_t b = 0; b < branches; ++b) {
    record.branches[b].kind = plan.branches[b].shape.kind;
    record.branches[b].accepted_frequencies = chain.counters[b].histograms();
  }
  record.trace = chain.trace.points();
  result.states = std::move(chain.kept);
  return result;
}

bool solve_block(rows::Engine& engine, const BlockPlan& plan, const Options& options, SampledBlock& sampled,
                 Interrupt& interrupt) {
  Amplitudes solver(engine, plan.shapes(), plan.output_variance.size(), plan.lambda, options);
  State state;
  for (std::size_t b = 0; b < plan.branches.size(); ++b) {
    state.frequencies.push_back(sampled.block.branches[b].frequencies);
    engine.keep(b, state.frequencies[b]);
  }
  if (!solver.start(interrupt) || !solve_for(state, solver, plan, interrupt)) return false;
  sampled.block = to_block(plan, solver, state);
  BlockRecord& record = sampled.record;
  record.rows = engine.block_rows();
  record.train_mse = mean_loss(state.fitted.misfit, plan.output_variance);
  record.condition = solver.exact_condition(solver.kept_problem(), state.fitted.condition);
  record.solves += solver.solves();
  record.solver_fallbacks += solver.fallbacks();
  return true;
}

}  // namespace rfnn::sampled
