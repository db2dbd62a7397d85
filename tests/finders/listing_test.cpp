// The sampler walks exactly the path of the paper's listing.

#include "finders/paper_listing.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "finders/block_fixture.hpp"

namespace rfnn::sampled {
namespace {

using testing::index;
using testing::Listing;
using testing::ListingBlock;
using testing::ListingSettings;
using testing::to_eigen;
using testing::to_matrix;

constexpr std::int64_t blocks = 3, iterations = 50;

/// Smooth functions of the inputs, one per output, with some high frequency.
Matrix target_of(const Matrix& theta, std::size_t outputs) {
  Matrix target(theta.rows(), outputs);
  for (std::size_t i = 0; i < theta.rows(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) {
      double phase = static_cast<double>(o);
      for (std::size_t k = 0; k < theta.cols(); ++k) phase += (1.0 + static_cast<double>(k)) * theta(i, k);
      target(i, o) = std::sin(phase) + 0.4 * std::cos(4.0 * phase) + 0.1 * theta(i, 0);
    }
  return target;
}

using Case = std::tuple<Solver, std::size_t, std::size_t, StateBranch>;
class PathOfTheListing : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, PathOfTheListing,
                         ::testing::Combine(::testing::Values(Solver::cholesky, Solver::qr, Solver::svd,
                                                              Solver::iterative),
                                            ::testing::Values(1U, 3U), ::testing::Values(1U, 2U),
                                            ::testing::Values(StateBranch::sampled, StateBranch::frozen)));

TEST_P(PathOfTheListing, IsTaken) {
  const auto [solver, inputs, outputs, state_branch] = GetParam();
  const Matrix theta = testing::normal_matrix(150, inputs, 3);
  const Matrix target = target_of(theta, outputs);

  Options options = preset_options(Preset::paper);
  options.width = 3;
  options.blocks = blocks;
  options.iterations = iterations;
  options.solver = solver;
  options.solver_tolerance = 1e-13;
  options.state_branch = state_branch;
  options.gamma = 8.0;
  options.gamma_state = 12.0;
  options.ridge = {1e-4};
  options.seed = 17;

  ListingSettings settings;
  settings.W = 3;
  settings.L = blocks;
  settings.M = iterations;
  settings.gamma = 8.0;
  settings.gamma_state = 12.0;
  settings.delta = 2.4 * 2.4 / static_cast<double>(inputs);
  settings.delta_state = 2.4 * 2.4 / static_cast<double>(outputs);
  settings.lambda = 1e-4;
  settings.move_state = state_branch == StateBranch::sampled;
  settings.seed = 17;
  Listing listing(to_eigen(theta), to_eigen(target), settings);
  const std::vector<ListingBlock> expected = listing.train();

  testing::SampledRows rows(theta, target);
  Interrupt never;
  std::size_t moved = 0;
  for (std::int64_t number = 1; number <= blocks; ++number) {
    SCOPED_TRACE("block " + std::to_string(number));
    const ListingBlock& listed = expected[static_cast<std::size_t>(number - 1)];
    const SampledBlock sampled = testing::sample(rows, testing::plan_block(number, rows, options), options);

    ASSERT_EQ(rows.engine.path[0].size(), static_cast<std::size_t>(iterations + 1));
    for (std::size_t i = 0; i <= iterations; ++i) {
      const Eigen::MatrixXd path = to_eigen(rows.engine.path[0][i]);
      ASSERT_LE((path - listed.omega[i]).cwiseAbs().maxCoeff(), 1e-6) << "iteration " << i;
      if (i > 0) moved += listed.omega[i] != listed.omega[i - 1];
    }
    if (number > 1) {
      const bool sampled_state = state_branch == StateBranch::sampled;
      ASSERT_EQ(rows.engine.path[1].size(), sampled_state ? static_cast<std::size_t>(iterations + 1) : 1U);
      for (std::size_t i = 0; i < rows.engine.path[1].size(); ++i)
        ASSERT_LE((to_eigen(rows.engine.path[1][i]) - listed.omega_state[i]).cwiseAbs().maxCoeff(), 1e-6)
            << "iteration " << i;
    }

    // What the block ends with, and what it adds to the state.
    const Eigen::MatrixXd amplitudes = to_eigen(sampled.block.branches[0].amplitudes);
    for (Eigen::Index j = 0; j < 3; ++j) {
      EXPECT_LE((amplitudes.row(2 * j) - listed.re.row(j)).cwiseAbs().maxCoeff(), 1e-6);
      EXPECT_LE((amplitudes.row(2 * j + 1) - listed.im.row(j)).cwiseAbs().maxCoeff(), 1e-6);
      if (number == 1) continue;
      const Eigen::MatrixXd of_state = to_eigen(sampled.block.branches[1].amplitudes);
      EXPECT_LE((of_state.row(2 * j) - listed.re_state.row(j)).cwiseAbs().maxCoeff(), 1e-6);
      EXPECT_LE((of_state.row(2 * j + 1) - listed.im_state.row(j)).cwiseAbs().maxCoeff(), 1e-6);
    }
    ASSERT_TRUE(rows.advance(sampled.block, never));
  }
  EXPECT_GT(moved, 20U) << "a chain that does not move proves nothing";
  const Eigen::MatrixXd residual = to_eigen(target) - listing.z;
  EXPECT_LE((rows.work->mean_squares(rows.state) - residual.colwise().squaredNorm().transpose() / 150.0)
                .cwiseAbs()
                .maxCoeff(),
            1e-8);
}

// The reference engine walks it too, so the seam, not one engine, carries the algorithm.
TEST(PathOfTheChain, DoesNotDependOnTheEngine) {
  const Matrix theta = testing::normal_matrix(100, 2, 4);
  const Matrix target = target_of(theta, 1);
  Options options = preset_options(Preset::paper);
  options.width = 4;
  options.iterations = 100;
  Interrupt never;
  testing::SampledRows direct(theta, target), reference(theta, target, rows::Implementation::reference);
  for (std::int64_t number = 1; number <= 2; ++number)
    for (testing::SampledRows* rows : {&direct, &reference})
      ASSERT_TRUE(
          rows->advance(testing::sample(*rows, testing::plan_block(number, *rows, options), options).block, never));
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t i = 0; i < direct.engine.path[b].size(); ++i)
      ASSERT_LE((to_eigen(direct.engine.path[b][i]) - to_eigen(reference.engine.path[b][i])).cwiseAbs().maxCoeff(),
                1e-6);
}

}  // namespace
}  // namespace rfnn::sampled
