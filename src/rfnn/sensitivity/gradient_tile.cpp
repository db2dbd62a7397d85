#include "rfnn/sensitivity/gradient_tile.hpp"

#include <algorithm>

#include "rfnn/rows/forward.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn::sensitivity {

using rows::tile_rows;

std::optional<GradientBlock> GradientBlock::prepare(const Block& block, Workers& workers, Interrupt& interrupt) {
  GradientBlock prepared;
  prepared.block = &block;
  for (const Branch& branch : block.branches) {
    prepared.branches.push_back(make_slopes(branch, workers, interrupt));
    if (!prepared.branches.back()) return std::nullopt;
  }
  return prepared;
}

bool GradientTile::add(const GradientBlock& block, const std::vector<const double*>& theta,
                       const std::vector<double*>& state, const std::vector<double*>& jacobian, std::size_t rows,
                       Interrupt& interrupt) {
  // Every branch of a block sees the state before the block.
  const std::size_t outputs = state.size();
  const auto keep = [](const std::vector<double*>& columns, AlignedVector& copy) {
    copy.resize(columns.size() * tile_rows);
    for (std::size_t c = 0; c < columns.size(); ++c) std::copy_n(columns[c], tile_rows, copy.data() + c * tile_rows);
  };
  keep(state, old_state_);
  keep(jacobian, old_jacobian_);
  old_columns_.resize(outputs);
  for (std::size_t o = 0; o < outputs; ++o) old_columns_[o] = old_state_.data() + o * tile_rows;
  sums_.values = state;
  for (std::size_t b = 0; b < block.branches.size(); ++b) {
    const BranchKind kind = block.block->branches[b].kind;
    rows::branch_variables(kind, theta, old_columns_, variables_);
    const std::size_t count = outputs * variables_.size();
    slopes_.assign(count * tile_rows, 0.0);
    sums_.slopes.resize(count);
    for (std::size_t c = 0; c < count; ++c) sums_.slopes[c] = slopes_.data() + c * tile_rows;
    if (!block.branches[b]->add(variables_, rows, sums_, scratch_, interrupt)) return false;
    chain(kind, theta.size(), outputs, jacobian);
  }
  return true;
}

void GradientTile::chain(BranchKind kind, std::size_t inputs, std::size_t outputs,
                         const std::vector<double*>& jacobian) const {
  const std::size_t own_inputs = kind == BranchKind::state ? 0 : inputs,
                    own_states = kind == BranchKind::input ? 0 : outputs, variables = own_inputs + own_states;
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t k = 0; k < inputs; ++k) {
      double* const out = jacobian[o * inputs + k];
      if (k < own_inputs) {
        const double* const direct = sums_.slopes[o * variables + k];
        for (std::size_t i = 0; i < tile_rows; ++i) out[i] += direct[i];
      }
      for (std::size_t p = 0; p < own_states; ++p) {
        const double* const by_state = sums_.slopes[o * variables + own_inputs + p];
        const double* const before = old_jacobian_.data() + (p * inputs + k) * tile_rows;
        for (std::size_t i = 0; i < tile_rows; ++i) out[i] += by_state[i] * before[i];
      }
    }
}

}  // namespace rfnn::sensitivity
