// Error bars against what they should be by other means: the dense formula of a Gaussian process, sorted lists, and
// coverage on rows whose noise is known.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/uncertainty/coverage.hpp"
#include "rfnn/uncertainty/error_bars.hpp"
#include "rfnn/uncertainty/groups.hpp"
#include "rfnn/uncertainty/posterior.hpp"
#include "rfnn/uncertainty/scores.hpp"

namespace rfnn::test {
namespace {

const Stream draws(7, Purpose::noise);

ClosedForm form_of(std::size_t centres) {
  ClosedForm form;
  form.law.parts.push_back({.strength = 0.7, .smooth = {1.5, 0.8}, .rough = {0.0, 0.1}});
  form.law.parts.push_back({.strength = 0.2, .smooth = {0.0, 0.0}, .rough = {2.0, 1.0}, .order = 1});
  form.centres = Matrix(centres, 2);
  for (std::size_t i = 0; i < form.centres.size(); ++i) form.centres.data()[i] = draws.normal(i);
  form.coefficients = Matrix(centres, 1);
  return form;
}

/// k(0) − kᵀ (K + λ)⁻¹ k, without the centres listed.
double dense_variance(const ClosedForm& form, double noise, const double* point, std::size_t without) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < form.centres.rows(); ++i)
    if (i != without) rows.push_back(i);
  const auto kernel = [&](const double* a, const double* b) {
    const double difference[] = {a[0] - b[0], a[1] - b[1]};
    return kernel_value(form.law, difference);
  };
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd covariance(size, size);
  Eigen::VectorXd right(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const double* const a = form.centres.data() + 2 * rows[static_cast<std::size_t>(i)];
    right(i) = kernel(point, a);
    for (Eigen::Index j = 0; j < size; ++j)
      covariance(i, j) = kernel(a, form.centres.data() + 2 * rows[static_cast<std::size_t>(j)]) + (i == j ? noise : 0);
  }
  return kernel(point, point) - right.dot(covariance.ldlt().solve(right));
}

TEST(Posterior, IsThatOfTheDenseFormula) {
  const ClosedForm form = form_of(200);
  const uncertainty::Posterior posterior(form, 0.03);
  Matrix points(40, 2);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = 3.0 * draws.normal(1000 + i);
  std::vector<double> variance(points.rows());
  posterior.variances(points.view(), variance.data());
  for (std::size_t i = 0; i < points.rows(); ++i)
    EXPECT_NEAR(variance[i], dense_variance(form, 0.03, points.data() + 2 * i, 200), 1e-9);
  const std::vector<std::size_t> some = {0, 77, 199};
  const std::vector<double> left_out = posterior.left_out(some);
  for (std::size_t k = 0; k < some.size(); ++k)
    EXPECT_NEAR(left_out[k], dense_variance(form, 0.03, form.centres.data() + 2 * some[k], some[k]), 1e-9);
}

TEST(Posterior, OfManyCentresIsNeverBelowThatOfAllAndNearlyThat) {
  const ClosedForm form = form_of(1030);
  const uncertainty::Posterior posterior(form, 0.03);
  Matrix point(1, 2);
  for (std::size_t k = 0; k < 2; ++k) point.data()[k] = 1.5 * draws.normal(5000 + k);
  double variance = 0.0;
  posterior.variances(point.view(), &variance);
  const double exact = dense_variance(form, 0.03, point.data(), 1030);
  EXPECT_GE(variance, exact - 1e-9);
  EXPECT_LE(variance, 1.5 * exact);
}

TEST(Posterior, OfManyCentresDoesNotHangOnRoundingWhereNeighboursAreEquallyFar) {
  // On and between the points of a grid, which is then moved; the noise lets the farthest of the nearest count.
  ClosedForm form;
  form.law.parts.push_back({.strength = 1.0, .smooth = {0.0}, .rough = {1.0}});
  form.coefficients = Matrix(1100, 1);
  const auto variances = [&](double shift) {
    form.centres = Matrix(1100, 1);
    for (std::size_t i = 0; i < 1100; ++i) form.centres(i, 0) = 0.003 * static_cast<double>(i) + shift;
    Matrix points(400, 1);
    for (std::size_t i = 0; i < points.rows(); ++i)
      points(i, 0) = 0.5 * (form.centres(2 * i + 100, 0) + form.centres(2 * i + 100 + i % 2, 0));
    std::vector<double> all(points.rows());
    uncertainty::Posterior(form, 10.0).variances(points.view(), all.data());
    return all;
  };
  const std::vector<double> here = variances(0.0), there = variances(1.0 / 3.0);
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(there[i] / here[i], 1.0, 1e-10) << i;
}

TEST(Scores, FewAreASortedListAndQuantilesStandBetweenThem) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < 99; ++i) scores.push_back(draws.normal(i));
  std::vector<double> sorted = scores;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(uncertainty::kept_scores(scores, {}), sorted);
  const std::vector<double> weighted = uncertainty::kept_scores(scores, std::vector<double>(99, 2.5));
  for (std::size_t k = 0; k < 99; ++k) EXPECT_NEAR(weighted[k], sorted[k], 1e-9);
  const uncertainty::ScoreDistribution law(sorted);
  for (const std::size_t k : {1U, 50U, 99U})
    EXPECT_NEAR(law.quantile(static_cast<double>(k) / 100.0), sorted[k - 1], 1e-12);
  EXPECT_NEAR(law.quantile(0.105), 0.5 * (sorted[9] + sorted[10]), 1e-12);
  EXPECT_GT(law.quantile(0.999), sorted.back());
  EXPECT_LT(law.quantile(0.001), sorted.front());
  for (const double p : {0.001, 0.03, 0.4, 0.97, 0.9995}) EXPECT_NEAR(law.probability(law.quantile(p)), p, 1e-9);
  double absolute = 0.0, spread = 0.0;
  for (const double a : sorted) {
    absolute += std::abs(a - 0.3);
    for (const double b : sorted) spread += std::abs(a - b);
  }
  EXPECT_NEAR(law.crps(0.3), absolute / 99.0 - 0.5 * spread / (99.0 * 99.0), 1e-12);
}

TEST(Scores, RowsOfWeightTwoCountTwice) {
  std::vector<double> once, twice, weights;
  for (std::size_t i = 0; i < 300; ++i) {
    const double score = draws.normal(i);
    const bool heavy = i % 2 == 0;
    once.push_back(score + (heavy ? 1.0 : 0.0));
    weights.push_back(heavy ? 2.0 : 1.0);
    for (int k = 0; k < (heavy ? 2 : 1); ++k) twice.push_back(once.back());
  }
  const uncertainty::ScoreDistribution a(uncertainty::kept_scores(once, weights)),
      b(uncertainty::kept_scores(twice, {}));
  for (const double p : {0.05, 0.25, 0.5, 0.75, 0.95}) EXPECT_NEAR(a.quantile(p), b.quantile(p), 0.08);
}

TEST(Groups, HaveEnoughNeighboursEach) {
  Matrix rows(203, 2);
  for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = draws.normal(i);
  const uncertainty::Groups groups = uncertainty::group_rows(rows, 5);
  for (const double size : groups.sums({})) {
    EXPECT_GE(size, 5.0);
    EXPECT_LT(size, 10.0);
  }
  EXPECT_GT(groups.count, 20U);
}

/// y = sin 3x + z/2 with noise whose deviation grows with z.
Dataset noisy_rows(std::size_t count, std::uint64_t seed) {
  const Stream stream(seed, Purpose::data), noise(seed, Purpose::noise);
  Dataset data;
  data.inputs = Matrix(count, 2);
  data.targets = Matrix(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = stream.uniform(2 * i), z = stream.uniform(2 * i + 1);
    data.inputs(i, 0) = x;
    data.inputs(i, 1) = z;
    data.targets(i, 0) = std::sin(3.0 * x) + 0.5 * z + (0.02 + 0.3 * z * z) * noise.normal(i);
  }
  return data;
}

TEST(ErrorBars, CoverWhatTheySayWhereTheNoiseChanges) {
  Options options;
  options.threads = 2;
  const Model model = fit(noisy_rows(900, 1), options);
  ASSERT_TRUE(model.uncertainty);
  const ErrorBars bars(model);
  const Dataset test = noisy_rows(3000, 2);
  const ConstMatrixView inputs = test.inputs.view();
  const Matrix predictions = predict(model, inputs);
  Matrix widths(predictions.rows(), 1);
  ASSERT_TRUE(bars.widths(inputs, predictions.view(), widths.view(), {.threads = 2}));
  CoverageSum sum(bars, 1);
  sum.add(test.targets.view(), predictions.view(), widths.view());
  const Coverage coverage = sum.coverage();
  EXPECT_NEAR(coverage.share[0][0], 0.5, 0.06);
  EXPECT_NEAR(coverage.share[1][0], 0.9, 0.03);
  EXPECT_NEAR(coverage.share[2][0], 0.99, 0.012);
  double calm = 0.0, noisy = 0.0;
  for (std::size_t i = 0; i < widths.rows(); ++i) {
    if (inputs(i, 1) < 0.2) calm += widths(i, 0);
    if (inputs(i, 1) > 0.8) noisy += widths(i, 0);
  }
  EXPECT_GT(noisy, 3.0 * calm);
  // Far from all rows the bars open.
  const double far[] = {4.0, 0.1, 0.5, 0.1};
  Matrix there(2, 1);
  const ConstMatrixView places(far, 2, 2);
  bars.widths(places, predict(model, places).view(), there.view());
  EXPECT_GT(there(0, 0), 3.0 * there(1, 0));
  // A file says the same, to the bit.
  const Model loaded = model_from_bytes(model_to_bytes(model), "memory");
  EXPECT_TRUE(loaded.uncertainty == model.uncertainty);
  Matrix again(widths.rows(), 1);
  ErrorBars(loaded).widths(inputs, predictions.view(), again.view());
  EXPECT_TRUE(again == widths);
}

TEST(ErrorBars, CoverAlsoWhereNearlyAllErrorsAreRounding) {
  // Steps without noise, of which a closed form makes straight lines between the rows: every fifth row is new.
  const Stream heights(5, Purpose::noise);
  Dataset data;
  Matrix inputs(80, 1), targets(80, 1);
  data.inputs = data.targets = Matrix(320, 1);
  for (std::size_t i = 0, seen = 0; i < 400; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / 400.0, y = 3.0 * heights.normal(i * 12 / 400);
    const bool is_new = i % 5 == 2;
    (is_new ? inputs : data.inputs)(is_new ? i / 5 : seen, 0) = x;
    (is_new ? targets : data.targets)(is_new ? i / 5 : seen, 0) = y;
    seen += is_new ? 0 : 1;
  }
  Options options;
  options.threads = 2;
  const Model model = fit(data, options);
  ASSERT_TRUE(model.uncertainty);
  ASSERT_EQ(model.history.blocks.front().method, Method::series);
  EXPECT_EQ(model.uncertainty->judge, Judge::leave_one_out);
  EXPECT_EQ(model.uncertainty->rows, 320U);
  const ErrorBars bars(model);
  const Matrix predictions = predict(model, inputs.view());
  Matrix widths(80, 1);
  bars.widths(inputs.view(), predictions.view(), widths.view());
  CoverageSum sum(bars, 1);
  sum.add(targets.view(), predictions.view(), widths.view());
  const Coverage coverage = sum.coverage();
  EXPECT_NEAR(coverage.share[0][0], 0.5, 0.15);
  EXPECT_NEAR(coverage.share[1][0], 0.9, 0.06);
  // No distribution is far wider than the errors that there are.
  EXPECT_LT(coverage.crps[0], 0.2);
}

TEST(ErrorBars, OfAModelWithoutRowsHoldNoneOfThem) {
  Options options;
  options.threads = 2;
  options.width = 40;
  const Dataset data = noisy_rows(300, 3);
  const Model model = fit(data, options);
  ASSERT_TRUE(model.uncertainty);
  ASSERT_FALSE(holds_rows(model));
  ASSERT_TRUE(model.uncertainty->reference);
  EXPECT_TRUE(model.uncertainty->reach);
  EXPECT_TRUE(model_from_bytes(model_to_bytes(model), "memory").uncertainty == model.uncertainty);
  const Matrix& centres = model.uncertainty->reference->centres;
  for (std::size_t c = 0; c < centres.rows(); ++c)
    for (std::size_t i = 0; i < 300; ++i) {
      const double x = (data.inputs(i, 0) - model.scaler.input_mean[0]) / model.scaler.input_sd[0];
      EXPECT_GT(std::abs(x - centres(c, 0)), 1e-12);
    }
}

TEST(ErrorBars, BeyondTheRowsAreSensibleWhateverTheirLawPromises) {
  // A rise with a season: laws that follow the season between the rows have millions of times the rows' variance.
  const auto truth = [](double t) { return 1.3 * t + 0.013 * t * t + 3.0 * std::sin(2.0 * std::numbers::pi * t); };
  Dataset data;
  data.inputs = data.targets = Matrix(288, 1);
  Matrix inputs(360, 1), widths(360, 1);
  for (std::size_t i = 0; i < 360; ++i) {
    inputs(i, 0) = static_cast<double>(i) / 12.0;
    if (i >= 288) continue;
    data.inputs(i, 0) = inputs(i, 0);
    data.targets(i, 0) = truth(inputs(i, 0)) + 0.3 * draws.normal(i);
  }
  Options options;
  options.threads = 2;
  const Model model = fit(data, options);
  ASSERT_TRUE(model.uncertainty);
  const ErrorBars bars(model);
  const Matrix predictions = predict(model, std::as_const(inputs).view());
  bars.widths(std::as_const(inputs).view(), predictions.view(), widths.view());
  double among = 0.0, beyond = 0.0;
  std::size_t inside = 0;
  for (std::size_t i = 0; i < 360; ++i) {
    (i < 288 ? among : beyond) += widths(i, 0) / (i < 288 ? 288.0 : 72.0);
    const double low = predictions(i, 0) + bars.quantile(0, 0.05) * widths(i, 0),
                 high = predictions(i, 0) + bars.quantile(0, 0.95) * widths(i, 0);
    if (i >= 288 && low <= truth(inputs(i, 0)) && truth(inputs(i, 0)) <= high) ++inside;
    EXPECT_LT(high - low, 20.0 * model.targets[0].sd) << i;
  }
  EXPECT_GT(beyond, 2.0 * among);
  EXPECT_GE(inside, 58U);
}

TEST(ErrorBars, OfMembersLeftOutTogetherAreAsWideAsOnNewRows) {
  // Few rows of several inputs: closed forms whose laws differ disagree by much of what they leave.
  const auto rows = [](std::size_t count, std::uint64_t first) {
    Dataset data;
    data.inputs = Matrix(count, 4);
    data.targets = Matrix(count, 1);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < 4; ++k) data.inputs(i, k) = draws.normal(first + 4 * i + k);
      data.targets(i, 0) =
          std::sin(2.0 * data.inputs(i, 0)) * data.inputs(i, 1) + data.inputs(i, 2) * data.inputs(i, 3);
    }
    return data;
  };
  const Dataset train = rows(200, 40000), fresh = rows(300, 80000);
  Options options;
  options.threads = 2;
  options.members = 3;
  const Model model = fit(train, options);
  ASSERT_TRUE(model.uncertainty);
  ASSERT_GT(model.members.size(), 1U);
  ASSERT_EQ(model.uncertainty->judge, Judge::leave_one_out);
  EXPECT_GT(model.uncertainty->spread[0], 0.0);
  EXPECT_NE(model.uncertainty->spread[0], 1.0) << "learnt with the other parts of the widths";
  const ErrorBars bars(model);
  const Matrix predictions = predict(model, fresh.inputs.view());
  Matrix widths(300, 1);
  bars.widths(fresh.inputs.view(), predictions.view(), widths.view());
  const auto middle = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
  };
  std::vector<double> judged;
  for (std::size_t i = 0; i < model.uncertainty->judged.rows(); ++i) judged.push_back(model.uncertainty->judged(i, 0));
  const double ratio = middle({widths.data(), widths.data() + widths.size()}) / middle(judged);
  EXPECT_GT(ratio, 0.85);
  EXPECT_LT(ratio, 1.15);
}

TEST(ErrorBars, KnowHowLittleMembersDisagree) {
  Model model;
  model.inputs.push_back({.name = "x", .sd = 1.0});
  model.targets.push_back({.name = "y", .sd = 1.0});
  model.scaler = {{0.0}, {1.0}, {0.0}, {1.0}};
  for (const double height : {3.0, 3.0 + 2e-9}) {
    Branch constant{.frequencies = Matrix(1, 1), .amplitudes = Matrix(2, 1)};
    constant.amplitudes(0, 0) = height;
    model.members.push_back({{{{constant}}}});
  }
  model.uncertainty.emplace();
  model.uncertainty->gain = model.uncertainty->floor = {0.0};
  model.uncertainty->spread = {1.0};
  model.uncertainty->scores = Matrix(1, 1, 1.0);
  const Matrix inputs(1, 1, 0.5), predictions = predict(model, inputs.view());
  Matrix widths(1, 1);
  ErrorBars(model).widths(inputs.view(), predictions.view(), widths.view());
  EXPECT_NEAR(widths(0, 0), 1e-9, 1e-15);
}

TEST(ErrorBars, AModelWithoutThemSaysHowToGetThem) {
  Model model;
  model.targets.push_back({.name = "y"});
  model.members.resize(1);
  EXPECT_THROW(ErrorBars{model}, UsageError);
}

}  // namespace
}  // namespace rfnn::test
