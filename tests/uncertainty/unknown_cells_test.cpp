// Error bars of rows whose cells are not known, and of inputs below the smallest value whose logarithm was seen.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/data/stand_in.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/uncertainty/coverage.hpp"
#include "rfnn/uncertainty/error_bars.hpp"
#include "rfnn/uncertainty/likely_cells.hpp"

namespace rfnn::test {
namespace {

using uncertainty::likely_numbers;

TEST(LikelyNumbers, AreQuantilesOfTheBetaDistribution) {
  const std::vector<double> uniform = likely_numbers(2.0, 6.0, 4.0, 4.0 / std::sqrt(12.0), 64);
  for (std::size_t j = 0; j < 64; ++j) EXPECT_NEAR(uniform[j], 2.0 + 4.0 * (static_cast<double>(j) + 0.5) / 64, 2e-3);
  // Of the arcsine law, sin² of uniform angles.
  const std::vector<double> arcsine = likely_numbers(0.0, 1.0, 0.5, std::sqrt(0.125), 64);
  for (std::size_t j = 0; j < 64; ++j) {
    const double sine = std::sin(0.5 * std::numbers::pi * (static_cast<double>(j) + 0.5) / 64);
    EXPECT_NEAR(arcsine[j], sine * sine, 2e-3);
  }
  for (const double sd : {1e-4, 0.01, 0.1, 0.3, 0.45}) {
    const std::vector<double> skewed = likely_numbers(-1.0, 1.0, -0.8, sd, 2000);
    double mean = 0.0, squares = 0.0;
    for (const double number : skewed) {
      EXPECT_TRUE(number >= -1.0 && number <= 1.0);
      mean += number / 2000;
      squares += (number + 0.8) * (number + 0.8) / 2000;
    }
    EXPECT_NEAR(mean, -0.8, 0.02 * sd);
    EXPECT_NEAR(std::sqrt(squares), sd, 0.02 * sd);
  }
  // What no beta distribution spreads as much as lies at both ends.
  const std::vector<double> two = likely_numbers(0.0, 1.0, 0.25, std::sqrt(0.25 * 0.75), 64);
  for (std::size_t j = 0; j < 64; ++j) EXPECT_EQ(two[j], j < 48 ? 0.0 : 1.0);
}

TEST(WidthOver, HoldsItsShareOfWhatMayBe) {
  std::vector<double> scores(199), others(64);
  for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = 0.02 * static_cast<double>(k) - 1.98;  // even in [−2, 2]
  const uncertainty::ScoreDistribution law(scores);
  for (std::size_t j = 0; j < others.size(); ++j) others[j] = (static_cast<double>(j) + 0.5) / 32.0 - 1.0;
  EXPECT_EQ(uncertainty::width_over(5.0, 0.1, std::vector<double>(64, 5.0), law), 0.1);
  // Even in [−1, 1]: 90 % of that is 0.9, and the interval of width s is 1.8 s.
  EXPECT_NEAR(uncertainty::width_over(0.0, 1e-6, others, law), 0.5, 0.01);
  EXPECT_GT(uncertainty::width_over(0.3, 1e-6, others, law), 0.6) << "around a prediction that is not in the middle";
}

/// y = sin 3x + z with noise of 0.05, x in [0, 2], z in [0, 1].
Dataset waves(std::size_t count, std::uint64_t seed) {
  const Stream stream(seed, Purpose::data), noise(seed, Purpose::noise);
  Dataset data;
  data.inputs = Matrix(count, 2);
  data.targets = Matrix(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = 2.0 * stream.uniform(2 * i), z = stream.uniform(2 * i + 1);
    data.inputs(i, 0) = x;
    data.inputs(i, 1) = z;
    data.targets(i, 0) = std::sin(3.0 * x) + z + 0.05 * noise.normal(i);
  }
  return data;
}

TEST(ErrorBars, CoverRowsWithCellsThatAreMissing) {
  Options options;
  options.threads = 2;
  const Model model = fit(waves(300, 1), options);
  const ErrorBars bars(model);
  double before = 0.0;
  for (const std::vector<std::size_t>& gone : std::vector<std::vector<std::size_t>>{{}, {1}, {0}, {0, 1}}) {
    Dataset test = waves(1000, 2);
    for (const std::size_t k : gone)
      for (std::size_t i = 0; i < 1000; ++i) test.inputs(i, k) = marked(model.inputs[k].mean, StandIn::missing);
    const ConstMatrixView inputs = std::as_const(test.inputs).view();
    const Matrix predictions = predict(model, inputs);
    Matrix widths(1000, 1), alone(1, 1);
    ASSERT_TRUE(bars.widths(inputs, predictions.view(), widths.view(), {.threads = 2}));
    CoverageSum sum(bars, 1);
    sum.add(test.targets.view(), predictions.view(), widths.view());
    EXPECT_NEAR(sum.coverage().share[1][0], 0.9, 0.05) << gone.size();
    bars.widths(inputs.rows_from(7, 1), predictions.view().rows_from(7, 1), alone.view());
    EXPECT_EQ(alone(0, 0), widths(7, 0)) << "a row's widths are its own";
    EXPECT_GT(widths(7, 0), before);
    before = widths(7, 0);
    // Functions are as uncertain, but for the noise.
    ASSERT_TRUE(bars.function_widths(inputs.rows_from(7, 1), predictions.view().rows_from(7, 1), alone.view()));
    EXPECT_LE(alone(0, 0), widths(7, 0));
    if (!gone.empty()) EXPECT_GT(alone(0, 0), 0.5 * widths(7, 0));
  }
}

TEST(ErrorBars, GrowBelowTheSmallestLogarithmAsAboveTheLargest) {
  const Stream stream(5, Purpose::data), noise(5, Purpose::noise);
  Dataset data;
  data.inputs = Matrix(300, 2);
  data.targets = Matrix(300, 1);
  for (std::size_t i = 0; i < 300; ++i) {
    const double x = stream.uniform(2 * i), decades = 4.0 * stream.uniform(2 * i + 1) - 2.0;
    data.inputs(i, 0) = x;
    data.inputs(i, 1) = std::pow(10.0, decades);
    data.targets(i, 0) = std::sin(6.0 * x) + 0.7 * decades + 0.05 * noise.normal(i);
  }
  const Model model = fit(data, Options{});
  ASSERT_EQ(model.scaler.input_log_from.size(), 2U);
  ASSERT_GT(model.scaler.input_log_from[1], 0.0);
  const std::vector<double> falling = {0.5, 1e-3, 1e-4, 1e-6, 1e-10, 0.0, -5.0};
  Matrix rows(falling.size(), 2, 0.5), widths(falling.size(), 1);
  for (std::size_t i = 0; i < falling.size(); ++i) rows(i, 1) = falling[i];
  const Matrix predictions = predict(model, rows.view());
  const ErrorBars bars(model);
  bars.widths(rows.view(), predictions.view(), widths.view());
  for (std::size_t i = 1; i < 5; ++i) EXPECT_GT(widths(i, 0), widths(i - 1, 0)) << falling[i];
  // The prediction stays where it was, so that at 10⁻⁴ it is off by two decades.
  EXPECT_EQ(predictions(2, 0), predictions(5, 0));
  const double truth = std::sin(3.0) - 4.0 * 0.7, bound = bars.quantile(0, 0.05);
  EXPECT_LT(predictions(2, 0) + bound * widths(2, 0), truth);
  EXPECT_GT(widths(4, 0), 10.0 * widths(0, 0));
  EXPECT_EQ(widths(5, 0), widths(6, 0)) << "as far as can be";
}

}  // namespace
}  // namespace rfnn::test
