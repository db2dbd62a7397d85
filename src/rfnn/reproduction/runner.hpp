#pragma once

// Private header.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/reproduction/folder.hpp"
#include "rfnn/reproduction/run.hpp"
#include "rfnn/reproduction/study.hpp"

namespace rfnn::reproduction {

/// Where a study stands.
struct StudyProgress {
  std::size_t done = 0, total = 0;  ///< runs, those of earlier calls included
  double elapsed = 0.0;             ///< seconds
  std::optional<double> remaining;  ///< estimate of the seconds left
};

/// Sees a study and may end it. Every call comes on the thread that called run_study().
class StudyObserver {
 public:
  virtual ~StudyObserver() = default;
  /// Before the first run; `resumed` of them are there already.
  virtual void begin(std::size_t /*total*/, std::size_t /*resumed*/) {}
  /// About every 25 ms. Returning false ends the runs at work, which are lost; finished ones are kept.
  virtual bool progress(const StudyProgress&) { return true; }
  virtual void finished(const Run&, const StudyProgress&) {}
  virtual void failed(const Task&, const std::string& /*reason*/) {}
};

struct StudyResult {
  std::vector<Run> runs;                               ///< in the order of the tasks
  std::vector<Task> missing;                           ///< those that were not finished
  std::vector<std::pair<Task, std::string>> failures;  ///< those missing for a numerical failure, and why
  bool interrupted = false;
};

/// Makes the runs that the folder does not have yet, `threads` at a time (0: as many as the process may use), longest
/// first, each saved as it is finished. Results do not depend on the number of threads.
StudyResult run_study(const std::vector<Task>& tasks, const ReproductionFolder& folder, std::size_t threads,
                      StudyObserver& observer);

/// Adds runs of the study that the folder has and nobody asked for now: of other examples, of further seeds.
void add_earlier_runs(StudyResult& result, const Study& study, const ReproductionFolder& folder);

}  // namespace rfnn::reproduction
