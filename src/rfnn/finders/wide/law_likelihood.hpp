#pragma once

// Private header. How likely rows are under a law of frequencies, and how its parameters should change.
//
//   r ~ N(0, A) per output,   A = K + σ² W⁻¹,   α = A⁻¹ r
//   cost  = ½ rᵀα + ½ ln det A, summed over the m outputs
//   ∂cost = ½ Σ Q ∘ ∂A,   Q = m A⁻¹ − α αᵀ
//
// Leaving row i out leaves the error α_i / (A⁻¹)_ii there, which falls off by the way.

#include <Eigen/Core>

#include "rfnn/core/parallel.hpp"
#include "rfnn/finders/wide/law_parameters.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::wide {

class LawLikelihood {
 public:
  /// Refers to all it is given.
  LawLikelihood(rows::RowWork& work, const rows::RowState& rows, const LawParameters& parameters, Interrupt& interrupt)
      : work_(work), rows_(rows), parameters_(parameters), interrupt_(interrupt) {}

  /// −ln of likelihood times prior, and its gradient. Infinite, the gradient zero, where the covariance is not positive
  /// definite to rounding, or when interrupted.
  double operator()(const Eigen::VectorXd& x, Eigen::VectorXd& gradient);

  /// Weighted mean over the rows of the squared errors by leave-one-out, summed over outputs, at the last x.
  [[nodiscard]] double left_out() const { return left_out_; }

 private:
  rows::RowWork& work_;
  const rows::RowState& rows_;
  const LawParameters& parameters_;
  Interrupt& interrupt_;
  dense::Triangle<double> matrix_;  ///< kept for the next x
  double left_out_ = 0.0;
};

}  // namespace rfnn::wide
