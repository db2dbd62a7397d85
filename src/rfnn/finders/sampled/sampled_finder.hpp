#pragma once

// Private header.

#include <memory>
#include <optional>

#include "rfnn/finders/block_finder.hpp"
#include "rfnn/finders/sampled/gibbs.hpp"

namespace rfnn::sampled {

/// The published algorithm: frequencies sampled by Metropolis within Gibbs (gibbs.hpp).
class SampledFinder final : public finders::BlockFinder {
 public:
  explicit SampledFinder(const finders::Setting& setting) : setting_(setting) {}

  std::optional<finders::FoundBlock> find(const finders::Search& search) override;
  /// The amplitudes anew.
  std::optional<Block> refit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                             Interrupt& interrupt) const override;

 private:
  [[nodiscard]] std::shared_ptr<const finders::Recipe> recipe_from(ArchiveReader& archive,
                                                                   const finders::Search& search) const override;

  finders::Setting setting_;
  std::unique_ptr<rows::Engine> engine_;
};

/// Block 1 sees the inputs; later blocks also the state.
BlockPlan plan_block(std::int64_t number, const Options& options, const Model& model);

/// Does what completes a block. Work that was told to stop gets half a second for it.
bool in_time_left(Interrupt& interrupt, const std::function<bool(Interrupt&)>& work);

}  // namespace rfnn::sampled
