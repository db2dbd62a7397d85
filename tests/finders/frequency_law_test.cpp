#include "rfnn/finders/wide/frequency_law.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rows/naive.hpp"

namespace rfnn::wide {
namespace {

using testing::index;
using testing::normal_matrix;
using testing::to_eigen;

/// Parameters a, s…, b, t…, σ² of a law, as logarithms.
Eigen::VectorXd logarithms_of(const FrequencyLaw& law) {
  std::vector<double> values = {law.smooth};
  values.insert(values.end(), law.smooth_scale.begin(), law.smooth_scale.end());
  values.push_back(law.rough);
  values.insert(values.end(), law.rough_scale.begin(), law.rough_scale.end());
  values.push_back(law.noise);
  return Eigen::Map<Eigen::VectorXd>(values.data(), index(values.size())).array().log();
}

double covariance(const FrequencyLaw& law, const Eigen::RowVectorXd& x, const Eigen::RowVectorXd& y) {
  double smooth = 0.0, rough = 0.0;
  for (std::size_t k = 0; k < law.inputs(); ++k) {
    const double delta = x(index(k)) - y(index(k));
    smooth += 0.5 * std::pow(law.smooth_scale[k] * delta, 2);
    rough += law.rough_scale[k] * std::abs(delta);
  }
  return law.smooth * std::exp(-smooth) + law.rough * std::exp(-rough);
}

Eigen::MatrixXd covariance_of(const FrequencyLaw& law, const Eigen::MatrixXd& points) {
  Eigen::MatrixXd k(points.rows(), points.rows());
  for (Eigen::Index i = 0; i < k.rows(); ++i)
    for (Eigen::Index j = 0; j < k.cols(); ++j)
      k(i, j) = covariance(law, points.row(i), points.row(j)) + (i == j ? law.noise : 0.0);
  return k;
}

/// Values with the law's covariance, noise among them.
Matrix draw_values(const FrequencyLaw& law, const Matrix& points, std::uint64_t seed) {
  const Eigen::MatrixXd factor = covariance_of(law, to_eigen(points)).llt().matrixL();
  return testing::to_matrix(factor * to_eigen(normal_matrix(points.rows(), 1, seed)));
}

rows::RowState rows_of(const Matrix& points, const Matrix& values) {
  return rows::RowState(rows::ScaledRows(points.view(), values.view()));
}

FrequencyLaw some_law() { return {0.8, 0.3, {0.7, 1.5, 0.2}, {0.5, 0.1, 1.1}, 0.05, 0.0}; }

TEST(LawCost, IsTheLikelihoodOfAGaussianProcess) {
  const FrequencyLaw law = some_law();
  for (const std::size_t count : {1U, 20U, 97U}) {
    const Eigen::MatrixXd points = to_eigen(normal_matrix(count, 3, 1)), r = to_eigen(normal_matrix(count, 2, 2));
    const Eigen::LDLT<Eigen::MatrixXd> factor(covariance_of(law, points));
    const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(points.rows(), 2);
    Eigen::VectorXd gradient;
    const Eigen::VectorXd x = logarithms_of(law);
    // Differences, in which the prior of the parameters is not seen.
    const double without = law_cost(points, none, x, gradient);
    EXPECT_NEAR(law_cost(points, r, x, gradient) - without, 0.5 * (r.transpose() * factor.solve(r)).trace(),
                1e-6 * static_cast<double>(count));
    EXPECT_NEAR(without - law_cost(points, none.leftCols(1), x, gradient), 0.5 * factor.vectorD().array().log().sum(),
                1e-6 * static_cast<double>(count));
  }
}

TEST(LawCost, TheGradientIsThatOfCentralDifferences) {
  // One panel of columns, and several with a rest.
  for (const std::size_t count : {30U, 210U}) {
    const Eigen::MatrixXd points = to_eigen(normal_matrix(count, 3, 3)), r = to_eigen(normal_matrix(count, 2, 4));
    const Eigen::VectorXd x = logarithms_of(some_law());
    const Eigen::VectorXd weights = to_eigen(normal_matrix(count, 1, 5)).array().exp();
    for (const Eigen::VectorXd& of_rows : {Eigen::VectorXd(), weights}) {
      Eigen::VectorXd gradient, unused;
      ASSERT_TRUE(std::isfinite(law_cost(points, r, x, gradient, nullptr, of_rows)));
      ASSERT_EQ(gradient.size(), x.size());
      constexpr double h = 1e-5;
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        Eigen::VectorXd low = x, high = x;
        low(i) -= h;
        high(i) += h;
        const double slope =
            (law_cost(points, r, high, unused, nullptr, of_rows) - law_cost(points, r, low, unused, nullptr, of_rows)) /
            (2.0 * h);
        EXPECT_NEAR(gradient(i), slope, 1e-5 * (1.0 + gradient.cwiseAbs().maxCoeff())) << i;
      }
    }
  }
}

TEST(LawCost, ARowOfWeightTwoHasHalfTheNoise) {
  const Eigen::MatrixXd points = to_eigen(normal_matrix(25, 3, 3)), r = to_eigen(normal_matrix(25, 1, 4));
  FrequencyLaw law = some_law();
  const Eigen::VectorXd x = logarithms_of(law);
  law.noise /= 2.0;
  const Eigen::VectorXd halved = logarithms_of(law);
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(25, 1);
  Eigen::VectorXd gradient;
  const Eigen::VectorXd two = Eigen::VectorXd::Constant(25, 2.0);
  // Differences, in which the prior of the parameters is not seen.
  EXPECT_NEAR(law_cost(points, r, x, gradient, nullptr, two) - law_cost(points, none, x, gradient, nullptr, two),
              law_cost(points, r, halved, gradient) - law_cost(points, none, halved, gradient), 1e-9);
}

TEST(LawCost, DoesNotDependOnWorkers) {
  const Eigen::MatrixXd points = to_eigen(normal_matrix(250, 2, 5)), r = to_eigen(normal_matrix(250, 1, 6));
  const Eigen::VectorXd x = logarithms_of({0.8, 0.3, {0.7, 1.5}, {0.5, 0.1}, 0.05, 0.0});
  Eigen::VectorXd alone, together;
  const double value = law_cost(points, r, x, alone);
  for (const std::size_t threads : {1U, 2U, 3U}) {
    Workers workers(threads);
    EXPECT_EQ(law_cost(points, r, x, together, &workers), value);
    EXPECT_EQ(together, alone);
  }
}

TEST(LawCost, IsNotFiniteWhereTheCovarianceIsNot) {
  const Eigen::MatrixXd points = to_eigen(normal_matrix(10, 1, 7)), r = to_eigen(normal_matrix(10, 1, 8));
  Eigen::VectorXd x = Eigen::VectorXd::Zero(5), gradient;
  ASSERT_TRUE(std::isfinite(law_cost(points, r, x, gradient)));
  x(0) = 800.0;
  EXPECT_FALSE(std::isfinite(law_cost(points, r, x, gradient)));
}

FrequencyLaw learn(const rows::RowState& rows, std::size_t most, std::uint64_t seed = 1, std::size_t threads = 1) {
  Workers workers(threads);
  Interrupt never;
  return learn_law(rows, most, seed, workers, never).value();
}

TEST(LearnLaw, InputsOfNoInfluenceGetSmallScales) {
  const Matrix points = normal_matrix(200, 4, 9), noise = normal_matrix(200, 1, 10);
  Matrix values(200, 1);
  for (std::size_t i = 0; i < 200; ++i)
    values(i, 0) = std::sin(1.5 * points(i, 0)) + std::cos(points(i, 2)) + 0.1 * noise(i, 0);
  const FrequencyLaw law = learn(rows_of(points, values), 200);
  ASSERT_EQ(law.inputs(), 4U);
  for (const std::size_t none : {1U, 3U})
    for (const std::size_t some : {0U, 2U}) EXPECT_LT(law.smooth_scale[none], 0.2 * law.smooth_scale[some]);
  // Also together with the rough part: how much of the variance is lost a unit apart in one input alone.
  const auto lost = [&](std::size_t k) {
    Eigen::RowVectorXd apart = Eigen::RowVectorXd::Zero(4);
    apart(index(k)) = 1.0;
    return 1.0 - covariance(law, Eigen::RowVectorXd::Zero(4), apart) / (law.smooth + law.rough);
  };
  for (const std::size_t none : {1U, 3U})
    for (const std::size_t some : {0U, 2U}) EXPECT_LT(lost(none), 0.1 * lost(some));
  EXPECT_GT(law.noise + law.rough, 0.01 / 3.0);
  EXPECT_LT(law.noise, 0.01 * 3.0);
}

TEST(LearnLaw, FindsTheNoise) {
  const Matrix points = normal_matrix(200, 2, 11);
  for (const double noise : {0.3, 0.01}) {
    const FrequencyLaw truth{1.0, 1e-6, {1.0, 0.6}, {1.0, 1.0}, noise, 0.0};
    const FrequencyLaw law = learn(rows_of(points, draw_values(truth, points, 12)), 200);
    EXPECT_GT(law.noise, noise / 3.0);
    EXPECT_LT(law.noise, noise * 3.0);
  }
}

TEST(LearnLaw, TellsSmoothFromRough) {
  const Matrix points = normal_matrix(200, 1, 13);
  const FrequencyLaw smooth{1.0, 1e-6, {2.0}, {2.0}, 1e-3, 0.0}, rough{1e-6, 1.0, {2.0}, {2.0}, 1e-3, 0.0};
  for (const std::uint64_t seed : {14U, 15U}) {
    const FrequencyLaw of_smooth = learn(rows_of(points, draw_values(smooth, points, seed)), 200);
    const FrequencyLaw of_rough = learn(rows_of(points, draw_values(rough, points, seed)), 200);
    // What two points near each other differ by: a smooth function is the same there.
    const auto jump = [](const FrequencyLaw& law) { return law.rough * (1.0 - std::exp(-0.02 * law.rough_scale[0])); };
    EXPECT_GT(of_smooth.smooth, 3.0 * of_smooth.rough);
    EXPECT_LT(jump(of_smooth), 0.2 * jump(of_rough));
    EXPECT_GT(jump(of_rough), 0.3 * jump(rough));
    EXPECT_LT(jump(of_rough), 3.0 * jump(rough));
    EXPECT_NEAR(of_smooth.smooth_scale[0], 2.0, 1.0);
  }
}

TEST(LearnLaw, MoreEvidenceForWhatIsEasierToTell) {
  const Matrix points = normal_matrix(150, 1, 16), noise = normal_matrix(150, 1, 17);
  Matrix clear(150, 1), unclear(150, 1);
  for (std::size_t i = 0; i < 150; ++i) {
    clear(i, 0) = std::sqrt(2.0) * std::sin(2.0 * points(i, 0)) + 0.01 * noise(i, 0);
    unclear(i, 0) = noise(i, 0);
  }
  EXPECT_GT(learn(rows_of(points, clear), 150).evidence, learn(rows_of(points, unclear), 150).evidence + 1.0);
}

TEST(LearnLaw, LooksAtSomeRowsDrawnByTheSeed) {
  const Matrix points = normal_matrix(600, 2, 18), noise = normal_matrix(600, 1, 19);
  Matrix values(600, 1);
  for (std::size_t i = 0; i < 600; ++i) values(i, 0) = std::sin(points(i, 0) + points(i, 1)) + 0.2 * noise(i, 0);
  const rows::RowState rows = rows_of(points, values);
  const FrequencyLaw law = learn(rows, 60, 1);
  for (const std::size_t threads : {1U, 3U}) {
    const FrequencyLaw again = learn(rows, 60, 1, threads);
    EXPECT_EQ(logarithms_of(again), logarithms_of(law));
    EXPECT_EQ(again.evidence, law.evidence);
  }
  EXPECT_NE(logarithms_of(learn(rows, 60, 2)), logarithms_of(law));
}

TEST(LearnLaw, SeveralThreadsGiveTheSameAlsoForManyRows) {
  // Beyond 500 rows there is a second part, on all of them. Noise alone needs few steps.
  const rows::RowState rows = rows_of(normal_matrix(510, 1, 20), normal_matrix(510, 1, 21));
  const FrequencyLaw law = learn(rows, 510), again = learn(rows, 510, 1, 2);
  EXPECT_EQ(logarithms_of(again), logarithms_of(law));
  EXPECT_NEAR(law.noise, 1.0, 0.2);
}

TEST(LearnLaw, NothingWhenInterrupted) {
  const rows::RowState rows = rows_of(normal_matrix(150, 2, 22), normal_matrix(150, 1, 23));
  for (const std::size_t threads : {1U, 2U}) {
    Workers workers(threads);
    Interrupt stop([] { return false; });
    EXPECT_FALSE(learn_law(rows, 150, 1, workers, stop).has_value());
  }
}

TEST(DrawFeatures, TheirCovarianceIsThatOfTheLaw) {
  for (const FrequencyLaw& law : {some_law(), FrequencyLaw{1.0, 1e-9, {0.5, 1.0, 0.0}, {1.0, 1.0, 1.0}, 0.1, 0.0},
                                  FrequencyLaw{1e-9, 2.0, {1.0, 1.0, 1.0}, {0.3, 0.0, 0.8}, 0.1, 0.0}}) {
    const Matrix points = normal_matrix(25, 3, 24);
    const rows::WideFeatures features = draw_features(law, 40000, 1, 0);
    ASSERT_EQ(features.size(), 40000U);
    ASSERT_EQ(features.prior.size(), 40000U);
    const auto work = rows::make_row_work(rows::Implementation::threads, 1);
    Interrupt never;
    Eigen::MatrixXd kernel;
    ASSERT_TRUE(work->row_kernel(rows_of(points, Matrix(25, 1)), features, kernel, never));
    for (Eigen::Index i = 0; i < 25; ++i)
      for (Eigen::Index j = 0; j < 25; ++j)
        // Four and a half standard deviations of a sum of so many cosines.
        EXPECT_NEAR(kernel(i, j), covariance(law, to_eigen(points).row(i), to_eigen(points).row(j)),
                    4.5 * (law.smooth + law.rough) / 200.0);
    EXPECT_NEAR(kernel(0, 0), law.smooth + law.rough, 1e-6);
  }
}

TEST(DrawFeatures, IsAFunctionOfSeedAndMember) {
  const FrequencyLaw law = some_law();
  const rows::WideFeatures first = draw_features(law, 100, 1, 0);
  EXPECT_EQ(draw_features(law, 100, 1, 0).frequencies, first.frequencies);
  EXPECT_EQ(draw_features(law, 100, 1, 0).prior, first.prior);
  EXPECT_NE(draw_features(law, 100, 2, 0).frequencies, first.frequencies);
  EXPECT_NE(draw_features(law, 100, 1, 1).frequencies, first.frequencies);
}

}  // namespace
}  // namespace rfnn::wide
