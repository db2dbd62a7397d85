#include "rfnn/finders/sampled/gibbs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "rfnn/core/error.hpp"
#include "finders/block_fixture.hpp"

namespace rfnn::sampled {
namespace {

using testing::naive_amplitudes;
using testing::naive_columns;
using testing::plan_block;
using testing::sample;
using testing::SampledRows;
using testing::to_eigen;

SampledRows wavy_rows(std::size_t rows = 120, std::size_t outputs = 1) {
  const Matrix theta = testing::uniform_matrix(rows, 1, 2, -1.7, 1.7);
  Matrix target(rows, outputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t o = 0; o < outputs; ++o)
      target(i, o) = std::cos(3.0 * theta(i, 0) + static_cast<double>(o)) + 0.5 * std::sin(9.0 * theta(i, 0));
  return {theta, target};
}

/// Adds a first block so that there is a state to look at.
void advance_once(SampledRows& rows, const Options& options) {
  Interrupt never;
  ASSERT_TRUE(rows.advance(sample(rows, plan_block(1, rows, options), options).block, never));
}

Options short_chain(std::int64_t iterations) {
  Options options = preset_options(Preset::paper);
  options.width = 3;
  options.iterations = iterations;
  options.burn_in = 10;
  return options;
}

/// The state after a network of one block, or zero.
Eigen::MatrixXd state_after(const SampledRows& rows, const std::vector<Block>& blocks) {
  return testing::naive_states({blocks}, to_eigen(rows.theta), testing::index(rows.target.cols())).back();
}

struct Objective {
  double misfit = 0.0, penalised = 0.0, gradient = 0.0;
};
/// (1/N)|A b − r|² + λ|b|² of a block from scratch, and the largest component of its gradient.
Objective objective(const SampledRows& rows, const Block& block, const Eigen::MatrixXd& state, double lambda) {
  const Eigen::MatrixXd a = naive_columns(block, to_eigen(rows.theta), state), b = naive_amplitudes(block);
  const Eigen::MatrixXd misfit = a * b - (to_eigen(rows.target) - state);
  const double n = static_cast<double>(a.rows());
  return {misfit.squaredNorm() / n, misfit.squaredNorm() / n + lambda * b.squaredNorm(),
          (a.transpose() * misfit / n + lambda * b).cwiseAbs().maxCoeff()};
}

TEST(SampleBlock, EndsWithAmplitudesThatBelongToItsFrequencies) {
  for (const Solver solver : {Solver::cholesky, Solver::qr, Solver::svd, Solver::iterative})
    for (const Keep keep : {Keep::last, Keep::best}) {
      SampledRows rows = wavy_rows(120, 2);
      Options options = short_chain(40);
      options.solver = solver;
      options.keep = keep;
      const SampledBlock sampled = sample(rows, plan_block(1, rows, options), options);
      const Objective result = objective(rows, sampled.block, state_after(rows, {}), 1e-4);
      EXPECT_LE(result.gradient, 1e-10);
      EXPECT_NEAR(sampled.record.train_mse, result.misfit / 2.0, 1e-10);  // mean over the outputs
    }
}

TEST(SampleBlock, RecordsWhatItDid) {
  SampledRows rows = wavy_rows();
  Options options = short_chain(60);
  advance_once(rows, options);
  BlockPlan plan = plan_block(2, rows, options);
  plan.lambda = 3e-4;
  plan.branches[0].units = {50.0};
  Interrupt never;
  finders::ChainProgress progress;
  const SampledBlock sampled = sample(rows, plan, options, never, progress).value();
  const BlockRecord& record = sampled.record;
  EXPECT_EQ(record.block, 2);
  EXPECT_EQ(record.width, 3);
  EXPECT_EQ(record.rows, 120U);
  EXPECT_EQ(record.iterations, 60);
  EXPECT_TRUE(record.complete);
  EXPECT_EQ(record.ridge, 3e-4);
  EXPECT_GE(record.condition, 1.0);
  EXPECT_EQ(record.solver_fallbacks, 0U);
  // One solve to begin, then one per branch and one for what was kept; none between the branches.
  EXPECT_EQ(record.solves, 1U + 60U * 3U);
  ASSERT_EQ(record.branches.size(), 2U);
  std::uint64_t all_accepted = 0;
  for (std::size_t b = 0; b < 2; ++b) {
    const BranchRecord& branch = record.branches[b];
    EXPECT_EQ(branch.kind, b == 0 ? BranchKind::input : BranchKind::state);
    EXPECT_EQ(branch.proposed, 180U);
    std::uint64_t accepted = 0, after_burn_in = 0;
    const auto& path = rows.engine.path[b];
    for (std::size_t i = 1; i < path.size(); ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (path[i](j, 0) != path[i - 1](j, 0)) {
          ++accepted;
          after_burn_in += i > 10;
        }
    EXPECT_EQ(branch.accepted, accepted);
    EXPECT_GT(accepted, 0U);
    all_accepted += accepted;
    ASSERT_EQ(branch.accepted_frequencies.size(), 1U);
    const Histogram& histogram = branch.accepted_frequencies[0];
    EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::uint64_t{0}), after_burn_in);
    EXPECT_EQ(histogram.variable, b == 0 ? "input0" : "state0");
    EXPECT_GE(histogram.high, b == 0 ? 400.0 : 8.0);
  }
  EXPECT_EQ(progress.iteration, 60);
  EXPECT_DOUBLE_EQ(progress.acceptance, static_cast<double>(all_accepted) / 360.0);
  EXPECT_DOUBLE_EQ(progress.loss, record.train_mse);
  ASSERT_EQ(record.trace.size(), 61U);
  EXPECT_EQ(record.trace.back().loss, record.train_mse);
}

TEST(SampleBlock, BurnInIsAtMostHalfOfTheIterations) {
  SampledRows rows = wavy_rows();
  Options options = short_chain(60);
  options.burn_in = 1000;
  const SampledBlock sampled = sample(rows, plan_block(1, rows, options), options);
  std::uint64_t late = 0;
  const auto& path = rows.engine.path[0];
  for (std::size_t i = 31; i < path.size(); ++i)
    for (std::size_t j = 0; j < 3; ++j) late += path[i](j, 0) != path[i - 1](j, 0);
  const auto& counts = sampled.record.branches[0].accepted_frequencies[0].counts;
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), late);
}

TEST(SampleBlock, AFrozenBranchNeverMoves) {
  SampledRows rows = wavy_rows();
  Options options = short_chain(50);
  options.state_branch = StateBranch::frozen;
  advance_once(rows, options);
  const SampledBlock sampled = sample(rows, plan_block(2, rows, options), options);
  EXPECT_EQ(rows.engine.path[1].size(), 1U);
  EXPECT_EQ(sampled.block.branches[1].frequencies, rows.engine.path[1][0]);
  EXPECT_NE(sampled.block.branches[0].frequencies, rows.engine.path[0][0]);
  EXPECT_EQ(sampled.record.branches[1].proposed, 0U);
  EXPECT_EQ(sampled.record.branches[1].acceptance(), 0.0);
  EXPECT_GT(sampled.record.branches[0].accepted, 0U);
  EXPECT_EQ(sampled.record.solves, 1U + 50U * 2U);
  EXPECT_GT(to_eigen(sampled.block.branches[1].amplitudes).norm(), 0.0);  // its amplitudes are solved for
}

TEST(SampleBlock, BestIsTheBestStateOfTheSameChain) {
  constexpr double lambda = 0.1;  // so large that the lowest misfit is not the lowest objective
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    Options options = short_chain(60);
    options.seed = seed;
    options.ridge = {lambda};
    SampledRows last_rows = wavy_rows(), best_rows = wavy_rows();
    const SampledBlock last = sample(last_rows, plan_block(1, last_rows, options), options);
    options.keep = Keep::best;
    const SampledBlock best = sample(best_rows, plan_block(1, best_rows, options), options);
    ASSERT_EQ(last_rows.engine.path, best_rows.engine.path);
    EXPECT_EQ(last.block.branches[0].frequencies, last_rows.engine.path[0].back());

    // Every state the chain was in, solved for from scratch.
    double lowest = std::numeric_limits<double>::infinity();
    Matrix frequencies;
    const Eigen::MatrixXd theta = to_eigen(best_rows.theta), target = to_eigen(best_rows.target);
    for (const Matrix& state : best_rows.engine.path[0]) {
      const Eigen::MatrixXd a = testing::naive_features(theta, state);
      const Eigen::MatrixXd b =
          (a.transpose() * a + 120.0 * lambda * Eigen::MatrixXd::Identity(6, 6)).ldlt().solve(a.transpose() * target);
      const double penalised = (a * b - target).squaredNorm() / 120.0 + lambda * b.squaredNorm();
      if (penalised < lowest) {
        lowest = penalised;
        frequencies = state;
      }
    }
    const Eigen::MatrixXd zero = state_after(best_rows, {});
    EXPECT_NEAR(objective(best_rows, best.block, zero, lambda).penalised, lowest, 1e-10);
    EXPECT_EQ(best.block.branches[0].frequencies, frequencies);
    EXPECT_LE(lowest, objective(last_rows, last.block, zero, lambda).penalised + 1e-12);
  }
}

TEST(SampleBlock, WithoutIterationsTheInitialFrequenciesAreSolvedFor) {
  SampledRows rows = wavy_rows();
  const Options options = short_chain(0);
  const BlockPlan plan = plan_block(1, rows, options);
  const SampledBlock sampled = sample(rows, plan, options);
  EXPECT_EQ(sampled.block.branches[0].frequencies, initial_frequencies(plan.branches[0].moves, 3, 1, 1.0));
  EXPECT_LE(objective(rows, sampled.block, state_after(rows, {}), 1e-4).gradient, 1e-10);
  EXPECT_EQ(sampled.record.iterations, 0);
  EXPECT_EQ(sampled.record.solves, 1U);
  EXPECT_TRUE(sampled.record.complete);
}

TEST(SampleBlock, EndsEarlyWhenTheLossIsFlat) {
  SampledRows rows = wavy_rows();
  Options options = short_chain(100000);
  options.flat_window = 20;
  options.flat_tolerance = 0.05;
  const SampledBlock sampled = sample(rows, plan_block(1, rows, options), options);
  EXPECT_TRUE(sampled.record.complete);
  EXPECT_GT(sampled.record.iterations, 20);  // it fell at least once
  EXPECT_LT(sampled.record.iterations, 5000);
  // The chain up to there is that of a run of that length.
  Options fixed = short_chain(sampled.record.iterations);
  SampledRows again = wavy_rows();
  EXPECT_EQ(sample(again, plan_block(1, again, fixed), fixed).block, sampled.block);
}

TEST(SampleBlock, InterruptedBeforeTheFirstSolutionGivesNothing) {
  for (const Solver solver : {Solver::cholesky, Solver::qr, Solver::iterative}) {
    SampledRows rows = wavy_rows();
    Options options = short_chain(10);
    options.solver = solver;
    Interrupt stopped;
    stopped.stop();
    finders::ChainProgress progress;
    EXPECT_FALSE(sample(rows, plan_block(1, rows, options), options, stopped, progress).has_value());
  }
}

TEST(SampleBlock, InterruptedLaterGivesASolvedState) {
  for (const Solver solver : {Solver::cholesky, Solver::qr, Solver::svd, Solver::iterative})
    for (const Keep keep : {Keep::last, Keep::best}) {
      SampledRows rows = wavy_rows();
      Options options = short_chain(1000000000);
      options.solver = solver;
      options.keep = keep;
      advance_once(rows, short_chain(5));
      Options first = short_chain(5);
      const Block before = [&] {
        SampledRows same = wavy_rows();
        return sample(same, plan_block(1, same, first), first).block;
      }();
      finders::ChainProgress progress;
      Interrupt interrupt([&] { return progress.iteration < 3; });
      const auto sampled = sample(rows, plan_block(2, rows, options), options, interrupt, progress);
      ASSERT_TRUE(sampled.has_value());
      EXPECT_FALSE(sampled->record.complete);
      EXPECT_GE(sampled->record.iterations, 3);
      EXPECT_LT(sampled->record.iterations, 1000000000);
      const Objective result = objective(rows, sampled->block, state_after(rows, {before}), 1e-4);
      EXPECT_LE(result.gradient, 1e-9);
      EXPECT_NEAR(sampled->record.train_mse, result.misfit, 1e-10);
    }
}

TEST(SampleBlock, CollinearFrequenciesFallBackAndStayFinite) {
  // A spread so small that all features of a branch are the same constant, and no ridge.
  SampledRows rows = wavy_rows();
  Options options = short_chain(30);
  options.ridge = {0.0};
  options.initial_spread = 1e-9;
  options.delta = 1e-18;
  const SampledBlock sampled = sample(rows, plan_block(1, rows, options), options);
  EXPECT_GT(sampled.record.solver_fallbacks, 0U);
  EXPECT_LE(sampled.record.solver_fallbacks, sampled.record.solves);
  EXPECT_TRUE(naive_amplitudes(sampled.block).allFinite());
  EXPECT_TRUE(std::isfinite(sampled.record.train_mse));
}

TEST(SampleBlock, OutputsCountInTheirOwnUnits) {
  SampledRows rows = wavy_rows(120, 2);
  const Options options = short_chain(10);
  BlockPlan plan = plan_block(1, rows, options);
  const double plain = sample(rows, plan, options).record.train_mse;
  plan.output_variance = {100.0, 100.0};
  EXPECT_NEAR(sample(rows, plan, options).record.train_mse, 100.0 * plain, 1e-9 * plain);
}

}  // namespace
}  // namespace rfnn::sampled
