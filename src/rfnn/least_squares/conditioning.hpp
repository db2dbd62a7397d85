#pragma once

// Private header: how much a triangle can be trusted, and where its rank ends.

#include <Eigen/Dense>

namespace rfnn::least_squares {

/// (largest / smallest diagonal entry) of a triangle: a lower bound of its condition number that costs nothing.
double diagonal_condition(const Eigen::MatrixXd& triangle);

/// Estimate of the condition number (2-norm) of a lower or upper triangle, from a few power iterations on TᵀT and
/// as many on its inverse: O(n²), a lower bound, within a small factor in practice. Infinite when T is singular. Only
/// the triangle named by `Mode` (Eigen::Lower or Eigen::Upper) of the upper-left n × n part is read.
template <unsigned Mode>
double triangle_condition(const Eigen::Ref<const Eigen::MatrixXd>& triangle);

/// Singular values at most this times the largest one count as zero: above the noise that rounding leaves in the
/// triangle of many rows, far below anything that shows in a misfit.
double rank_tolerance(Eigen::Index columns);

/// Replaces values that overflowed by the largest finite ones of the same sign.
void saturate(Eigen::MatrixXd& values);

}  // namespace rfnn::least_squares
