#include "rfnn/reproduction/runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/core/timer.hpp"

namespace rfnn::reproduction {
namespace {

/// What the threads at work tell the one that watches.
class Progressing {
 public:
  Progressing(std::vector<double> costs, std::size_t resumed)
      : costs_(std::move(costs)), shares_(costs_.size()), resumed_(resumed) {}

  void at(std::size_t task, double share) { shares_[task].store(share, std::memory_order_relaxed); }

  void ended(std::size_t task) {
    at(task, 1.0);
    const std::lock_guard lock(mutex_);
    news_.push_back(task);
  }

  /// Tasks ended since the last call.
  std::deque<std::size_t> take_news() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }

  [[nodiscard]] StudyProgress now(std::size_t seen) const {
    StudyProgress progress;
    progress.done = resumed_ + seen;
    progress.total = resumed_ + costs_.size();
    progress.elapsed = std::chrono::duration<double>(Clock::now() - began_).count();
    double worked = 0.0, all = 0.0;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      worked += costs_[i] * shares_[i].load(std::memory_order_relaxed);
      all += costs_[i];
    }
    constexpr double enough = 1.0;  // seconds before a forecast is worth anything
    if (worked > 0.0 && progress.elapsed > enough) progress.remaining = progress.elapsed * (all - worked) / worked;
    return progress;
  }

 private:
  std::vector<double> costs_;
  std::vector<std::atomic<double>> shares_;
  std::size_t resumed_;
  Clock::time_point began_ = Clock::now();
  std::mutex mutex_;
  std::deque<std::size_t> news_;
};

/// The runs of a study: those that the folder has, those to be made, and what becomes of them.
class Runs {
 public:
  Runs(const std::vector<Task>& tasks, const ReproductionFolder& folder, StudyObserver& observer)
      : tasks_(tasks), folder_(folder), observer_(observer), runs_(tasks.size()), failures_(tasks.size()) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      runs_[i] = folder.load(tasks[i]);
      if (!runs_[i]) open_.push_back(i);
    }
    // Longest first: the threads then end at about the same time.
    std::stable_sort(open_.begin(), open_.end(),
                     [&](std::size_t a, std::size_t b) { return tasks[a].cost() > tasks[b].cost(); });
    observer.begin(tasks.size(), tasks.size() - open_.size());
  }

  /// Makes the open ones; false when the observer has ended it.
  bool make(std::size_t threads) {
    if (open_.empty()) return true;
    std::vector<double> costs;
    for (const std::size_t i : open_) costs.push_back(tasks_[i].cost());
    Progressing progressing(std::move(costs), tasks_.size() - open_.size());
    Interrupt interrupt([&] {
      tell(progressing);
      return observer_.progress(progressing.now(seen_));
    });
    Workers workers(std::min(thread_count(threads), open_.size()));
    try {
      const bool complete = workers.run_watched(
          open_.size(), [&](std::size_t place, std::size_t) { make(place, progressing, interrupt); }, interrupt);
      tell(progressing);
      return complete;
    } catch (...) {
      tell(progressing);
      throw;
    }
  }

  /// Ends the collection.
  StudyResult take(bool interrupted) {
    StudyResult result;
    result.interrupted = interrupted;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (runs_[i]) {
        result.runs.push_back(std::move(*runs_[i]));
        continue;
      }
      result.missing.push_back(tasks_[i]);
      if (!failures_[i].empty()) result.failures.emplace_back(tasks_[i], failures_[i]);
    }
    return result;
  }

 private:
  /// One open run, on the thread of a worker.
  void make(std::size_t place, Progressing& progressing, Interrupt& interrupt) {
    const std::size_t i = open_[place];
    try {
      std::optional<Run> run = run_task(tasks_[i], [&](double share) {
        progressing.at(place, share);
        return !interrupt.stopped();
      });
      if (!run) return;
      folder_.save(*run);
      runs_[i] = std::move(run);
    } catch (const NumericalError& error) {
      failures_[i] = error.what();  // the other runs are worth having all the same
    } catch (...) {
      interrupt.stop();  // no room to save, say: the runs at work would be lost too
      throw;
    }
    progressing.ended(place);
  }

  /// Tells the observer of runs that have ended.
  void tell(Progressing& progressing) {
    for (const std::size_t place : progressing.take_news()) {
      const std::size_t i = open_[place];
      ++seen_;
      if (runs_[i])
        observer_.finished(*runs_[i], progressing.now(seen_));
      else
        observer_.failed(tasks_[i], failures_[i]);
    }
  }

  const std::vector<Task>& tasks_;
  const ReproductionFolder& folder_;
  StudyObserver& observer_;
  std::vector<std::optional<Run>> runs_;
  std::vector<std::string> failures_;
  std::vector<std::size_t> open_;
  std::size_t seen_ = 0;
};

}  // namespace

StudyResult run_study(const std::vector<Task>& tasks, const ReproductionFolder& folder, std::size_t threads,
                      StudyObserver& observer) {
  Runs runs(tasks, folder, observer);
  const bool complete = runs.make(threads);
  return runs.take(!complete);
}

void add_earlier_runs(StudyResult& result, const Study& study, const ReproductionFolder& folder) {
  std::set<std::string> known;
  for (const Run& run : result.runs) known.insert(run.task.name());
  for (const Task& task : result.missing) known.insert(task.name());
  for (const Task& task : tasks_of(study, folder.largest_seed())) {
    if (known.contains(task.name())) continue;
    if (std::optional<Run> run = folder.load(task)) result.runs.push_back(std::move(*run));
  }
}

}  // namespace rfnn::reproduction
