// Every solver against every other, against LAPACK, and against the equation that defines the solution.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "least_squares/systems.hpp"

namespace rfnn::least_squares {
namespace {

using namespace rfnn::testing;
using Solve = Eigen::MatrixXd (*)(const System&, double);

struct Named {
  const char* name;
  Solve solve;
};

const std::vector<Named> direct_and_iterative = {
    {"cholesky", solve_cholesky}, {"qr", solve_qr}, {"svd", solve_svd}, {"iterative", [](const System& s, double l) {
                                                                           return solve_iterative(s, l);
                                                                         }}};
/// Those that promise the solution of smallest norm.
const std::vector<Named> rank_revealing = {{"qr", solve_qr}, {"svd", solve_svd}};

struct Shape {
  Eigen::Index rows, columns, outputs;
  double lambda;
};

class WellPosed : public ::testing::TestWithParam<Shape> {};

TEST_P(WellPosed, EverySolverAgreesWithLapackAndTheNormalEquations) {
  const auto [rows, columns, outputs, lambda] = GetParam();
  const System systems[] = {random_system(rows, columns, outputs, 7), fourier_system(rows, columns / 2, outputs, 11)};
  for (const System& s : systems) {
    const Eigen::MatrixXd reference = lapack_qr(s, lambda);
    ASSERT_GT(reference.size(), 0);
    const double tolerance = 1e-13 * condition_number(normal_equations(s), lambda) + 1e-12;
    for (const auto& [name, solve] : direct_and_iterative) {
      const Eigen::MatrixXd b = solve(s, lambda);
      EXPECT_LT(relative_difference(b, reference), tolerance) << name;
      EXPECT_LT(normal_residual(s, lambda, b), 1e-12) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, WellPosed,
                         ::testing::Values(Shape{200, 12, 1, 1e-4}, Shape{2000, 24, 1, 1e-4}, Shape{500, 24, 3, 1e-6},
                                           Shape{300, 48, 7, 1e-2}, Shape{300, 12, 2, 0.0}, Shape{20, 12, 1, 1e-3},
                                           Shape{10, 24, 2, 1e-3}, Shape{1, 2, 1, 1.0}, Shape{400, 96, 1, 1e-4}));

TEST(Solvers, OneCallForSeveralOutputsIsOneCallPerOutput) {
  const System s = random_system(100, 12, 3, 5);
  for (const auto& [name, solve] : direct_and_iterative) {
    const Eigen::MatrixXd together = solve(s, 1e-3);
    for (Eigen::Index o = 0; o < 3; ++o) {
      EXPECT_LT(relative_difference(together.col(o), solve({s.a, s.r.col(o)}, 1e-3)), 1e-12) << name << " output " << o;
    }
  }
}

System with_collinear_columns(unsigned seed) {
  System s = fourier_system(300, 6, 2, seed);
  s.a.col(5) = s.a.col(2);                     // a duplicate
  s.a.col(7) = 2.0 * s.a.col(0) - s.a.col(1);  // a combination
  s.a.col(9).setZero();                        // sine of frequency zero
  return s;
}

TEST(Solvers, CollinearColumnsGetTheSmallestNormSolution) {
  const System s = with_collinear_columns(3);
  const Eigen::MatrixXd reference = lapack_smallest_norm(s, 0.0);
  for (const auto& [name, solve] : rank_revealing) {
    const Eigen::MatrixXd b = solve(s, 0.0);
    EXPECT_LT(relative_difference(b, reference), 1e-9) << name;
    EXPECT_LT(normal_residual(s, 0.0, b), 1e-13) << name;
    EXPECT_LT(b.row(9).norm(), 1e-12) << name;
  }
  EXPECT_LT(relative_difference(solve_iterative(s, 0.0), reference), 1e-7);
  EXPECT_EQ(solve_cholesky(s, 0.0).size(), 0) << "Cholesky must refuse, not guess";
}

TEST(Solvers, CollinearColumnsWithARidgeAreOrdinary) {
  const System s = with_collinear_columns(4);
  for (const double lambda : {1e-2, 1e-4, 1e-6}) {
    const Eigen::MatrixXd reference = lapack_qr(s, lambda);
    for (const auto& [name, solve] : direct_and_iterative) {
      EXPECT_LT(relative_difference(solve(s, lambda), reference), 1e-8) << name << " " << lambda;
    }
  }
}

TEST(Solvers, RidgeLostInRoundingMeansTheSmallestNorm) {
  const System s = with_collinear_columns(5);
  const Eigen::MatrixXd reference = lapack_smallest_norm(s, 0.0);
  for (const double lambda : {1e-40, 1e-300}) {
    for (const auto& [name, solve] : rank_revealing) {
      EXPECT_LT(relative_difference(solve(s, lambda), reference), 1e-9) << name << " " << lambda;
    }
  }
}

TEST(Solvers, MoreColumnsThanRows) {
  const System s = random_system(5, 12, 2, 9);
  const Eigen::MatrixXd reference = lapack_smallest_norm(s, 0.0);
  for (const auto& [name, solve] : rank_revealing) {
    const Eigen::MatrixXd b = solve(s, 0.0);
    EXPECT_LT(relative_difference(b, reference), 1e-11) << name;
    EXPECT_LT((s.a * b - s.r).norm(), 1e-12) << name << ": the rows can be met exactly";
  }
}

TEST(Solvers, ZeroMatrixAndZeroRightHandSideGiveZeros) {
  const System zero_matrix{Eigen::MatrixXd::Zero(20, 4), random_matrix(20, 2, 1)};
  const System zero_target{random_matrix(20, 4, 1), Eigen::MatrixXd::Zero(20, 2)};
  for (const System& s : {zero_matrix, zero_target}) {
    for (const double lambda : {0.0, 1e-4}) {
      for (const auto& [name, solve] : rank_revealing) {
        const Eigen::MatrixXd b = solve(s, lambda);
        ASSERT_EQ(b.rows(), 4) << name;
        ASSERT_EQ(b.cols(), 2) << name;
        EXPECT_EQ(b.norm(), 0.0) << name << " " << lambda;
      }
      EXPECT_EQ(solve_iterative(s, lambda).norm(), 0.0);
    }
    EXPECT_EQ(solve_cholesky(s, 1e-4).norm(), 0.0);
  }
}

TEST(Solvers, NoColumnsNoOutputs) {
  const System no_columns{Eigen::MatrixXd(20, 0), random_matrix(20, 2, 1)};
  const System no_outputs{random_matrix(20, 3, 1), Eigen::MatrixXd(20, 0)};
  for (const System& s : {no_columns, no_outputs}) {
    for (const auto& [name, solve] : direct_and_iterative) {
      const Eigen::MatrixXd b = solve(s, 1e-3);
      EXPECT_EQ(b.size(), 0) << name;
    }
  }
}

/// Scaling A by α and R by ρ (and λ by α²) scales the solution by ρ/α.
TEST(Solvers, TinyAndHugeScales) {
  const System s = random_system(60, 6, 2, 21);
  const double lambda = 1e-3;
  const Eigen::MatrixXd reference = lapack_qr(s, lambda);
  for (const double alpha : {1e-19, 1e-60, 1.0, 1e12, 1e60}) {
    for (const double rho : {1e-150, 1e-19, 1e12, 1e150}) {
      const System scaled{alpha * s.a, rho * s.r};
      for (const auto& [name, solve] : direct_and_iterative) {
        const Eigen::MatrixXd b = solve(scaled, lambda * alpha * alpha);
        EXPECT_LT(relative_difference(b / (rho / alpha), reference), 1e-10) << name << " A×" << alpha << " R×" << rho;
      }
    }
  }
}

TEST(Solvers, TheEndsOfTheRangeOfDoublesStayFinite) {
  const System s = random_system(60, 6, 2, 22);
  for (const double alpha : {1e-300, 1e-170, 1e170, 1e300}) {
    for (const double rho : {1e-300, 1e-170, 1e170, 1e300}) {
      const System scaled{alpha * s.a, rho * s.r};
      for (const double lambda : {0.0, 1e-4}) {
        for (const auto& [name, solve] : rank_revealing) {
          const Eigen::MatrixXd b = solve(scaled, lambda);
          EXPECT_TRUE(b.allFinite()) << name << " A×" << alpha << " R×" << rho << " λ " << lambda;
          if (lambda == 0.0 && std::abs(std::log10(rho) - std::log10(alpha)) < 250) {
            EXPECT_LT(relative_difference(b * (alpha / rho), solve(s, 0.0)), 1e-10)
                << name << " A×" << alpha << " R×" << rho;
          }
        }
      }
    }
  }
}

RC_GTEST_PROP(SolverProperties, QrAndSvdAgreeAndHoldTheNormalEquations, ()) {
  const auto rows = static_cast<Eigen::Index>(*rc::gen::inRange(1, 60));
  const auto columns = static_cast<Eigen::Index>(*rc::gen::inRange(1, 30));
  const auto outputs = static_cast<Eigen::Index>(*rc::gen::inRange(1, 5));
  const auto seed = *rc::gen::arbitrary<unsigned>();
  const double lambda = *rc::gen::element(0.0, 1e-8, 1e-4, 1.0);
  System s = random_system(rows, columns, outputs, seed);
  const int duplicates = *rc::gen::inRange(0, 4);  // some columns again, some of them zero
  for (int i = 0; i < duplicates; ++i) {
    const auto to = static_cast<Eigen::Index>(*rc::gen::inRange<std::int64_t>(0, columns));
    const auto from = static_cast<Eigen::Index>(*rc::gen::inRange<std::int64_t>(0, columns));
    s.a.col(to) = s.a.col(from) * *rc::gen::element(0.0, 1.0, -3.0);
  }
  const Eigen::MatrixXd qr = solve_qr(s, lambda);
  const Eigen::MatrixXd svd = solve_svd(s, lambda);
  RC_ASSERT(qr.allFinite());
  RC_ASSERT(normal_residual(s, lambda, qr) < 1e-11);
  RC_ASSERT(normal_residual(s, lambda, svd) < 1e-11);
  RC_ASSERT(relative_difference(qr, svd) < 1e-6 || (qr.norm() < 1e-10 && svd.norm() < 1e-10));
}

RC_GTEST_PROP(SolverProperties, CholeskySolvesOrRefuses, ()) {
  const auto columns = static_cast<Eigen::Index>(*rc::gen::inRange(1, 30));
  const double condition = std::pow(10.0, *rc::gen::inRange(0, 12));
  const System s = graded_system(80, columns, 2, condition, *rc::gen::inRange(0u, 100000u));
  Eigen::MatrixXd b;
  CholeskySolver solver;
  if (solver.solve(normal_equations(s), 0.0, b)) {
    RC_ASSERT(b.allFinite());
    RC_ASSERT(solver.condition() <= largest_trusted_condition);
    RC_ASSERT(normal_residual(s, 0.0, b) < 1e-11);
  }
}

}  // namespace
}  // namespace rfnn::least_squares
