#include "rfnn/least_squares/shifted_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace rfnn::least_squares {

bool ShiftedCholesky::factor(const Eigen::MatrixXd& matrix, double shift) {
  factor_ = dense::Cholesky(matrix, shift);
  return factor_.positive_definite();
}

void ShiftedCholesky::factor_surely(const Eigen::MatrixXd& matrix, double shift) {
  const double scale =
      std::max(matrix.size() > 0 ? matrix.diagonal().maxCoeff() : 0.0, std::numeric_limits<double>::min());
  // Below this rounding decides whether the factor exists.
  shift = std::max(shift, 1e-14 * scale);
  while (!factor(matrix, shift) && shift < scale) shift *= 10.0;
}

Eigen::MatrixXd ShiftedCholesky::solve(const Eigen::MatrixXd& right) const {
  Eigen::MatrixXd solution = right;
  factor_.solve_in_place(solution);
  return solution;
}

void ShiftedCholesky::solve_in_place(Eigen::Ref<Eigen::MatrixXd> right) const { factor_.solve_in_place(right); }

Eigen::MatrixXd ShiftedCholesky::half_solve(const Eigen::MatrixXd& right) const {
  Eigen::MatrixXd solution = right;
  factor_.half_solve_in_place(solution);
  return solution;
}

Eigen::VectorXd ShiftedCholesky::inverse_diagonal() const {
  const Eigen::Index n = lower().rows();
  return half_solve(Eigen::MatrixXd::Identity(n, n)).colwise().squaredNorm().transpose();
}

ChosenRidge choose_ridge(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& rhs, double energy, double rows,
                         double cost, double least) {
  ChosenRidge best{least, std::numeric_limits<double>::infinity()};
  const std::optional<dense::SymmetricEigen> eigen = dense::symmetric_eigen(gram);
  if (!eigen) return best;
  const Eigen::VectorXd values = eigen->values.cwiseMax(0.0);
  const Eigen::MatrixXd projected = eigen->vectors.transpose() * rhs;
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

}  // namespace rfnn::least_squares
