#include "cli/tune_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "rfnn/options/table.hpp"
#include "rfnn/rows/ranks/message.hpp"
#include "rfnn/training/ranks/agreement.hpp"

namespace rfnn::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// What rank 0 asks for. Clocks of machines differ: told is how much time there is, not until when.
struct Asked {
  std::vector<assessment::Task> tasks;
  bool side_by_side = false;
  std::optional<double> seconds;
};

std::string as_message(const Asked& asked) {
  rows::Writer out;
  out.put(asked.side_by_side);
  out.put(asked.seconds.has_value());
  out.put(asked.seconds.value_or(0.0));
  out.put<std::uint64_t>(asked.tasks.size());
  for (const assessment::Task& task : asked.tasks) {
    out.put_text(options_to_json(task.options));
    out.put<std::uint64_t>(task.fold);
  }
  return out.take();
}

Asked from_message(const std::string& message) {
  rows::Reader in(message);
  Asked asked;
  asked.side_by_side = in.get<bool>();
  const bool limited = in.get<bool>();
  const double seconds = in.get<double>();
  if (limited) asked.seconds = seconds;
  asked.tasks.resize(in.get<std::uint64_t>());
  for (assessment::Task& task : asked.tasks) {
    options_from_json(task.options, in.get_text(), "a message of rank 0");
    task.fold = in.get<std::uint64_t>();
  }
  return asked;
}

}  // namespace

TuneRanks::~TuneRanks() {
  if (ranks_.rank() != 0 || !waiting_) return;
  std::string nothing;
  ranks_.broadcast(nothing);
}

void TuneRanks::measure(const assessment::FoldErrors& folds, const std::vector<assessment::Task>& tasks,
                        bool side_by_side, const TuneLimits& limits, const TuneNote& note) {
  Asked asked{tasks, side_by_side, {}};
  if (limits.deadline)
    asked.seconds = std::max(0.0, std::chrono::duration<double>(*limits.deadline - Clock::now()).count());
  std::string message = as_message(asked);
  ranks_.broadcast(message);
  const TuneErrors errors = together(folds, tasks, side_by_side, limits, note);
  for (std::size_t t = 0; t < tasks.size(); ++t)
    if (t % ranks_.size() != 0 && errors[t]) note(t, *errors[t]);
}

void TuneRanks::serve(const assessment::FoldErrors& folds, std::size_t threads) {
  for (;;) {
    std::string message;
    ranks_.broadcast(message);
    if (message.empty()) return;
    const Asked asked = from_message(message);
    TuneLimits limits{.threads = threads};
    if (asked.seconds)
      limits.deadline =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*asked.seconds));
    together(folds, asked.tasks, asked.side_by_side, limits, {});
  }
}

TuneErrors TuneRanks::together(const assessment::FoldErrors& folds, const std::vector<assessment::Task>& tasks,
                               bool side_by_side, const TuneLimits& limits, const TuneNote& note) {
  const std::size_t here = ranks_.rank(), all = ranks_.size();
  std::vector<assessment::Task> own;
  for (std::size_t t = here; t < tasks.size(); t += all) own.push_back(tasks[t]);
  const auto note_own = [&](std::size_t task, double error) {
    if (note) note(here + task * all, error);
  };
  std::vector<double> found;  // with a flag before each
  waiting_ = false;
  training::agree(ranks_, [&] {
    for (const std::optional<double>& error : measure_errors(folds, own, side_by_side, limits, note_own)) {
      found.push_back(error ? 1.0 : 0.0);
      found.push_back(error.value_or(0.0));
    }
  });
  const std::vector<std::vector<double>> of_all = training::gather<double>(ranks_, std::span<const double>(found));
  waiting_ = true;
  TuneErrors errors(tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const std::vector<double>& of_rank = of_all[t % all];
    if (of_rank[2 * (t / all)] > 0.0) errors[t] = of_rank[2 * (t / all) + 1];
  }
  return errors;
}

}  // namespace rfnn::cli
