#pragma once

// Private header. From the states of a chain that are kept to blocks drawn from them.

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "rfnn/finders/block_finder.hpp"
#include "rfnn/finders/sampled/gibbs.hpp"

namespace rfnn::sampled {

/// What a sampled block leaves behind for its draws: frequencies, state by state, branch by branch.
struct KeptStates final : finders::RecipeOfFields<KeptStates> {
  std::vector<std::vector<Matrix>> frequencies;
};
template <class Archive>
void fields(Archive& archive, KeptStates& states) {
  archive(states.frequencies);
}

/// The block with these frequencies and amplitudes drawn given them and the rows of the engine's current block: per
/// output N(b̂, σ² (AᵀA + NλI)⁻¹), b̂ the solution and σ² what it leaves, over N less the columns. Nothing when
/// interrupted.
std::optional<Block> draw_block(rows::Engine& engine, const BlockPlan& plan, const std::vector<Matrix>& frequencies,
                                std::uint64_t seed, std::uint64_t draw, Interrupt& interrupt);

/// The amplitudes alone, columns × outputs.
Eigen::MatrixXd draw_amplitudes(const least_squares::NormalEquations& problem, double lambda, std::uint64_t seed,
                                std::uint64_t draw, std::uint64_t block);

}  // namespace rfnn::sampled
