#include "rfnn/least_squares/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rfnn {

struct ShiftedCholesky::Factor {
  Eigen::LLT<Eigen::MatrixXd> llt;
};

ShiftedCholesky::ShiftedCholesky() : factor_(std::make_unique<Factor>()) {}
ShiftedCholesky::~ShiftedCholesky() = default;
ShiftedCholesky::ShiftedCholesky(ShiftedCholesky&&) noexcept = default;
ShiftedCholesky& ShiftedCholesky::operator=(ShiftedCholesky&&) noexcept = default;

bool ShiftedCholesky::factor(const Eigen::MatrixXd& matrix, double shift) {
  Eigen::MatrixXd shifted = matrix;
  shifted.diagonal().array() += shift;
  factor_->llt.compute(shifted);
  return factor_->llt.info() == Eigen::Success;
}

void ShiftedCholesky::factor_surely(const Eigen::MatrixXd& matrix, double shift) {
  const double scale =
      std::max(matrix.size() > 0 ? matrix.diagonal().maxCoeff() : 0.0, std::numeric_limits<double>::min());
  // Below this rounding decides whether the factor exists.
  shift = std::max(shift, 1e-14 * scale);
  while (!factor(matrix, shift) && shift < scale) shift *= 10.0;
}

Eigen::MatrixXd ShiftedCholesky::solve(const Eigen::MatrixXd& right) const { return factor_->llt.solve(right); }

void ShiftedCholesky::solve_in_place(Eigen::Ref<Eigen::MatrixXd> right) const { factor_->llt.solveInPlace(right); }

Eigen::MatrixXd ShiftedCholesky::half_solve(const Eigen::MatrixXd& right) const {
  return factor_->llt.matrixL().solve(right);
}

Eigen::VectorXd ShiftedCholesky::inverse_diagonal() const {
  const Eigen::Index n = factor_->llt.rows();
  return half_solve(Eigen::MatrixXd::Identity(n, n)).colwise().squaredNorm().transpose();
}

const Eigen::MatrixXd& ShiftedCholesky::lower() const { return factor_->llt.matrixLLT(); }

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& matrix) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

void symmetric_eigen(const Eigen::MatrixXd& matrix, Eigen::VectorXd& values, Eigen::MatrixXd& vectors) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(matrix);
  values = eigen.eigenvalues();
  vectors = eigen.eigenvectors();
}

ChosenRidge choose_ridge(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& rhs, double energy, double rows,
                         double cost, double least) {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  symmetric_eigen(gram, values, vectors);
  values = values.cwiseMax(0.0).eval();
  const Eigen::MatrixXd projected = vectors.transpose() * rhs;
  ChosenRidge best{least, std::numeric_limits<double>::infinity()};
  for (double lambda = 1.0; lambda >= 0.99 * least; lambda /= std::sqrt(10.0)) {
    const double shift = rows * lambda;
    double misfit = energy, freedom = 0.0;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      const double filter = 1.0 / (values(i) + shift);
      misfit -= projected.row(i).squaredNorm() * filter * (2.0 - values(i) * filter);
      freedom += values(i) * filter;
    }
    const double left = rows - cost * freedom;
    if (left <= 0.02 * rows) continue;  // more freedom than rows: nothing is known
    const double score = std::max(misfit, 1e-15 * energy) * rows / (left * left);
    if (score < best.score) best = {lambda, score};
  }
  return best;
}

}  // namespace rfnn
