#pragma once

// Private header.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/model/history.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/finders/block_finder.hpp"
#include "rfnn/rows/engine.hpp"
#include "rfnn/finders/sampled/metropolis.hpp"

namespace rfnn::sampled {

/// Is the state after this iteration one of those that are kept (option draws)? They are spread evenly over those after
/// burn-in, the last one of a complete chain among them.
bool keeps_state(const Options& options, std::int64_t iteration);

/// One branch of the block to sample.
struct BranchPlan {
  rows::BranchShape shape;
  std::size_t variables = 1;
  BranchMoves moves;
  std::vector<std::string> variable_names;
  std::vector<double> units;  ///< radians per unit of each variable, per standardised radian
};

struct BlockPlan {
  std::int64_t number = 1;
  double lambda = 0.0;
  std::vector<BranchPlan> branches;
  std::vector<double> output_variance;  ///< sd² per output: turns standardised squared errors into the target's units

  [[nodiscard]] std::vector<rows::BranchShape> shapes() const;
  [[nodiscard]] std::size_t moving() const;  ///< branches that are not frozen
};

/// Samples a block's frequencies by Metropolis within Gibbs:
///
///   draw ω, solve for b, then M times:
///     for each branch that moves:
///       ω̄_j ~ N(ω_j, δI) for all j; solve with ω̄ in place of ω; keep ω̄_j where (|b̄_j|/|b_j|)^γ > U
///     solve for the kept frequencies.
///
/// With one branch this is the Metropolis algorithm of block 1; a frozen branch gives the predecessor's Method 2. There
/// is no solve between two branches: the second one's test divides by the amplitudes of the last full solve.
///
/// Returns the block with its record (errors are left to the caller), or nothing when interrupted before the first
/// solution. Interrupted later, the block is the last solved (or best) state and record.complete is false.
struct SampledBlock {
  Block block;
  BlockRecord record;
  std::vector<std::vector<Matrix>> states = {};  ///< frequencies of the states kept, per branch, in their order
};
/// A chain that the journal has a note of goes on from there.
std::optional<SampledBlock> sample_block(rows::Engine& engine, const BlockPlan& plan, const Options& options,
                                         Interrupt& interrupt, finders::ChainProgress& progress,
                                         const JournalPlace& journal = {});

/// Solves for the amplitudes anew, the frequencies staying as they are, on the rows of the engine's current block, and
/// notes rows, misfit and condition of the new problem. For blocks sampled on some of their rows only. False when
/// interrupted; the block is then as it was.
bool solve_block(rows::Engine& engine, const BlockPlan& plan, const Options& options, SampledBlock& sampled,
                 Interrupt& interrupt);

}  // namespace rfnn::sampled
