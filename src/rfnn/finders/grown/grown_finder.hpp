#pragma once

// Private header.

#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/finders/block_finder.hpp"
#include "rfnn/finders/grown/growth.hpp"

namespace rfnn::grown {

/// Features that a block of so many multiply-adds may have, and whose sums have room in so many bytes (0: in any).
std::size_t affordable_features(double operations, double memory, std::size_t rows, std::size_t variables,
                                std::size_t outputs);

/// Blocks grown feature by feature. The first sees the inputs; later ones the state too, apart or together with the
/// inputs, whichever leaves less on held-out rows.
class GrownFinder final : public finders::BlockFinder {
 public:
  explicit GrownFinder(const finders::Setting& setting) : options_(setting.options), model_(setting.model) {}

  std::optional<finders::FoundBlock> find(const finders::Search& search) override;
  std::optional<Block> refit(const finders::FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                             Interrupt& interrupt) const override;

 private:
  [[nodiscard]] std::shared_ptr<const finders::Recipe> recipe_from(ArchiveReader& archive,
                                                                   const finders::Search& search) const override;
  void save_memory(ArchiveWriter& archive) const override;
  void load_memory(ArchiveReader& archive) override;
  [[nodiscard]] std::vector<bool> joint_or_not(const finders::Search& search) const;
  [[nodiscard]] GrowthPlan plan(const finders::Search& search, bool joint) const;

  const Options& options_;
  const Model& model_;
  std::vector<double> screened_;    ///< chances of the inputs; empty: not asked
  std::size_t blocks_ = 0;          ///< of the network when a block was last looked for
  std::uint64_t without_gain_ = 0;  ///< attempts since it last had one more
  bool joint_ = false;              ///< the last block found
};

}  // namespace rfnn::grown
