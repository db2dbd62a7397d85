#pragma once

// Private header. Amplitudes and frequencies of one block, refined together. Nothing global: the blocks before are
// fixed, the block is small, and every step is one linear solve.

#include <cstdint>

#include "rfnn/rows/row_work.hpp"

namespace rfnn::grown {

/// The block's objective, (1/N)|r − A b|² + λ|b|², summed over outputs, and its first part alone.
struct Misfit {
  double objective = 0.0;
  double mean_square = 0.0;
};

/// b = argmin (1/N)|r − A b|² + λ|b|² for the block's frequencies. Never fails: where rounding makes the system
/// singular, λ is raised as far as needed. The misfit is that of the sums, good to rounding of |r|².
Misfit solve_amplitudes(const rows::FeatureSums& sums, double rows, double lambda, rows::FeatureBlock& block);

/// At most `steps` Levenberg–Marquardt steps on all movable frequencies and all amplitudes of the block; ends earlier
/// when a step gains less than `enough` of the objective. Amplitudes are eliminated from each step's equations, only
/// frequencies are damped. Steps that do not lower the objective are not taken, so the block never gets worse.
/// False when interrupted; the block is then the best so far.
bool refine(rows::RowWork& work, const rows::RowState& rows, double lambda, std::int64_t steps, double enough,
            rows::FeatureBlock& block, Misfit& misfit, Interrupt& interrupt);

}  // namespace rfnn::grown
