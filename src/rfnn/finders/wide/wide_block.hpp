#pragma once

// Private header. Wide blocks: thousands of features over the inputs at given frequencies, each with its own prior
// standard deviation s_f. The amplitudes minimise |A S c − r|² + λ|c|², b = S c: nothing of the size rows × features or
// features × features is ever stored.
//
//   few rows   the dual: K = A S² Aᵀ (rows × rows), (K + λ I) u = r, c = S Aᵀ u
//   many rows  conjugate gradients on the normal equations, preconditioned by the dual of some of the rows
//
// Rows of weight w count w times: all of A and r is multiplied by √w.
//
// λ is the variance of the noise where s² are those of the amplitudes: it does not grow with the number of rows.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::wide {

struct WideFit {
  Matrix amplitudes;  ///< (2 · features) × outputs, as in Branch
  double lambda = 0.0;
  double held_out = 0.0;  ///< mean square left on the judging rows, summed over outputs
};

/// Fits for the λ listed and keeps the one best by leave-one-out where rows are few, by `held_out` otherwise; with one
/// λ that one, and `held_out` is 0. `seed` draws the rows of the preconditioner; iterations begin from the amplitudes
/// `start`. Nothing when interrupted, but iterations for a single λ give what they have: a fit, if a rough one.
std::optional<WideFit> fit_wide(rows::RowWork& work, const rows::RowState& rows, const rows::RowState& held_out,
                                const rows::WideFeatures& features, const std::vector<double>& lambdas,
                                std::uint64_t seed, Interrupt& interrupt, const Matrix* start = nullptr);

}  // namespace rfnn::wide
