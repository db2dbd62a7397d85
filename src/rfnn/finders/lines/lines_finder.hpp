#pragma once

// Private header.

#include <cstddef>
#include <optional>

#include "rfnn/finders/block_finder.hpp"

namespace rfnn::lines {

/// Of the inputs used, that along which rows are held out.
std::size_t used_time_input(const Options& options, const Model& model);

/// Blocks that go on beyond the data: a trend, sharp lines along one input, time, and what wanders between them as a
/// closed form that forgets (line_search.hpp). Of several inputs the others take part linearly, and nothing wanders.
class LinesFinder final : public finders::BlockFinder {
 public:
  explicit LinesFinder(const finders::Setting& setting);

  std::optional<finders::FoundBlock> find(const finders::Search& search) override;
  std::optional<Block> refit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                             Interrupt& interrupt) const override;

 private:
  [[nodiscard]] std::shared_ptr<const finders::Recipe> recipe_from(ArchiveReader& archive,
                                                                   const finders::Search& search) const override;
  std::size_t time_;  ///< which of the used inputs
  bool bounded_;      ///< a width was given: that many lines, and no rows in the model
  std::size_t most_lines_;
};

}  // namespace rfnn::lines
