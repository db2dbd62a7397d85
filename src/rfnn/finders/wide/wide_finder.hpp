#pragma once

// Private header.

#include <optional>
#include <vector>

#include "rfnn/finders/block_finder.hpp"
#include "rfnn/finders/wide/drawn_features.hpp"
#include "rfnn/finders/wide/law_search.hpp"
#include "rfnn/finders/wide/wide_block.hpp"

namespace rfnn::wide {

/// Very many frequencies at once, of a law learnt from some of the rows.
class WideFinder final : public finders::BlockFinder {
 public:
  explicit WideFinder(const finders::Setting& setting) : options_(setting.options) {}

  std::optional<finders::FoundBlock> find(const finders::Search& search) override;
  std::optional<Block> refit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                             Interrupt& interrupt) const override;

 private:
  [[nodiscard]] std::shared_ptr<const finders::Recipe> recipe_from(ArchiveReader& archive,
                                                                   const finders::Search& search) const override;
  /// Rows the law is learnt from, features, and rows they are fitted to.
  struct Size {
    std::size_t law_rows = 0, features = 0, rows = 0;
    friend bool operator==(const Size&, const Size&) = default;
  };
  [[nodiscard]] Size size_for(const finders::Search& search, double share) const;
  std::optional<finders::FoundBlock> find(const finders::Search& search, const Size& size) const;

  const Options& options_;
};

}  // namespace rfnn::wide
