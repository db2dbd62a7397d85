#pragma once

// The published algorithm as its authors describe it, in a plain loop: the baseline that speed is measured against. It
// is kept as it is for ever. It shares nothing with the library but the random numbers, so that both walk the same
// path.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rfnn/data/dataset.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::baseline {

/// W frequencies over some variables, row by row, and how they move.
struct PlainBranch {
  bool sees_state = false;  ///< variables are the scalar state z instead of the inputs θ
  std::size_t variables = 1;
  double gamma = 10.0;
  double step = 1.0;  ///< √δ
  std::uint64_t stream = 0;
  std::vector<double> frequencies;  ///< W × variables
};

/// What a user of LAPACK may choose without touching the algorithm.
struct Manner {
  int blas_threads = 1;      ///< of OpenBLAS; all else runs on one
  bool vector_trig = false;  ///< cosines and sines by the C library's vector functions (-ffast-math), not std::cos
};

/// Trains one output, block by block:
///
///   ω, ω′ ~ N(0, I); solve for all amplitudes; then per iteration
///     1. propose all ω̄; build the matrix with ω̄ and ω′, solve; accept each ω̄_j where (|b̄_j| / |b_j|)^γ > U;
///     2. propose all ω̄′; build the matrix with ω and ω̄′, solve; accept each ω̄′_j where (|b̄′_j| / |b′_j|)^γ′ > U;
///     3. build the matrix with ω and ω′, solve.
///
/// Block 1 has no ω′. Every solve computes all cosines and sines anew, stacks √(Nλ)·I below the N × 4W matrix and calls
/// LAPACK's QR (dgeqrf, dormqr, dtrtrs). δ is a variance, negative frequencies are rejected, the last state is kept.
class PlainLoop {
 public:
  /// Standardises the inputs; uses width, gammas, deltas, ridge and seed of the options.
  PlainLoop(const Dataset& data, const Options& options, const Manner& manner = {});

  /// How to go on from here.
  void set(const Manner& manner);

  /// Draws the frequencies of the next block and solves for their amplitudes.
  void begin_block();
  /// One Gibbs iteration.
  void iterate();
  /// z ← z + block.
  void end_block();

  [[nodiscard]] const std::vector<PlainBranch>& branches() const { return branches_; }

 private:
  void build_matrix(const std::vector<PlainBranch>& branches);
  void solve(const std::vector<PlainBranch>& branches, std::vector<double>& amplitudes);
  void move(std::size_t branch);

  Options options_;
  Manner manner_;
  std::size_t rows_, inputs_, width_;
  std::vector<double> theta_, target_, state_;
  std::uint64_t block_ = 0;
  std::uint64_t iteration_ = 0;
  std::vector<PlainBranch> branches_;
  std::vector<double> amplitudes_;      ///< Re, Im per feature, of the last full solve
  std::vector<double> matrix_, right_;  ///< stacked system, column-major
  std::vector<double> phases_;
  std::vector<double> reflectors_, workspace_;
};

}  // namespace rfnn::baseline
