// The decompositions that are compiled once give Eigen's numbers, to the bit.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "rfnn/least_squares/dense.hpp"

namespace rfnn::least_squares {
namespace {

/// Numbers between -1 and 1 without an order that could help.
Eigen::MatrixXd scattered(Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd matrix(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < rows; ++i)
      matrix(i, j) = std::sin(1.7 * static_cast<double>(i * i + 1) + 0.9 * static_cast<double>(j * (i + 3)));
  return matrix;
}

Eigen::MatrixXd positive(Eigen::Index size) {
  const Eigen::MatrixXd a = scattered(size + 3, size);
  return a.transpose() * a;
}

TEST(Dense, CholeskyIsEigensOfTheShiftedMatrix) {
  for (const Eigen::Index size : {1, 7, 150}) {
    const Eigen::MatrixXd matrix = positive(size);
    const Eigen::MatrixXd right = scattered(size, 3);
    const Eigen::LLT<Eigen::MatrixXd> expected(matrix + 0.25 * Eigen::MatrixXd::Identity(size, size));
    const dense::Cholesky factor(matrix, 0.25);
    ASSERT_TRUE(factor.positive_definite());
    Eigen::MatrixXd solution = right;
    factor.solve_in_place(solution);
    EXPECT_EQ(solution, expected.solve(right));
    Eigen::MatrixXd half = right;
    factor.half_solve_in_place(half);
    EXPECT_EQ(half, expected.matrixL().solve(right));
    const Eigen::MatrixXd lower = factor.lower().triangularView<Eigen::Lower>();
    EXPECT_EQ(lower, Eigen::MatrixXd(expected.matrixL()));
    EXPECT_NEAR(factor.log_determinant(), 2.0 * lower.diagonal().array().log().sum(), 1e-12);
  }
}

TEST(Dense, CholeskySaysWhatIsNotPositiveDefinite) {
  EXPECT_FALSE(dense::Cholesky(-Eigen::MatrixXd::Identity(3, 3)).positive_definite());
  EXPECT_TRUE(dense::Cholesky(-Eigen::MatrixXd::Identity(3, 3), 2.0).positive_definite());
  Eigen::MatrixXd broken = Eigen::MatrixXd::Identity(3, 3);
  broken(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(dense::Cholesky(broken).positive_definite());
}

TEST(Dense, TrianglesReadOnlyTheirPart) {
  const Eigen::MatrixXd matrix = scattered(40, 40) + 10.0 * Eigen::MatrixXd::Identity(40, 40);
  const Eigen::MatrixXd right = scattered(40, 2);
  const auto solved = [&](dense::Part part, bool transposed) {
    Eigen::MatrixXd x = right;
    dense::solve_triangle(part, matrix, x, transposed);
    return x;
  };
  EXPECT_EQ(solved(dense::Part::lower, false), matrix.triangularView<Eigen::Lower>().solve(right));
  EXPECT_EQ(solved(dense::Part::lower, true), matrix.triangularView<Eigen::Lower>().transpose().solve(right));
  EXPECT_EQ(solved(dense::Part::upper, false), matrix.triangularView<Eigen::Upper>().solve(right));
  EXPECT_EQ(solved(dense::Part::upper, true), matrix.triangularView<Eigen::Upper>().transpose().solve(right));
}

TEST(Dense, EigenvaluesAreEigensAndRefusedWhereThereAreNone) {
  const Eigen::MatrixXd matrix = positive(30);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> expected(matrix);
  const auto found = dense::symmetric_eigen(matrix);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values, expected.eigenvalues());
  EXPECT_EQ(found->vectors, expected.eigenvectors());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> only(matrix, Eigen::EigenvaluesOnly);
  EXPECT_EQ(dense::symmetric_eigenvalues(matrix).value(), only.eigenvalues());
  const Eigen::MatrixXd broken = Eigen::MatrixXd::Constant(3, 3, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(dense::symmetric_eigenvalues(broken));
}

TEST(Dense, HouseholderIsEigens) {
  const Eigen::MatrixXd matrix = scattered(90, 20);
  const Eigen::MatrixXd right = scattered(90, 3);
  const Eigen::HouseholderQR<Eigen::MatrixXd> expected(matrix);
  Eigen::MatrixXd packed = matrix;
  const dense::HouseholderQr found(packed);
  EXPECT_EQ(packed, expected.matrixQR());
  Eigen::MatrixXd rotated = right;
  found.apply_transpose(rotated);
  Eigen::MatrixXd rotated_by_eigen = right;
  rotated_by_eigen.applyOnTheLeft(expected.householderQ().adjoint());
  EXPECT_EQ(rotated, rotated_by_eigen);
}

TEST(Dense, PivotedHouseholderIsEigens) {
  const Eigen::MatrixXd matrix = scattered(30, 30) * Eigen::VectorXd::LinSpaced(30, 1.0, 4.0).asDiagonal();
  const Eigen::MatrixXd right = scattered(30, 3);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> expected(matrix);
  Eigen::MatrixXd rotated = right;
  const dense::PivotedQr found = dense::pivoted_qr(matrix, rotated);
  EXPECT_EQ(found.upper, Eigen::MatrixXd(expected.matrixR().triangularView<Eigen::Upper>()));
  EXPECT_EQ(found.order, expected.colsPermutation().indices());
  Eigen::MatrixXd rotated_by_eigen = right;
  rotated_by_eigen.applyOnTheLeft(expected.householderQ().adjoint());
  EXPECT_EQ(rotated, rotated_by_eigen);
}

TEST(Dense, TheShortestSolutionOfADeficientSystem) {
  Eigen::MatrixXd matrix = scattered(20, 4);
  matrix.col(3) = matrix.col(0);
  const Eigen::MatrixXd right = scattered(20, 1);
  const Eigen::MatrixXd found = dense::shortest_solution(matrix, right, 1e-10);
  EXPECT_NEAR(found(0, 0), found(3, 0), 1e-12);  // the shortest shares equally
  EXPECT_LT((matrix.transpose() * (matrix * found - right)).norm(), 1e-10);
}

}  // namespace
}  // namespace rfnn::least_squares
