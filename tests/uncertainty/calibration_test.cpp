// Widths from rows judged: what they are made of, and what a law of another kind than the model has to say.

#include "rfnn/uncertainty/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "rfnn/core/random.hpp"
#include "rfnn/rows/row_state.hpp"
#include "rfnn/uncertainty/far_variance.hpp"
#include "rfnn/uncertainty/tuning.hpp"

namespace rfnn::uncertainty {
namespace {

TEST(WidthParts, GrowAsRowsTellAndBeyondTheirReachAsTheLawSays) {
  const WidthParts told{.prior = 2.0, .far = 2.0, .reach = 0.25, .gain = 1e-6, .spread = 3.0, .floor = 0.5};
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

TEST(WidthParts, FarFromTheRowsOnlyWhatTheyMayHaveComeFromIsOpen) {
  const WidthParts believed{.prior = 1e6, .far = 1e6, .gain = 0.5};
  WidthParts bounded = believed;
  bounded.far = 4.0;
  EXPECT_NEAR(bounded.square(1e-4, 0.0) / believed.square(1e-4, 0.0), 1.0, 1e-4) << "among the rows";
  EXPECT_DOUBLE_EQ(believed.square(1e6, 0.0), 1e6);
  EXPECT_DOUBLE_EQ(bounded.square(1e6, 0.0), 4.0);
  EXPECT_LT(bounded.square(100.0, 0.0), 4.0);
  // Rows that were judged by another law may have more than k(0).
  EXPECT_DOUBLE_EQ(bounded.square(1.5e6, 0.0), 4.0);
}

/// Rows 0 … 1 of one input, of variance 1, and a closed form of a smooth law with a strength and a length.
std::optional<double> far_of(double strength, double length) {
  constexpr std::size_t count = 400;
  Matrix inputs(count, 1), targets(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    inputs(i, 0) = static_cast<double>(i) / count;
    targets(i, 0) = 5.0 + std::numbers::sqrt2 * std::sin(2.0 * std::numbers::pi * inputs(i, 0));
  }
  ClosedForm form;
  form.law.parts.push_back({.strength = strength, .smooth = {1.0 / length}, .rough = {0.0}});
  form.centres = inputs;
  form.coefficients = Matrix(count, 1);
  return far_variance(form, rows::RowState(rows::ScaledRows(std::as_const(inputs).view(), targets.view(), {})));
}

TEST(FarVariance, IsBoundedWhereTheLawExpectsMoreThanTheRowsHave) {
  EXPECT_FALSE(far_of(1.5, 0.01)) << "half as much again may be chance";
  // Short against the rows: all of k(0) is expected among them.
  const auto shorter = far_of(1e6, 0.01);
  ASSERT_TRUE(shorter);
  EXPECT_NEAR(*shorter, tuning::times_seen, 0.1 * tuning::times_seen);
  // Long against them: they see a small share of k(0), as they should.
  EXPECT_FALSE(far_of(100.0, 10.0));
  const auto longer = far_of(1e6, 10.0);
  ASSERT_TRUE(longer);
  EXPECT_GT(*longer, 100.0);
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
