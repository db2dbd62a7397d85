#pragma once

// Private header. z_ℓ = z_{ℓ−1} + block_ℓ(θ, z_{ℓ−1}) on one tile of rows: training rows, validation rows and rows to
// predict all go through here, so training and prediction cannot disagree.

#include <cstddef>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/feature_columns.hpp"

namespace rfnn {

/// The columns a branch sees: those of θ, of z, or of both.
void branch_variables(BranchKind kind, const std::vector<const double*>& theta, const std::vector<const double*>& state,
                      std::vector<const double*>& variables);

/// Adds blocks to a tile's state. Holds scratch: one per thread.
class ForwardTile {
 public:
  explicit ForwardTile(const Kernels& kernels) : kernels_(kernels) {}

  /// state_o += block(θ, state) for the first `rows` rows of the tile; the rest become whatever they become and are not
  /// used.
  void add(const Block& block, const std::vector<const double*>& theta, const std::vector<double*>& state,
           std::size_t rows);

 private:
  const Kernels& kernels_;
  AlignedVector old_state_;
  std::vector<const double*> old_columns_, variables_;
  FeatureColumns features_;
};

/// The used inputs as the scaler makes them, for `count` rows from `first` on, into the columns of a tile; zero beyond.
void scale_inputs(const Model& model, ConstMatrixView inputs, std::size_t first, std::size_t count,
                  const std::vector<double*>& theta);

}  // namespace rfnn
