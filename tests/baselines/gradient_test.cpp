#include "rfnn/baselines/gradient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "baselines/networks.hpp"

namespace rfnn::baselines {
namespace {

using namespace rfnn::testing;

std::vector<std::size_t> first_rows(std::size_t count, std::size_t from = 0) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), from);
  return rows;
}

/// Every number within a share 1e-7 of the largest.
void expect_same_gradient(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  double largest = 0.0;
  for (const double slope : wanted) largest = std::max(largest, std::abs(slope));
  ASSERT_GT(largest, 0.0);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-7 * largest) << "parameter " << i;
}

/// The squared error and its gradient on all rows, at most a tile, against the naive ones.
void expect_exact(const Network& network, std::size_t inputs, std::size_t outputs, std::size_t rows,
                  const features::Kernels& level = features::kernels()) {
  const Matrix theta = normal_matrix(rows, inputs, 100), targets = normal_matrix(rows, outputs, 200);
  GradientTile tile(network, inputs, outputs, level);
  tile.load(theta, targets, first_rows(rows));
  const double error = naive_squared_error(network, theta, targets);
  EXPECT_NEAR(tile.forward(), error, 1e-12 * error);
  Network gradient = zeros_like(network);
  tile.backward(1.0, gradient);
  expect_same_gradient(flat(gradient), differences(network, [&](const Network& moved) {
                         return naive_squared_error(moved, theta, targets);
                       }));
}

TEST(Gradient, MatchesDifferences) {
  for (const std::size_t inputs : {1U, 3U})
    for (const std::size_t outputs : {1U, 2U})
      for (const std::size_t blocks : {1U, 3U}) {
        SCOPED_TRACE(::testing::Message() << inputs << " inputs, " << outputs << " outputs, " << blocks << " blocks");
        expect_exact(random_network(blocks, 3, inputs, outputs, 1), inputs, outputs, 50);
      }
}

TEST(Gradient, MatchesDifferencesForOneRowAndForAFullTile) {
  expect_exact(random_network(2, 2, 1, 1, 2), 1, 1, 1);
  expect_exact(random_network(2, 2, 1, 1, 3), 1, 1, features::tile_rows);
}

TEST(Gradient, MatchesDifferencesWithJointBranchesAndAStateInTheFirstBlock) {
  Network network;
  network.blocks = {{{random_branch(BranchKind::input, 2, 3, 2, 1), random_branch(BranchKind::state, 2, 3, 2, 3)}},
                    {{random_branch(BranchKind::joint, 3, 3, 2, 5)}},
                    {{random_branch(BranchKind::state, 1, 3, 2, 7), random_branch(BranchKind::joint, 2, 3, 2, 9)}}};
  expect_exact(network, 3, 2, 40);
}

TEST(Gradient, MatchesDifferencesAtEveryLevel) {
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const features::Kernels* level = features::kernels(name))
      expect_exact(random_network(3, 2, 2, 2, 4), 2, 2, 30, *level);
}

TEST(Gradient, AddsUpOverTilesWithTheirWeights) {
  const std::size_t rows = 90;
  const Matrix theta = normal_matrix(rows, 2, 1), targets = normal_matrix(rows, 1, 2);
  const Network network = random_network(3, 3, 2, 1, 6);
  const auto gradient_of = [&](std::initializer_list<std::vector<std::size_t>> tiles, double weight) {
    GradientTile tile(network, 2, 1);
    Network gradient = zeros_like(network);
    for (const auto& part : tiles) {
      tile.load(theta, targets, part);
      tile.forward();
      tile.backward(weight, gradient);
    }
    return flat(gradient);
  };
  const std::vector<double> whole = gradient_of({first_rows(rows)}, 1.0);
  // A long tile before a short one: nothing of the former is left over.
  const std::vector<double> parts = gradient_of({first_rows(70), first_rows(20, 70)}, 0.25);
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_NEAR(parts[i], 0.25 * whole[i], 1e-11 * (1.0 + std::abs(whole[i])));
}

TEST(Gradient, FollowsTheNumbersOfItsNetwork) {
  const Matrix theta = normal_matrix(20, 1, 1), targets = normal_matrix(20, 1, 2);
  Network network = random_network(2, 2, 1, 1, 7);
  GradientTile tile(network, 1, 1);
  tile.load(theta, targets, first_rows(20));
  const double before = tile.forward();
  for_each_parameters(
      [](Matrix& parameters) {
        for (std::size_t i = 0; i < parameters.size(); ++i) parameters.data()[i] *= 1.5;
      },
      network);
  const double after = tile.forward();
  EXPECT_NE(after, before);
  EXPECT_NEAR(after, naive_squared_error(network, theta, targets), 1e-12 * after);
}

TEST(Ridge, GradientMatchesDifferences) {
  const Network network = random_network(2, 3, 2, 2, 8);
  Network gradient = zeros_like(network);
  add_ridge_gradient(network, 0.3, gradient);
  expect_same_gradient(flat(gradient), differences(network, [](const Network& moved) {
                         double sum = 0.0;
                         for (const Block& block : moved.blocks) sum += 0.3 * naive_amplitudes(block).squaredNorm();
                         return sum;
                       }));
  EXPECT_NEAR(
      0.3 * squared_amplitudes(network),
      0.3 * (naive_amplitudes(network.blocks[0]).squaredNorm() + naive_amplitudes(network.blocks[1]).squaredNorm()),
      1e-14);
}

}  // namespace
}  // namespace rfnn::baselines
