#pragma once

// Private header. Wide blocks for one or two inputs: all frequencies of a regular lattice at once, solved by fast
// Fourier transforms, with a prior on the amplitudes that is learnt from the data.

#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/rows/lattice/lattice_transform.hpp"
#include "rfnn/rows/lattice/nufft.hpp"

namespace rfnn {

/// Which frequencies, and how strong each is expected to be: the amplitudes are Gaussian with variance S_k, the rows
/// carry white noise of variance σ². The block's function is then a stationary Gaussian process seen through the rows.
struct LatticePrior {
  LatticeMap map;
  HalfLattice lattice;
  std::vector<std::vector<double>> spectrum;  ///< S_k per output, by the number of the lattice point
  std::vector<double> ridge;                  ///< σ² per output
  std::vector<Coefficients> start;            ///< amplitudes found while learning, per output: where a fit starts
  double held_out_mse = 0.0;                  ///< over all outputs
};

/// A block's worth of features as model/network.hpp has them.
struct LatticeBlock {
  Matrix frequencies;  ///< features × variables, in standardised units, the zero frequency among them
  Matrix amplitudes;   ///< (2 · features) × outputs; row 2j holds Re b_j (cos), row 2j+1 Im b_j (−sin)
  double ridge = 0.0;  ///< σ² over the mean square of the residual, mean of the outputs
  double held_out_mse = 0.0;
};

/// How much rows count, of mean 1; empty: all alike. The noise of a row has variance σ²/w.
struct LatticeWeights {
  std::vector<double> train, held_out;
};

/// Finds lattice, spectrum and noise from training rows (θ and what is to be fitted there) with the help of held-out
/// rows. The lattice reaches as far as the rows resolve and no further than max_features; its period exceeds the rows'
/// extent. Starting from a rough prior, the spectrum is re-estimated until the amplitudes found from the data have, in
/// every neighbourhood of frequencies, the power of those found from data simulated by the prior itself; the held-out
/// rows say when to stop. Nothing when interrupted, or where the rows are no case for it: other than one or two inputs,
/// or fewer than 30 distinct values of the one, 8 of each of the two.
std::optional<LatticePrior> learn_lattice_prior(ConstMatrixView theta, ConstMatrixView residual,
                                                ConstMatrixView held_theta, ConstMatrixView held_residual,
                                                std::size_t max_features, std::size_t threads, Interrupt& interrupt,
                                                const LatticeWeights& weights = {});

/// The block of a prior for any rows. Features of the least amplitude are left out as long as together they carry less
/// than `negligible` times the held-out error, and beyond max_features. Nothing when interrupted.
std::optional<LatticeBlock> fit_lattice(const LatticePrior& prior, ConstMatrixView theta, ConstMatrixView residual,
                                        std::size_t max_features, std::size_t threads, Interrupt& interrupt,
                                        double negligible = 1e-4, const std::vector<double>& weights = {});

/// out += the sum of features at all rows, in time that hardly depends on their number, where the frequencies lie on a
/// lattice and this is the shorter way; false, and nothing done, where not (or when interrupted). Amplitudes as in a
/// Branch. Agrees with the sum feature by feature to about 1e-12 of the sum of |b_j| for rows near the origin.
bool add_lattice_values(const Matrix& frequencies, const Matrix& amplitudes, ConstMatrixView theta, MatrixView out,
                        std::size_t threads, Interrupt& interrupt);

/// Whether add_lattice_values() is worth a try: one wide branch over one or two inputs.
bool may_be_lattice(const Block& block);

}  // namespace rfnn
