#pragma once

// Private header. Ways to find a block. Each is a folder beside this file and a line in make_finder.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "rfnn/core/journal_place.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/history.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::finders {

/// What a finder keeps of a block so that it can make it again for other rows.
class Recipe {
 public:
  virtual ~Recipe() = default;
  /// For a journal; BlockFinder::recipe_from reads it back.
  virtual void save(ArchiveWriter& archive) const = 0;
};

/// One that says by `fields` (core/archive.hpp) what it is made of.
template <class Self>
class RecipeOfFields : public Recipe {
 public:
  void save(ArchiveWriter& archive) const final { archive(static_cast<const Self&>(*this)); }
  static std::shared_ptr<const Recipe> from(ArchiveReader& archive) {
    auto recipe = std::make_shared<Self>();
    archive(*recipe);
    return recipe;
  }
};

/// What a finder is given: the rows as the network so far leaves them, what it may cost, where its numbers come from.
struct Search {
  rows::RowWork& work;
  const rows::RowState& train;     ///< the same object for all blocks of a network
  const rows::RowState& held_out;  ///< no rows: nothing is held out
  const Network& network;          ///< the blocks so far
  std::uint64_t member = 0;
  std::uint64_t attempt = 1;  ///< at finding a block of this network, from 1
  double operations = 0.0;    ///< multiply-adds it may take, about
  /// Seconds to the end of its window: larger sizes are tried only where smaller ones say that they will be in time.
  /// Infinite without a time budget; sizes then follow from `operations` alone.
  std::function<double()> seconds_left;
  double rival = std::numeric_limits<double>::infinity();  ///< mean square on held-out rows that others have reached
  Interrupt& interrupt;
  std::function<void(std::string_view)> tell;  ///< what is being done, in words
  /// Of a block that the same way found for other rows of the same table: a place to begin; null: none.
  const Recipe* hint = nullptr;
  bool to_stand_on = false;  ///< the block is wanted for what later ones will make of what it leaves
  /// As `seconds_left`, for blocks that need no time for a fit to all rows at the end; null: the same.
  std::function<double()> seconds_with_fit = {};
  bool afresh = false;        ///< of the hint only what kind of block it is: another one of this kind is wanted, soon
  JournalPlace journal = {};  ///< of this attempt
};

struct FoundBlock {
  Block block;
  BlockRecord record;  ///< all but number, errors and time
  std::shared_ptr<const Recipe> recipe;
  /// What the block leaves on the held-out rows as an honest judge sees it, where it was chosen by these rows (Halves);
  /// empty where it was not.
  rows::TiledColumns honest = {};
  /// What the block leaves on its training rows is not what it leaves on others, as it has all of them as centres:
  /// there is nothing for later blocks to learn from.
  bool last = false;
  /// Its fit to the training rows and those held out was made along with it: fitting it to all of them takes no time.
  bool fitted_to_all = false;
};

/// A way to find a block for what is left.
class BlockFinder {
 public:
  virtual ~BlockFinder() = default;
  /// Nothing where there is none to be found this way, or when interrupted before there was one. A block found by the
  /// time of an interrupt is returned; record.complete is then false.
  virtual std::optional<FoundBlock> find(const Search& search) = 0;
  /// The block for other rows (all of them, in the end): frequencies and regularisation stay, or move a little. Nothing
  /// when interrupted.
  virtual std::optional<Block> refit(const FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                                     Interrupt& interrupt) const = 0;
  /// What the block, made for these rows, would leave on each of them had it not seen it: what later blocks can learn
  /// from. By fits to parts of the rows, unless a finder knows better. Nothing when interrupted.
  virtual std::optional<rows::TiledColumns> left_out(const FoundBlock& found, rows::RowWork& work,
                                                     const rows::RowState& rows, Interrupt& interrupt) const;

  /// find(), or what the journal has of it: the finder is then as it was after it.
  std::optional<FoundBlock> find_or_recall(const Search& search);

 protected:
  /// A recipe as it was saved. Only finders that make them are asked.
  virtual std::shared_ptr<const Recipe> recipe_from(ArchiveReader&, const Search&) const { return nullptr; }
  /// What a search changes in the finder, and the next one depends on.
  virtual void save_memory(ArchiveWriter&) const {}
  virtual void load_memory(ArchiveReader&) {}

  /// A refit that serves to see what is left on other rows, and need not be as exact as one that is kept.
  virtual std::optional<Block> rough_refit(const FoundBlock& found, rows::RowWork& work, const rows::RowState& rows,
                                           Interrupt& interrupt) const {
    return refit(found, work, rows, interrupt);
  }
};

/// Where the chain of a sampled block stands, for progress reports.
struct ChainProgress {
  std::int64_t iteration = 0;
  double acceptance = 0.0;
  double loss = 0.0;  ///< mean over outputs, target's units; NaN before the first solution
};

/// What is known about the run.
struct Setting {
  const Options& options;
  const Model& model;  ///< columns and scalers
  /// Training rows of a block (from 1), as places among all; empty: all. Sampled blocks only.
  std::function<std::vector<std::size_t>(std::int64_t block)> rows_of_block;
  ChainProgress* chain = nullptr;  ///< kept up to date by sampled blocks
};

/// The one switch. What the setting refers to must outlive the finder.
std::unique_ptr<BlockFinder> make_finder(Method method, const Setting& setting);

/// Features of all branches.
std::size_t width_of(const Block& block);

/// A record of a block that no chain has made.
BlockRecord record_of(Method method, const Block& block, std::size_t rows, double ridge, bool complete);

}  // namespace rfnn::finders
