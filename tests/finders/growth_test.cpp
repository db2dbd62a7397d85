#include "rfnn/finders/grown/growth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "rows/naive.hpp"

namespace rfnn::grown {
namespace {

using testing::uniform_matrix;

using Function = std::function<double(const double*)>;

/// Rows drawn evenly from [−1.7, 1.7]^d, the function with noise.
rows::RowState make_rows(std::size_t count, std::size_t inputs, const Function& f, double noise, std::uint64_t seed) {
  const Matrix theta = uniform_matrix(count, inputs, seed, -1.7, 1.7);
  const Stream stream(seed, Purpose::noise);
  Matrix target(count, 1);
  for (std::size_t i = 0; i < count; ++i) target(i, 0) = f(theta.data() + i * inputs) + noise * stream.normal(i);
  return rows::RowState(rows::ScaledRows(theta.view(), target.view()));
}

rows::RowWork& one_thread() {
  static const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  return *work;
}

struct Problem {
  rows::RowState train, held_out;
  Resolution resolution;

  Problem(std::size_t count, std::size_t held, std::size_t inputs, const Function& f, double noise = 0.0,
          std::uint64_t seed = 1)
      : train(make_rows(count, inputs, f, noise, seed)),
        held_out(make_rows(held, inputs, f, noise, seed + 1000)),
        resolution(resolution_of(train)) {}
};

GrowthPlan plan_for(const Problem& problem, std::size_t features) {
  GrowthPlan plan;
  plan.inputs = problem.train.inputs();
  plan.features = features;
  plan.weight.assign(plan.inputs, 1.0);
  return plan;
}

GrownBlock grow(const Problem& problem, const GrowthPlan& plan, std::size_t threads = 1) {
  const auto work = rows::make_row_work(rows::Implementation::threads, threads);
  rows::RowWork& passes = *work;
  Interrupt never;
  return grow_block(passes, problem.train, problem.held_out, problem.resolution, plan, never);
}

double left_on(const rows::RowState& rows, const rows::FeatureBlock& block) {
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  rows::RowWork& passes = *work;
  Interrupt never;
  Eigen::VectorXd energy;
  EXPECT_TRUE(passes.misfit(rows, block, energy, never));
  return energy.sum() / static_cast<double>(rows.count());
}

double multiscale(const double* x) {
  return std::cos(4.0 * x[0]) + 0.3 * std::cos(70.0 * x[0]) + 0.05 * std::cos(150.0 * x[0]);
}

TEST(Growth, FindsTheLinesOfAMultiscaleTarget) {
  const Problem problem(600, 80, 1, multiscale);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    GrowthPlan plan = plan_for(problem, 6);
    plan.address.seed = seed;
    const GrownBlock grown = grow(problem, plan);
    EXPECT_TRUE(grown.complete);
    EXPECT_LT(grown.held_out, 1e-15 * one_thread().mean_squares(problem.held_out).sum()) << seed;
    EXPECT_LT(left_on(problem.train, grown.block), 1e-15 * one_thread().mean_squares(problem.train).sum()) << seed;
    EXPECT_LE(grown.block.size(), 6U);
    for (const double omega : {4.0, 70.0, 150.0}) {
      double nearest = 1e300;
      for (const rows::Feature& feature : grown.block.features)
        nearest = std::min(nearest, std::abs(std::abs(feature.frequency[0]) - omega));
      EXPECT_LT(nearest, 1e-6) << omega;
    }
  }
}

TEST(Growth, FindsALineAcrossSomeOfSeveralInputs) {
  const Problem problem(900, 200, 4, [](const double* x) { return std::sin(5.0 * x[1] - 3.0 * x[2]); });
  const GrownBlock grown = grow(problem, plan_for(problem, 8));
  EXPECT_LT(grown.held_out, 1e-4 * one_thread().mean_squares(problem.held_out).sum());
}

TEST(Growth, NoiseGrowsNothing) {
  int nothing = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    const Problem problem(
        400, 200, 1, [](const double*) { return 0.0; }, 1.0, seed);
    GrowthPlan plan = plan_for(problem, 24);
    plan.address.seed = seed;
    const GrownBlock grown = grow(problem, plan);
    // What fits the rows by chance fits no others, but for a few features by chance again.
    if (grown.block.size() == 0) ++nothing;
    EXPECT_LE(grown.block.size(), 12U) << seed;
    EXPECT_GT(grown.held_out, 0.93 * one_thread().mean_squares(problem.held_out).sum()) << seed;
    EXPECT_LE(grown.held_out, one_thread().mean_squares(problem.held_out).sum() * (1.0 + 1e-12)) << seed;
  }
  EXPECT_GE(nothing, 3);
}

TEST(Growth, IsNoWiderThanPlanned) {
  const auto many = [](const double* x) {
    double sum = 0.3;
    for (int j = 1; j <= 15; ++j) sum += std::cos(11.0 * j * x[0] + j);
    return sum;
  };
  const Problem problem(500, 60, 1, many);
  for (const std::size_t width : {1U, 3U, 20U})
    for (const bool constant : {false, true}) {
      if (width == 1 && constant) continue;
      GrowthPlan plan = plan_for(problem, width);
      plan.constant = constant;
      const GrownBlock grown = grow(problem, plan);
      EXPECT_LE(grown.block.size(), width);
      EXPECT_GE(grown.block.size(), width == 20 ? 8U : 1U);
      EXPECT_EQ(grown.block.amplitudes.rows(), static_cast<Eigen::Index>(2 * grown.block.size()));
      if (width == 20) {
        EXPECT_LT(grown.held_out, 0.5 * one_thread().mean_squares(problem.held_out).sum());
      }
    }
}

TEST(Growth, HeldOutRowsDecide) {
  // Few rows and much noise: the rows themselves would have all the features there are.
  const Problem problem(
      60, 200, 1, [](const double* x) { return std::sin(6.0 * x[0]); }, 0.5, 7);
  GrowthPlan plan = plan_for(problem, 16);
  const GrownBlock grown = grow(problem, plan);
  EXPECT_NEAR(grown.held_out, left_on(problem.held_out, grown.block), 1e-12);
  EXPECT_NEAR(grown.train, left_on(problem.train, grown.block), 1e-9);
  EXPECT_LT(grown.held_out, 0.5 * one_thread().mean_squares(problem.held_out).sum());
  EXPECT_LT(grown.block.size(), 8U);

  Problem alone = problem;
  alone.held_out = rows::RowState(rows::ScaledRows(Matrix(0, 1).view(), Matrix(0, 1).view()));
  const GrownBlock unwatched = grow(alone, plan);
  EXPECT_GT(unwatched.block.size(), grown.block.size());
  EXPECT_LT(unwatched.train, grown.train);
  EXPECT_EQ(unwatched.held_out, unwatched.train);
  EXPECT_LE(grown.held_out, left_on(problem.held_out, unwatched.block));
}

TEST(Growth, TheConstantIsAFeatureOfItsOwn) {
  // Lines whose mean over the rows is not zero, with the constant that makes it zero.
  const Problem problem(600, 80, 1, [](const double* x) { return multiscale(x) - 0.15; });
  GrowthPlan plan = plan_for(problem, 6);
  plan.constant = true;
  const GrownBlock grown = grow(problem, plan);
  EXPECT_LT(grown.held_out, 1e-12 * one_thread().mean_squares(problem.held_out).sum());
  ASSERT_GT(grown.block.size(), 0U);
  EXPECT_EQ(grown.block.features[0].frequency, std::vector<double>(2, 0.0));
  EXPECT_TRUE(grown.block.features[0].active.empty());
  EXPECT_NEAR(grown.block.amplitudes(0, 0), -0.15, 1e-6);
}

TEST(Growth, SeesTheState) {
  Problem problem(600, 100, 1, [](const double*) { return 0.0; });
  for (rows::RowState* rows : {&problem.train, &problem.held_out})
    for (std::size_t i = 0; i < rows->count(); ++i) {
      const double theta = rows->variable_of(i, 0), z = std::sin(3.0 * theta) + 0.1 * theta;
      rows->state(i, 0) = z;
      rows->residual(i, 0) = std::cos(9.0 * z + 0.4);
    }
  problem.resolution = resolution_of(problem.train);
  GrowthPlan plan = plan_for(problem, 4);
  plan.kinds = {BranchKind::state};
  const GrownBlock grown = grow(problem, plan);
  EXPECT_LT(grown.held_out, 1e-9 * one_thread().mean_squares(problem.held_out).sum());
  const Block block = grown.block.as_block(1, 1);
  ASSERT_EQ(block.branches.size(), 1U);
  EXPECT_EQ(block.branches[0].kind, BranchKind::state);
}

TEST(Growth, TheRidgeGivenIsKeptAndWithoutRefinementFrequenciesStayInThePool) {
  const Problem problem(400, 80, 1, multiscale, 0.1);
  GrowthPlan plan = plan_for(problem, 12);
  plan.ridge = 0.037;
  EXPECT_EQ(grow(problem, plan).ridge, 0.037);
  plan.ridge.reset();
  plan.steps = 0;
  const GrownBlock grown = grow(problem, plan);
  EXPECT_GT(grown.block.size(), 2U);
  EXPECT_LT(grown.held_out, 0.3 * one_thread().mean_squares(problem.held_out).sum());
  EXPECT_NEAR(grown.train, left_on(problem.train, grown.block), 1e-9);
}

TEST(Growth, SameForAnyThreadsAndAnotherForAnotherSeed) {
  const Problem problem(
      1200, 300, 2, [](const double* x) { return std::sin(3.0 * x[0] * x[1]); }, 0.1);
  GrowthPlan plan = plan_for(problem, 8);
  plan.pool = 500;
  const GrownBlock alone = grow(problem, plan);
  ASSERT_GT(alone.block.size(), 0U);
  for (const std::size_t threads : {2U, 3U}) {
    const GrownBlock grown = grow(problem, plan, threads);
    EXPECT_EQ(grown.held_out, alone.held_out);
    EXPECT_EQ(grown.ridge, alone.ridge);
    EXPECT_EQ(grown.block.amplitudes, alone.block.amplitudes);
    for (std::size_t f = 0; f < alone.block.size(); ++f)
      EXPECT_EQ(grown.block.features[f].frequency, alone.block.features[f].frequency);
  }
  for (std::uint64_t* number : {&plan.address.seed, &plan.address.member, &plan.address.attempt}) {
    ++*number;
    EXPECT_NE(grow(problem, plan).held_out, alone.held_out);
    --*number;
  }
}

TEST(Growth, SaysWhenItWasInterrupted) {
  const Problem problem(600, 80, 1, multiscale);
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  rows::RowWork& passes = *work;
  Interrupt stop([] { return false; });
  const GrownBlock grown =
      grow_block(passes, problem.train, problem.held_out, problem.resolution, plan_for(problem, 6), stop);
  EXPECT_FALSE(grown.complete);
  EXPECT_EQ(grown.block.size(), 0U);
}

// Nothing is drawn from a spectrum of zeros, and the block without features that is then solved for has no largest
// element.
TEST(Growth, NothingGrowsWhereNothingIsLeft) {
  const Problem problem(300, 50, 1, [](const double*) { return 0.0; });
  const GrownBlock grown = grow(problem, plan_for(problem, 6));
  EXPECT_EQ(grown.block.size(), 0U);
  EXPECT_EQ(grown.held_out, 0.0);
}

// The constant alone fills the block before the first turn.
TEST(Growth, OneFeatureAndTheConstant) {
  const Problem problem(300, 50, 1, [](const double* x) { return std::sin(5.0 * x[0]); });
  GrowthPlan plan = plan_for(problem, 1);
  plan.constant = true;
  EXPECT_EQ(grow(problem, plan).block.size(), 1U);
}

}  // namespace
}  // namespace rfnn::grown
