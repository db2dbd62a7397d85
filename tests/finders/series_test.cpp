// Series blocks: what is learnt of rows of one input, against dense algebra and against what is known of the rows.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "finders/series_rows.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/finders/series/series_finder.hpp"
#include "rfnn/finders/series/series_law.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::series {
namespace {

using testing::series_rows;

SeriesLaw law_for(const rows::RowState& rows) {
  Interrupt never;
  return learn_series_law(Series(rows), never).value();
}

std::optional<finders::FoundBlock> found_in(const rows::RowState& train) {
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  const Network network;
  Interrupt never;
  const rows::RowState none;
  const finders::Search search{*work,
                               train,
                               none,
                               network,
                               0,
                               1,
                               1e9,
                               [] { return std::numeric_limits<double>::infinity(); },
                               std::numeric_limits<double>::infinity(),
                               never,
                               [](std::string_view) {}};
  return SeriesFinder().find(search);
}

/// Mean square on rows between the rows.
double error_of(const rows::RowState& train, const std::function<double(double)>& f) {
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never;
  const auto found = found_in(train);
  EXPECT_TRUE(found);
  if (!found) return std::numeric_limits<double>::infinity();
  EXPECT_TRUE(found->last);  // every row is a centre
  rows::RowState others = series_rows(499, f, 0.0, 5);
  EXPECT_TRUE(work->advance(found->block, others, never));
  return work->mean_squares(others).sum();
}

double smooth(double x) { return std::sin(9.0 * x) + std::cos(31.0 * x * x); }
double jump(double x) { return x > 0.0123 ? 1e3 : 0.0; }

TEST(SeriesLaw, LeftOutIsWhatAFitWithoutTheRowSays) {
  // Rows of different weights, some at one place.
  const std::vector<double> x = {0.0, 0.3, 0.3, 0.35, 0.8, 1.1, 1.1, 1.1, 1.6, 2.0},
                            y = {1.0, 0.7, 0.9, 1.2, -0.3, 0.1, 0.4, 0.2, -0.5, 0.6},
                            w = {1.0, 2.0, 0.5, 1.5, 1.0, 0.7, 0.8, 1.0, 0.9, 0.6};
  Matrix theta(x.size(), 1), target(x.size(), 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    theta(i, 0) = x[i];
    target(i, 0) = y[i];
  }
  const rows::RowState rows(rows::ScaledRows(theta.view(), target.view(), w));
  const Series series(rows);
  ASSERT_EQ(series.places(), 7U);
  const FrequencyLaw law{{{1.3, {0.0}, {2.0}, 1, {}}}, {}};
  constexpr double noise = 0.2;
  double expected = 0.0;
  for (std::size_t out = 0; out < x.size(); ++out) {
    const auto n = static_cast<Eigen::Index>(x.size() - 1);
    Eigen::MatrixXd k(n, n);
    Eigen::VectorXd right(n), seen(n);
    const auto at = [&](Eigen::Index i) { return static_cast<std::size_t>(i) + (static_cast<std::size_t>(i) >= out); };
    for (Eigen::Index i = 0; i < n; ++i) {
      right(i) = y[at(i)];
      const double to_row = x[at(i)] - x[out];
      seen(i) = kernel_value(law, &to_row);
      for (Eigen::Index j = 0; j < n; ++j) {
        const double difference = x[at(i)] - x[at(j)];
        k(i, j) = kernel_value(law, &difference);
      }
      k(i, i) += noise / rows.weight(at(i));
    }
    const double error = y[out] - seen.dot(k.llt().solve(right));
    expected += rows.weight(out) * error * error;
  }
  Interrupt never;
  least_squares::MarkovSolution solution;
  ASSERT_TRUE(series.solve(law, noise, 0, series.places(), never, solution));
  double squares = 0.0;
  for (const double error : series.left_out(solution, noise, 0, series.places())) squares += error * error;
  EXPECT_NEAR(squares, expected, 1e-10 * expected);
}

TEST(SeriesFinder, LeavesOutRowsAsIfTheyHadNotBeen) {
  // Rows in no order, two of them at one place.
  rows::RowState all = series_rows(40, smooth, 0.1);
  const std::size_t count = all.count();
  Matrix theta(count + 1, 1), target(count + 1, 1);
  for (std::size_t i = 0; i <= count; ++i) {
    theta(i, 0) = all.variable_of((7 * i) % count, 0);
    target(i, 0) = all.residual((7 * i) % count, 0) + (i == count ? 0.3 : 0.0);
  }
  const rows::RowState rows(rows::ScaledRows(theta.view(), target.view()));
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  const auto found = found_in(rows);
  ASSERT_TRUE(found);
  Interrupt never;
  const SeriesFinder finder;
  const auto left = finder.left_out(*found, *work, rows, never);
  ASSERT_TRUE(left);
  for (const std::size_t out : {std::size_t{0}, std::size_t{17}, count}) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i <= count; ++i)
      if (i != out) others.push_back(i);
    rows::RowState one = rows.at(std::vector<std::size_t>{out});
    const std::optional<Block> block = finder.refit(*found, *work, rows.at(others), never);
    ASSERT_TRUE(block && work->advance(*block, one, never));
    EXPECT_NEAR((*left)(out, 0), one.residual(0, 0), 1e-9);
  }
}

TEST(SeriesLaw, JumpsAreRoughAndWavesAreSmooth) {
  EXPECT_EQ(law_for(series_rows(1000, jump, 0.0)).parts[0].law.parts[0].order, 0);
  EXPECT_EQ(law_for(series_rows(600, smooth, 0.0)).parts[0].law.parts[0].order, 2);
}

TEST(SeriesLaw, FindsTheNoise) {
  const SeriesLaw learnt = law_for(series_rows(2000, smooth, 0.3));
  EXPECT_NEAR(std::sqrt(learnt.parts[0].noise), 0.3, 0.03);
  EXPECT_NEAR(learnt.left_out, 0.09, 0.02);
}

// Between the rows beside a jump nobody knows; everywhere else nothing is to be seen of it.
TEST(SeriesFinder, InterpolatesJumps) {
  // One of the other rows is in the gap.
  EXPECT_LT(error_of(series_rows(1000, jump, 0.0), jump), 1e6 / 499.0);
  const auto bend = [](double x) { return std::abs(x); };
  EXPECT_LT(error_of(series_rows(400, bend, 0.0), bend), 1e-7);
}

TEST(SeriesFinder, InterpolatesWaves) { EXPECT_LT(error_of(series_rows(1000, smooth, 0.0), smooth), 1e-6); }

TEST(SeriesFinder, SmoothsNoise) { EXPECT_LT(error_of(series_rows(3000, smooth, 0.5), smooth), 0.25 * 0.1); }

TEST(SeriesFinder, NoiseAloneIsHardlyFollowed) {
  EXPECT_LT(error_of(series_rows(
                         2000, [](double) { return 0.0; }, 1.0),
                     [](double) { return 0.0; }),
            0.02);
}

TEST(SeriesFinder, RowsNextToEachOtherAndRowsAtOnePlace) {
  Matrix theta(400, 1), target(400, 1);
  const Stream stream(3, Purpose::noise, 0, 0);
  for (std::size_t i = 0; i < 400; ++i) {
    // Pairs that differ in the last digits only, or not at all.
    theta(i, 0) = static_cast<double>(i / 2) / 117.0 * (i % 4 == 1 ? 1.0 + 1e-15 : 1.0);
    target(i, 0) = std::sin(5.0 * theta(i, 0)) + 0.1 * stream.normal(i);
  }
  const rows::RowState train(rows::ScaledRows(theta.view(), target.view()));
  const SeriesLaw learnt = law_for(train);
  EXPECT_NEAR(learnt.left_out, 0.01, 0.004);
}

TEST(SeriesFinder, FewRows) {
  for (const std::size_t count : {1U, 2U, 4U}) {
    Interrupt never;
    EXPECT_FALSE(learn_series_law(Series(series_rows(count, smooth, 0.0)), never));
  }
  for (const std::size_t count : {5U, 6U, 9U}) EXPECT_FALSE(law_for(series_rows(count, smooth, 0.0)).parts.empty());
}

// Places looked at, however many rows there are: about as many times each.
TEST(SeriesLaw, EffortIsProportionalToTheRows) {
  std::vector<double> looks;
  for (const std::size_t count : {20000U, 40000U}) {
    looks.push_back(static_cast<double>(law_for(series_rows(count, smooth, 0.1)).visits) / static_cast<double>(count));
  }
  EXPECT_LT(looks[0], 150.0);
  EXPECT_LT(looks[1], 1.2 * looks[0]);
}

}  // namespace
}  // namespace rfnn::series
