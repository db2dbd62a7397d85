#include "rfnn/finders/wide/chosen_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rfnn/finders/wide/drawn_features.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/finders/wide/wide_block.hpp"
#include "rows/naive.hpp"

namespace rfnn::wide {
namespace {

using testing::index;
using testing::naive_features;
using testing::to_eigen;

/// A smooth part over both inputs and a rough one.
FrequencyLaw some_law() {
  FrequencyLaw law;
  law.parts.push_back({0.7, {0.8, 0.5}, {0.0, 0.0}});
  law.parts.push_back({0.3, {0.0, 0.0}, {0.6, 0.2}});
  return law;
}

struct Table {
  explicit Table(std::size_t count)
      : inputs(testing::normal_matrix(count, 2, 3, 1.0)),
        target(count, 1),
        rows(rows::ScaledRows(inputs.view(), filled().view())) {}
  const Matrix& filled() {
    for (std::size_t i = 0; i < inputs.rows(); ++i)
      target(i, 0) = std::abs(inputs(i, 0)) + 0.3 * std::sin(inputs(i, 1));
    return target;
  }
  Matrix inputs, target;
  rows::RowState rows;
};

std::unique_ptr<rows::RowWork> work_of(std::size_t threads) {
  return rows::make_row_work(rows::Implementation::threads, threads);
}

TEST(ChosenFeatures, LeveragesAreThoseOfTheFormula) {
  const Table table(60);
  const FrequencyLaw law = some_law();
  const rows::WideFeatures features = draw_features(law, 40, 7, 0);
  const double noise = 0.05;
  Eigen::MatrixXd kernel(60, 60);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t j = 0; j < 60; ++j) {
      const double difference[] = {table.inputs(i, 0) - table.inputs(j, 0), table.inputs(i, 1) - table.inputs(j, 1)};
      kernel(index(i), index(j)) = kernel_value(law, difference) + (i == j ? noise : 0.0);
    }
  const Eigen::MatrixXd columns = naive_features(to_eigen(table.inputs), features.frequencies);
  const Eigen::MatrixXd solved = kernel.llt().solve(columns);
  // The mean of many estimates, each of which is right to some twenty per cent.
  std::vector<double> mean(features.size());
  const auto work = work_of(1);
  Interrupt never;
  constexpr std::size_t estimates = 20;
  for (std::uint64_t seed = 0; seed < estimates; ++seed) {
    const auto found = leverages(law, noise, features, seed, *work, table.rows, never);
    ASSERT_TRUE(found);
    for (std::size_t f = 0; f < mean.size(); ++f) mean[f] += (*found)[f] / estimates;
  }
  for (std::size_t f = 0; f < mean.size(); ++f) {
    double wanted = 0.0;
    for (const std::size_t c : {2 * f, 2 * f + 1})
      wanted += columns.col(index(c)).dot(solved.col(index(c))) * features.prior[f] * features.prior[f];
    EXPECT_NEAR(mean[f], wanted, 0.2 * wanted) << f;
  }
}

TEST(ChosenFeatures, SharesAddUpAndNoneIsAboveOne) {
  const std::vector<double> leverage = {5.0, 0.1, 0.4, 0.2, 0.1, 0.2, 3.0, 0.0};
  for (const std::size_t count : {1UL, 2UL, 3UL, 5UL, 7UL}) {
    const std::vector<double> shares = inclusion(leverage, count);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), static_cast<double>(count), 1e-12) << count;
    for (std::size_t f = 0; f < shares.size(); ++f) {
      EXPECT_LE(shares[f], 1.0);
      EXPECT_GE(shares[f], 0.0);
    }
    EXPECT_NEAR(shares[2], std::min(1.0, 2.0 * shares[3]), 1e-12) << count;
  }
  EXPECT_EQ(inclusion(leverage, 3)[0], 1.0);
}

TEST(ChosenFeatures, AreOfTheLawAndTheSameForAnyNumberOfThreads) {
  const Table table(300);
  LearntLaw law;
  law.law = some_law();
  law.noise = 1e-3;
  Interrupt never;
  double variance = 0.0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto chosen = choose_features(law, 64, seed, 0, *work_of(1), table.rows, never);
    ASSERT_TRUE(chosen);
    ASSERT_EQ(chosen->size(), 64U);
    const auto again = choose_features(law, 64, seed, 0, *work_of(3), table.rows, never);
    EXPECT_EQ(chosen->frequencies, again->frequencies);
    EXPECT_EQ(chosen->prior, again->prior);
    for (const double prior : chosen->prior) variance += prior * prior / 8.0;
  }
  EXPECT_NEAR(variance, law.law.variance(), 0.15);
}

TEST(ChosenFeatures, LeaveLessThanAsManyDrawn) {
  const Table table(300);
  LearntLaw law;
  law.law = some_law();
  law.noise = 1e-4;
  const auto work = work_of(1);
  Interrupt never;
  double better = 0.0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<double> lambdas = {1e-2, 1e-3, 1e-4};
    const auto chosen = choose_features(law, 100, seed, 0, *work, table.rows, never);
    const auto by_choice = fit_wide(*work, table.rows, table.rows, *chosen, lambdas, seed, never);
    const auto by_chance =
        fit_wide(*work, table.rows, table.rows, draw_features(law.law, 100, seed, 0), lambdas, seed, never);
    better += std::log(by_choice->held_out / by_chance->held_out) / 5.0;
  }
  EXPECT_LT(std::exp(better), 0.9);
}

}  // namespace
}  // namespace rfnn::wide
