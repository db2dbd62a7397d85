#include <cmath>
#include <limits>

#include "rfnn/least_squares/conditioning.hpp"
#include "rfnn/least_squares/dense.hpp"
#include "rfnn/least_squares/solvers.hpp"

namespace rfnn::least_squares {
namespace {

/// x ← (L Lᵀ)⁻¹ x, one column of the factor at a time: for a few right-hand sides faster than the general routine, and
/// it never allocates.
void substitute(const Eigen::MatrixXd& factor, Eigen::MatrixXd& x) {
  const Eigen::Index n = factor.cols();
  for (Eigen::Index o = 0; o < x.cols(); ++o) {
    auto column = x.col(o);
    for (Eigen::Index k = 0; k < n; ++k) {
      const Eigen::Index below = n - k - 1;
      column(k) /= factor(k, k);
      column.tail(below).noalias() -= column(k) * factor.col(k).tail(below);
    }
    for (Eigen::Index k = n - 1; k >= 0; --k) {
      const Eigen::Index below = n - k - 1;
      column(k) = (column(k) - factor.col(k).tail(below).dot(column.tail(below))) / factor(k, k);
    }
  }
}

}  // namespace

bool CholeskySolver::solve(const NormalEquations& problem, double lambda, Eigen::MatrixXd& amplitudes) {
  const double shift = problem.rows * lambda;
  condition_ = std::numeric_limits<double>::infinity();
  amplitudes = problem.rhs;
  factor_ = problem.gram;
  factor_.diagonal().array() += shift;
  if (!dense::cholesky_in_place(factor_)) return false;
  // The eigenvalues of AᵀA lie between 0 and its trace, so a ridge of any size proves the system sound for nothing: the
  // cheap estimate is for the record then. Without that proof the dear one decides.
  const bool proven = problem.gram.trace() + shift <= largest_trusted_condition * shift;
  const double of_factor = proven ? diagonal_condition(factor_) : triangle_condition<Eigen::Lower>(factor_);
  condition_ = of_factor * of_factor;
  if (!proven && !(condition_ <= largest_trusted_condition)) return false;
  substitute(factor_, amplitudes);
  return amplitudes.allFinite();
}

}  // namespace rfnn::least_squares
