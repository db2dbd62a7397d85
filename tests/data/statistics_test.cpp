#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "rfnn/data/statistics.hpp"

namespace rfnn {
namespace {

ColumnStatistics of(const std::vector<double>& values, std::span<const std::size_t> rows = {}) {
  return column_statistics(ConstMatrixView(values.data(), values.size(), 1), rows)[0];
}

TEST(ColumnStatistics, ByHand) {
  const ColumnStatistics s = of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(s.mean, 5.0);
  EXPECT_DOUBLE_EQ(s.sd, 2.0);  // population
  EXPECT_EQ(s.min, 2.0);
  EXPECT_EQ(s.max, 9.0);
  EXPECT_FALSE(s.constant);
}

TEST(ColumnStatistics, OneColumnAndSomeRowsOfAnyLayout) {
  const std::vector<double> values = {1, 10, 2, 20, 3, 30, 4, 1000};  // 4 × 2 by rows
  const std::vector<std::size_t> rows = {0, 2};
  const ColumnStatistics s = column_statistics(ConstMatrixView(values.data(), 4, 2), rows)[1];
  EXPECT_DOUBLE_EQ(s.mean, 20.0);
  EXPECT_DOUBLE_EQ(s.sd, 10.0);
  EXPECT_EQ(s.max, 30.0);
  const ColumnStatistics by_columns = column_statistics(ConstMatrixView(values.data(), 2, 4, 1, 2))[3];  // (4, 1000)
  EXPECT_DOUBLE_EQ(by_columns.mean, 502.0);
  EXPECT_DOUBLE_EQ(by_columns.sd, 498.0);
}

TEST(ColumnStatistics, ScalesFromTinyToHuge) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal(3.0, 1.0);
  std::vector<double> base(1000);
  for (double& v : base) v = normal(engine);
  const ColumnStatistics reference = of(base);
  for (const double scale : {1e-300, 1e-160, 1e-19, 1e12, 1e160, 1e300}) {
    std::vector<double> values = base;
    for (double& v : values) v *= scale;
    const ColumnStatistics s = of(values);
    EXPECT_NEAR(s.mean / scale, reference.mean, 1e-12) << scale;
    EXPECT_NEAR(s.sd / scale, reference.sd, 1e-12) << scale;
    EXPECT_FALSE(s.constant) << scale;
  }
}

TEST(ColumnStatistics, ASmallSpreadAroundALargeOffset) {
  // Steps of 2⁻⁸ about 2³⁰ are exact: mean and sd are those of the steps.
  std::vector<double> values;
  for (int i = 0; i < 1001; ++i) values.push_back(0x1p30 + (i - 500) * 0x1p-8);
  const ColumnStatistics s = of(values);
  EXPECT_EQ(s.mean, 0x1p30);
  EXPECT_NEAR(s.sd / 0x1p-8, std::sqrt((1001.0 * 1001.0 - 1.0) / 12.0), 1e-9);
  EXPECT_FALSE(s.constant);
}

TEST(ColumnStatistics, TheConstantRule) {
  EXPECT_TRUE(of({0, 0, 0}).constant);
  EXPECT_TRUE(of({0.1, 0.1, 0.1}).constant);
  EXPECT_EQ(of({0.1, 0.1, 0.1}).sd, 0.0);
  EXPECT_EQ(of({0.1, 0.1, 0.1}).mean, 0.1);
  EXPECT_TRUE(of({1e12, 1e12 + 1e-3}).constant) << "spread is rounding of the offset";
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  EXPECT_TRUE(of({1.0, 1.0 + 15.0 * epsilon}).constant) << "sixteen units of rounding";
  EXPECT_FALSE(of({1.0, 1.0 + 17.0 * epsilon}).constant);
  EXPECT_FALSE(of({1.0, 1.0 + 1e-13}).constant);
  EXPECT_FALSE(of({-1e-19, 1e-19}).constant);
  EXPECT_FALSE(of({0, 0, 1e-19}).constant);
  EXPECT_TRUE(of({42.0}).constant);
  EXPECT_EQ(of({42.0}).mean, 42.0);
}

TEST(ColumnStatistics, TheEndsOfTheRange) {
  const double largest = std::numeric_limits<double>::max();
  const ColumnStatistics s = of({-largest, largest});
  EXPECT_EQ(s.mean, 0.0);
  EXPECT_EQ(s.sd, largest);
  const double smallest = std::numeric_limits<double>::denorm_min();
  const ColumnStatistics t = of({0.0, 4 * smallest});
  EXPECT_EQ(t.mean, 2 * smallest);
  EXPECT_EQ(t.sd, 2 * smallest);
}

TEST(ColumnStatistics, NoRows) {
  EXPECT_TRUE(of({}).constant);
  EXPECT_EQ(of({}).sd, 0.0);
}

RC_GTEST_PROP(ColumnStatisticsProperties, AgreeWithLongArithmetic, (std::vector<int> integers)) {
  RC_PRE(!integers.empty());
  std::vector<double> values(integers.begin(), integers.end());
  long double mean = 0, square = 0;
  for (const double v : values) mean += v;
  mean /= static_cast<long double>(values.size());
  for (const double v : values) square += (v - mean) * (v - mean);
  const double sd = static_cast<double>(std::sqrt(square / static_cast<long double>(values.size())));
  const ColumnStatistics s = of(values);
  const double size = std::max(std::abs(s.min), std::abs(s.max));
  RC_ASSERT(std::abs(s.mean - static_cast<double>(mean)) <= 1e-15 * size);
  RC_ASSERT(std::abs(s.sd - sd) <= 1e-14 * size);
  RC_ASSERT(s.min == *std::min_element(values.begin(), values.end()));
  RC_ASSERT(s.max == *std::max_element(values.begin(), values.end()));
  std::shuffle(values.begin(), values.end(), std::mt19937(5));
  RC_ASSERT(std::abs(of(values).sd - s.sd) <= 1e-14 * size);
}

}  // namespace
}  // namespace rfnn
