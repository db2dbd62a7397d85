#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/data.hpp"
#include "rfnn/assessment/tuning.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/table_data.hpp"

namespace rfnn::python {
namespace {

using assessment::Task;
using assessment::Trial;

/// Measures the errors of tasks until the budget is spent or a signal has come.
class Measuring {
 public:
  Measuring(const Rows& rows, const Options& base, std::size_t folds, double budget)
      : folds_(
            assessment::CrossTable{
                .data = rows.view(), .raw = rows.raw(), .places = rows.table().rows, .missing = base.missing},
            folds, base.seed),
        threads_(static_cast<std::size_t>(std::max<std::int64_t>(base.threads, 1))) {
    if (budget > 0.0)
      deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                         std::chrono::duration<double>(budget));
  }

  /// Each network on a thread of its own, or one after the other on all of them.
  std::vector<double> measure(const std::vector<Task>& tasks, bool side_by_side) {
    std::vector<std::optional<double>> errors(tasks.size());
    std::atomic<bool> ended = false;
    const std::function<bool()> proceed = [&] {
      if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) ended = true;
      return !ended;
    };
    const auto work = [&](std::size_t task, std::size_t) {
      if (!proceed()) return;
      Options options = tasks[task].options;
      options.threads = side_by_side ? 1 : static_cast<std::int64_t>(threads_);
      errors[task] = folds_.measure(options, tasks[task].fold, proceed);
    };
    Interrupt interrupt([&] {
      const nb::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() != 0) ended = true;
      return !ended;
    });
    Workers workers(side_by_side ? threads_ : 1);
    if (!tasks.empty()) workers.run_watched(tasks.size(), work, interrupt);
    std::vector<double> result;
    for (const std::optional<double>& error : errors) {
      if (!error) break;
      result.push_back(*error);
    }
    return result;
  }

 private:
  assessment::FoldErrors folds_;
  std::size_t threads_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

void throw_exception() {
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
}

/// The search of `rfnn tune`, best first: options with their errors on the folds measured. `see` is told how it stands.
std::vector<std::pair<Options, std::vector<double>>> tune(const Rows& rows, const Options& base,
                                                          std::vector<std::string> fixed, std::size_t folds,
                                                          double budget, const nb::callable& see) {
  const DatasetView& data = rows.view();
  Measuring work(rows, base, folds, budget);
  assessment::TuningPlan plan{.base = base, .fixed = std::move(fixed), .folds = folds};
  plan.rounds = budget > 0.0 ? 1000 : 4;
  plan.rows = data.rows() * (folds - 1) / folds;
  plan.inputs = data.inputs.size();
  plan.outputs = data.targets.size();
  std::vector<Trial> trials;
  {
    const nb::gil_scoped_release free;
    trials = assessment::tune(
        plan, [&](const std::vector<Task>& tasks) { return work.measure(tasks, true); },
        [&](const assessment::TuningProgress& now) {
          std::vector<Trial> sorted = *now.trials;
          std::erase_if(sorted, [](const Trial& trial) { return trial.errors.empty(); });
          if (sorted.empty()) return;
          assessment::sort_trials(sorted);
          const nb::gil_scoped_acquire lock;
          if (PyErr_Occurred() == nullptr)
            see(now.round, now.rung, sorted.size(), sorted.front().mean(), sorted.front().errors.size());
        });
  }
  throw_exception();
  std::vector<std::pair<Options, std::vector<double>>> found;
  for (const Trial& trial : trials) found.emplace_back(trial.options, trial.errors);
  return found;
}

/// Errors of preset auto: on the first fold with so many seeds, the options' own first, then on the others with that.
std::vector<double> chance(const Rows& rows, const Options& base, std::size_t seeds, std::size_t folds, double budget) {
  std::vector<Task> tasks;
  for (std::size_t s = 0; s < seeds; ++s) {
    tasks.push_back({base, 0});
    tasks.back().options.seed = base.seed + s;
  }
  for (std::size_t fold = 1; fold < folds; ++fold) tasks.push_back({base, fold});
  Measuring work(rows, base, folds, budget);
  std::vector<double> errors;
  {
    const nb::gil_scoped_release free;
    errors = work.measure(tasks, false);
  }
  throw_exception();
  return errors;
}

}  // namespace

void bind_tuning(nb::module_& module) {
  module.def("tuned_options", &assessment::tuned_options, "The names of the options that are tuned.");
  module.def("tune", &tune, nb::arg("rows"), nb::arg("options"), nb::arg("fixed"), nb::arg("folds"), nb::arg("budget"),
             nb::arg("see"),
             "The search of `rfnn tune`, best first: options with their errors on the folds measured. see(round, step, "
             "candidates, error, folds) is told how it stands.");
  module.def("chance", &chance, nb::arg("rows"), nb::arg("options"), nb::arg("seeds"), nb::arg("folds"),
             nb::arg("budget"),
             "Errors of preset auto: on the first fold with so many seeds, then on the others with the first of them.");
}

}  // namespace rfnn::python
