#pragma once

// Private header. Symmetric systems with a multiple of the identity added, which ridge regression comes down to.

#include <Eigen/Core>

#include "rfnn/least_squares/dense.hpp"

namespace rfnn::least_squares {

/// LLᵀ = M + shift·I of a symmetric matrix M (lower triangle).
class ShiftedCholesky {
 public:
  /// False where the matrix is not positive definite.
  bool factor(const Eigen::MatrixXd& matrix, double shift);
  /// The same; where rounding makes the matrix singular the shift is raised tenfold as often as needed, up to the scale
  /// of the matrix.
  void factor_surely(const Eigen::MatrixXd& matrix, double shift);

  [[nodiscard]] Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
  void solve_in_place(Eigen::Ref<Eigen::MatrixXd> right) const;
  /// L⁻¹ right.
  [[nodiscard]] Eigen::MatrixXd half_solve(const Eigen::MatrixXd& right) const;
  /// diag (M + shift·I)⁻¹: solving M u = r, leaving row i out leaves the error u_i over its i-th entry.
  [[nodiscard]] Eigen::VectorXd inverse_diagonal() const;
  /// L in the lower triangle.
  [[nodiscard]] const Eigen::MatrixXd& lower() const { return factor_.lower(); }

 private:
  dense::Cholesky factor_;
};

/// λ by generalised cross-validation from one eigendecomposition of a Gram matrix: the minimum over λ ≥ `least` of
/// N|e|²/(N − c·edf)², where c ≥ 1 is the cost of a degree of freedom (features whose frequencies were chosen by the
/// same rows cost more than their amplitudes). `score` is the minimum, per row.
struct ChosenRidge {
  double lambda = 0.0;
  double score = 0.0;
};
/// `gram` AᵀA, `rhs` AᵀR, `energy` |R|² summed over outputs.
ChosenRidge choose_ridge(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& rhs, double energy, double rows,
                         double cost, double least);

}  // namespace rfnn::least_squares
