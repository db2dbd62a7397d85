#pragma once

// Private header. A block grown feature by feature: orthogonal matching pursuit on the residual's spectrum with
// variable projection. Each feature comes from the spectrum of what the block so far leaves, the whole block is refined
// after each, and held-out rows say when to stop.

#include <cstdint>
#include <optional>
#include <vector>

#include "rfnn/core/journal_place.hpp"
#include "rfnn/finders/grown/candidates.hpp"
#include "rfnn/rows/fields.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::grown {

struct GrowthPlan {
  std::vector<BranchKind> kinds = {BranchKind::input};  ///< taken in turn
  std::size_t inputs = 1;
  std::size_t features = 16;         ///< at most
  std::size_t pool = 2000;           ///< candidates per turn
  std::size_t spectrum_rows = 4000;  ///< about as many rows weigh them
  std::int64_t steps = 3;            ///< of refinement after each turn
  std::int64_t final_rounds = 5;     ///< of as many steps each, at the end
  std::int64_t patience = 4;         ///< turns without gain on held-out rows
  double enough = 0.0;               ///< mean square on held-out rows, summed over outputs, at which to stop
  double least_ridge = 1e-10;
  std::optional<double> ridge;  ///< given, instead of chosen
  std::vector<double> weight;   ///< chances of the inputs at the start, at most 1; 0: never; empty: 1 each
  bool constant = false;  ///< begin with the frequency 0: the mean over the rows is not the constant of a sum of lines
  Address address = {};   ///< of the random numbers
  Purpose pool_purpose = Purpose::pool, choice_purpose = Purpose::choice;
  JournalPlace journal = {};
};

struct GrownBlock {
  rows::FeatureBlock block;
  double ridge = 0.0;
  double held_out = 0.0;           ///< mean square left on held-out rows, summed over outputs
  double train = 0.0;              ///< the same on the rows grown on
  bool complete = true;            ///< false: interrupted
  rows::TiledColumns honest = {};  ///< finders::FoundBlock::honest
};

template <class Archive>
void fields(Archive& archive, GrownBlock& grown) {
  archive(grown.block, grown.ridge, grown.held_out, grown.train, grown.complete, grown.honest);
}

/// A block that the journal has is taken from there, and one that it has a note of goes on from it.
/// Without held-out rows the rows grown on take their place.
GrownBlock grow_block(rows::RowWork& work, const rows::RowState& train, const rows::RowState& held_out,
                      const Resolution& resolution, const GrowthPlan& plan, Interrupt& interrupt);

}  // namespace rfnn::grown
