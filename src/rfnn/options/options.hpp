#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"

namespace rfnn {

enum class Preset { automatic, paper };
enum class Keep { last, best };
enum class StateBranch { sampled, frozen };
enum class Negative { half_space, component };
enum class BlockRows { same, disjoint, subset };
enum class Solver { cholesky, qr, svd, iterative };
enum class Holdout { random, tail, gap };
enum class Branches { automatic, input_state, joint };
enum class Missing { error, drop, mean };
enum class Unseen { error, mean };
enum class Header { automatic, yes, no };
enum class DecimalMark { point, comma };

/// A number, or `auto` when it holds nothing.
using NumberOrAuto = std::optional<double>;

/// Every setting of a training run. The defaults are those of preset `auto`; preset_options() gives those of any
/// preset. Names, help, bounds and the text forms live in one table (options/table.hpp); a member without a row there
/// does not compile.
struct Options {
  Preset preset = Preset::automatic;
  /// W, features per branch of a block: exactly so many (paper), or at most (auto); 0: auto, no bound.
  std::int64_t width = 0;
  /// L, the largest number of blocks.
  std::int64_t blocks = 30;
  /// Networks trained on seeds of their own and averaged; 0: auto.
  std::int64_t members = 0;
  /// Branches of later blocks: over input and state apart, over both together, or what held-out rows prefer.
  Branches branches = Branches::automatic;
  /// Refine the frequencies of a block by least squares once they are found.
  bool refine = true;
  /// M, Metropolis (within Gibbs) iterations per block.
  std::int64_t iterations = 5000;
  /// γ and γ′, exponents of the acceptance rule for the input and the state branch.
  double gamma = 10.0;
  double gamma_state = 10.0;
  /// δ and δ′, variances of the Gaussian proposals; auto is 2.4²/d and 2.4²/m.
  NumberOrAuto delta;
  NumberOrAuto delta_state;
  /// λ per block, the last one serves all later blocks; empty: auto, chosen from the data.
  std::vector<double> ridge;
  /// Standard deviation of the initial frequencies.
  double initial_spread = 1.0;
  Keep keep = Keep::best;
  StateBranch state_branch = StateBranch::sampled;
  Negative negative = Negative::half_space;
  bool standardise_inputs = true;
  bool standardise_outputs = true;
  /// Iterations before accepted frequencies enter the histograms, and states are kept (at most half of M); a block that
  /// ends before has none.
  std::int64_t burn_in = 2000;
  /// States of each chain after burn-in, evenly spread, that are kept for the spread of the predictions; 0: none.
  std::int64_t draws = 0;
  BlockRows block_rows = BlockRows::same;
  /// Share of the training rows in each block's random subset (block_rows = subset).
  double subset_fraction = 0.5;
  /// Share of a block's rows that proposals are weighed on; the kept state is solved for on all of them at the end.
  double proposal_fraction = 1.0;
  Solver solver = Solver::cholesky;
  /// Relative residual at which the iterative solver ends.
  double solver_tolerance = 1e-10;
  /// End a block when its best loss fell by less than flat_tolerance (relative) over this many iterations; 0: never.
  std::int64_t flat_window = 0;
  double flat_tolerance = 1e-3;
  /// Mean squared error, in the target's units, at which training stops; 0: never.
  double tolerance = 0.0;
  /// Blocks without gain before training stops and goes back to the best; 0: never.
  std::int64_t patience = 4;
  /// Share of the rows held out for validation.
  double validation_fraction = 0.1;
  /// Rows held out as the model will be used: between the others, beyond them, or where a stretch of them is missing.
  Holdout holdout = Holdout::random;
  /// The input, counted from 1, along which they are last or missing; 0: auto, the first. Command and Python take its
  /// name too, and make it this number.
  std::int64_t holdout_by = 0;
  /// Seconds of wall clock; 0: no limit.
  double max_time = 0.0;
  /// Bytes of memory that the whole command may use; 0: no limit. Rows that do not fit lie in temporary files.
  double memory = 0.0;
  /// Worker threads; 0: as many as the process may use.
  std::int64_t threads = 0;
  std::uint64_t seed = 1;
  // How a table is read. Lists are as on the command line: separated by commas, names that hold one in double quotes.
  /// What becomes of rows with missing cells: refused, left out, or filled by the column's mean.
  Missing missing = Missing::error;
  /// Words that mark a missing cell beside the usual ones.
  std::string missing_values;
  /// Columns whose numbers are codes of categories.
  std::string categorical;
  /// Levels of a category that training has not seen: refused, or the mean over the levels seen.
  Unseen unseen = Unseen::error;
  /// The columns to take, targets and weight among them or not; empty: all.
  std::string columns;
  /// Is the first line of a text table the names of its columns?
  Header header = Header::automatic;
  /// What separates cells: one character, a space for any white space; empty: found out.
  std::string delimiter;
  DecimalMark decimal = DecimalMark::point;
  /// Lines that begin with it are passed over; empty: there are none.
  std::string comment;

  friend bool operator==(const Options&, const Options&) = default;

  /// λ of block `block` (counted from 1); `ridge` must not be auto.
  [[nodiscard]] double ridge_of(std::int64_t block) const {
    return ridge[block <= static_cast<std::int64_t>(ridge.size()) ? static_cast<std::size_t>(block - 1)
                                                                  : ridge.size() - 1];
  }
};

/// The defaults of a preset. Preset `paper` is the published algorithm: exactly L blocks of M iterations.
RFNN_API Options preset_options(Preset preset);

}  // namespace rfnn
