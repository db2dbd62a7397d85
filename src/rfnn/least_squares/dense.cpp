#include "rfnn/least_squares/dense.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace rfnn::dense {

bool cholesky_in_place(Eigen::Ref<Eigen::MatrixXd> matrix) {
  return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>, Eigen::Lower>(matrix).info() == Eigen::Success;
}

Cholesky::Cholesky(const Eigen::Ref<const Eigen::MatrixXd>& matrix, double shift) : factor_(matrix) {
  factor_.diagonal().array() += shift;
  positive_definite_ = cholesky_in_place(factor_) && factor_.diagonal().allFinite();
}

double Cholesky::log_determinant() const { return 2.0 * factor_.diagonal().array().log().sum(); }

void Cholesky::solve_in_place(Eigen::Ref<Eigen::MatrixXd> right) const {
  solve_triangle(Part::lower, factor_, right);
  solve_triangle(Part::lower, factor_, right, true);
}

void Cholesky::half_solve_in_place(Eigen::Ref<Eigen::MatrixXd> right) const {
  solve_triangle(Part::lower, factor_, right);
}

void solve_triangle(Part part, const Eigen::Ref<const Eigen::MatrixXd>& matrix, Eigen::Ref<Eigen::MatrixXd> right,
                    bool transposed) {
  if (part == Part::lower) {
    const auto triangle = matrix.triangularView<Eigen::Lower>();
    if (transposed)
      triangle.transpose().solveInPlace(right);
    else
      triangle.solveInPlace(right);
  } else {
    const auto triangle = matrix.triangularView<Eigen::Upper>();
    if (transposed)
      triangle.transpose().solveInPlace(right);
    else
      triangle.solveInPlace(right);
  }
}

std::optional<SymmetricEigen> symmetric_eigen(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return SymmetricEigen{solver.eigenvalues(), solver.eigenvectors()};
}

std::optional<Eigen::VectorXd> symmetric_eigenvalues(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return solver.eigenvalues();
}

HouseholderQr::HouseholderQr(Eigen::Ref<Eigen::MatrixXd> matrix) : packed_(matrix) {
  const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> decomposition(packed_);
  coefficients_ = decomposition.hCoeffs();
}

void HouseholderQr::apply_transpose(Eigen::Ref<Eigen::MatrixXd> right) const {
  right.applyOnTheLeft(Eigen::householderSequence(packed_, coefficients_.conjugate()).adjoint());
}

PivotedQr pivoted_qr(const Eigen::Ref<const Eigen::MatrixXd>& matrix, Eigen::Ref<Eigen::MatrixXd> right) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition(matrix);
  right.applyOnTheLeft(decomposition.householderQ().adjoint());
  return {decomposition.matrixR().triangularView<Eigen::Upper>(), decomposition.colsPermutation().indices()};
}

Eigen::MatrixXd shortest_solution(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                                  const Eigen::Ref<const Eigen::MatrixXd>& right, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(threshold);
  decomposition.compute(matrix);
  return decomposition.solve(right);
}

}  // namespace rfnn::dense
