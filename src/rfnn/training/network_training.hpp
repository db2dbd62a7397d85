#pragma once

// Private header. The loop: find a block for what is left → add it to the state of the rows → judge → record → stop?

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "rfnn/finders/block_finder.hpp"
#include "rfnn/model/history.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/rows/row_work.hpp"
#include "rfnn/training/control.hpp"
#include "rfnn/training/holdout.hpp"

namespace rfnn::training {

/// Rows to train on and rows to judge by (none: the training rows judge).
struct NetworkRows {
  rows::RowState train, held_out;

  [[nodiscard]] const rows::RowState& judge() const { return held_out.count() > 0 ? held_out : train; }
};

/// Blocks from an earlier run, which stay what they are.
struct NetworkStart {
  Network network;
  std::vector<BlockRecord> records;
};

struct NetworkPlan {
  Method first = Method::sampled, later = Method::sampled;  ///< how block 1 and the others are found
  std::int64_t member = 0;
  double operations = 0.0;                                 ///< multiply-adds it may take, about
  double rival = std::numeric_limits<double>::infinity();  ///< error on the held-out rows that others have reached
  std::optional<NetworkStart> start;
  /// The first block, as another network has found it for the same rows: one attempt at a later block follows, which
  /// learns from what the first leaves on rows it has not seen.
  std::shared_ptr<const finders::FoundBlock> given;
  std::shared_ptr<const finders::Recipe> hint;  ///< for the first block
  bool to_stand_on = false;                     ///< the first block is wanted for the later ones
  bool afresh = false;                          ///< see finders::Search
  JournalPlace journal = {};
  /// Seconds to the end of the network's window; default: no end.
  std::function<double()> seconds_left = [] { return std::numeric_limits<double>::infinity(); };
  /// The same for a block that brings its fit to all rows; null: the same.
  std::function<double()> seconds_with_fit = {};
  std::function<void(std::int64_t block, std::string_view stage)> tell = [](std::int64_t, std::string_view) {};
  /// A block has joined, the last one or not; false ends the network.
  std::function<bool(const BlockRecord&, const Network& so_far, bool last)> joined =
      [](const BlockRecord&, const Network&, bool) { return true; };
};

struct TrainedNetwork {
  std::vector<finders::FoundBlock> blocks;  ///< those kept
  std::vector<BlockRecord> records;         ///< of the blocks
  std::size_t earlier = 0;                  ///< records of an earlier run, the first ones
  HeldOut left;                             ///< on the rows that judge, honestly: see finders::Halves
  double judged = 0.0;                      ///< mean square of that
  std::vector<double> fitted;               ///< per output: mean |r| on its training rows; empty: not known
  bool complete = true;                     ///< false: interrupted
  double seconds = 0.0;                     ///< that it took
  bool by_rows_left_out = false;            ///< later blocks learnt from the state of rows left out
  StopReason reason = StopReason::all_blocks;
  std::shared_ptr<const finders::BlockFinder> first, later;  ///< how they were found

  [[nodiscard]] Network network() const;
};

/// Trains one network; the finders come from `setting`. What was found by the time of an interrupt is kept.
TrainedNetwork train_network(rows::RowWork& work, NetworkRows rows, const NetworkPlan& plan, Control& control,
                             const finders::Setting& setting, Interrupt& interrupt);

/// How block 1 and the others are found.
struct Finders {
  std::shared_ptr<finders::BlockFinder> first, later;
};
/// The same with finders that are there already; the plan's methods are not looked at. `output_sd`: of the target.
TrainedNetwork train_network(rows::RowWork& work, NetworkRows rows, const NetworkPlan& plan, Control& control,
                             const Finders& finders, const std::vector<double>& output_sd, Interrupt& interrupt);

/// The network's blocks for other rows, one after the other; `rows` are left with what the network leaves. Nothing when
/// interrupted. Blocks of an earlier run stay what they are.
std::optional<Network> refit_network(rows::RowWork& work, const TrainedNetwork& network, rows::RowState& rows,
                                     Interrupt& interrupt, const JournalPlace& journal = {});

/// Per output, by how much the network refitted to all rows, which are left with what it leaves, does better on rows it
/// has not seen than the one that was judged (see gain_of_refit); that had `share` of the rows. Empty: not known.
std::vector<double> gains_of_refit(const TrainedNetwork& network, const rows::RowState& refitted, double share);

/// Σ_o variance_o · square_o over the number of outputs: standardised squares as a mean squared error of the target.
double in_target_units(const Eigen::VectorXd& squares, const std::vector<double>& output_sd);

}  // namespace rfnn::training
