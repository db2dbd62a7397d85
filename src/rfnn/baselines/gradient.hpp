#pragma once

// Private header. The squared error of a network on one tile of rows and its exact derivatives, by the chain rule
// backwards through the blocks. Write g_o for the column of ∂loss/∂z_ℓ,o and, in a branch on variables v,
// C_j = cos(ω_j·v), S_j = −sin(ω_j·v), so that C_j′ = S_j and S_j′ = −C_j in the phase. Then
//   ∂/∂Re b_jo = ⟨g_o, C_j⟩          ∂/∂Im b_jo = ⟨g_o, S_j⟩
//   ∂/∂ω_jk    = Σ_o Re b_jo ⟨g_o v_k, S_j⟩ − Im b_jo ⟨g_o v_k, C_j⟩
// and where v holds the state z_{ℓ−1} it passes the derivative on, besides the identity:
//   g_k ← g_k + Σ_o g_o Σ_j ω_jk (Re b_jo S_j − Im b_jo C_j).
// All of it is sums over rows and combinations of feature columns: the kernels' `gram` and `combine`.

#include <cstddef>
#include <span>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn::baselines {

/// Columns of one tile, zero at first, with their addresses as the kernels want them.
struct TileColumns {
  explicit TileColumns(std::size_t count);
  TileColumns(TileColumns&&) = default;  // a copy's addresses would be the original's

  AlignedVector values;
  std::vector<double*> writable;
  std::vector<const double*> readable;
};

/// Works on one tile of rows at a time and allocates nothing after construction. The network is the caller's: it must
/// stay where it is and keep its shape, its numbers may change between calls of `forward`.
class GradientTile {
 public:
  GradientTile(const Network& network, std::size_t inputs, std::size_t outputs,
               const features::Kernels& level = features::kernels());

  /// Takes the given rows, at most `tile_rows`, of the (standardised) inputs and targets.
  void load(const Matrix& inputs, const Matrix& targets, std::span<const std::size_t> rows);
  /// Σ |z_L − Q|² over the rows and outputs.
  double forward();
  /// gradient += weight · ∂/∂(ω, b) Σ |z_L − Q|², at the point of the last `forward`.
  void backward(double weight, Network& gradient);

 private:
  /// One branch on its way through the tile.
  struct Pass {
    Pass(const Branch& branch, std::size_t outputs);
    const Branch* branch;
    std::vector<const double*> variables, frequencies;
    TileColumns columns;  ///< C_1, S_1, C_2, S_2, …
    std::vector<double*> cosine, minus_sine;
    std::vector<const double*> weighted;  ///< g_o for every output, then g_o v_k output by output
    std::vector<double> sums;             ///< of the columns with `weighted`
    std::vector<double> slopes;           ///< coefficients of ∂branch_o/∂z_k; empty for a branch that sees no state
  };

  void add_parameter_gradient(Pass& pass, Branch& gradient);
  void pass_on(Pass& pass);

  const Network& network_;
  const features::Kernels& kernels_;
  std::size_t outputs_, rows_ = 0;
  TileColumns theta_, targets_, error_;
  TileColumns upstream_;                   ///< g of the block at work
  TileColumns downstream_;                 ///< g of the block before it, as it comes together
  TileColumns products_;                   ///< g_o v_k
  TileColumns derivatives_;                ///< ∂branch_o/∂z_k
  std::vector<TileColumns> states_;        ///< z_0 = 0, …, z_L
  std::vector<std::vector<Pass>> passes_;  ///< per block, per branch
};

}  // namespace rfnn::baselines
