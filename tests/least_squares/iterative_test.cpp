#include <gtest/gtest.h>

#include "least_squares/systems.hpp"

namespace rfnn::least_squares {
namespace {

using namespace rfnn::testing;

struct Counted {
  const System& s;
  std::int64_t calls = 0;
  std::int64_t allowed = 1000000;
  bool operator()(const Eigen::MatrixXd& v, Eigen::MatrixXd& result) {
    if (calls >= allowed) return false;
    ++calls;
    result.noalias() = s.a.transpose() * (s.a * v);
    return true;
  }
};

IterativeResult run(Counted& counted, double lambda, double tolerance, std::int64_t max_iterations,
                    Eigen::MatrixXd& b) {
  return solve_iteratively(std::ref(counted), counted.s.a.transpose() * counted.s.r,
                           static_cast<double>(counted.s.a.rows()), lambda, tolerance, max_iterations, b);
}

/// (1/N)|A b − r|² + λ|b|²
double objective(const System& s, double lambda, const Eigen::MatrixXd& b) {
  return (s.a * b - s.r).squaredNorm() / static_cast<double>(s.a.rows()) + lambda * b.squaredNorm();
}

double true_residual(const System& s, double lambda, const Eigen::MatrixXd& b) {
  const Eigen::MatrixXd g = s.a.transpose() * s.r;
  const Eigen::MatrixXd r = g - s.a.transpose() * (s.a * b) - static_cast<double>(s.a.rows()) * lambda * b;
  double worst = 0.0;
  for (Eigen::Index o = 0; o < g.cols(); ++o) worst = std::max(worst, r.col(o).norm() / g.col(o).norm());
  return worst;
}

TEST(ConjugateGradients, ReachesTheToleranceInTheTrueResidual) {
  const System s = fourier_system(400, 12, 3, 1);
  for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
    Counted counted{s};
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(24, 3);
    const IterativeResult result = run(counted, 1e-4, tolerance, 2000, b);
    EXPECT_TRUE(result.converged);
    EXPECT_FALSE(result.cancelled);
    EXPECT_LE(result.relative_residual, tolerance);
    EXPECT_LE(true_residual(s, 1e-4, b), 1.01 * tolerance);
  }
}

TEST(ConjugateGradients, ASlowProblemConvergesThroughManyRefreshes) {
  const System s = graded_system(300, 60, 2, 1e4, 2);
  Counted counted{s};
  Eigen::MatrixXd b;  // wrong shape: taken as zeros
  const IterativeResult result = run(counted, 0.0, 1e-9, 100000, b);
  EXPECT_TRUE(result.converged);
  EXPECT_GT(result.iterations, 50);
  EXPECT_LE(true_residual(s, 0.0, b), 2e-9);
}

TEST(ConjugateGradients, StartsFromTheLastSolution) {
  const System s = fourier_system(400, 12, 2, 3);
  Counted cold{s};
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(24, 2);
  const std::int64_t from_zero = run(cold, 1e-4, 1e-10, 2000, b).iterations;
  Counted warm{s};
  const Eigen::MatrixXd solution = b;
  const IterativeResult result = run(warm, 1e-4, 1e-9, 2000, b);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_GT(from_zero, 5);
  EXPECT_LT(relative_difference(b, solution), 1e-14);
}

TEST(ConjugateGradients, ABadStartDoesNoHarm) {
  const System s = fourier_system(400, 12, 2, 3);
  const Eigen::MatrixXd reference = lapack_qr(s, 1e-4);
  for (const double size : {1e12, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    Counted counted{s};
    Eigen::MatrixXd b = Eigen::MatrixXd::Constant(24, 2, size);
    EXPECT_TRUE(run(counted, 1e-4, 1e-11, 2000, b).converged) << size;
    EXPECT_LT(relative_difference(b, reference), 1e-6) << size;
  }
}

TEST(ConjugateGradients, EveryLimitOfStepsLowersTheObjective) {
  const System s = graded_system(200, 30, 1, 1e3, 4);
  double last = objective(s, 1e-8, Eigen::MatrixXd::Zero(30, 1));
  for (const std::int64_t steps : {1, 2, 5, 10, 20, 60, 120}) {
    Counted counted{s};
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(30, 1);
    const IterativeResult result = run(counted, 1e-8, 1e-15, steps, b);
    EXPECT_LE(result.iterations, steps);
    const double now = objective(s, 1e-8, b);
    EXPECT_LE(now, last * (1.0 + 1e-12)) << steps;
    last = now;
  }
  EXPECT_NEAR(last, objective(s, 1e-8, lapack_qr(s, 1e-8)), 1e-8 * last);
}

TEST(ConjugateGradients, AToleranceBelowRoundingEndsByItself) {
  const System s = fourier_system(300, 10, 2, 5);
  Counted counted{s};
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(20, 2);
  const IterativeResult result = run(counted, 1e-4, 1e-30, 1000000, b);
  EXPECT_FALSE(result.converged);
  EXPECT_LT(counted.calls, 20000);
  EXPECT_LT(relative_difference(b, lapack_qr(s, 1e-4)), 1e-10);
}

TEST(ConjugateGradients, StopsWhenTheProductSaysSo) {
  const System s = fourier_system(300, 10, 1, 5);
  const double empty = objective(s, 1e-4, Eigen::MatrixXd::Zero(20, 1));
  for (const std::int64_t allowed : {0, 1, 4}) {
    Counted counted{s, 0, allowed};
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(20, 1);
    const IterativeResult result = run(counted, 1e-4, 1e-12, 1000, b);
    EXPECT_TRUE(result.cancelled);
    EXPECT_FALSE(result.converged);
    EXPECT_TRUE(b.allFinite());
    const double now = objective(s, 1e-4, b);
    EXPECT_TRUE(allowed == 0 ? now == empty : now < empty) << allowed;
  }
  Counted refused{s, 0, 0};
  Eigen::MatrixXd b = lapack_qr(s, 1e-4);
  const Eigen::MatrixXd start = b;
  EXPECT_TRUE(run(refused, 1e-4, 1e-12, 1000, b).cancelled);
  EXPECT_LT(relative_difference(b, start), 1e-15) << "the start is the last iterate";
}

TEST(ConjugateGradients, OutputsOfVeryDifferentSizeAndAZeroOne) {
  System s = fourier_system(300, 10, 4, 6);
  s.r.col(0) *= 1e-19;
  s.r.col(1) *= 1e12;
  s.r.col(2).setZero();
  Counted counted{s};
  Eigen::MatrixXd b = Eigen::MatrixXd::Ones(20, 4);
  EXPECT_TRUE(run(counted, 1e-4, 1e-11, 1000, b).converged);
  const Eigen::MatrixXd reference = lapack_qr(s, 1e-4);
  for (const Eigen::Index o : {0, 1, 3}) EXPECT_LT(relative_difference(b.col(o), reference.col(o)), 1e-7) << o;
  EXPECT_EQ(b.col(2).norm(), 0.0);
}

TEST(ConjugateGradients, AProductThatIsNotFiniteOrNotPositiveKeepsTheBest) {
  const Eigen::MatrixXd rhs = random_matrix(5, 1, 1);
  int calls = 0;
  const auto broken = [&](const Eigen::MatrixXd& v, Eigen::MatrixXd& result) {
    result = v;
    if (++calls > 0) result *= std::numeric_limits<double>::quiet_NaN();
    return true;
  };
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(5, 1);
  EXPECT_FALSE(solve_iteratively(broken, rhs, 10, 1e-3, 1e-10, 100, b).converged);
  EXPECT_EQ(b.norm(), 0.0);
  const auto negative = [&](const Eigen::MatrixXd& v, Eigen::MatrixXd& result) {
    result = -v;
    return true;
  };
  EXPECT_FALSE(solve_iteratively(negative, rhs, 10, 0.0, 1e-10, 100, b).converged);
  EXPECT_EQ(b.norm(), 0.0);
}

}  // namespace
}  // namespace rfnn::least_squares
