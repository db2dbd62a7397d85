#pragma once

// Private header. Wide blocks for one or two inputs: all frequencies of a regular lattice at once, solved by fast
// Fourier transforms, with a prior on the amplitudes that is learnt from the data.

#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::lattice {

/// Which frequencies, and how strong each is expected to be: the amplitudes are Gaussian with variance S_k, the rows
/// carry white noise of variance σ². The block's function is then a stationary Gaussian process seen through the rows.
struct LatticePrior {
  rows::LatticeMap map;
  rows::HalfLattice lattice;
  std::vector<std::vector<double>> spectrum;  ///< S_k per output, by the number of the lattice point
  std::vector<double> ridge;                  ///< σ² per output
  std::vector<rows::Coefficients> start;      ///< amplitudes found while learning, per output: where a fit starts
  double held_out_mse = 0.0;                  ///< over all outputs
  rows::TiledColumns honest;                  ///< finders::FoundBlock::honest
  bool cut = false;                           ///< by max_features: the rows would resolve more
  bool complete = true;                       ///< false: interrupted, the best by then; `start` is then the fit
};

/// How far a fit goes: to the end, roughly, or no further than the amplitudes found while learning, which takes no
/// time.
enum class FitEffort { full, rough, as_learnt };

/// A block's worth of features as model/network.hpp has them.
struct LatticeBlock {
  Branch branch;
  double ridge = 0.0;  ///< σ² over the mean square of the residual, mean of the outputs
  double held_out_mse = 0.0;
};

/// Finds lattice, spectrum and noise from training rows (θ and what is to be fitted there) with the help of held-out
/// rows. The lattice reaches as far as the rows resolve and no further than max_features; its period exceeds the rows'
/// extent. Starting from a rough prior, the spectrum is re-estimated until the amplitudes found from the data have, in
/// every neighbourhood of frequencies, the power of those found from data simulated by the prior itself; the held-out
/// rows say when to stop. Nothing when interrupted, or where the rows are no case for it: other than one or two inputs,
/// or fewer than 30 distinct values of the one, 8 of each of the two.
std::optional<LatticePrior> learn_lattice_prior(rows::RowWork& work, const rows::RowState& train,
                                                const rows::RowState& held_out, std::size_t max_features,
                                                Interrupt& interrupt);

/// The block of a prior for any rows. Features of the least amplitude are left out as long as together they carry next
/// to nothing of the held-out error, and beyond max_features. Nothing when
/// interrupted.
std::optional<LatticeBlock> fit_lattice(rows::RowWork& work, const LatticePrior& prior, const rows::RowState& rows,
                                        std::size_t max_features, Interrupt& interrupt,
                                        FitEffort effort = FitEffort::full);

}  // namespace rfnn::lattice
