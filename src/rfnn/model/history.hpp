#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/model/network.hpp"

namespace rfnn {

/// Counts over equal bins on [low, high), in radians per unit of the variable.
struct Histogram {
  std::string variable;  ///< column name, or "norm" for |ω|
  double low = 0.0;
  double high = 0.0;
  std::vector<std::uint64_t> counts;

  friend bool operator==(const Histogram&, const Histogram&) = default;
};

/// One branch of a trained block.
struct BranchRecord {
  BranchKind kind = BranchKind::input;
  std::uint64_t proposed = 0;
  std::uint64_t accepted = 0;
  /// Frequencies accepted after burn-in: one histogram per variable, and one of |ω| when there are several.
  std::vector<Histogram> accepted_frequencies;

  [[nodiscard]] double acceptance() const {
    return proposed == 0 ? 0.0 : static_cast<double>(accepted) / static_cast<double>(proposed);
  }
  friend bool operator==(const BranchRecord&, const BranchRecord&) = default;
};

/// A chain at one of its iterations, which are thinned. `loss` is the mean squared misfit of the block on its rows,
/// target units. The other two do not depend on the order of the features and are 0 where an earlier version did not
/// note them: √(mean |ω|²) and √(Σ |b|²) over all features of the block, standardised units.
struct TracePoint {
  std::int64_t iteration = 0;
  double loss = 0.0;
  double frequency = 0.0;
  double amplitude = 0.0;

  friend bool operator==(const TracePoint&, const TracePoint&) = default;
};

/// How a block's frequencies were found (finders/).
enum class Method { sampled, sequential, random, lattice, kernel, series, lines, windows };

constexpr std::string_view name_of(Method method) {
  switch (method) {
    case Method::sampled:
      return "sampled";
    case Method::sequential:
      return "sequential";
    case Method::random:
      return "random";
    case Method::lattice:
      return "lattice";
    case Method::kernel:
      return "kernel";
    case Method::series:
      return "series";
    case Method::lines:
      return "lines";
    case Method::windows:
      return "windows";
  }
  return "";
}

/// What is known about one trained block. Errors are mean squared errors in the target's units, mean over outputs.
struct BlockRecord {
  std::int64_t member = 0;  ///< from 0
  std::int64_t block = 0;   ///< from 1
  Method method = Method::sampled;
  std::int64_t width = 0;
  std::size_t rows = 0;  ///< rows the amplitudes were fitted to
  /// Rows the proposals were weighed on and the trace is of; fewer with proposal_fraction.
  std::size_t proposal_rows = 0;
  std::int64_t iterations = 0;  ///< of the chain; 0: there was none
  bool complete = true;         ///< false: cut short, the kept state was solved for
  /// What kept the amplitudes small, by the method. sampled, sequential: λ of (1/N)|Ab − r|² + λ|b|². random, kernel:
  /// λ, a variance of noise in the units of the network's outputs. lattice: that over the mean square of what the block
  /// was fitted to. series, lines, windows: that over the variance of the law.
  double ridge = 0.0;
  double train_mse = 0.0;  ///< all training rows, after this block
  std::optional<double> validation_mse;
  double condition = 0.0;  ///< condition number of the regularised system of the kept state
  std::uint64_t solves = 0;
  std::uint64_t solver_fallbacks = 0;
  double seconds = 0.0;
  std::vector<BranchRecord> branches;
  std::vector<TracePoint> trace;

  /// Proposals were made and accepted or not.
  [[nodiscard]] bool has_chain() const {
    return std::any_of(branches.begin(), branches.end(),
                       [](const BranchRecord& branch) { return branch.proposed > 0; });
  }
  friend bool operator==(const BlockRecord&, const BlockRecord&) = default;
};

/// What the error on rows that a model was not fitted to was measured on.
///   held_out       rows kept apart, or validation data given
///   leave_one_out  every training row, by a fit to all the others
///   cross_fitting  every training row, by a network that was trained on some of the others
///   training       no such rows: those of training, their errors made larger by what the fit took (error bars only)
enum class Judge { held_out, leave_one_out, cross_fitting, training };

constexpr std::string_view name_of(Judge judge) {
  switch (judge) {
    case Judge::held_out:
      return "held-out";
    case Judge::leave_one_out:
      return "leave-one-out";
    case Judge::cross_fitting:
      return "cross-fitting";
    case Judge::training:
      return "training";
  }
  return "";
}

/// The course of a training run, including blocks tried and given up again by going back to the best.
struct History {
  double empty_train_mse = 0.0;  ///< error of the mean alone
  std::optional<double> empty_validation_mse;
  std::vector<BlockRecord> blocks;
  /// Least-squares slope of log(training error) against log(W·ℓ); the theory's rate is −1. Needs two blocks.
  std::optional<double> rate_slope;
  /// Errors of the model as returned, where no record of a block has them (several members, say).
  std::optional<double> final_train_mse, final_validation_mse;
  std::optional<double> final_validation_se;  ///< standard error of final_validation_mse
  Judge judge = Judge::held_out;              ///< of final_validation_mse

  friend bool operator==(const History&, const History&) = default;
};

enum class StopReason { all_blocks, tolerance, stalled, out_of_time, interrupted, constant_target, no_inputs };

constexpr std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::all_blocks:
      return "all-blocks";
    case StopReason::tolerance:
      return "tolerance";
    case StopReason::stalled:
      return "stalled";
    case StopReason::out_of_time:
      return "out-of-time";
    case StopReason::interrupted:
      return "interrupted";
    case StopReason::constant_target:
      return "constant-target";
    case StopReason::no_inputs:
      return "no-inputs";
  }
  return "";
}

}  // namespace rfnn
