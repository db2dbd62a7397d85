#include <gtest/gtest.h>

#include "least_squares/systems.hpp"
#include "rfnn/least_squares/conditioning.hpp"

namespace rfnn::least_squares {
namespace {

using namespace rfnn::testing;

TEST(Condition, EstimatesOfTheFactorisationsAreWithinAFactorOfTen) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const double condition : {1.0, 30.0, 1e3, 3e4, 1e6, 3e8, 1e11}) {
      for (const Eigen::Index columns : {2, 12, 24, 48}) {
        const System s = graded_system(100, columns, 1, condition, seed);
        const Triangle t = triangle(s);
        Eigen::MatrixXd b;
        QrSolver qr;
        qr.solve(t, 0.0, b);
        EXPECT_LT(qr.condition(), 1.1 * condition) << columns << " columns, seed " << seed;
        EXPECT_GT(qr.condition(), 0.3 * condition) << columns << " columns, seed " << seed;
        SvdSolver svd;
        svd.solve(t, 0.0, b);
        EXPECT_NEAR(svd.condition() / condition, 1.0, 1e-3);
      }
    }
  }
}

TEST(Condition, EstimateOfFourierColumnsWithARidge) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const System s = fourier_system(300, 12, 1, seed);
    for (const double lambda : {1e-9, 1e-6, 1e-3}) {
      const double exact = condition_number(normal_equations(s), lambda);
      Eigen::MatrixXd b;
      QrSolver qr;
      qr.solve(triangle(s), lambda, b);
      EXPECT_GT(qr.condition() * qr.condition(), 0.1 * exact);
      EXPECT_LT(qr.condition() * qr.condition(), 1.1 * exact);
      SvdSolver svd;
      svd.solve(triangle(s), lambda, b);
      EXPECT_NEAR(svd.condition() * svd.condition() / exact, 1.0, 1e-3);
    }
  }
}

TEST(Condition, CholeskyTrustsUpToItsLimitAndRefusesAbove) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const Eigen::Index columns : {2, 12, 24, 48}) {
      Eigen::MatrixXd b;
      CholeskySolver solver;
      // The condition of AᵀA is the square of A's.
      const System good = graded_system(100, columns, 1, 3e5, seed);
      EXPECT_TRUE(solver.solve(normal_equations(good), 0.0, b));
      EXPECT_GT(solver.condition(), 9e9);
      EXPECT_LT(solver.condition(), 1.1 * 9e10);
      const System bad = graded_system(100, columns, 1, 5e6, seed);
      EXPECT_FALSE(solver.solve(normal_equations(bad), 0.0, b));
      EXPECT_GT(solver.condition(), largest_trusted_condition);
    }
  }
}

TEST(Condition, ARidgeThatProvesTheSystemSoundGivesAnEstimateFromBelow) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const System s = fourier_system(300, 12, 1, seed);
    for (const double lambda : {1e-8, 1e-4, 1e-2}) {
      Eigen::MatrixXd b;
      CholeskySolver solver;
      ASSERT_TRUE(solver.solve(normal_equations(s), lambda, b));
      const double exact = condition_number(normal_equations(s), lambda);
      EXPECT_LT(solver.condition(), 1.01 * exact);
      EXPECT_GT(solver.condition(), 1e-3 * exact);
    }
  }
}

TEST(Condition, CholeskyRefusesTwoNearlyEqualColumns) {
  System s = random_system(100, 6, 1, 1);
  s.a.col(4) = s.a.col(1) + 1e-7 * s.a.col(5);
  Eigen::MatrixXd b;
  CholeskySolver solver;
  EXPECT_FALSE(solver.solve(normal_equations(s), 0.0, b));
  EXPECT_TRUE(solver.solve(normal_equations(s), 1e-6, b)) << "the ridge makes it an ordinary problem";
}

TEST(Condition, CholeskyRefusesWhatIsNotFinite) {
  NormalEquations problem = normal_equations(random_system(20, 3, 1, 1));
  Eigen::MatrixXd b;
  problem.rhs(1, 0) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(CholeskySolver().solve(problem, 1e-3, b));
  problem = normal_equations(random_system(20, 3, 1, 1));
  problem.gram(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(CholeskySolver().solve(problem, 1e-3, b));
}

TEST(Condition, ConditionNumberFromEigenvalues) {
  const System s = graded_system(100, 10, 1, 1e3, 1);
  EXPECT_NEAR(condition_number(normal_equations(s), 0.0) / 1e6, 1.0, 1e-6);
  // (σ₁² + Nλ) / (σₙ² + Nλ) with σ₁ = 1, σₙ = 1e-3, Nλ = 1e-2
  EXPECT_NEAR(condition_number(normal_equations(s), 1e-4), 1.01 / (1e-6 + 1e-2), 1e-6);
  EXPECT_EQ(
      condition_number({Eigen::MatrixXd::Zero(3, 3), Eigen::MatrixXd::Zero(3, 1), Eigen::VectorXd::Zero(1), 5.0}, 0.0),
      std::numeric_limits<double>::infinity());
  EXPECT_EQ(
      condition_number({Eigen::MatrixXd::Zero(3, 3), Eigen::MatrixXd::Zero(3, 1), Eigen::VectorXd::Zero(1), 5.0}, 0.1),
      1.0);
  EXPECT_EQ(condition_number({Eigen::MatrixXd(), Eigen::MatrixXd(), Eigen::VectorXd(), 5.0}, 0.1), 1.0);
}

TEST(Condition, SingularTriangleIsInfinite) {
  Eigen::MatrixXd r = Eigen::MatrixXd::Identity(3, 3);
  r(1, 1) = 0.0;
  EXPECT_EQ(triangle_condition<Eigen::Upper>(r), std::numeric_limits<double>::infinity());
  EXPECT_EQ(diagonal_condition(r), std::numeric_limits<double>::infinity());
  EXPECT_EQ(triangle_condition<Eigen::Upper>(Eigen::MatrixXd(0, 0)), 1.0);
}

TEST(Condition, EstimateSeesWhatTheDiagonalHides) {
  // Kahan's triangle: diagonal entries fall slowly, the smallest singular value does not.
  const Eigen::Index n = 30;
  const double c = std::cos(1.2), sine = std::sin(1.2);
  Eigen::MatrixXd r = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    r(i, i) = std::pow(sine, i);
    for (Eigen::Index j = i + 1; j < n; ++j) r(i, j) = -c * std::pow(sine, i);
  }
  const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(r).singularValues();
  const double exact = s(0) / s(n - 1);
  EXPECT_LT(diagonal_condition(r), 1e-2 * exact);
  EXPECT_GT(triangle_condition<Eigen::Upper>(r), 0.5 * exact);
  EXPECT_LT(triangle_condition<Eigen::Upper>(r), 1.01 * exact);
  EXPECT_GT(triangle_condition<Eigen::Lower>(Eigen::MatrixXd(r.transpose())), 0.5 * exact);
}

}  // namespace
}  // namespace rfnn::least_squares
