#pragma once

#include <vector>

#include "cli/tune_work.hpp"
#include "rfnn/assessment/tuning.hpp"
#include "rfnn/core/communicator.hpp"

namespace rfnn::cli {

/// The processes that MPI has started for one search. All have the whole table. Rank 0 searches, keeps the record and
/// talks; the others measure the errors that it asks for.
class TuneRanks {
 public:
  explicit TuneRanks(Communicator& ranks) : ranks_(ranks) {}
  /// Of rank 0: lets the others go.
  ~TuneRanks();
  TuneRanks(const TuneRanks&) = delete;
  TuneRanks& operator=(const TuneRanks&) = delete;

  /// Of rank 0: measure_errors() with the tasks dealt out in turn. Results of others are noted when all are there. What
  /// fails on one rank fails on all.
  void measure(const assessment::FoldErrors& folds, const std::vector<assessment::Task>& tasks, bool side_by_side,
               const TuneLimits& limits, const TuneNote& note);

  /// Of the others: measures what rank 0 asks for, until it lets them go.
  void serve(const assessment::FoldErrors& folds, std::size_t threads);

 private:
  TuneErrors together(const assessment::FoldErrors& folds, const std::vector<assessment::Task>& tasks,
                      bool side_by_side, const TuneLimits& limits, const TuneNote& note);

  Communicator& ranks_;
  bool waiting_ = true;  ///< the others wait for what rank 0 asks
};

}  // namespace rfnn::cli
