#pragma once

// Private header. Closed forms of overlapping windows, for two or three inputs and very many rows:
//
//   1. cut the rows into windows of some hundred rows each;
//   2. law: by leave-one-out on some windows;
//   3. in each window (K + λ W⁻¹) c = r, blended by weights that fall to nothing at a window's edge.
//
// After other blocks the law is one of inputs and state together: rows near each other that the blocks before took for
// alike have alike errors, which tells the two sides of an edge apart.

#include "rfnn/finders/block_finder.hpp"

namespace rfnn::windows {

class WindowsFinder final : public finders::BlockFinder {
 public:
  std::optional<finders::FoundBlock> find(const finders::Search& search) override;
  std::optional<Block> refit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                             Interrupt& interrupt) const override;
  std::optional<rows::TiledColumns> left_out(const finders::FoundBlock& found, rows::RowWork& work,
                                             const rows::RowState& rows, Interrupt& interrupt) const override;

 private:
  [[nodiscard]] std::shared_ptr<const finders::Recipe> recipe_from(ArchiveReader& archive,
                                                                   const finders::Search& search) const override;
};

}  // namespace rfnn::windows
