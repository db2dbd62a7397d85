#pragma once

// Private header.

#include <optional>

#include "rfnn/finders/block_finder.hpp"
#include "rfnn/finders/lattice/lattice_block.hpp"

namespace rfnn::lattice {

/// All frequencies of a regular lattice over one or two inputs, with a learnt spectrum.
class LatticeFinder final : public finders::BlockFinder {
 public:
  explicit LatticeFinder(const finders::Setting& setting) : options_(setting.options) {}

  std::optional<finders::FoundBlock> find(const finders::Search& search) override;
  std::optional<Block> refit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                             Interrupt& interrupt) const override;

 protected:
  std::optional<Block> rough_refit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                                   Interrupt& interrupt) const override;

 private:
  [[nodiscard]] std::shared_ptr<const finders::Recipe> recipe_from(ArchiveReader& archive,
                                                                   const finders::Search& search) const override;
  [[nodiscard]] std::size_t most_features() const;
  std::optional<finders::FoundBlock> find(const finders::Search& search, std::size_t features) const;

  const Options& options_;
};

}  // namespace rfnn::lattice
