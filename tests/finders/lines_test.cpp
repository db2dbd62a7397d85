// Blocks of lines: the background against dense algebra, trend and frequencies against what the rows were made of.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "finders/series_rows.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/finders/lines/background.hpp"
#include "rfnn/finders/lines/line_fit.hpp"
#include "rfnn/finders/lines/line_search.hpp"
#include "rfnn/finders/lines/lines_finder.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::lines {
namespace {

using testing::series_rows;

/// What wanders as a background says, at the places of a series, by its recursion.
Eigen::MatrixXd draw(const Timeline& timeline, double slow, double fast, double noise, std::uint64_t seed) {
  const Stream stream(seed, Purpose::noise, 3, 0);
  Eigen::MatrixXd values(static_cast<Eigen::Index>(timeline.places()), 1);
  double state[2] = {stream.normal(0), stream.normal(1)};
  for (std::size_t i = 0; i < timeline.places(); ++i) {
    const double distance = i > 0 ? timeline.x[i] - timeline.x[i - 1] : 0.0;
    const double rates[2] = {slow, fast};
    for (std::size_t k = 0; k < 2; ++k) {
      const double keep = std::exp(-rates[k] * distance);
      state[k] = keep * state[k] + std::sqrt(1.0 - keep * keep) * stream.normal(3 * i + k + 2);
    }
    values(static_cast<Eigen::Index>(i), 0) = state[0] + 0.3 * state[1] + noise * stream.normal(3 * i + 4);
  }
  return values;
}

Background some_background() {
  Background background;
  background.numbers = {std::log(2.0), std::log(40.0), std::log(0.3), std::log(0.05)};
  background.wanders = true;
  return background;
}

Eigen::MatrixXd covariance(const Background& background, const Timeline& timeline) {
  const auto count = static_cast<Eigen::Index>(timeline.places());
  Eigen::MatrixXd k(count, count);
  const FrequencyLaw law = background.law();
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < count; ++j) {
      const double apart = timeline.x[static_cast<std::size_t>(i)] - timeline.x[static_cast<std::size_t>(j)];
      k(i, j) = kernel_value(law, &apart) +
                (i == j ? background.noise() / timeline.weight[static_cast<std::size_t>(i)] : 0.0);
    }
  return k;
}

TEST(Lines, WhiteningIsTheCholeskyFactorsInverse) {
  const Timeline timeline(series_rows(
                              60, [](double x) { return x; }, 0.5),
                          0);
  const Background background = some_background();
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance(background, timeline));
  Eigen::MatrixXd columns = Eigen::MatrixXd::Random(60, 3);
  const Eigen::MatrixXd expected = factor.matrixL().solve(columns);
  const Whitening whitening(background, timeline);
  Eigen::MatrixXd state = Eigen::MatrixXd::Zero(2, 3);
  // In two pieces, as passes over many rows do it.
  Eigen::MatrixXd first = columns.topRows(23), second = columns.bottomRows(37);
  whitening.apply(0, first, state);
  whitening.apply(23, second, state);
  EXPECT_LT((first - expected.topRows(23)).norm() + (second - expected.bottomRows(37)).norm(), 1e-10);
  const double log_determinant = 2.0 * factor.matrixL().toDenseMatrix().diagonal().array().log().sum();
  EXPECT_NEAR(whitening.log_determinant(), log_determinant, 1e-9);
}

TEST(Lines, ABackgroundIsLearnt) {
  const Timeline timeline(series_rows(
                              3000, [](double) { return 0.0; }, 0.0),
                          0);
  Interrupt never;
  const auto learnt = learn_background(timeline, draw(timeline, 3.0, 200.0, 0.2, 4), nullptr, never);
  ASSERT_TRUE(learnt && learnt->wanders);
  const FrequencyLaw law = learnt->law();
  EXPECT_NEAR(std::log(law.parts[1].rough[0] / 200.0), 0.0, 0.7);
  EXPECT_NEAR(std::log(law.parts[1].strength / 0.09), 0.0, 0.5);
  EXPECT_NEAR(std::log(learnt->noise() / 0.04), 0.0, 0.5);
}

TEST(Lines, NoiseAloneDoesNotWander) {
  int wandering = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Timeline timeline(series_rows(
                                500, [](double) { return 0.0; }, 1.0, seed),
                            0);
    Interrupt never;
    Eigen::MatrixXd left(500, 1);
    for (Eigen::Index i = 0; i < 500; ++i) left(i, 0) = timeline.y(static_cast<std::size_t>(i), 0);
    wandering += learn_background(timeline, left, nullptr, never)->wanders ? 1 : 0;
  }
  EXPECT_LE(wandering, 1);
}

TEST(Lines, CoefficientsAreThoseOfGeneralisedLeastSquares) {
  const Timeline timeline(series_rows(
                              80, [](double x) { return 1.0 + x + std::cos(20.0 * x); }, 0.5),
                          0);
  const Background background = some_background();
  LineModel model{.degree = 1, .frequencies = {20.0, 33.0}};
  Interrupt never;
  ASSERT_TRUE(solve(timeline, Whitening(background, timeline), model, never));
  Eigen::MatrixXd a(80, 6), y(80, 1);
  for (Eigen::Index i = 0; i < 80; ++i) {
    const double x = timeline.x[static_cast<std::size_t>(i)];
    a.row(i) << 1.0, x, std::cos(20.0 * x), -std::sin(20.0 * x), std::cos(33.0 * x), -std::sin(33.0 * x);
    y(i, 0) = timeline.y(static_cast<std::size_t>(i), 0);
  }
  const Eigen::MatrixXd inverse = covariance(background, timeline).inverse();
  const Eigen::MatrixXd expected = (a.transpose() * inverse * a).ldlt().solve(a.transpose() * inverse * y);
  EXPECT_LT((model.coefficients - expected).norm(), 1e-7 * expected.norm());
  EXPECT_LT((left_by(timeline, model) - (y - a * expected)).norm(), 1e-7 * y.norm());
}

LineSeries found_in(const rows::RowState& rows) {
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never;
  return find_lines(*work, Timeline(rows, 0), 2, 50, never, [](std::string_view) {}).value();
}

TEST(Lines, TrendAndFrequenciesAreFound) {
  // Two of the lines are less than a turn apart over the data, which takes them together.
  const auto f = [](double x) {
    return 2.0 + x - 0.8 * x * x + std::cos(40.0 * x) + 0.7 * std::sin(41.6 * x) + 0.4 * std::cos(170.0 * x + 1.0);
  };
  const LineSeries series = found_in(series_rows(1500, f, 0.2));
  EXPECT_EQ(series.model.degree, 2);
  EXPECT_FALSE(series.background.wanders);
  std::vector<double> lines = series.model.frequencies;
  std::sort(lines.begin(), lines.end());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_NEAR(lines[0], 40.0, 0.1);
  EXPECT_NEAR(lines[1], 41.6, 0.1);
  EXPECT_NEAR(lines[2], 170.0, 0.1);
  EXPECT_NEAR(series.model.coefficients(0, 0), 2.0, 0.05);
  EXPECT_NEAR(series.model.coefficients(1, 0), 1.0, 0.05);
  EXPECT_NEAR(series.model.coefficients(2, 0), -0.8, 0.05);
}

TEST(Lines, NoiseHasNoLinesAndNoTrend) {
  std::size_t lines = 0, degrees = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const LineSeries series = found_in(series_rows(
        400, [](double) { return 0.0; }, 1.0, seed));
    lines += series.model.frequencies.size();
    degrees += static_cast<std::size_t>(series.model.degree);
  }
  EXPECT_LE(lines, 1U);
  EXPECT_LE(degrees, 1U);
}

TEST(Lines, WhatWandersIsNoTrendAndNoLine) {
  const rows::RowState rows = series_rows(
      1200, [](double) { return 0.0; }, 0.0);
  Timeline timeline(rows, 0);
  const Eigen::MatrixXd wandering = draw(timeline, 4.0, 300.0, 0.1, 9);
  for (std::size_t i = 0; i < timeline.places(); ++i)
    timeline.y(i, 0) = wandering(static_cast<Eigen::Index>(i), 0) + 2.0 * std::cos(60.0 * timeline.x[i]);
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never;
  const LineSeries series = find_lines(*work, timeline, 2, 50, never, [](std::string_view) {}).value();
  EXPECT_TRUE(series.background.wanders);
  ASSERT_EQ(series.model.frequencies.size(), 1U);
  EXPECT_NEAR(series.model.frequencies[0], 60.0, 0.2);
  EXPECT_EQ(series.model.degree, 0);
}

TEST(Lines, OtherInputsTakePartLinearly) {
  const Stream stream(3, Purpose::noise, 0, 0);
  Matrix theta(600, 2), target(600, 1);
  for (std::size_t i = 0; i < 600; ++i) {
    theta(i, 0) = stream.normal(i);
    theta(i, 1) = -1.7 + 3.4 * static_cast<double>((i * 7) % 600) / 600.0;
    target(i, 0) = 0.5 - 2.0 * theta(i, 0) + theta(i, 1) + std::sin(30.0 * theta(i, 1)) + 0.1 * stream.normal(1000 + i);
  }
  const rows::RowState rows{rows::ScaledRows(theta.view(), target.view())};
  Options options;
  options.holdout_by = 2;
  Model model;
  model.inputs = {{"b", 0, 0.0, 1.0, -3.0, 3.0, true}, {"time", 1, 0.0, 1.0, -1.7, 1.7, true}};
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  const Network network;
  const rows::RowState none;
  Interrupt never;
  const finders::Search search{*work,
                               rows,
                               none,
                               network,
                               0,
                               1,
                               1e9,
                               [] { return std::numeric_limits<double>::infinity(); },
                               std::numeric_limits<double>::infinity(),
                               never,
                               [](std::string_view) {}};
  LinesFinder finder({options, model, {}, nullptr});
  const auto found = finder.find(search);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->block.branches.size(), 1U) << "nothing wanders: later blocks see what is left";
  EXPECT_FALSE(found->last);
  const Branch& branch = found->block.branches[0];
  ASSERT_EQ(branch.trend.rows(), 3U);
  EXPECT_NEAR(branch.trend(1, 0), -2.0, 0.05);
  EXPECT_NEAR(branch.trend(2, 0), 1.0, 0.05);
  ASSERT_EQ(branch.frequencies.rows(), 1U);
  EXPECT_EQ(branch.frequencies(0, 0), 0.0);
  EXPECT_NEAR(branch.frequencies(0, 1), 30.0, 0.1);
  rows::RowState after = rows;
  ASSERT_TRUE(work->advance(found->block, after, never));
  EXPECT_LT(work->mean_squares(after).sum(), 0.02);
}

}  // namespace
}  // namespace rfnn::lines
