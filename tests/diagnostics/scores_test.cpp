#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/diagnostics/scores.hpp"

namespace rfnn {
namespace {

Matrix column(const std::vector<double>& values) {
  Matrix m(values.size(), 1);
  for (std::size_t i = 0; i < values.size(); ++i) m(i, 0) = values[i];
  return m;
}

Scores score(const std::vector<double>& targets, const std::vector<double>& predictions) {
  ScoreSum sum(1);
  sum.add(column(targets).view(), column(predictions).view());
  return sum.scores();
}

TEST(Scores, ByHand) {
  const Scores s = score({1, 2, 3, 4}, {1, 2, 3, 6});
  EXPECT_EQ(s.rows, 4u);
  EXPECT_DOUBLE_EQ(s.mse[0], 1.0);
  EXPECT_DOUBLE_EQ(s.rmse[0], 1.0);
  EXPECT_DOUBLE_EQ(s.r2[0], 1.0 - 4.0 / 5.0);
  EXPECT_DOUBLE_EQ(s.max_error[0], 2.0);
}

TEST(Scores, PerfectAndMeanAlone) {
  EXPECT_EQ(score({1, 2, 4}, {1, 2, 4}).r2[0], 1.0);
  EXPECT_EQ(score({1, 2, 4}, {1, 2, 4}).max_error[0], 0.0);
  EXPECT_NEAR(score({1, 2, 3}, {2, 2, 2}).r2[0], 0.0, 1e-15);
}

TEST(Scores, TargetsThatDoNotVaryHaveNoR2) {
  EXPECT_TRUE(std::isnan(score({0.1, 0.1, 0.1}, {0, 0, 0}).r2[0]));
  EXPECT_TRUE(std::isnan(score({0.1}, {0.1}).r2[0]));
  ScoreSum sum(1);  // whatever the batches
  for (const std::size_t rows : {1u, 7u, 3u, 1000u}) sum.add(Matrix(rows, 1, 0.1).view(), Matrix(rows, 1, 0.0).view());
  EXPECT_TRUE(std::isnan(sum.scores().r2[0]));
  EXPECT_NEAR(sum.scores().mse[0], 0.01, 1e-15);
}

TEST(Scores, NoRows) {
  const Scores s = ScoreSum(2).scores();
  EXPECT_EQ(s.rows, 0u);
  ASSERT_EQ(s.mse.size(), 2u);
  EXPECT_TRUE(std::isnan(s.mse[0]) && std::isnan(s.rmse[0]) && std::isnan(s.r2[0]) && std::isnan(s.max_error[0]));
}

TEST(Scores, OutputsAreApart) {
  Matrix targets(2, 2), predictions(2, 2);
  targets(0, 0) = 1.0, targets(1, 0) = 3.0, targets(0, 1) = -5.0, targets(1, 1) = 5.0;
  predictions(0, 0) = 2.0, predictions(1, 0) = 3.0, predictions(0, 1) = -5.0, predictions(1, 1) = 1.0;
  ScoreSum sum(2);
  sum.add(targets.view(), predictions.view());
  const Scores s = sum.scores();
  EXPECT_DOUBLE_EQ(s.mse[0], 0.5);
  EXPECT_DOUBLE_EQ(s.mse[1], 8.0);
  EXPECT_DOUBLE_EQ(s.max_error[0], 1.0);
  EXPECT_DOUBLE_EQ(s.max_error[1], 4.0);
  EXPECT_DOUBLE_EQ(s.r2[0], 1.0 - 1.0 / 2.0);
  EXPECT_DOUBLE_EQ(s.r2[1], 1.0 - 16.0 / 50.0);
}

TEST(Scores, ALargeOffsetDoesNotHideTheVariance) {
  std::vector<double> targets, predictions;
  for (int i = 0; i < 1000; ++i) {
    targets.push_back(0x1p40 + i * 0x1p-8);
    predictions.push_back(targets.back() + 0x1p-8);
  }
  EXPECT_NEAR(score(targets, predictions).r2[0], 1.0 - 12.0 / (1000.0 * 1000.0 - 1.0), 1e-9);
}

TEST(Scores, APredictionThatIsNotANumberIsNotHidden) {
  const double nan = std::nan("");
  for (const std::vector<double>& predictions : {std::vector<double>{nan, 2, 3}, {1, nan, 9}, {1, 2, nan}}) {
    const Scores s = score({1, 2, 3}, predictions);
    EXPECT_TRUE(std::isnan(s.mse[0]));
    EXPECT_TRUE(std::isnan(s.max_error[0]));
  }
}

TEST(Scores, ShapesMustFit) {
  ScoreSum sum(1);
  EXPECT_THROW(sum.add(Matrix(3, 1).view(), Matrix(2, 1).view()), UsageError);
  EXPECT_THROW(sum.add(Matrix(3, 2).view(), Matrix(3, 2).view()), UsageError);
}

RC_GTEST_PROP(ScoresProperties, BatchesDoNotMatter, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(2, 60);
  std::vector<double> targets(rows), predictions(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    targets[i] = *rc::gen::inRange(-1000, 1000);
    predictions[i] = *rc::gen::inRange(-1000, 1000);
  }
  const Scores whole = score(targets, predictions);
  ScoreSum sum(1);
  for (std::size_t first = 0; first < rows;) {
    const std::size_t count = *rc::gen::inRange<std::size_t>(1, rows - first + 1);
    const auto from = static_cast<std::ptrdiff_t>(first), to = static_cast<std::ptrdiff_t>(first + count);
    sum.add(column({targets.begin() + from, targets.begin() + to}).view(),
            column({predictions.begin() + from, predictions.begin() + to}).view());
    sum.add(Matrix(0, 1).view(), Matrix(0, 1).view());
    first += count;
  }
  const Scores parts = sum.scores();
  RC_ASSERT(parts.rows == rows);
  RC_ASSERT(std::abs(parts.mse[0] - whole.mse[0]) <= 1e-12 * whole.mse[0]);
  RC_ASSERT(parts.max_error[0] == whole.max_error[0]);
  RC_ASSERT(std::isnan(whole.r2[0]) || std::abs(parts.r2[0] - whole.r2[0]) <= 1e-9 * (1.0 + std::abs(whole.r2[0])));
}

}  // namespace
}  // namespace rfnn
