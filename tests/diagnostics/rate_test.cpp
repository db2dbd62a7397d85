#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "rfnn/diagnostics/rate.hpp"

namespace rfnn {
namespace {

BlockRecord record(std::int64_t block, std::int64_t width, double mse) {
  BlockRecord r;
  r.block = block;
  r.width = width;
  r.train_mse = mse;
  return r;
}

TEST(RateSlope, OfAPowerLawIsItsExponent) {
  for (const double exponent : {-1.0, -3.5, 0.25}) {
    std::vector<BlockRecord> blocks;
    for (std::int64_t l = 1; l <= 10; ++l)
      blocks.push_back(record(l, 6, 0.7 * std::pow(6.0 * static_cast<double>(l), exponent)));
    EXPECT_NEAR(rate_slope(blocks).value(), exponent, 1e-12);
  }
}

TEST(RateSlope, IsThatOfTheFirstMember) {
  std::vector<BlockRecord> blocks;
  for (std::int64_t member = 0; member < 3; ++member)
    for (std::int64_t l = 1; l <= 4; ++l) {
      blocks.push_back(record(l, 6, std::pow(static_cast<double>(l), member == 0 ? -2.0 : 1.0)));
      blocks.back().member = member;
    }
  EXPECT_NEAR(rate_slope(blocks).value(), -2.0, 1e-12);
}

TEST(RateSlope, IsTheLeastSquaresSlope) {
  // log errors 0, −1, −1 at log sizes 0, 1, 2 (times log 2): slope −1/2.
  const double unit = std::log(2.0);
  const std::vector<BlockRecord> blocks = {record(1, 1, 1.0), record(2, 1, std::exp(-unit)),
                                           record(3, 2, std::exp(-unit))};
  EXPECT_NEAR(rate_slope(blocks).value(), -0.5, 1e-12);
}

TEST(RateSlope, AddsUpTheWidths) {
  const std::vector<BlockRecord> blocks = {record(1, 2, 1.0), record(2, 6, 0.25)};  // 2 and 8 features
  EXPECT_NEAR(rate_slope(blocks).value(), -1.0, 1e-12);
}

TEST(RateSlope, NothingOfAWideBlockAndNarrowOnes) {
  const std::vector<BlockRecord> blocks = {record(1, 6000, 1.0), record(2, 1, 0.5), record(3, 40, 0.25)};
  EXPECT_FALSE(rate_slope(blocks).has_value()) << "an error that fell fourfold over hardly more features";
}

TEST(RateSlope, NeedsTwoUsableBlocks) {
  EXPECT_FALSE(rate_slope({}).has_value());
  EXPECT_FALSE(rate_slope(std::vector<BlockRecord>{record(1, 6, 0.1)}).has_value());
  EXPECT_FALSE(rate_slope(std::vector<BlockRecord>{record(1, 6, 0.1), record(2, 6, 0.0)}).has_value());
  EXPECT_FALSE(rate_slope(std::vector<BlockRecord>{record(1, 6, 0.1), record(2, 3, 0.2)}).has_value()) << "6 and 9";
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(rate_slope(std::vector<BlockRecord>{record(1, 6, 1.0), record(2, 6, 0.5), record(3, 6, 0.0),
                                                  record(4, 6, infinite)})
                  .value(),
              -1.0, 1e-12);
}

}  // namespace
}  // namespace rfnn
