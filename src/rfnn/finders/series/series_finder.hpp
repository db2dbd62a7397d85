#pragma once

// Private header.

#include "rfnn/finders/block_finder.hpp"

namespace rfnn::series {

/// Blocks for one input in closed form, found and fitted in a time proportional to the rows (series_law.hpp).
class SeriesFinder final : public finders::BlockFinder {
 public:
  std::optional<finders::FoundBlock> find(const finders::Search& search) override;
  std::optional<Block> refit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                             Interrupt& interrupt) const override;

  /// Exact, in a time proportional to the rows.
  std::optional<rows::TiledColumns> left_out(const finders::FoundBlock& found, rows::RowWork& work,
                                             const rows::RowState& rows, Interrupt& interrupt) const override;

 private:
  [[nodiscard]] std::shared_ptr<const finders::Recipe> recipe_from(ArchiveReader& archive,
                                                                   const finders::Search& search) const override;
};

}  // namespace rfnn::series
