#pragma once

// Private header. The search for good options of preset paper: successive halving over cross-validation. Whoever calls
// says how an error is measured, so that the search itself is a function of its plan and of those errors.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/assessment/cross_validation.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::assessment {

/// What is searched, and how far. A round draws `candidates`, measures all of them on the first fold, the better half
/// on the second too, and so on, until the last two are measured on all folds. The first candidate of the first round
/// is `base` itself; from the second round on half of the candidates are neighbours of the best so far.
struct TuningPlan {
  Options base;                    ///< preset paper; what is not tuned stays
  std::vector<std::string> fixed;  ///< names of options that stay too
  std::size_t folds = 5;
  std::size_t candidates = 8;
  std::size_t rounds = 4;
  std::size_t rows = 0;  ///< of the table: a block of more coefficients than half of them is not tried
  std::size_t inputs = 1, outputs = 1;
};

/// Options tried, with the mean squared error on each fold measured, in the order of the folds.
struct Trial {
  Options options;
  std::vector<double> errors;

  [[nodiscard]] double mean() const;
  /// Of the mean, from the spread over folds; nothing for fewer than two.
  [[nodiscard]] std::optional<double> standard_error() const;
};

struct Task {
  Options options;
  std::size_t fold = 0;
};

/// The errors of tasks, which may be worked on side by side; fewer than asked for, in their order: the work was ended.
using Measure = std::function<std::vector<double>(const std::vector<Task>&)>;

/// Where a search stands.
struct TuningProgress {
  std::size_t round = 0, rung = 0;             ///< from 1
  const std::vector<Trial>* trials = nullptr;  ///< of all rounds so far
};

/// Searches. Returns all trials, best first: those measured on all folds by their mean, then the others, by folds and
/// mean.
std::vector<Trial> tune(const TuningPlan& plan, const Measure& measure,
                        const std::function<void(const TuningProgress&)>& see = {});

/// Best first, as `tune` returns them.
void sort_trials(std::vector<Trial>& trials);

/// The names of the options that are tuned.
std::vector<std::string> tuned_options();

/// A table divided into folds of nearly equal size, at random but the same for the same rows in their order and seed.
class FoldErrors {
 public:
  /// Borrows what the table lies in. Throws UsageError for fewer than two rows a fold.
  FoldErrors(CrossTable table, std::size_t folds, std::uint64_t seed);

  /// Mean squared error (mean over outputs, in the target's units; rows by their weights) on a fold of a network
  /// trained on all the others. Nothing where `proceed`, asked now and then, ended it.
  [[nodiscard]] std::optional<double> measure(const Options& options, std::size_t fold,
                                              const std::function<bool()>& proceed) const;

 private:
  CrossTable table_;
  std::vector<FoldRows> folds_;
};

}  // namespace rfnn::assessment
