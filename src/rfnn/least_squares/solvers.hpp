#pragma once

// Private header. Every solver minimises (1/N)|A B − R|² + λ|B|² and writes B (n × m). None throws and none gives NaN
// for collinear columns: rank-deficient problems get the solution of smallest norm.

#include <cstdint>
#include <functional>

#include "rfnn/least_squares/problem.hpp"

namespace rfnn::least_squares {

/// Above this the normal equations are not trusted (condition of AᵀA + NλI).
inline constexpr double largest_trusted_condition = 1e12;

/// LLᵀ of AᵀA + NλI. Holds its workspace, so that repeated solves of one size do not allocate.
class CholeskySolver {
 public:
  /// False when the factorisation fails, the condition estimate is above `largest_trusted_condition`, or the result is
  /// not finite; `amplitudes` is then unspecified.
  bool solve(const NormalEquations& problem, double lambda, Eigen::MatrixXd& amplitudes);
  /// Estimate of the last solve's condition number: from below, rough where the ridge alone proves it harmless;
  /// infinite when the factorisation failed.
  [[nodiscard]] double condition() const { return condition_; }

 private:
  Eigen::MatrixXd factor_;
  double condition_ = 0.0;
};

/// Householder QR of [upper; √(Nλ) I]: with the triangle of the rows this is the QR of the whole stacked system.
class QrSolver {
 public:
  void solve(const Triangle& problem, double lambda, Eigen::MatrixXd& amplitudes);
  [[nodiscard]] double condition() const { return condition_; }  ///< estimate, of the stacked system

 private:
  Eigen::MatrixXd stack_, factor_, right_;
  double condition_ = 0.0;
};

/// Singular values of the triangle with the filter s / (s² + Nλ).
class SvdSolver {
 public:
  void solve(const Triangle& problem, double lambda, Eigen::MatrixXd& amplitudes);
  [[nodiscard]] double condition() const { return condition_; }  ///< of the stacked system

 private:
  double condition_ = 0.0;
};

/// Collects the triangle of A and QᵀR tile by tile in memory of W size: Householder QR of [triangle so far; tile].
class TriangleBuilder {
 public:
  TriangleBuilder(Eigen::Index columns, Eigen::Index outputs);
  /// Features (rows × n) and residuals (rows × m) of one tile.
  void add(const Eigen::Ref<const Eigen::MatrixXd>& features, const Eigen::Ref<const Eigen::MatrixXd>& residuals);
  /// Adds the rows another builder has seen (chunks are merged in a fixed order).
  void add(const TriangleBuilder& other);
  [[nodiscard]] Triangle triangle() const;

 private:
  void reduce(const Eigen::RowVectorXd& scale_below);

  Eigen::MatrixXd stack_;     ///< (n + m) × (n + m) upper triangle of [A | R], columns divided by scale_
  Eigen::RowVectorXd scale_;  ///< powers of two, one for ordinary numbers
  Eigen::MatrixXd work_;      ///< [stack_; new rows]
  Eigen::Index columns_;
  Eigen::Index outputs_;
  double rows_ = 0.0;
};

struct IterativeResult {
  std::int64_t iterations = 0;
  bool converged = false;
  bool cancelled = false;  ///< the product said stop; `amplitudes` is the last iterate
  double relative_residual = 0.0;
};

/// Conjugate gradients of the chain, on (AᵀA + NλI) B = AᵀR without a matrix: `product` writes AᵀA·V and returns false
/// to stop. `amplitudes` holds the start (zeros, or the last solution) and receives the result. All outputs run
/// together, each with its own step lengths; the residual is recomputed from time to time so that rounding does not
/// pile up. Ends at |AᵀR − (AᵀA + NλI)B| ≤ tolerance·|AᵀR| in every output, when rounding allows no progress, or after
/// `max_iterations`; the iterate of the lowest objective is kept. From zeros it finds the solution of smallest norm.
IterativeResult solve_iteratively(
    const std::function<bool(const Eigen::MatrixXd& v, Eigen::MatrixXd& product)>& product, const Eigen::MatrixXd& rhs,
    double rows, double lambda, double tolerance, std::int64_t max_iterations, Eigen::MatrixXd& amplitudes);

/// Condition number (2-norm) of AᵀA + NλI from its eigenvalues: for the record of a block, not for the inner loop.
double condition_number(const NormalEquations& problem, double lambda);

}  // namespace rfnn::least_squares
