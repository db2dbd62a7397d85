// Widths from rows judged: what they are made of, and what a law of another kind than the model has to say.

#include "rfnn/uncertainty/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rfnn/core/random.hpp"

namespace rfnn::uncertainty {
namespace {

TEST(WidthParts, GrowAsRowsTellAndBeyondTheirReachAsTheLawSays) {
  const WidthParts told{.prior = 2.0, .reach = 0.25, .gain = 1e-6, .spread = 3.0, .floor = 0.5};
  WidthParts everywhere = told;
  everywhere.reach.reset();
  // v = 0.4 is u = 0.25.
  for (const double variance : {0.0, 0.1, 0.4})
    EXPECT_DOUBLE_EQ(told.square(variance, 0.2), everywhere.square(variance, 0.2));
  EXPECT_NEAR(told.square(0.4, 0.2), 0.5 + 0.6 + 2.0 * 0.25e-6, 1e-9);
  // v = 1 is u = 1: 0.75 beyond the reach.
  EXPECT_NEAR(told.square(1.0, 0.0), 0.5 + 2.0 * 0.75 / 1.75, 1e-5);
  EXPECT_NEAR(everywhere.square(1.0, 0.0), 0.5, 1e-5);
  for (const WidthParts& parts : {told, everywhere}) EXPECT_DOUBLE_EQ(parts.square(2.0, 0.0), 2.5) << "far away";
  // Where the law promises too much among the rows there is nothing to add.
  WidthParts wider = told;
  wider.gain = 3.0;
  everywhere.gain = 3.0;
  EXPECT_DOUBLE_EQ(wider.square(1.0, 0.0), everywhere.square(1.0, 0.0));
}

TEST(Calibration, ALawOfAnotherKindSaysNothingWhereRowsKnowBetter) {
  // Errors of a hundredth wherever a row is; the law would have them be tenths.
  const Stream draws(11, Purpose::noise);
  Judged judged;
  judged.inputs = Matrix(400, 1);
  judged.predicted = judged.left = Matrix(400, 1);
  for (std::size_t i = 0; i < 400; ++i) {
    judged.inputs(i, 0) = draws.normal(2 * i);
    judged.left(i, 0) = 0.01 * draws.normal(2 * i + 1);
    judged.variance.push_back(0.01 + 0.09 * static_cast<double>(i * 37 % 400) / 400.0);
  }
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never;
  const auto known = calibrate(judged, {.prior = 1.0, .stranger = true}, *work, never);
  ASSERT_TRUE(known);
  ASSERT_TRUE(known->reach);
  EXPECT_GT(*known->reach, 0.08);
  EXPECT_LT(*known->reach, 0.1 / 0.9);
  const WidthParts parts = width_parts(*known, 1.0, 0);
  EXPECT_NEAR(std::sqrt(parts.square(0.02, 0.0)), 0.01, 0.003);
  EXPECT_NEAR(std::sqrt(parts.square(0.09, 0.0)), 0.01, 0.003);
  EXPECT_GT(parts.square(0.5, 0.0), 0.4);
  // The model's own law is believed everywhere as the rows tell.
  const auto own = calibrate(judged, {.prior = 1.0}, *work, never);
  ASSERT_TRUE(own);
  EXPECT_FALSE(own->reach);
  EXPECT_LT(width_parts(*own, 1.0, 0).square(0.5, 0.0), 0.01);
}

}  // namespace
}  // namespace rfnn::uncertainty
