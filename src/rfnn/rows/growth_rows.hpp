#pragma once

// Private header.

#include <Eigen/Dense>
#include <cstddef>
#include <vector>

#include "rfnn/core/aligned.hpp"
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
  TiledColumns root;       ///< √w, where w is how much a row counts, of mean 1; no column: all count alike

  [[nodiscard]] std::size_t count() const { return residual.rows(); }
  [[nodiscard]] std::size_t outputs() const { return residual.columns(); }
  [[nodiscard]] std::size_t inputs() const { return variables.columns() - residual.columns(); }
  [[nodiscard]] bool weighted() const { return root.columns() > 0; }
  [[nodiscard]] double weight(std::size_t row) const { return weighted() ? root(row, 0) * root(row, 0) : 1.0; }
};

/// Multiplies the numbers of a column of the tile by √w.
inline void weigh(const GrowthRows& rows, std::size_t tile, double* column) {
  if (!rows.weighted()) return;
  const double* root = rows.root.column(tile, 0);
  for (std::size_t i = 0; i < tile_rows; ++i) column[i] *= root[i];
}
/// The columns of the residual on a tile, multiplied by √w in `place` where rows have weights.
void weighted_residual(const GrowthRows& rows, std::size_t tile, AlignedVector& place,
                       std::vector<const double*>& columns);

/// z = 0 and r = target.
GrowthRows make_growth_rows(const ScaledRows& rows);

/// `count` of the rows (all, if there are no more), drawn without repeats by `stream`.
GrowthRows some_rows(const GrowthRows& rows, std::size_t count, const Stream& stream);

/// z ← z + block(θ, z), r ← r − block(θ, z). False when interrupted; the rows are then unusable.
bool advance(const Block& block, GrowthRows& rows, Workers& workers, Interrupt& interrupt,
             const Kernels& level = kernels());

/// Weighted mean of r² over the rows, per output.
Eigen::VectorXd mean_squares(const GrowthRows& rows);

}  // namespace rfnn
