#pragma once

// Private header.

#include <optional>

#include "rfnn/finders/block_finder.hpp"

namespace rfnn::wide {

/// The closed form of infinitely many frequencies of a law that is learnt from some of the rows: with few rows exactly,
/// with many by some of them as centres, then by all.
class KernelFinder final : public finders::BlockFinder {
 public:
  explicit KernelFinder(const finders::Setting& setting) : options_(setting.options) {}

  std::optional<finders::FoundBlock> find(const finders::Search& search) override;
  std::optional<Block> refit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                             Interrupt& interrupt) const override;

 private:
  [[nodiscard]] std::shared_ptr<const finders::Recipe> recipe_from(ArchiveReader& archive,
                                                                   const finders::Search& search) const override;
  const Options& options_;
};

}  // namespace rfnn::wide
