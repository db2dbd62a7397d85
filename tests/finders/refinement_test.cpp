#include "rfnn/finders/grown/refinement.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rfnn/least_squares/shifted_cholesky.hpp"
#include "rows/naive.hpp"

namespace rfnn::grown {
namespace {

using testing::index;
using testing::normal_matrix;
using testing::to_eigen;
using testing::uniform_matrix;

rows::RowState rows_of(const Matrix& theta, const Matrix& target) {
  return rows::RowState(rows::ScaledRows(theta.view(), target.view()));
}

Matrix frequencies_of(const rows::FeatureBlock& block, std::size_t inputs) {
  Matrix frequencies(block.size(), inputs);
  for (std::size_t f = 0; f < block.size(); ++f)
    for (std::size_t k = 0; k < inputs; ++k) frequencies(f, k) = block.features[f].frequency[k];
  return frequencies;
}

/// What the block leaves of the target.
Eigen::MatrixXd left_by(const rows::FeatureBlock& block, const Matrix& theta, const Matrix& target) {
  return to_eigen(target) -
         testing::naive_features(to_eigen(theta), frequencies_of(block, theta.cols())) * block.amplitudes;
}

/// Features over the inputs, one column of state behind them, all inputs movable.
rows::FeatureBlock block_of(const Matrix& frequencies, const Matrix& amplitudes) {
  rows::FeatureBlock block{std::vector<rows::Feature>(frequencies.rows()), to_eigen(amplitudes)};
  for (std::size_t f = 0; f < frequencies.rows(); ++f) {
    block.features[f].frequency.assign(frequencies.cols() + amplitudes.cols(), 0.0);
    for (std::size_t k = 0; k < frequencies.cols(); ++k) {
      block.features[f].frequency[k] = frequencies(f, k);
      block.features[f].active.push_back(static_cast<std::uint32_t>(k));
    }
  }
  return block;
}

/// A linear model with Gaussian amplitudes, seen through noise.
struct RidgeProblem {
  Eigen::MatrixXd a, truth;
  rows::FeatureSums sums;
  double rows;

  RidgeProblem(std::size_t count, std::size_t features, double spread, double sd, double noise, std::uint64_t seed)
      : rows(static_cast<double>(count)) {
    a = testing::naive_features(to_eigen(normal_matrix(count, 1, seed)), normal_matrix(features, 1, seed + 1, spread));
    truth = a * to_eigen(normal_matrix(2 * features, 1, seed + 2, sd));
    const Eigen::MatrixXd r = truth + to_eigen(normal_matrix(count, 1, seed + 3, noise));
    sums = {a.transpose() * a, a.transpose() * r, r.colwise().squaredNorm().transpose()};
  }
  /// How far from the truth the ridge solution is, mean square.
  [[nodiscard]] double risk(double lambda) const {
    Eigen::MatrixXd shifted = sums.gram;
    shifted.diagonal().array() += rows * lambda;
    return (a * shifted.ldlt().solve(sums.rhs) - truth).squaredNorm() / rows;
  }
};

least_squares::ChosenRidge chosen_for(const RidgeProblem& problem, double rows, double cost, double least) {
  return least_squares::choose_ridge(problem.sums.gram, problem.sums.rhs, problem.sums.energy.sum(), rows, cost, least);
}

TEST(ChooseRidge, FindsTheNoise) {
  for (const double noise : {0.03, 0.3, 3.0})
    for (const std::uint64_t seed : {10U, 20U, 30U}) {
      const RidgeProblem problem(600, 60, 8.0, 0.2, noise, seed);
      const least_squares::ChosenRidge chosen = chosen_for(problem, problem.rows, 1.0, 1e-12);
      // What leave-one-out would leave: the noise and the risk.
      const double expected = noise * noise + problem.risk(chosen.lambda);
      EXPECT_GT(chosen.score, 0.75 * expected) << noise;
      EXPECT_LT(chosen.score, 1.35 * expected) << noise;
      double least = problem.risk(1.0);
      for (double lambda = 1.0; lambda > 1e-12; lambda /= 2.0) least = std::min(least, problem.risk(lambda));
      EXPECT_LT(problem.risk(chosen.lambda), least + 0.06 * noise * noise) << noise;
    }
}

TEST(ChooseRidge, TheScoreIsGeneralisedCrossValidation) {
  const RidgeProblem problem(200, 10, 2.0, 0.5, 0.3, 40);
  for (const double cost : {1.0, 1.5}) {
    const least_squares::ChosenRidge chosen = chosen_for(problem, problem.rows, cost, 1e-8);
    Eigen::MatrixXd shifted = problem.sums.gram;
    shifted.diagonal().array() += 200.0 * chosen.lambda;
    const Eigen::MatrixXd b = shifted.ldlt().solve(problem.sums.rhs);
    const double freedom = shifted.ldlt().solve(problem.sums.gram).trace();
    const double misfit = problem.sums.energy(0) - 2.0 * b.col(0).dot(problem.sums.rhs.col(0)) +
                          b.col(0).dot(problem.sums.gram * b.col(0));
    EXPECT_NEAR(chosen.score, misfit * 200.0 / std::pow(200.0 - cost * freedom, 2), 1e-6 * chosen.score);
  }
}

TEST(ChooseRidge, DearerFreedomMeansMoreRidgeAndTheLeastIsKept) {
  const RidgeProblem problem(150, 60, 5.0, 0.2, 1.0, 50);
  EXPECT_GE(chosen_for(problem, 150.0, 1.8, 1e-10).lambda, chosen_for(problem, 150.0, 1.0, 1e-10).lambda);
  // More columns than rows: any ridge that leaves no freedom to the rows is out of the question.
  const RidgeProblem wide(50, 60, 20.0, 0.2, 1.0, 60);
  EXPECT_GT(chosen_for(wide, 50.0, 1.5, 1e-10).lambda, 1e-4);
  const RidgeProblem exact(300, 5, 5.0, 1.0, 0.0, 70);
  for (const double least : {1e-4, 1e-9}) {
    const double lambda = chosen_for(exact, 300.0, 1.0, least).lambda;
    EXPECT_GE(lambda, 0.99 * least);
    EXPECT_LE(lambda, 3.2 * std::max(least, 1e-8));
  }
}

TEST(SolveAmplitudes, IsTheRidgeSolution) {
  const RidgeProblem problem(300, 12, 3.0, 0.5, 0.3, 80);
  for (const double lambda : {1e-6, 0.1}) {
    rows::FeatureBlock block;
    block.features.resize(12);
    const Misfit misfit = solve_amplitudes(problem.sums, 300.0, lambda, block);
    Eigen::MatrixXd shifted = problem.sums.gram / 300.0;
    shifted.diagonal().array() += lambda;
    const Eigen::MatrixXd expected = shifted.ldlt().solve(problem.sums.rhs / 300.0);
    EXPECT_LE((block.amplitudes - expected).norm(), 1e-7 * expected.norm());
    const double square = problem.sums.energy(0) - 2.0 * expected.col(0).dot(problem.sums.rhs.col(0)) +
                          expected.col(0).dot(problem.sums.gram * expected.col(0));
    EXPECT_NEAR(misfit.mean_square, square / 300.0, 1e-9);
    EXPECT_NEAR(misfit.objective, square / 300.0 + lambda * expected.squaredNorm(), 1e-9);
  }
}

TEST(SolveAmplitudes, FeaturesTwiceDoNotHurt) {
  const Matrix theta = uniform_matrix(200, 1, 90, -1.7, 1.7), target = normal_matrix(200, 1, 91);
  const rows::RowState rows = rows_of(theta, target);
  // The same frequency twice, its mirror image, and 0, whose sine is no column at all.
  Matrix frequencies(4, 1);
  for (std::size_t f = 0; f < 4; ++f) frequencies(f, 0) = f == 3 ? 0.0 : f == 2 ? -3.0 : 3.0;
  rows::FeatureBlock block = block_of(frequencies, Matrix(8, 1));
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  rows::RowWork& passes = *work;
  Interrupt never;
  rows::FeatureSums sums;
  ASSERT_TRUE(passes.features(rows, block.features, sums, never));
  solve_amplitudes(sums, 200.0, 0.0, block);
  ASSERT_TRUE(block.amplitudes.allFinite());
  Matrix distinct(2, 1);
  distinct(0, 0) = 3.0;
  const Eigen::MatrixXd a = testing::naive_features(to_eigen(theta), distinct).leftCols(3);
  const Eigen::MatrixXd best = to_eigen(target) - a * a.colPivHouseholderQr().solve(to_eigen(target));
  EXPECT_NEAR(left_by(block, theta, target).squaredNorm(), best.squaredNorm(), 1e-6);
}

/// Lines with two outputs, on one input or on two.
struct Lines {
  explicit Lines(std::size_t inputs, std::size_t count = 500)
      : theta(uniform_matrix(count, inputs, 100, -1.7, 1.7)), frequencies(3, inputs) {
    for (std::size_t f = 0; f < 3; ++f)
      for (std::size_t k = 0; k < inputs; ++k)
        frequencies(f, k) = (f == 0 ? 4.0 : f == 1 ? 31.0 : 70.0) * (k == 0 ? 1.0 : -0.4 - static_cast<double>(f));
    target = testing::to_matrix(testing::naive_features(to_eigen(theta), frequencies) * to_eigen(amplitudes));
  }
  Matrix theta, frequencies, amplitudes = normal_matrix(6, 2, 101), target;

  /// Frequencies off by up to `off`, amplitudes zero.
  [[nodiscard]] rows::FeatureBlock start(double off) const {
    Matrix near = frequencies;
    const Matrix shifts = uniform_matrix(near.rows(), near.cols(), 102, -off, off);
    for (std::size_t i = 0; i < near.size(); ++i) near.data()[i] += shifts.data()[i];
    return block_of(near, Matrix(6, 2));
  }
};

TEST(Refine, RecoversExactLinesFromNearby) {
  for (const std::size_t inputs : {1U, 2U}) {
    const Lines lines(inputs);
    const rows::RowState rows = rows_of(lines.theta, lines.target);
    const double variance = rows::make_row_work(rows::Implementation::threads, 1)->mean_squares(rows).sum();
    rows::FeatureBlock block = lines.start(0.4);
    const auto work = rows::make_row_work(rows::Implementation::threads, 1);
    rows::RowWork& passes = *work;
    Interrupt never;
    rows::FeatureSums sums;
    ASSERT_TRUE(passes.features(rows, block.features, sums, never));
    solve_amplitudes(sums, 500.0, 0.0, block);
    Misfit misfit;
    ASSERT_TRUE(refine(passes, rows, 0.0, 60, 0.0, block, misfit, never));
    EXPECT_LT(misfit.mean_square, 1e-20 * variance);
    EXPECT_LT(left_by(block, lines.theta, lines.target).squaredNorm() / 500.0, 1e-20 * variance);
    EXPECT_LE((to_eigen(frequencies_of(block, inputs)) - to_eigen(lines.frequencies)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LE((block.amplitudes - to_eigen(lines.amplitudes)).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(Refine, NeverWorsensAndMovesWhatMayMove) {
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  rows::RowWork& passes = *work;
  Interrupt never;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Matrix theta = normal_matrix(120, 2, 200 + seed), target = normal_matrix(120, 2, 300 + seed);
    const rows::RowState rows = rows_of(theta, target);
    rows::FeatureBlock block = block_of(normal_matrix(4, 2, 400 + seed, 3.0), normal_matrix(8, 2, 500 + seed));
    block.features[1].active = {1};
    block.features[2].active.clear();
    const rows::FeatureBlock before = block;
    for (const double lambda : {0.0, 0.05}) {
      const auto objective = [&] {
        return left_by(block, theta, target).squaredNorm() / 120.0 + lambda * block.amplitudes.squaredNorm();
      };
      double last = objective();
      for (int round = 0; round < 4; ++round) {
        Misfit misfit;
        ASSERT_TRUE(refine(passes, rows, lambda, 1, 0.0, block, misfit, never));
        EXPECT_NEAR(misfit.objective, objective(), 1e-10);
        EXPECT_NEAR(misfit.mean_square, left_by(block, theta, target).squaredNorm() / 120.0, 1e-10);
        EXPECT_LE(misfit.objective, last * (1.0 + 1e-12));
        last = misfit.objective;
      }
    }
    EXPECT_NE(block.features[0].frequency, before.features[0].frequency);
    EXPECT_EQ(block.features[1].frequency[0], before.features[1].frequency[0]);
    EXPECT_NE(block.features[1].frequency[1], before.features[1].frequency[1]);
    EXPECT_EQ(block.features[2].frequency, before.features[2].frequency);
    EXPECT_NE(block.amplitudes.row(4), before.amplitudes.row(4));
  }
}

TEST(Refine, EndsWhereTheGradientOfTheObjectiveIsZero) {
  const Lines lines(2);
  Matrix target = lines.target;
  const Matrix noise = normal_matrix(500, 2, 103, 0.3);
  for (std::size_t i = 0; i < target.size(); ++i) target.data()[i] += noise.data()[i];
  const rows::RowState rows = rows_of(lines.theta, target);
  const double lambda = 0.02;
  rows::FeatureBlock block = lines.start(0.1);
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  rows::RowWork& passes = *work;
  Interrupt never;
  rows::FeatureSums sums;
  ASSERT_TRUE(passes.features(rows, block.features, sums, never));
  solve_amplitudes(sums, 500.0, lambda, block);
  Misfit misfit;
  ASSERT_TRUE(refine(passes, rows, lambda, 100, 0.0, block, misfit, never));
  // By central differences, in every frequency and every amplitude.
  const auto objective = [&](const rows::FeatureBlock& there) {
    return left_by(there, lines.theta, target).squaredNorm() / 500.0 + lambda * there.amplitudes.squaredNorm();
  };
  constexpr double h = 1e-5;
  for (std::size_t f = 0; f < 3; ++f) {
    for (const std::size_t k : {0U, 1U}) {
      rows::FeatureBlock low = block, high = block;
      low.features[f].frequency[k] -= h;
      high.features[f].frequency[k] += h;
      EXPECT_NEAR((objective(high) - objective(low)) / (2.0 * h), 0.0, 1e-6);
      EXPECT_GT(objective(high) + objective(low), 2.0 * objective(block));
    }
    for (Eigen::Index i = index(2 * f); i < index(2 * f + 2); ++i)
      for (const Eigen::Index o : {0, 1}) {
        rows::FeatureBlock low = block, high = block;
        low.amplitudes(i, o) -= h;
        high.amplitudes(i, o) += h;
        EXPECT_NEAR((objective(high) - objective(low)) / (2.0 * h), 0.0, 1e-6);
      }
  }
}

TEST(Refine, IsQuickNearTheLines) {
  // A step of Gauss and Newton, amplitudes and frequencies together: the error is squared, not shortened.
  const Lines lines(1);
  const rows::RowState rows = rows_of(lines.theta, lines.target);
  rows::FeatureBlock block = block_of(lines.frequencies, lines.amplitudes);
  for (rows::Feature& feature : block.features) feature.frequency[0] += 1e-3;
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  rows::RowWork& passes = *work;
  Interrupt never;
  Misfit one, three;
  const double before = left_by(block, lines.theta, lines.target).squaredNorm() / 500.0;
  ASSERT_TRUE(refine(passes, rows, 0.0, 1, 0.0, block, one, never));
  EXPECT_LT(one.mean_square, 1e-4 * before);
  ASSERT_TRUE(refine(passes, rows, 0.0, 3, 0.0, block, three, never));
  EXPECT_LT(three.mean_square, 1e-12 * before);
}

TEST(Refine, SameForAnyThreadsAndFalseWhenInterrupted) {
  const Lines lines(2, 3000);
  const rows::RowState rows = rows_of(lines.theta, lines.target);
  rows::FeatureBlock found[3];
  for (std::size_t t = 0; t < 3; ++t) {
    const auto work = rows::make_row_work(rows::Implementation::threads, t + 1);
    rows::RowWork& passes = *work;
    Interrupt never, stop([] { return false; });
    Misfit misfit;
    found[t] = lines.start(0.3);
    ASSERT_TRUE(refine(passes, rows, 1e-6, 4, 0.0, found[t], misfit, never));
    EXPECT_EQ(frequencies_of(found[t], 2), frequencies_of(found[0], 2));
    EXPECT_EQ(found[t].amplitudes, found[0].amplitudes);
    rows::FeatureBlock block = lines.start(0.3);
    EXPECT_FALSE(refine(passes, rows, 1e-6, 4, 0.0, block, misfit, stop));
    EXPECT_EQ(frequencies_of(block, 2), frequencies_of(lines.start(0.3), 2));
  }
}

}  // namespace
}  // namespace rfnn::grown
