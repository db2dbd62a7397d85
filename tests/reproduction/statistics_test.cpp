#include "rfnn/reproduction/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace rfnn::reproduction {
namespace {

TEST(Quartiles, AreLinearBetweenOrderStatistics) {
  const Quartiles four = quartiles(std::vector<double>{4.0, 1.0, 3.0, 2.0});
  EXPECT_DOUBLE_EQ(four.lower, 1.75);
  EXPECT_DOUBLE_EQ(four.median, 2.5);
  EXPECT_DOUBLE_EQ(four.upper, 3.25);
  const Quartiles five = quartiles(std::vector<double>{50.0, 10.0, 40.0, 20.0, 30.0});
  EXPECT_DOUBLE_EQ(five.lower, 20.0);
  EXPECT_DOUBLE_EQ(five.median, 30.0);
  EXPECT_DOUBLE_EQ(five.upper, 40.0);
}

TEST(Quartiles, OfOneValueAreThatValueAndOfNoneUnknown) {
  const Quartiles one = quartiles(std::vector<double>{7.0});
  EXPECT_EQ(one.lower, 7.0);
  EXPECT_EQ(one.median, 7.0);
  EXPECT_EQ(one.upper, 7.0);
  EXPECT_TRUE(std::isnan(quartiles({}).median));
}

TEST(Quartiles, LeaveOutWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quartiles(std::vector<double>{std::nan(""), 1.0, infinity, 3.0}).median, 2.0);
}

TEST(LogSlope, FindsThePower) {
  std::vector<double> x, y;
  for (int l = 1; l <= 10; ++l) {
    x.push_back(6.0 * l);
    y.push_back(3.0 * std::pow(6.0 * l, -2.5));
  }
  EXPECT_NEAR(log_slope(x, y).value(), -2.5, 1e-12);
  y[4] = 0.0;  // has no logarithm
  EXPECT_NEAR(log_slope(x, y).value(), -2.5, 1e-12);
}

TEST(LogSlope, NeedsTwoPlaces) {
  EXPECT_FALSE(log_slope(std::vector{6.0}, std::vector{0.1}));
  EXPECT_FALSE(log_slope(std::vector{6.0, 6.0}, std::vector{0.1, 0.2}));
}

}  // namespace
}  // namespace rfnn::reproduction
