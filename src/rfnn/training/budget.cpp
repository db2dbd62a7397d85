#include "rfnn/training/budget.hpp"

#include <algorithm>
#include <cmath>

#include "rfnn/core/parallel.hpp"

namespace rfnn::training {
namespace {

/// Multiply-adds per second and thread of the SIMD kernels with AVX2; a machine without reaches a third. Sizes that
/// follow from it are upper bounds: what takes longer than its window is cut or made smaller by the clock.
constexpr double per_second = 4e10;

/// Multiply-adds that a cosine or a sine takes.
constexpr double cosine = 20.0;

/// Effort without a limit: so many multiply-adds at so many rows, growing with powers of them below and above, up to
/// 10⁵ rows. Set so that 10⁴ rows take some 15 s and 10⁵ about a minute on two AVX2 cores.
constexpr double effort = 5.6e11, rows_of_effort = 1e4, fewest_rows = 100.0, most_rows = 1e5;
constexpr double power_below = 0.85, power_above = 0.4;

/// Of the budget, and seconds at the most, kept for the last pass and for writing.
constexpr double reserve_share = 0.05, most_reserve = 0.25;

Clock::duration duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Budget::Budget(const Options& options, const FitExtras& extras)
    : limited_(options.max_time > 0.0),
      started_(extras.started.value_or(Clock::now())),
      training_began_(started_),
      deadline_(started_) {
  if (!limited_) return;
  const double reserve = std::min(reserve_share * options.max_time, most_reserve);
  deadline_ = started_ + duration(options.max_time - reserve);
}

double Budget::left() const {
  return limited_ ? seconds_between(Clock::now(), deadline_) : std::numeric_limits<double>::infinity();
}

double Budget::share_used() const {
  return limited_ ? std::clamp(elapsed() / seconds_between(started_, deadline_), 0.0, 1.0) : 0.0;
}

Clock::time_point Budget::end_of(double share) const {
  if (!limited_) return Clock::time_point::max();
  return training_began_ + duration(share * std::max(0.0, seconds_between(training_began_, deadline_)));
}

double Budget::training_used() const { return share_of(seconds_between(training_began_, Clock::now())); }

double Budget::share_of(double seconds) const {
  if (!limited_) return 0.0;
  const double all = seconds_between(training_began_, deadline_);
  return all > 0.0 ? seconds / all : 1.0;
}

double operations_without_limit(std::size_t rows) {
  const double n = std::clamp(static_cast<double>(rows), fewest_rows, most_rows);
  return effort * std::pow(n / rows_of_effort, n < rows_of_effort ? power_below : power_above);
}

double operations_for(const Options& options, std::size_t rows, std::size_t threads) {
  if (options.max_time > 0.0) return options.max_time * static_cast<double>(threads) * per_second;
  return operations_without_limit(rows);
}

double likely_seconds(const Options& options, std::size_t rows, std::size_t threads) {
  // Of fewer rows several members are trained, and much of their time goes to other things than multiplying.
  constexpr double few_rows = 4000.0, slower = 4.0;
  const auto n = static_cast<double>(rows);
  double operations = operations_without_limit(rows) * (n < few_rows ? slower : 1.0);
  if (options.preset == Preset::paper) {
    const double columns = (options.blocks > 1 ? 4.0 : 2.0) * static_cast<double>(options.width);
    const double per_iteration = options.state_branch == StateBranch::sampled ? 3.0 : 2.0;
    const double solves =
        static_cast<double>(options.blocks) * (1.0 + per_iteration * static_cast<double>(options.iterations));
    operations = solves * columns * (n * (0.5 * columns + cosine) + columns * columns / 3.0);
  }
  const double seconds = operations / (per_second * static_cast<double>(threads));
  return options.max_time > 0.0 ? std::min(options.max_time, seconds) : seconds;
}

std::size_t threads_of(const Options& options) { return thread_count(options.threads); }

}  // namespace rfnn::training
