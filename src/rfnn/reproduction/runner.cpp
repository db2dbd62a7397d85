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

namespace rfnn {
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

}  // namespace

StudyResult run_study(const std::vector<Task>& tasks, const ReproductionFolder& folder, std::size_t threads,
                      StudyObserver& observer) {
  std::vector<std::optional<Run>> runs(tasks.size());
  std::vector<std::string> failures(tasks.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    runs[i] = folder.load(tasks[i]);
    if (!runs[i]) open.push_back(i);
  }
  // Longest first: the threads then end at about the same time.
  std::stable_sort(open.begin(), open.end(),
                   [&](std::size_t a, std::size_t b) { return tasks[a].cost() > tasks[b].cost(); });

  StudyResult result;
  observer.begin(tasks.size(), tasks.size() - open.size());
  if (!open.empty()) {
    std::vector<double> costs;
    for (const std::size_t i : open) costs.push_back(tasks[i].cost());
    Progressing progressing(std::move(costs), tasks.size() - open.size());
    std::size_t seen = 0;
    const auto tell = [&] {
      for (const std::size_t place : progressing.take_news()) {
        const std::size_t i = open[place];
        ++seen;
        if (runs[i])
          observer.finished(*runs[i], progressing.now(seen));
        else
          observer.failed(tasks[i], failures[i]);
      }
    };
    Interrupt interrupt([&] {
      tell();
      return observer.progress(progressing.now(seen));
    });
    Workers workers(threads == 0 ? std::min(available_threads(), open.size()) : std::min(threads, open.size()));
    const auto work = [&](std::size_t place, std::size_t) {
      const std::size_t i = open[place];
      try {
        std::optional<Run> run = run_task(tasks[i], [&](double share) {
          progressing.at(place, share);
          return !interrupt.stopped();
        });
        if (!run) return;
        folder.save(*run);
        runs[i] = std::move(run);
      } catch (const NumericalError& error) {
        failures[i] = error.what();  // the other runs are worth having all the same
      } catch (...) {
        interrupt.stop();  // no room to save, say: the runs at work would be lost too
        throw;
      }
      progressing.ended(place);
    };
    try {
      result.interrupted = !workers.run_watched(open.size(), work, interrupt);
    } catch (...) {
      tell();
      throw;
    }
    tell();
  }

  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (runs[i]) {
      result.runs.push_back(std::move(*runs[i]));
      continue;
    }
    result.missing.push_back(tasks[i]);
    if (!failures[i].empty()) result.failures.emplace_back(tasks[i], failures[i]);
  }
  return result;
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

}  // namespace rfnn
