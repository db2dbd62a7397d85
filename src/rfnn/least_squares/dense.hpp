#pragma once

// Private header. Dense decompositions that several use, compiled once.

#include <Eigen/Core>
#include <memory>

namespace rfnn {

/// LLᵀ = M + shift·I of a symmetric matrix M (lower triangle).
class ShiftedCholesky {
 public:
  ShiftedCholesky();
  ~ShiftedCholesky();
  ShiftedCholesky(ShiftedCholesky&&) noexcept;
  ShiftedCholesky& operator=(ShiftedCholesky&&) noexcept;

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
  [[nodiscard]] const Eigen::MatrixXd& lower() const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

/// Eigenvalues, ascending.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& matrix);
/// Eigenvalues, ascending, and the eigenvectors in columns.
void symmetric_eigen(const Eigen::MatrixXd& matrix, Eigen::VectorXd& values, Eigen::MatrixXd& vectors);

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

}  // namespace rfnn
