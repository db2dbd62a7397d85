#pragma once

// Private header.

#include <Eigen/Dense>
#include <cstddef>

#include "rfnn/core/parallel.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/rows/engine.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn {

/// Rows to grow a network on: the variables v = (θ, z) and what is left to explain, r = target − z.
struct GrowthRows {
  TiledColumns variables;  ///< d + m columns
  TiledColumns residual;   ///< m columns

  [[nodiscard]] std::size_t count() const { return residual.rows(); }
  [[nodiscard]] std::size_t outputs() const { return residual.columns(); }
  [[nodiscard]] std::size_t inputs() const { return variables.columns() - residual.columns(); }
};

/// z = 0 and r = target.
GrowthRows make_growth_rows(const ScaledRows& rows);

/// `count` of the rows (all, if there are no more), drawn without repeats by `stream`.
GrowthRows some_rows(const GrowthRows& rows, std::size_t count, const Stream& stream);

/// z ← z + block(θ, z), r ← r − block(θ, z). False when interrupted; the rows are then unusable.
bool advance(const Block& block, GrowthRows& rows, Workers& workers, Interrupt& interrupt,
             const Kernels& level = kernels());

/// Mean of r² over the rows, per output.
Eigen::VectorXd mean_squares(const GrowthRows& rows);

}  // namespace rfnn
