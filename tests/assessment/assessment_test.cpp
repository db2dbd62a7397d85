// Folds, simple methods, comparison and importance: functions of values.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "rfnn/assessment/comparison.hpp"
#include "rfnn/assessment/cross_validation.hpp"
#include "rfnn/assessment/folds.hpp"
#include "rfnn/assessment/importance.hpp"
#include "rfnn/baselines/linear.hpp"
#include "rfnn/baselines/neighbours.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/diagnostics/quantile_sum.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::assessment {
namespace {

using Rows = std::vector<std::size_t>;

double normal(std::uint64_t seed, std::uint64_t index) { return Stream(seed, Purpose::noise).normal(index); }

TEST(Folds, OfStretchesAreThoseOfKFold) {
  const auto folds = k_fold(7, 3);
  EXPECT_EQ(folds[0].test, (Rows{0, 1, 2}));
  EXPECT_EQ(folds[1].test, (Rows{3, 4}));
  EXPECT_EQ(folds[2].test, (Rows{5, 6}));
  EXPECT_EQ(folds[1].train, (Rows{0, 1, 2, 5, 6}));
  EXPECT_THROW(k_fold(3, 4), UsageError);
  EXPECT_THROW(k_fold(3, 1), UsageError);
}

TEST(Folds, ShuffledOnesHoldEveryRowOnceAndDifferFromEachOther) {
  const auto one = shuffled_k_fold(50, 4, 1, 1), other = shuffled_k_fold(50, 4, 1, 2);
  Rows all;
  for (const FoldRows& fold : one) {
    all.insert(all.end(), fold.test.begin(), fold.test.end());
    EXPECT_EQ(fold.test.size() + fold.train.size(), 50u);
  }
  EXPECT_EQ(std::set<std::size_t>(all.begin(), all.end()).size(), 50u);
  EXPECT_EQ(all.size(), 50u);
  EXPECT_NE(one[0].test, other[0].test);
  EXPECT_EQ(one[0].test, shuffled_k_fold(50, 4, 1, 1)[0].test);
}

TEST(Folds, KeepGroupsTogether) {
  const Rows groups = group_numbers({"b", "a", "b", "c", "a", "b"});
  EXPECT_EQ(groups, (Rows{1, 0, 1, 2, 0, 1}));
  const auto folds = group_k_fold(groups, 2);  // b to the first fold, then a and c to the other
  EXPECT_EQ(folds[0].test, (Rows{0, 2, 5}));
  EXPECT_EQ(folds[1].test, (Rows{1, 3, 4}));
  for (const FoldRows& fold : shuffled_group_k_fold(groups, 3, 1, 1))
    for (const std::size_t row : fold.test)
      for (const std::size_t other : fold.train) EXPECT_NE(groups[row], groups[other]);
  EXPECT_THROW(group_k_fold(groups, 4), UsageError);
  EXPECT_EQ(group_numbers({"10", "9", "9.0"}), (Rows{1, 0, 0}));  // as numbers, not as texts
}

TEST(Folds, AlongTimeLookBackOnly) {
  EXPECT_EQ(time_order({"3", "1", "2", "1"}, "t"), (Rows{1, 3, 2, 0}));
  EXPECT_EQ(time_order({"2024-05-02", "2023-12-31", "2024-05-01"}, "t"), (Rows{1, 2, 0}));
  EXPECT_THROW(time_order({"2024-05-02", "May"}, "t"), InputError);
  EXPECT_THROW(time_order({"1", ""}, "t"), InputError);
  const Rows order = {6, 5, 4, 3, 2, 1, 0};
  const auto folds = time_series_split(order, 2);
  EXPECT_EQ(folds[0].train, (Rows{6, 5, 4}));
  EXPECT_EQ(folds[0].test, (Rows{3, 2}));
  EXPECT_EQ(folds[1].train, (Rows{6, 5, 4, 3, 2}));
  EXPECT_EQ(folds[1].test, (Rows{1, 0}));
  EXPECT_THROW(time_series_split(order, 7), UsageError);
}

TEST(SimpleMethods, LinearFindsAPlaneWhateverTheColumnsAndCountsByWeights) {
  // The second column is the first, the third is constant.
  Matrix inputs(6, 3), targets(6, 1), asked(1, 3);
  for (std::size_t i = 0; i < 6; ++i) {
    inputs(i, 0) = inputs(i, 1) = 1e6 + static_cast<double>(i);
    inputs(i, 2) = 5.0;
    targets(i, 0) = 3.0 + 2.0 * static_cast<double>(i);
  }
  asked(0, 0) = asked(0, 1) = 1e6 + 10.0;
  asked(0, 2) = 5.0;
  EXPECT_NEAR(baselines::linear_predictions(inputs.view(), targets.view(), {}, asked.view())(0, 0), 23.0, 1e-6);
  targets(5, 0) = 1000.0;
  const std::vector<double> weights = {1, 1, 1, 1, 1, 0};
  EXPECT_NEAR(baselines::linear_predictions(inputs.view(), targets.view(), weights, asked.view())(0, 0), 23.0, 1e-6);
}

TEST(SimpleMethods, NeighboursAverageAsManyAsPredictTheRowsBest) {
  Matrix inputs(40, 1), targets(40, 1), noise(40, 1), asked(1, 1);
  for (std::size_t i = 0; i < 40; ++i) {
    inputs(i, 0) = static_cast<double>(i);
    targets(i, 0) = static_cast<double>(i / 10);  // steps: near ones are enough
    noise(i, 0) = normal(5, i);                   // noise: many are better
  }
  asked(0, 0) = 25.2;
  const auto steps = baselines::neighbour_predictions(inputs.view(), targets.view(), {}, asked.view());
  EXPECT_LE(steps.neighbours, 3u);
  EXPECT_EQ(steps.predictions(0, 0), 2.0);
  EXPECT_GT(baselines::neighbour_predictions(inputs.view(), noise.view(), {}, asked.view()).neighbours, 4u);
}

TEST(CrossErrors, AreThoseOfTheDefinition) {
  Matrix inputs(4, 1), targets(4, 1);
  for (std::size_t i = 0; i < 4; ++i) targets(i, 0) = static_cast<double>(i);
  const DatasetView data(inputs.view(), targets.view());
  const auto folds = k_fold(4, 2);
  Matrix zero(2, 1), one(2, 1, 1.0);
  const Rows each = {0, 1, 2, 3};
  const CrossErrors errors = cross_errors(data, folds, {&zero, &one}, each);
  EXPECT_EQ(errors.rows, 4u);  // squared errors 0 1 1 4
  EXPECT_DOUBLE_EQ(errors.mse, 1.5);
  EXPECT_DOUBLE_EQ(errors.fold_mse[0], 0.5);
  EXPECT_DOUBLE_EQ(errors.fold_mse[1], 2.5);
  EXPECT_NEAR(errors.r2, 1.0 - 1.5 / 1.25, 1e-12);
  EXPECT_NEAR(errors.standard_error, std::sqrt(9.0 / 3.0 / 4.0), 1e-12);
  // Rows that are not independent: the error of a mean of two.
  const Rows pairs = {0, 0, 1, 1};
  EXPECT_NEAR(cross_errors(data, folds, {&zero, &one}, pairs).standard_error, 1.0, 1e-12);
  const CrossErrors half = cross_errors(data, folds, {nullptr, &one}, each);
  EXPECT_EQ(half.rows, 2u);
  EXPECT_DOUBLE_EQ(half.mse, 2.5);
  EXPECT_TRUE(std::isnan(half.fold_mse[0]));
}

TEST(Quantiles, AreExactOfFewAndCloseOfMany) {
  QuantileSum few;
  for (const double value : {4.0, 1.0, 3.0, 2.0}) few.add(value);
  EXPECT_EQ(few.quantile(0.5), 2.0);
  EXPECT_EQ(few.quantile(0.51), 3.0);
  EXPECT_EQ(few.quantile(1.0), 4.0);
  few.add(9.0, 4.0);
  EXPECT_EQ(few.quantile(0.5), 4.0);
  QuantileSum many;
  const std::size_t count = QuantileSum::most_exact + 1000;
  for (std::size_t i = 0; i < count; ++i) many.add(static_cast<double>((i * 7919) % count));
  EXPECT_NEAR(many.quantile(0.9) / (0.9 * static_cast<double>(count)), 1.0, 2e-4);
  EXPECT_TRUE(std::isnan(QuantileSum().quantile(0.5)));
}

/// Errors of two models that have a part in common, as models of the same data have.
std::vector<ComparedModel> drawn_comparison(std::uint64_t seed, std::size_t rows) {
  Matrix targets(rows, 1), first(rows, 1), second(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const double common = normal(seed, 3 * i);
    first(i, 0) = 0.7 * common + 0.7 * normal(seed, 3 * i + 1);
    second(i, 0) = 0.9 * common + 0.9 * normal(seed, 3 * i + 2);
  }
  return compare_models(targets.view(), {first.view(), second.view()});
}

// Squared errors have the means 0.98 and 1.62; the absolute ones are those of normal numbers of these variances.
TEST(Comparison, IntervalsCoverWhatTheyShould) {
  const double sd[] = {std::sqrt(0.98), std::sqrt(1.62)};
  const double normal_quantiles[] = {0.6744897501960817, 1.6448536269514722, 1.959963984540054};
  const std::size_t draws = 1000;
  std::vector<double> covered(5, 0.0);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const ComparedModel second = drawn_comparison(1000 + draw, 150)[1];
    const auto count = [&](std::size_t which, const Interval& interval, double truth) {
      covered[which] += interval.low <= truth && truth <= interval.high ? 1.0 / static_cast<double>(draws) : 0.0;
    };
    count(0, second.mse_difference, 0.64);
    count(1, second.mae_difference, (sd[1] - sd[0]) * std::sqrt(2.0 / M_PI));
    for (std::size_t q = 0; q < 3; ++q)
      count(2 + q, second.quantile_differences[q], (sd[1] - sd[0]) * normal_quantiles[q]);
  }
  for (std::size_t which = 0; which < covered.size(); ++which) EXPECT_NEAR(covered[which], 0.95, 0.03) << which;
}

TEST(Comparison, IsPairedAndDoesNotDependOnThreads) {
  Matrix targets(2000, 1), first(2000, 1), second(2000, 1);
  for (std::size_t i = 0; i < 2000; ++i) {
    first(i, 0) = normal(1, i);
    second(i, 0) = 1.01 * first(i, 0);  // worse in every row, by far less than rows differ
  }
  const auto one = compare_models(targets.view(), {first.view(), second.view()}, 1);
  const auto three = compare_models(targets.view(), {first.view(), second.view()}, 3);
  EXPECT_TRUE(one[1].mse_difference.sure() && one[1].mse_difference.low > 0.0);
  EXPECT_TRUE(one[1].quantile_differences[0].sure());
  EXPECT_EQ(one[1].quantile_differences[2].high, three[1].quantile_differences[2].high);
  EXPECT_NEAR(one[1].mae - one[0].mae, one[1].mae_difference.difference, 1e-12);
}

TEST(Comparison, StudentsTIsThatOfTables) {
  for (const auto& [degrees, value] : std::vector<std::pair<double, double>>{
           {1, 12.7062}, {2, 4.30265}, {3, 3.18245}, {5, 2.57058}, {10, 2.22814}, {30, 2.04227}, {1000, 1.96234}})
    EXPECT_NEAR(student_95(degrees), value, 4e-3) << degrees;
}

/// y = x1 · x2 + 2 x3, with a fourth input that says nothing.
class Effects : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Dataset data{.inputs = Matrix(400, 4), .targets = Matrix(400, 1), .input_names = {}, .target_names = {}};
    for (std::size_t i = 0; i < 400; ++i) {
      for (std::size_t j = 0; j < 4; ++j) data.inputs(i, j) = normal(9, 4 * i + j);
      data.targets(i, 0) = data.inputs(i, 0) * data.inputs(i, 1) + 2.0 * data.inputs(i, 2);
    }
    rows = data;
    model = fit(data);
  }
  static ConstMatrixView some(std::size_t count) { return rows.inputs.view().rows_from(0, count); }
  inline static Dataset rows;
  inline static Model model;
};

TEST_F(Effects, ImportanceIsTwiceTheVarianceOfWhatAnInputAdds) {
  ImportanceOptions options;
  options.repeats = 5;
  const auto found =
      permutation_importance(model, rows.inputs.view(), rows.targets.view(), {{0}, {1}, {2}, {3}, {0, 1}}, options);
  // Permuting x3 adds E[4 (x − x′)²] = 8 to an error that is nearly 0, permuting x1 adds E[x2² (x − x′)²] = 2.
  EXPECT_NEAR(found[2].increase, 8.0, 5.0 * found[2].standard_error);
  EXPECT_NEAR(found[0].increase, 2.0, 5.0 * found[0].standard_error);
  EXPECT_NEAR(found[3].share, 0.0, 0.05);
  EXPECT_GT(found[2].share, found[0].share);
  EXPECT_GT(found[0].standard_error, 0.0);
  options.threads = 3;
  EXPECT_EQ(permutation_importance(model, rows.inputs.view(), rows.targets.view(), {{0}}, options)[0].increase,
            found[0].increase);
  int asked = 0;
  options.proceed = [&] { return ++asked < 7; };
  EXPECT_EQ(permutation_importance(model, rows.inputs.view(), rows.targets.view(), {{0}, {1}}, options).size(), 1u);
}

TEST_F(Effects, PartialDependenceIsTheMeanPrediction) {
  const Matrix along = partial_dependence(model, some(100), 2, std::vector<double>{-1.0, 1.0});
  EXPECT_NEAR(along(1, 0) - along(0, 0), 4.0, 0.4);
  const Matrix both =
      partial_dependence(model, some(100), 0, std::vector<double>{-1.0, 1.0}, 1, std::vector<double>{-1.0, 1.0});
  EXPECT_NEAR(both(0, 0) - both(1, 0), 2.0, 0.4);
  EXPECT_NEAR(both(3, 0) - both(2, 0), 2.0, 0.4);
}

TEST_F(Effects, InteractionTellsAProductFromASum) {
  EXPECT_GT(interaction(model, some(50), 0, 1, 0), 0.8);
  EXPECT_LT(interaction(model, some(50), 0, 2, 0), 0.3);
}

}  // namespace
}  // namespace rfnn::assessment
