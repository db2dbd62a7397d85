#include "rfnn/finders/sampled/metropolis.hpp"

#include <cmath>

#include "rfnn/core/random.hpp"

namespace rfnn::sampled {
namespace {

// One number for each (iteration, feature, variable) of a branch.
std::uint64_t place(std::int64_t iteration, std::size_t features, std::size_t variables, std::size_t feature,
                    std::size_t variable) {
  return (static_cast<std::uint64_t>(iteration) * features + feature) * variables + variable;
}

}  // namespace

bool allowed(const double* frequency, std::size_t variables, Negative rule) {
  for (std::size_t k = 0; k < variables; ++k) {
    if (frequency[k] < 0.0) return false;
    if (frequency[k] > 0.0 && rule == Negative::half_space) return true;
  }
  return true;
}

Matrix initial_frequencies(const BranchMoves& moves, std::size_t features, std::size_t variables, double spread) {
  const Stream stream(moves.seed, Purpose::initial, moves.block, moves.branch);
  Matrix frequencies(features, variables);
  for (std::size_t j = 0; j < features; ++j) {
    double* omega = frequencies.data() + j * variables;
    for (std::size_t k = 0; k < variables; ++k) omega[k] = spread * stream.normal(place(0, features, variables, j, k));
    if (allowed(omega, variables, moves.negative)) continue;
    for (std::size_t k = 0; k < variables; ++k)
      omega[k] = moves.negative == Negative::half_space ? -omega[k] : std::abs(omega[k]);
  }
  return frequencies;
}

void propose(const BranchMoves& moves, std::int64_t iteration, const Matrix& frequencies, Matrix& proposed) {
  const Stream stream(moves.seed, Purpose::proposal, moves.block, moves.branch);
  proposed = frequencies;
  for (std::size_t j = 0; j < frequencies.rows(); ++j)
    for (std::size_t k = 0; k < frequencies.cols(); ++k)
      proposed(j, k) += moves.step * stream.normal(place(iteration, frequencies.rows(), frequencies.cols(), j, k));
}

double amplitude_norm(const Eigen::MatrixXd& amplitudes, Eigen::Index first_row, std::size_t feature) {
  const Eigen::Index row = first_row + 2 * static_cast<Eigen::Index>(feature);
  double norm = 0.0;  // by hypot: squares of the amplitudes of tiny targets would underflow
  for (Eigen::Index o = 0; o < amplitudes.cols(); ++o)
    norm = std::hypot(norm, std::hypot(amplitudes(row, o), amplitudes(row + 1, o)));
  return norm;
}

std::size_t decide(const BranchMoves& moves, std::int64_t iteration, const Matrix& proposed,
                   const Eigen::MatrixXd& proposed_amplitudes, const Eigen::MatrixXd& amplitudes,
                   Eigen::Index first_row, std::vector<char>& accepted) {
  const Stream stream(moves.seed, Purpose::acceptance, moves.block, moves.branch);
  accepted.assign(proposed.rows(), 0);
  std::size_t count = 0;
  for (std::size_t j = 0; j < proposed.rows(); ++j) {
    if (!allowed(proposed.data() + j * proposed.cols(), proposed.cols(), moves.negative)) continue;
    const double old_norm = amplitude_norm(amplitudes, first_row, j);
    const double new_norm = amplitude_norm(proposed_amplitudes, first_row, j);
    // In logarithms: the power of a ratio overflows long before its comparison with U is in doubt. 0/0 gives NaN: not
    // accepted.
    const double log_ratio = moves.gamma * (std::log(new_norm) - std::log(old_norm));
    if (log_ratio > std::log(stream.uniform(place(iteration, proposed.rows(), 1, j, 0)))) {
      accepted[j] = 1;
      ++count;
    }
  }
  return count;
}

}  // namespace rfnn::sampled
