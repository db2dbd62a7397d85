#pragma once

// Private header: Eigen's decompositions of dense matrices of doubles, each compiled once. Used directly they are
// compiled anew by every source that names one, for five to ten seconds each. The numbers are Eigen's, to the bit, for
// right-hand sides that are matrices; a single column goes the way of a matrix too.

#include <optional>

#include <Eigen/Core>

namespace rfnn::dense {

/// L Lᵀ = A, by Cholesky's method: L in place of the lower triangle of A, which is all that is read. False where A is
/// not positive definite to rounding.
bool cholesky_in_place(Eigen::Ref<Eigen::MatrixXd> matrix);

/// The same, with what is solved by it.
class Cholesky {
 public:
  Cholesky() = default;
  /// Of `matrix` + `shift` times the identity; reads the lower triangle of `matrix`.
  explicit Cholesky(const Eigen::Ref<const Eigen::MatrixXd>& matrix, double shift = 0.0);

  /// False where A is not positive definite to rounding, or not finite; nothing else may be asked then.
  [[nodiscard]] bool positive_definite() const { return positive_definite_; }
  /// L in the lower triangle; what is above the diagonal is of no use.
  [[nodiscard]] const Eigen::MatrixXd& lower() const { return factor_; }
  /// ln det A.
  [[nodiscard]] double log_determinant() const;
  /// A⁻¹ B in place of B.
  void solve_in_place(Eigen::Ref<Eigen::MatrixXd> right) const;
  /// L⁻¹ B in place of B.
  void half_solve_in_place(Eigen::Ref<Eigen::MatrixXd> right) const;

 private:
  Eigen::MatrixXd factor_;
  bool positive_definite_ = false;
};

enum class Part { lower, upper };

/// T⁻¹ B in place of B, or T⁻ᵀ B; T is the part of `matrix` named, the rest is not read.
void solve_triangle(Part part, const Eigen::Ref<const Eigen::MatrixXd>& matrix, Eigen::Ref<Eigen::MatrixXd> right,
                    bool transposed = false);

/// A symmetric matrix's eigenvalues, smallest first, and its eigenvectors as columns.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
/// Reads the lower triangle. Nothing where the iteration does not converge, which numbers that are not finite cause.
std::optional<SymmetricEigen> symmetric_eigen(const Eigen::Ref<const Eigen::MatrixXd>& matrix);
std::optional<Eigen::VectorXd> symmetric_eigenvalues(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

/// Q R = A, by Householder's reflections; A has at least as many rows as columns.
class HouseholderQr {
 public:
  /// In place of A, which stays where it is as long as this: R in the upper triangle of the top, below it what Q is
  /// made of.
  explicit HouseholderQr(Eigen::Ref<Eigen::MatrixXd> matrix);
  /// Qᵀ B in place of B.
  void apply_transpose(Eigen::Ref<Eigen::MatrixXd> right) const;

 private:
  Eigen::Ref<Eigen::MatrixXd> packed_;
  Eigen::VectorXd coefficients_;
};

/// Q R = A Π, the columns in an order in which the diagonal of R falls in size.
struct PivotedQr {
  Eigen::MatrixXd upper;  ///< R; 0 below the diagonal
  Eigen::VectorXi order;  ///< column i of A Π is this column of A
};
/// Puts Qᵀ B in the place of B.
PivotedQr pivoted_qr(const Eigen::Ref<const Eigen::MatrixXd>& matrix, Eigen::Ref<Eigen::MatrixXd> right);

/// The shortest X that makes |A X − B| smallest, also where A has not full rank: pivots below `threshold` times the
/// largest count as zero. By a complete orthogonal decomposition.
Eigen::MatrixXd shortest_solution(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                                  const Eigen::Ref<const Eigen::MatrixXd>& right, double threshold);

}  // namespace rfnn::dense
