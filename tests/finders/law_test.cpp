// Laws of frequencies: their likelihood, learning them, drawing from them.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "rfnn/finders/wide/drawn_features.hpp"
#include "rfnn/finders/wide/law_likelihood.hpp"
#include "rfnn/finders/wide/law_search.hpp"
#include "rows/naive.hpp"

namespace rfnn::wide {
namespace {

using testing::index;
using testing::normal_matrix;
using testing::to_eigen;

FrequencyLaw one_part(double strength, std::vector<double> smooth, std::vector<double> rough) {
  FrequencyLaw law;
  law.parts.push_back({strength, std::move(smooth), std::move(rough)});
  return law;
}

double kernel_of(const FrequencyLaw& law, const Matrix& points, std::size_t i, std::size_t j) {
  std::vector<double> apart(points.cols());
  for (std::size_t k = 0; k < apart.size(); ++k) apart[k] = points(i, k) - points(j, k);
  return kernel_value(law, apart.data());
}

Eigen::MatrixXd covariance_of(const FrequencyLaw& law, const Matrix& points, double noise,
                              const std::vector<double>& weights = {}) {
  Eigen::MatrixXd k(index(points.rows()), index(points.rows()));
  for (std::size_t i = 0; i < points.rows(); ++i)
    for (std::size_t j = 0; j < points.rows(); ++j)
      k(index(i), index(j)) =
          kernel_of(law, points, i, j) + (i == j ? noise / (weights.empty() ? 1.0 : weights[i]) : 0.0);
  return k;
}

/// Values with the law's covariance, noise among them.
Matrix draw_values(const FrequencyLaw& law, double noise, const Matrix& points, std::uint64_t seed) {
  const Eigen::MatrixXd factor = covariance_of(law, points, noise).llt().matrixL();
  return testing::to_matrix(factor * to_eigen(normal_matrix(points.rows(), 1, seed)));
}

rows::RowState rows_of(const Matrix& points, const Matrix& values, std::span<const double> weights = {}) {
  return rows::RowState(rows::ScaledRows(points.view(), values.view(), weights));
}

Eigen::VectorXd some_parameters(const LawParameters& parameters) {
  Eigen::VectorXd x = parameters.start(0.05);
  for (Eigen::Index i = 0; i < x.size(); ++i) x(i) += 0.3 * std::sin(static_cast<double>(i));
  return x;
}

double cost_of(const rows::RowState& rows, const LawParameters& parameters, const Eigen::VectorXd& x,
               Eigen::VectorXd& gradient, std::size_t threads = 1) {
  const auto work = rows::make_row_work(rows::Implementation::threads, threads);
  Interrupt never;
  return LawLikelihood(*work, rows, parameters, never)(x, gradient);
}

TEST(LawLikelihood, IsThatOfAGaussianProcess) {
  for (const LawShape shape : {LawShape{1, false}, LawShape{2, false}, LawShape{3, true}}) {
    const LawParameters parameters(3, shape);
    const Eigen::VectorXd x = some_parameters(parameters);
    const Matrix points = normal_matrix(97, 3, 1), r = normal_matrix(97, 2, 2);
    const Eigen::MatrixXd a = covariance_of(parameters.law(x), points, parameters.noise_of(x));
    const Eigen::LDLT<Eigen::MatrixXd> factor(a);
    const Eigen::MatrixXd residual = to_eigen(r);
    Eigen::VectorXd gradient, unused = Eigen::VectorXd::Zero(x.size());
    const double expected = 0.5 * (residual.transpose() * factor.solve(residual)).trace() +
                            factor.vectorD().array().log().sum() + parameters.prior(x, unused);
    EXPECT_NEAR(cost_of(rows_of(points, r), parameters, x, gradient), expected, 1e-6 * std::abs(expected));
  }
}

TEST(LawLikelihood, TheGradientIsThatOfCentralDifferences) {
  for (const std::size_t count : {30U, 290U})
    for (const LawShape shape : {LawShape{2, false}, LawShape{2, true}}) {
      const LawParameters parameters(3, shape);
      const Eigen::VectorXd x = some_parameters(parameters);
      std::vector<double> weights;
      for (std::size_t i = 0; i < count; ++i) weights.push_back(1.0 + 0.5 * static_cast<double>(i % 3));
      const Matrix points = normal_matrix(count, 3, 3), r = normal_matrix(count, 2, 4);
      const rows::RowState rows = rows_of(points, r, weights);
      Eigen::VectorXd gradient, unused;
      ASSERT_TRUE(std::isfinite(cost_of(rows, parameters, x, gradient)));
      constexpr double h = 1e-5;
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        Eigen::VectorXd low = x, high = x;
        low(i) -= h;
        high(i) += h;
        const double slope =
            (cost_of(rows, parameters, high, unused) - cost_of(rows, parameters, low, unused)) / (2.0 * h);
        EXPECT_NEAR(gradient(i), slope, 2e-5 * (1.0 + gradient.cwiseAbs().maxCoeff())) << i;
      }
    }
}

TEST(LawLikelihood, LeavingOutIsFittingWithout) {
  const LawParameters parameters(2, {2, false});
  const Eigen::VectorXd x = some_parameters(parameters);
  const Matrix points = normal_matrix(40, 2, 5), r = normal_matrix(40, 1, 6);
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never;
  const rows::RowState rows = rows_of(points, r);
  LawLikelihood likelihood(*work, rows, parameters, never);
  Eigen::VectorXd gradient;
  likelihood(x, gradient);
  const Eigen::MatrixXd a = covariance_of(parameters.law(x), points, parameters.noise_of(x));
  double squares = 0.0;
  for (Eigen::Index i = 0; i < 40; ++i) {
    std::vector<Eigen::Index> others;
    for (Eigen::Index j = 0; j < 40; ++j)
      if (j != i) others.push_back(j);
    const Eigen::MatrixXd inner = a(others, others);
    const Eigen::VectorXd wanted = to_eigen(r).col(0)(others), across = a(others, i);
    squares += std::pow(r(static_cast<std::size_t>(i), 0) - across.dot(inner.llt().solve(wanted)), 2);
  }
  EXPECT_NEAR(likelihood.left_out(), squares / 40.0, 1e-6 * squares);
}

TEST(LawLikelihood, DoesNotDependOnThreads) {
  const LawParameters parameters(2, {2, true});
  const Eigen::VectorXd x = some_parameters(parameters);
  const rows::RowState rows = rows_of(normal_matrix(600, 2, 5), normal_matrix(600, 1, 6));
  Eigen::VectorXd alone, together;
  const double value = cost_of(rows, parameters, x, alone);
  for (const std::size_t threads : {2U, 3U}) {
    EXPECT_EQ(cost_of(rows, parameters, x, together, threads), value);
    EXPECT_EQ(together, alone);
  }
}

TEST(LawLikelihood, IsNotFiniteWhereTheCovarianceIsNot) {
  const LawParameters parameters(1, {1, false});
  const rows::RowState rows = rows_of(normal_matrix(10, 1, 7), normal_matrix(10, 1, 8));
  Eigen::VectorXd x = parameters.start(0.1), gradient;
  ASSERT_TRUE(std::isfinite(cost_of(rows, parameters, x, gradient)));
  x(0) = 800.0;
  EXPECT_FALSE(std::isfinite(cost_of(rows, parameters, x, gradient)));
  EXPECT_EQ(gradient, Eigen::VectorXd::Zero(x.size()));
}

TEST(LawParameters, ARicherLawBeginsWithWhatIsKnown) {
  const LawParameters simple(2, {2, false}), richer(2, {3, true});
  const Eigen::VectorXd x = some_parameters(simple), made = richer.from(simple, x);
  const FrequencyLaw before = simple.law(x), after = richer.law(made);
  ASSERT_EQ(after.parts.size(), 3U);
  for (std::size_t p = 0; p < 2; ++p) EXPECT_EQ(after.parts[p], before.parts[p]);
  EXPECT_LT(after.parts[2].strength, before.parts[0].strength);
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(after.map(j, k), j == k ? 1.0 : 0.0);
  EXPECT_EQ(richer.noise_of(made), simple.noise_of(x));
}

LearntLaw learn(const rows::RowState& rows, std::size_t most, LawShape shape = {2, false}, std::uint64_t seed = 1,
                std::size_t threads = 1) {
  const auto work = rows::make_row_work(rows::Implementation::threads, threads);
  Interrupt never;
  return LawSearch(*work, rows, rows.inputs(), seed, never).begin(shape, most).value();
}

TEST(LearnLaw, InputsOfNoInfluenceGetSmallScales) {
  const Matrix points = normal_matrix(200, 4, 9), noise = normal_matrix(200, 1, 10);
  Matrix values(200, 1);
  for (std::size_t i = 0; i < 200; ++i)
    values(i, 0) = std::sin(1.5 * points(i, 0)) + std::cos(points(i, 2)) + 0.1 * noise(i, 0);
  const LearntLaw learnt = learn(rows_of(points, values), 200);
  // How much of the variance is lost a unit apart in one input alone.
  const auto lost = [&](std::size_t k) {
    std::vector<double> apart(4, 0.0);
    apart[k] = 1.0;
    return 1.0 - kernel_value(learnt.law, apart.data()) / learnt.law.variance();
  };
  for (const std::size_t none : {1U, 3U})
    for (const std::size_t some : {0U, 2U}) EXPECT_LT(lost(none), 0.1 * lost(some));
  EXPECT_LT(learnt.noise, 0.01 * 3.0);
}

TEST(LearnLaw, FindsTheNoise) {
  const Matrix points = normal_matrix(200, 2, 11);
  for (const double noise : {0.3, 0.01}) {
    const FrequencyLaw truth = one_part(1.0, {1.0, 0.6}, {0.0, 0.0});
    const LearntLaw learnt = learn(rows_of(points, draw_values(truth, noise, points, 12)), 200);
    EXPECT_GT(learnt.noise, noise / 3.0);
    EXPECT_LT(learnt.noise, noise * 3.0);
  }
}

TEST(LearnLaw, TellsSmoothFromRough) {
  const Matrix points = normal_matrix(200, 1, 13);
  const FrequencyLaw smooth = one_part(1.0, {2.0}, {0.0}), rough = one_part(1.0, {0.0}, {2.0});
  // What two points near each other differ by: a smooth function is the same there.
  const auto jump = [](const FrequencyLaw& law) {
    const double near = 0.01;
    return law.variance() - kernel_value(law, &near);
  };
  for (const std::uint64_t seed : {14U, 15U}) {
    const LearntLaw of_smooth = learn(rows_of(points, draw_values(smooth, 1e-3, points, seed)), 200);
    const LearntLaw of_rough = learn(rows_of(points, draw_values(rough, 1e-3, points, seed)), 200);
    EXPECT_LT(jump(of_smooth.law), 0.2 * jump(of_rough.law));
    EXPECT_GT(jump(of_rough.law), 0.3 * jump(rough));
    EXPECT_LT(jump(of_rough.law), 3.0 * jump(rough));
  }
}

TEST(LearnLaw, AMapFindsTheDirectionThatMatters) {
  const Matrix points = normal_matrix(300, 2, 16), noise = normal_matrix(300, 1, 17);
  Matrix values(300, 1);
  for (std::size_t i = 0; i < 300; ++i)
    values(i, 0) = std::sin(2.0 * (points(i, 0) + points(i, 1))) + 0.05 * noise(i, 0);
  const rows::RowState rows = rows_of(points, values);
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never;
  LawSearch laws(*work, rows, 2, 1, never);
  const LearntLaw plain = laws.begin({2, false}, 300).value();
  const LearntLaw mapped = laws.go_on(plain, {2, true}, 300).value();
  EXPECT_LT(mapped.cost, plain.cost - 20.0);
  EXPECT_LT(mapped.left_out, 0.7 * plain.left_out);
  const double along[] = {0.3, 0.3}, across[] = {0.3, -0.3};
  EXPECT_LT(kernel_value(mapped.law, along), kernel_value(mapped.law, across));
}

TEST(LearnLaw, LooksAtSomeRowsDrawnByTheSeed) {
  const Matrix points = normal_matrix(600, 2, 18), noise = normal_matrix(600, 1, 19);
  Matrix values(600, 1);
  for (std::size_t i = 0; i < 600; ++i) values(i, 0) = std::sin(points(i, 0) + points(i, 1)) + 0.2 * noise(i, 0);
  const rows::RowState rows = rows_of(points, values);
  const LearntLaw learnt = learn(rows, 60);
  EXPECT_EQ(learnt.rows, 60U);
  for (const std::size_t threads : {1U, 3U}) EXPECT_EQ(learn(rows, 60, {2, false}, 1, threads).x, learnt.x);
  EXPECT_NE(learn(rows, 60, {2, false}, 2).x, learnt.x);
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never;
  const LawSearch laws(*work, rows, 2, 1, never);
  // Rows it looks at and others have none in common.
  const rows::RowState sample = laws.sample(60), others = laws.others(60, 100);
  ASSERT_EQ(others.count(), 100U);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t j = 0; j < 100; ++j) EXPECT_NE(sample.variable_of(i, 0), others.variable_of(j, 0));
}

TEST(LearnLaw, NothingWhenInterrupted) {
  const rows::RowState rows = rows_of(normal_matrix(150, 2, 22), normal_matrix(150, 1, 23));
  const auto work = rows::make_row_work(rows::Implementation::threads, 2);
  Interrupt stop([] { return false; });
  EXPECT_FALSE(LawSearch(*work, rows, 2, 1, stop).begin({2, false}, 150).has_value());
}

TEST(DrawFeatures, TheirCovarianceIsThatOfTheLaw) {
  FrequencyLaw mapped = one_part(1.0, {0.5, 1.0, 0.2}, {0.0, 0.1, 0.0});
  mapped.parts.push_back({0.5, {0.0, 0.3, 0.0}, {0.3, 0.0, 0.8}});
  mapped.map = normal_matrix(3, 3, 30);
  for (const FrequencyLaw& law : {one_part(1.0, {0.5, 1.0, 0.0}, {0.2, 0.0, 0.0}), mapped}) {
    const Matrix points = normal_matrix(25, 3, 24);
    const rows::WideFeatures features = draw_features(law, 40000, 1, 0);
    ASSERT_EQ(features.size(), 40000U);
    const auto work = rows::make_row_work(rows::Implementation::threads, 1);
    Interrupt never;
    Eigen::MatrixXd kernel;
    ASSERT_TRUE(work->row_kernel(rows_of(points, Matrix(25, 1)), features, kernel, never));
    for (std::size_t i = 0; i < 25; ++i)
      for (std::size_t j = 0; j < 25; ++j)
        // Four and a half standard deviations of a sum of so many cosines.
        EXPECT_NEAR(kernel(index(i), index(j)), kernel_of(law, points, i, j), 4.5 * law.variance() / 200.0);
    EXPECT_NEAR(kernel(0, 0), law.variance(), 1e-6);
  }
}

TEST(DrawFeatures, IsAFunctionOfSeedAndMember) {
  const FrequencyLaw law = one_part(1.0, {0.5, 1.0}, {0.2, 0.0});
  const rows::WideFeatures first = draw_features(law, 100, 1, 0);
  EXPECT_EQ(draw_features(law, 100, 1, 0).frequencies, first.frequencies);
  EXPECT_NE(draw_features(law, 100, 2, 0).frequencies, first.frequencies);
  EXPECT_NE(draw_features(law, 100, 1, 1).frequencies, first.frequencies);
}

}  // namespace
}  // namespace rfnn::wide
