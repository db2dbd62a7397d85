#pragma once

// Private header. Time and effort, in one place: the clock of a run, the shares of its stages, and what a run may cost.

#include <cstddef>
#include <limits>

#include "rfnn/core/timer.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::training {

namespace shares {

/// Of the time for training: when the last network must have ended; the rest is for the fit to all rows.
inline constexpr double networks = 0.8;
/// The same where the best of them brings that fit along.
inline constexpr double networks_with_fit = 0.95;
/// Of the time and effort: for the question of logarithms, and the window it may take at the most.
inline constexpr double logarithms = 0.05, logarithms_window = 0.1;
/// Of the effort, by way to begin a network: a grown one alone; for one input a series, which takes little, for one or
/// two a lattice, a closed form where rows are few, and a grown one; windows where rows are many; for more inputs a
/// wide block, another for later blocks to stand on, and a grown one. What has won nearly everywhere has most of it
/// (docs/performance.md); never varied alone.
inline constexpr double grown_alone = 0.4, series = 0.1, lattice = 0.35, kernel_beside_lattice = 0.15,
                        grown_beside_lattice = 0.1, windows = 0.3, windows_on_top = 0.15, wide = 0.55,
                        wide_to_stand_on = 0.1, grown_beside_wide = 0.05;
/// Of the effort, beyond the rows: trend and lines, and a lattice beside them. Not varied.
inline constexpr double lines = 0.3, lattice_beside_lines = 0.2;
/// Of the effort, for a further member, and the least of it. Not varied.
inline constexpr double member = 0.25, least_member = 0.1;
/// A member is begun if this part of the time of the last one is left. Not varied.
inline constexpr double time_for_member = 0.7;

}  // namespace shares

/// The clock of `max_time`: it starts with the command, reading included, and is the only one that shares refer to.
class Budget {
 public:
  Budget(const Options& options, const FitExtras& extras);

  [[nodiscard]] bool limited() const { return limited_; }
  /// Seconds since the start of the command.
  [[nodiscard]] double elapsed() const { return seconds_between(started_, Clock::now()); }
  /// Seconds to the moment when training must end; infinite without a limit. A little is left for a last pass over the
  /// rows and for writing the model.
  [[nodiscard]] double left() const;
  [[nodiscard]] bool used_up() const { return limited_ && Clock::now() >= deadline_; }
  /// How much of the time is used, from 0 to 1; 0 without a limit.
  [[nodiscard]] double share_used() const;

  /// Training begins: windows are shares of what is left now.
  void begin_training() { training_began_ = Clock::now(); }
  /// The moment at which this share of the time for training is used; never without a limit.
  [[nodiscard]] Clock::time_point end_of(double share) const;
  /// How much of the time for training is used.
  [[nodiscard]] double training_used() const;
  /// What so many seconds are of the time for training; 0 without a limit.
  [[nodiscard]] double share_of(double seconds) const;

 private:
  bool limited_;
  Clock::time_point started_, training_began_, deadline_;
};

/// What a run may cost, in multiply-adds. Without a time budget it follows from the data alone: about a minute for 10⁵
/// rows on two cores, and no more for more rows than their passes take.
double operations_for(const Options& options, std::size_t rows, std::size_t threads);
/// The same as if there were no time budget.
double operations_without_limit(std::size_t rows);

/// Seconds that a run may take, for people who plan: right to a factor of three on a machine with AVX2 that has nothing
/// else to do, and no more than max_time.
double likely_seconds(const Options& options, std::size_t rows, std::size_t threads);

/// Threads that the options ask for.
std::size_t threads_of(const Options& options);

}  // namespace rfnn::training
