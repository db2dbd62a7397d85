#pragma once

// Private header. The two rules of the Metropolis step, for all features of a branch at once.

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::sampled {

/// Where the random numbers of one branch of one block come from, and how it moves.
struct BranchMoves {
  std::uint64_t seed = 0;
  std::uint64_t block = 0;
  std::uint64_t branch = 0;
  double gamma = 10.0;
  double step = 1.0;  ///< standard deviation √δ of a proposal
  Negative negative = Negative::half_space;
  bool frozen = false;
};

/// ω_j ~ N(0, spread² I), turned to the allowed side of the symmetry ω → −ω.
Matrix initial_frequencies(const BranchMoves& moves, std::size_t features, std::size_t variables, double spread);

/// ω̄_j ~ N(ω_j, δ I).
void propose(const BranchMoves& moves, std::int64_t iteration, const Matrix& frequencies, Matrix& proposed);

/// A real function needs only one of ω and −ω. half_space: the first component that is not zero is positive. component:
/// no component is negative.
bool allowed(const double* frequency, std::size_t variables, Negative rule);

/// |b_j| over the outputs: the norm of rows 2j and 2j + 1 of the amplitudes, which start at `first_row`.
double amplitude_norm(const Eigen::MatrixXd& amplitudes, Eigen::Index first_row, std::size_t feature);

/// Marks the features to accept: allowed, and (|b̄_j| / |b_j|)^γ > U(0,1). The features' amplitudes start at `first_row`
/// of both matrices. Returns how many.
std::size_t decide(const BranchMoves& moves, std::int64_t iteration, const Matrix& proposed,
                   const Eigen::MatrixXd& proposed_amplitudes, const Eigen::MatrixXd& amplitudes,
                   Eigen::Index first_row, std::vector<char>& accepted);

}  // namespace rfnn::sampled
