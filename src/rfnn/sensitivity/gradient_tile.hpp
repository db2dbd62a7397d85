#pragma once

// Private header. The forward pass with derivatives, on one tile of rows:
//
//   z_ℓ = z_{ℓ−1} + f_ℓ(θ, z_{ℓ−1})
//   J_ℓ = J_{ℓ−1} + ∂f_ℓ/∂θ + ∂f_ℓ/∂z · J_{ℓ−1},    J = ∂z/∂θ
//
// The states have the bits of rows/forward.hpp.

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/sensitivity/branch_slopes.hpp"

namespace rfnn::sensitivity {

/// A block made ready. Refers to the block.
struct GradientBlock {
  /// Nothing when interrupted.
  static std::optional<GradientBlock> prepare(const Block& block, Workers& workers, Interrupt& interrupt);

  const Block* block = nullptr;
  std::vector<std::shared_ptr<const BranchSlopes>> branches;
};

/// Adds blocks to a tile's states and Jacobians. Holds scratch: one per thread.
class GradientTile {
 public:
  /// `state`: a column per output; `jacobian`: the inputs of output 0, then of output 1, …. False when interrupted;
  /// both are then unusable.
  bool add(const GradientBlock& block, const std::vector<const double*>& theta, const std::vector<double*>& state,
           const std::vector<double*>& jacobian, std::size_t rows, Interrupt& interrupt);

 private:
  void chain(BranchKind kind, std::size_t inputs, std::size_t outputs, const std::vector<double*>& jacobian) const;

  AlignedVector old_state_, old_jacobian_, slopes_;
  std::vector<const double*> old_columns_, variables_;
  SlopeSums sums_;
  SlopeScratch scratch_;
};

}  // namespace rfnn::sensitivity
