#include "rfnn/training/holdout.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

using Places = std::vector<std::size_t>;

HeldOut of(const std::vector<double>& left, std::vector<double> weights = {}) {
  HeldOut rows{Matrix(left.size(), 1), std::move(weights)};
  for (std::size_t i = 0; i < left.size(); ++i) rows.left(i, 0) = left[i];
  return rows;
}

/// `count` numbers of this size, with a scatter about it.
HeldOut scattered(std::size_t count, double size, double scatter, std::uint64_t seed) {
  std::vector<double> left(count);
  const Stream stream(seed, Purpose::noise);
  for (std::size_t i = 0; i < count; ++i) left[i] = (i % 2 == 0 ? 1.0 : -1.0) * (size + scatter * stream.normal(i));
  return of(left);
}

TEST(HeldOutRows, MeanSquareWeighsRowsAndOutputs) {
  EXPECT_DOUBLE_EQ(mean_square(of({1.0, 3.0})), 5.0);
  EXPECT_DOUBLE_EQ(mean_square(of({1.0, 3.0}, {1.5, 0.5})), 3.0);
  HeldOut two{Matrix(1, 2), {}};
  two.left(0, 0) = 2.0;
  two.left(0, 1) = 3.0;
  EXPECT_DOUBLE_EQ(mean_square(two), 13.0);
  EXPECT_DOUBLE_EQ(mean_square(two, {0.5, 2.0}), 20.0);
  EXPECT_EQ(mean_square(of({})), 0.0);
}

TEST(HeldOutRows, StandardErrorIsThatOfTheMeanOfSquares) {
  EXPECT_FALSE(standard_error(of({})));
  EXPECT_FALSE(standard_error(of({2.0})));
  EXPECT_EQ(standard_error(of({2.0, -2.0, 2.0})), 0.0);
  // Squares 1 and 9: mean 5, sample variance 32, of the mean of two 16.
  EXPECT_DOUBLE_EQ(standard_error(of({1.0, 3.0})).value(), 4.0);
  EXPECT_DOUBLE_EQ(standard_error(of({1.0, 3.0}), {2.0}).value(), 8.0);
  // Four times the rows, half the error, nearly.
  EXPECT_NEAR(standard_error(scattered(4000, 1.0, 0.3, 1)).value(),
              0.5 * standard_error(scattered(1000, 1.0, 0.3, 1)).value(), 0.003);
}

TEST(HeldOutRows, MeanSizeIsPerOutput) {
  HeldOut rows{Matrix(2, 2), {1.5, 0.5}};
  rows.left(0, 0) = -2.0;
  rows.left(1, 0) = 4.0;
  rows.left(1, 1) = -1.0;
  EXPECT_EQ(mean_size(rows), (std::vector<double>{2.5, 0.25}));
}

TEST(GainOfRefit, IsThatOfLinearFits) {
  // 100 free numbers: of 400 rows a quarter of each error is fitted away, of 500 a fifth.
  EXPECT_NEAR(gain_of_refit(0.75 * 1.2, 1.2, 0.8 * 1.1, 0.8), 1.1 / 1.2, 1e-12);
  // What goes through its rows says nothing, nor does what is not there; and no gain is beyond belief.
  EXPECT_EQ(gain_of_refit(1e-9, 1.0, 1e-9, 0.9), 1.0);
  EXPECT_EQ(gain_of_refit(1.0, 1.0, 0.0, 0.9), 1.0);
  EXPECT_EQ(gain_of_refit(1.0, 1.0, 1e-3, 0.9), tuning::least_gain_of_refit);
  EXPECT_EQ(gain_of_refit(1.0, 1.0, 1e3, 0.9), tuning::most_gain_of_refit);
}

TEST(HeldOutRows, AppendKeepsRowsAndWeights) {
  HeldOut all;
  append(all, of({1.0}));
  append(all, of({2.0, 3.0}, {0.5, 1.5}));
  ASSERT_EQ(all.rows(), 3U);
  EXPECT_EQ(all.left(0, 0), 1.0);
  EXPECT_EQ(all.left(2, 0), 3.0);
  EXPECT_EQ(all.weights, (std::vector<double>{1.0, 0.5, 1.5}));
  append(all, of({4.0}));
  EXPECT_EQ(all.weights.size(), 4U);
  EXPECT_EQ(all.weight(3), 1.0);
}

TEST(SurelySmaller, IsAMatterOfStandardErrors) {
  struct Case {
    const char* what;
    HeldOut after, before;
    double errors;
    bool or_logarithms, sure;
  };
  std::vector<double> before(100, 1.0), half(100, 1.0), one_jump(100, 1.0), jump_before(100, 0.01),
      jump_after(100, 0.001);
  for (std::size_t i = 0; i < 100; ++i) half[i] = i < 60 ? 0.9 : 1.0;
  one_jump[0] = 0.0;
  jump_before[0] = jump_after[0] = 100.0;
  jump_after[1] = 0.011;
  const std::vector<Case> cases = {
      {"nothing changed", of(before), of(before), 2.0, true, false},
      {"worse everywhere", of(std::vector<double>(100, 1.1)), of(before), 2.0, true, false},
      {"better everywhere alike", of(std::vector<double>(100, 0.99)), of(before), 3.0, true, true},
      {"better in many rows", of(half), of(before), 3.0, false, true},
      {"better in one row: by chance", of(one_jump), of(before), 2.0, false, false},
      {"better beside a jump that stays", of(jump_after), of(jump_before), 2.0, false, true},
      {"noise against noise", scattered(200, 1.0, 0.5, 1), scattered(200, 1.0, 0.5, 2), 2.0, true, false},
  };
  for (const Case& c : cases) EXPECT_EQ(surely_smaller(c.after, c.before, c.errors, c.or_logarithms), c.sure) << c.what;

  // A jump that moves a little more than all others gain: squares say nothing, logarithms do, but not where the mean
  // square rises.
  std::vector<double> moved = jump_after;
  moved[0] = 99.9999;
  EXPECT_FALSE(surely_smaller(of(moved), of(jump_before), 2.0, false));
  EXPECT_TRUE(surely_smaller(of(moved), of(jump_before), 2.0, true));
  moved[0] = 100.0001;
  EXPECT_FALSE(surely_smaller(of(moved), of(jump_before), 2.0, true));
}

TEST(SurelySmaller, OfFewRowsOnlyAFallToAQuarter) {
  EXPECT_FALSE(surely_smaller(of({0.6, 0.6, 0.6}), of({1.0, 1.0, 1.0}), 2.0, true));
  EXPECT_TRUE(surely_smaller(of({0.4, 0.4, 0.4}), of({1.0, 1.0, 1.0}), 2.0, true));
  EXPECT_TRUE(surely_smaller(of({0.4}), of({1.0}), 2.0, true));
  EXPECT_FALSE(surely_smaller(of({}), of({}), 2.0, true));
}

TEST(SurelySmaller, ARowThatCountsTwiceIsNoTwoWitnesses) {
  std::vector<double> before(20, 1.0), after(20, 1.0), weights(20, 0.1);
  after[0] = 0.1;
  weights[0] = 18.1;
  EXPECT_FALSE(surely_smaller(of(after, weights), of(before, weights), 2.0, false));
}

TEST(AverageOf, IsTheMeanRowByRow) {
  const HeldOut a = of({1.0, -2.0}, {0.5, 1.5}), b = of({3.0, 2.0}, {0.5, 1.5});
  const HeldOut average = average_of({&a, &b});
  EXPECT_EQ(average.left(0, 0), 2.0);
  EXPECT_EQ(average.left(1, 0), 0.0);
  EXPECT_EQ(average.weights, a.weights);
  EXPECT_EQ(average_of({&a}).left, a.left);
}

TEST(BestAverage, TheBestFirstThenWhoHelps) {
  const HeldOut good = scattered(100, 1.0, 0.2, 1), better = scattered(100, 0.5, 0.1, 2),
                poor = scattered(100, 2.0, 0.2, 3);
  EXPECT_EQ(best_average({{&good}, {&better}, {&poor}}, 3), Places{1});
  // Of opposite sign they cancel.
  HeldOut opposite = good;
  for (std::size_t i = 0; i < 100; ++i) opposite.left(i, 0) *= -0.9;
  EXPECT_EQ(best_average({{&good}, {&opposite}, {&poor}}, 3), (Places{1, 0}));
  EXPECT_EQ(best_average({{&good}, {&opposite}, {&poor}}, 1), Places{1});
  // The mean is no company, but may be the best.
  EXPECT_EQ(best_average({{&good, true}, {&opposite}}, 2), Places{1});
  EXPECT_EQ(best_average({{&poor}, {&good, true}}, 2), Places{1});
  // Company must gain more than 3 %.
  HeldOut nearly = good;
  for (std::size_t i = 0; i < 100; ++i) nearly.left(i, 0) *= 1.0 + 1e-6;
  EXPECT_EQ(best_average({{&good}, {&nearly}}, 2), Places{0});
}

TEST(BestAverage, WhoWasChosenByTheRowsMustBeSurelyBetter) {
  const HeldOut plain = of(std::vector<double>(100, 1.0)), surely = of(std::vector<double>(100, 0.5));
  HeldOut lucky = plain;
  for (std::size_t i = 0; i < 100; ++i) lucky.left(i, 0) = i % 2 == 0 ? 0.7 : 1.2;
  ASSERT_LT(mean_square(lucky), mean_square(plain));
  const auto first = [](const std::vector<Candidate>& candidates) { return best_average(candidates, 1).front(); };
  EXPECT_EQ(first({{&lucky, false, true}, {&plain, false, false}}), 1U);
  EXPECT_EQ(first({{&surely, false, true}, {&plain, false, false}}), 0U);
  EXPECT_EQ(first({{&lucky, false, false}, {&plain, false, false}}), 0U);
  EXPECT_EQ(first({{&lucky, false, true}, {&plain, true, false}}), 0U) << "the mean is no rival";
  // Better by one standard error: enough for a few waves, not for many.
  HeldOut likely = plain;
  for (std::size_t i = 0; i < 100; ++i) likely.left(i, 0) = i % 2 == 0 ? 0.5 : 1.25;
  EXPECT_EQ(first({{&likely, false, true, false}, {&plain, false, false}}), 1U);
  EXPECT_EQ(first({{&likely, false, true, true}, {&plain, false, false}}), 0U);
}

TEST(BestAverage, ARowBesideAJumpDoesNotDecide) {
  // Both miss one row by as much; of the others one is ten times closer.
  HeldOut close = scattered(200, 0.001, 0.0003, 1), rough = scattered(200, 0.01, 0.003, 2);
  close.left(7, 0) = 5.0;
  rough.left(7, 0) = 4.99;
  EXPECT_LT(mean_square(rough), mean_square(close));
  EXPECT_TRUE(closer_on_most(close, rough));
  EXPECT_FALSE(closer_on_most(rough, close));
  EXPECT_EQ(best_average({{&close}, {&rough}}, 1), (Places{0}));
  EXPECT_EQ(best_average({{&close, false, true}, {&rough}}, 1), (Places{1})) << "chosen by these rows";
  // Errors that differ are compared as they are.
  rough.left(7, 0) = 4.9;
  EXPECT_EQ(best_average({{&close}, {&rough}}, 1), (Places{1}));
  // Noise of the same size says nothing.
  EXPECT_FALSE(closer_on_most(scattered(200, 0.0, 1.0, 3), scattered(200, 0.0, 1.0, 4)));
}

TEST(BestAverage, ARowMetByLuckIsNotFarBetter) {
  // Beside a jump one row has all of the error; who has met it was chosen turn by turn, and is worse everywhere else.
  std::vector<double> lucky(180, 1e-3), plain(180, 1e-6);
  lucky[7] = 0.3;
  plain[7] = 100.0;
  const HeldOut chosen = of(lucky), other = of(plain);
  EXPECT_FALSE(far_smaller(chosen, other));
  EXPECT_EQ(best_average({{&chosen, false, true}, {&other}}, 1), (std::vector<std::size_t>{1}));
  // Where other rows agree it is.
  std::vector<double> better(180, 1e-8);
  better[7] = 0.3;
  const HeldOut far = of(better);
  EXPECT_TRUE(far_smaller(far, other));
  EXPECT_EQ(best_average({{&far, false, true}, {&other}}, 1), (std::vector<std::size_t>{0}));
}

TEST(GoodMembers, AreWithinAFactorOfTheBest) {
  EXPECT_EQ(good_members({1.0}, 1.5), Places{0});
  EXPECT_EQ(good_members({2.0, 1.0, 1.5, 1.4}, 1.5), (Places{1, 2, 3}));
  EXPECT_EQ(good_members({0.0, 0.0, 1e-30}, 1.5), (Places{0, 1}));
}

TEST(SpreadOf, IsTheGainOfTheAverage) {
  const auto column = [](std::vector<double> values) {
    Matrix made(values.size(), 1);
    for (std::size_t i = 0; i < values.size(); ++i) made(i, 0) = values[i];
    return made;
  };
  const std::vector<Matrix> outputs = {column({1.0, 5.0, -2.0}), column({3.0, 5.0, 1.0}), column({2.0, 2.0, 1.0})};
  const std::vector<double> target = {0.5, 4.0, 0.0}, weights = {1.0, 0.5, 1.5};
  double mean_of_errors = 0.0, error_of_mean = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    double average = 0.0;
    for (const Matrix& one : outputs) {
      mean_of_errors += weights[i] * std::pow(one(i, 0) - target[i], 2) / 9.0;
      average += one(i, 0) / 3.0;
    }
    error_of_mean += weights[i] * std::pow(average - target[i], 2) / 3.0;
  }
  EXPECT_NEAR(spread_of(outputs, weights, {}), mean_of_errors - error_of_mean, 1e-12);
  EXPECT_NEAR(spread_of(outputs, weights, {4.0}), 4.0 * (mean_of_errors - error_of_mean), 1e-12);
  EXPECT_EQ(spread_of({outputs[0]}, {}, {}), 0.0);
}

}  // namespace
}  // namespace rfnn::training
