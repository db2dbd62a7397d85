// Laws of one variable in a time proportional to the rows, against the same algebra with dense matrices.

#include "rfnn/least_squares/markov.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rfnn/core/random.hpp"

namespace rfnn::least_squares {
namespace {

FrequencyLaw::Part part(double strength, double rough, int order, double centre = 0.0) {
  FrequencyLaw::Part one{strength, {0.0}, {rough}, order, {}};
  if (centre != 0.0) one.centre = {centre};
  return one;
}

std::vector<FrequencyLaw> laws() {
  return {{{part(1.3, 2.0, 0)}, {}},
          {{part(0.7, 3.0, 1)}, {}},
          {{part(2.0, 4.0, 2)}, {}},
          {{part(0.5, 1.0, 1, 5.0)}, {}},
          {{part(1.0, 0.5, 2), part(0.2, 9.0, 0), part(0.4, 0.3, 0, 11.0), part(0.1, 2.0, 2, 3.0)}, {}}};
}

struct Rows {
  std::vector<double> x, weights;
  Matrix y;
};

/// Unevenly spaced, two of them next to each other.
Rows rows(std::size_t count, std::size_t outputs) {
  const Stream stream(7, Purpose::noise, 0, 0);
  Rows made;
  double at = -1.0;
  for (std::size_t i = 0; i < count; ++i) {
    at += i == 5 ? 1e-7 : 0.002 + 0.1 * stream.uniform(i);
    made.x.push_back(at);
    made.weights.push_back(0.5 + stream.uniform(1000 + i));
  }
  made.y = Matrix(count, outputs);
  for (std::size_t i = 0; i < made.y.size(); ++i) made.y.data()[i] = stream.normal(2000 + i);
  return made;
}

Eigen::MatrixXd dense_kernel(const FrequencyLaw& law, const std::vector<double>& a, const std::vector<double>& b) {
  Eigen::MatrixXd k(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      const double difference = a[i] - b[j];
      k(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = kernel_value(law, &difference);
    }
  return k;
}

/// Centres in another order than that of x.
ClosedForm form_of(const FrequencyLaw& law, const Rows& data) {
  const std::size_t count = data.x.size();
  ClosedForm form{law, Matrix(count, 1), Matrix(count, data.y.cols())};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = (7 * i + 3) % count;
    form.centres(i, 0) = data.x[from];
    for (std::size_t o = 0; o < data.y.cols(); ++o) form.coefficients(i, o) = data.y(from, o);
  }
  return form;
}

TEST(Markov, DescribesRoughLawsOfOneVariable) {
  for (const FrequencyLaw& law : laws()) EXPECT_TRUE(MarkovProcess::describes(law));
  FrequencyLaw smooth{{part(1.0, 1.0, 0)}, {}};
  smooth.parts[0].smooth = {0.1};
  EXPECT_FALSE(MarkovProcess::describes(smooth));
  EXPECT_FALSE(MarkovProcess::describes({{part(1.0, 0.0, 0)}, {}}));
  EXPECT_FALSE(MarkovProcess::describes({{{1.0, {0.0, 0.0}, {1.0, 1.0}, 0, {}}}, {}}));
  EXPECT_FALSE(MarkovProcess::describes({std::vector(5, part(1.0, 1.0, 2)), {}}));
  EXPECT_FALSE(MarkovProcess::describes({}));
  FrequencyLaw mapped{{part(1.0, 1.0, 0)}, Matrix(1, 1, 1.0)};
  EXPECT_FALSE(MarkovProcess::describes(mapped));
}

TEST(Markov, SolutionIsThatOfTheDenseMatrix) {
  for (const FrequencyLaw& law : laws())
    for (const std::size_t outputs : {1U, 3U}) {
      const Rows data = rows(80, outputs);
      constexpr double noise = 0.03;
      Eigen::MatrixXd k = dense_kernel(law, data.x, data.x);
      for (std::size_t i = 0; i < data.x.size(); ++i)
        k(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) += noise / data.weights[i];
      const Eigen::MatrixXd inverse = k.inverse();
      const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> y(
          data.y.data(), static_cast<Eigen::Index>(data.x.size()), static_cast<Eigen::Index>(outputs));
      const Eigen::MatrixXd c = inverse * y;
      Interrupt never;
      MarkovSolution solution;
      ASSERT_TRUE(solve_markov(MarkovProcess(law), noise, data.x, data.weights, data.y.view(), never, solution));
      for (std::size_t i = 0; i < data.x.size(); ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        EXPECT_NEAR(solution.diagonal[i], inverse(at, at), 1e-9 * inverse(at, at));
        for (std::size_t o = 0; o < outputs; ++o)
          EXPECT_NEAR(solution.coefficients(i, o), c(at, static_cast<Eigen::Index>(o)), 1e-9 * c.cwiseAbs().maxCoeff());
      }
      EXPECT_NEAR(solution.log_determinant, 2.0 * k.llt().matrixLLT().diagonal().array().log().sum(), 1e-9);
      for (std::size_t o = 0; o < outputs; ++o) {
        const auto column = static_cast<Eigen::Index>(o);
        EXPECT_NEAR(solution.quadratic[o], y.col(column).dot(c.col(column)), 1e-9 * solution.quadratic[o]);
      }
    }
}

// However close the rows are: what the process does between them is the cube or the fifth power of their distance, and
// none of its digits may be lost.
TEST(Markov, NoiseOfShortDistancesKeepsItsDigits) {
  const double leading[] = {2.0, 4.0 / 3.0, 4.0 / 15.0};
  for (int order = 0; order <= 2; ++order)
    for (const double z : {1e-9, 1e-6, 1e-4}) {
      double q[9] = {};
      MarkovProcess({{part(1.0, 1.0, order)}, {}}).noise(z, q);
      EXPECT_NEAR(q[0] / (leading[order] * std::pow(z, 2 * order + 1)), 1.0, 4.0 * z);
    }
}

// The covariance of the state is that of all distances, and does not change along x.
TEST(Markov, TheStateIsStationary) {
  for (const FrequencyLaw& law : laws()) {
    const MarkovProcess process(law);
    const Eigen::Index n = process.dimension();
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(n, n), a = covariance, q = covariance;
    process.noise(std::numeric_limits<double>::infinity(), covariance.data());
    for (const double distance : {1e-3, 0.1, 1.0, 7.9, 8.1, 30.0, 1e4}) {
      process.transition(distance, a.data());
      process.noise(distance, q.data());
      EXPECT_LT((a * covariance * a.transpose() + q - covariance).norm(), 1e-13 * covariance.norm()) << distance;
    }
  }
}

TEST(Markov, SumIsThatOverAllCentres) {
  for (const FrequencyLaw& law : laws()) {
    const Rows data = rows(61, 2);
    const MarkovSum sum(form_of(law, data));
    std::vector<double> places = {data.x[0] - 3.0, data.x[0], data.x[5], data.x[6], data.x.back() + 0.5, 1e6};
    for (std::size_t i = 0; i + 1 < data.x.size(); ++i) places.push_back(0.7 * data.x[i] + 0.3 * data.x[i + 1]);
    const Eigen::MatrixXd k = dense_kernel(law, places, data.x);
    for (std::size_t i = 0; i < places.size(); ++i) {
      double value[2] = {1.0, 0.0}, expected[2] = {1.0, 0.0};
      sum.add(places[i], value);
      for (std::size_t j = 0; j < data.x.size(); ++j)
        for (std::size_t o = 0; o < 2; ++o)
          expected[o] += k(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * data.y(j, o);
      for (std::size_t o = 0; o < 2; ++o) EXPECT_NEAR(value[o], expected[o], 1e-12) << places[i];
    }
  }
}

TEST(Markov, OneRowAndFarRows) {
  const FrequencyLaw law{{part(2.0, 1.0, 2)}, {}};
  Interrupt never;
  MarkovSolution solution;
  const Matrix one(1, 1, 3.0);
  const double x[] = {0.0, 1e300};
  ASSERT_TRUE(solve_markov(MarkovProcess(law), 1.0, std::span(x, 1), {}, one.view(), never, solution));
  EXPECT_DOUBLE_EQ(solution.coefficients(0, 0), 1.0);
  const Matrix two(2, 1, 3.0);
  ASSERT_TRUE(solve_markov(MarkovProcess(law), 1.0, x, {}, two.view(), never, solution));
  EXPECT_DOUBLE_EQ(solution.coefficients(1, 0), 1.0);
  const MarkovSum sum(form_of(law, {{x[1], x[0]}, {}, two}));
  double value[] = {0.0};
  sum.add(std::numeric_limits<double>::infinity(), value);
  EXPECT_EQ(value[0], 0.0);
}

TEST(Markov, EndsWhenInterrupted) {
  const Rows data = rows(50, 1);
  Interrupt stopped;
  stopped.stop();
  MarkovSolution solution;
  EXPECT_FALSE(solve_markov(MarkovProcess(laws()[0]), 1.0, data.x, {}, data.y.view(), stopped, solution));
}

}  // namespace
}  // namespace rfnn::least_squares
