#pragma once

// Private header. One network of preset auto: blocks are added until held-out rows see no more gain.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/model/history.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/rows/feature_block.hpp"
#include "rfnn/rows/growth_rows.hpp"

namespace rfnn {

/// A block somebody has found, not yet part of the network.
struct ProposedBlock {
  Block block;
  Method method = Method::sequential;
  double ridge = 0.0;
  bool complete = true;  ///< false: interrupted on the way
  /// The same block for other rows (all of them, in the end); nothing when interrupted.
  std::function<std::optional<Block>(const GrowthRows&, GrowthPasses&, Interrupt&)> refit;
};

/// Rows to train on and rows to judge by.
struct MemberRows {
  GrowthRows train, held_out;
};

/// Blocks from an earlier run, which stay what they are.
struct MemberStart {
  Network network;
  std::vector<BlockRecord> records;
};

struct MemberPlan {
  const Options* options = nullptr;
  std::vector<double> variance;  ///< per output: turns standardised squared errors into the target's units, mean of all
  std::int64_t member = 0;
  Method first = Method::sequential;                       ///< of block 1; later ones are sequential
  double rival = std::numeric_limits<double>::infinity();  ///< error on the held-out rows that others have reached
  double share = 0.0;                                      ///< of the time budget, where there is one
  std::optional<MemberStart> start;
  double operations = 1e10;  ///< multiply-adds it may take, about; a sequential block a small part of them
  std::function<void(const std::string&)> stage;  ///< is told what is being done
};

struct TrainedMember {
  std::vector<ProposedBlock> blocks;  ///< those kept
  std::vector<BlockRecord> records;   ///< of the blocks
  std::size_t earlier = 0;            ///< records of an earlier run, the first ones
  double train = 0.0;                 ///< mean square left, summed over outputs, standardised
  double held_out = 0.0;
  GrowthRows held_out_left;  ///< what is left on the held-out rows by the blocks kept; no variables
  bool complete = true;      ///< false: interrupted
  StopReason reason = StopReason::stalled;

  TrainedMember() = default;
  /// Not trained further.
  explicit TrainedMember(const MemberStart& start);
  [[nodiscard]] Network network() const;
};

/// Σ_o variance_o · square_o.
double in_target_units(const Eigen::VectorXd& squares, const std::vector<double>& variance);

/// Whether errors on rows fell by more than chance would have it, by so many standard errors of the mean over the rows:
/// of their squares or, where `or_logarithms`, of the logarithms of their squares, which a few rows at a jump cannot
/// drown.
bool surely_smaller(const GrowthRows& after, const GrowthRows& before, double standard_errors, bool or_logarithms);

TrainedMember train_member(GrowthPasses& passes, MemberRows rows, const MemberPlan& plan, Interrupt& interrupt);

/// The member's blocks for other rows, one after the other; `rows` are left with what the network leaves. Nothing when
/// interrupted.
std::optional<Network> refit_member(GrowthPasses& passes, const TrainedMember& member, GrowthRows& rows,
                                    Interrupt& interrupt);

}  // namespace rfnn
