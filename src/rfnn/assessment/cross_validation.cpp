#include "rfnn/assessment/cross_validation.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::assessment {
namespace {

/// Up to so many rows a fold is trained on one thread, beside others: passes over fewer rows keep several threads
/// waiting for each other.
constexpr std::size_t few_rows = 20'000;

/// Of the time that is left, for training the folds; and seconds that a fold has in any case.
constexpr double time_for_folds = 0.95, least_time = 0.05;

using Clock = std::chrono::steady_clock;

/// What the threads that train tell the one that watches.
class Board {
 public:
  explicit Board(std::size_t folds) : folds_(folds) {}

  void set(std::size_t fold, const Progress& progress) {
    const std::lock_guard lock(mutex_);
    running_[fold] = progress;
  }
  void finish(std::size_t fold, bool complete) {
    const std::lock_guard lock(mutex_);
    running_.erase(fold);
    if (complete) finished_.push_back(fold);
  }
  /// Folds finished since the last call.
  std::vector<std::size_t> take_finished() {
    const std::lock_guard lock(mutex_);
    done_ += finished_.size();
    return std::exchange(finished_, {});
  }
  CrossProgress now() {
    const std::lock_guard lock(mutex_);
    CrossProgress progress{.done = done_, .folds = folds_, .running = {}};
    for (const auto& [fold, state] : running_) progress.running.push_back({fold, state});
    return progress;
  }

 private:
  std::mutex mutex_;
  std::size_t folds_, done_ = 0;
  std::map<std::size_t, Progress> running_;
  std::vector<std::size_t> finished_;
};

/// Watches one fold on the thread that trains it.
class FoldObserver final : public Observer {
 public:
  FoldObserver(Board& board, std::size_t fold, const std::atomic<bool>& stop)
      : board_(board), fold_(fold), stop_(stop) {}
  bool progress(const Progress& now) override {
    board_.set(fold_, now);
    return !stop_;
  }
  bool block_done(const BlockRecord&) override { return !stop_; }
  void warning(const std::string& text) override { warnings.push_back(text); }

  std::vector<std::string> warnings;

 private:
  Board& board_;
  std::size_t fold_;
  const std::atomic<bool>& stop_;
};

/// The same failure, with the fold it came in.
[[noreturn]] void fail_in(std::size_t fold) {
  const auto text = [&](const Error& error) { return "Fold " + std::to_string(fold + 1) + ": " + error.cause(); };
  try {
    throw;
  } catch (const UsageError& error) {
    throw UsageError(text(error), error.cure());
  } catch (const InputError& error) {
    throw InputError(text(error), error.cure());
  } catch (const NumericalError& error) {
    throw NumericalError(text(error), error.cure());
  }
}

std::optional<FoldPrediction> predict_fold(const CrossTable& table, const FoldRows& rows, const Options& options,
                                           FoldObserver& observer, const std::atomic<bool>& stop) {
  const auto started = Clock::now();
  const FoldTable train = training_rows(table, rows);
  FitExtras extras;
  extras.observer = &observer;
  const Model model = fit(train.rows, options_of_fold(options, table, train.code), extras);
  if (stop && cut_short(model)) return std::nullopt;
  FoldPrediction result;
  result.cut = cut_short(model);
  PredictOptions how;
  how.threads = static_cast<std::size_t>(options.threads);
  // Where nothing is missing among the rows learnt from, the model says what stands in elsewhere.
  const EncodedRows asked = asked_rows(table, rows, is_plain(train.code) ? columns_of_table(model) : train.code);
  result.predictions = predict(model, asked.inputs.view(), how);
  result.blocks = model.blocks();
  result.warnings = std::move(observer.warnings);
  if (asked.unseen > 0)
    result.warnings.push_back(std::to_string(asked.unseen) +
                              " cells have a level that the rows to learn from have not: the mean over the levels "
                              "stands in");
  result.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  return result;
}

}  // namespace

std::vector<std::optional<FoldPrediction>> cross_predict(const CrossTable& table, const std::vector<FoldRows>& folds,
                                                         const Options& options, const CrossObserver& observer,
                                                         FoldTurn turn) {
  const std::size_t count = turn.first < folds.size() ? (folds.size() - turn.first - 1) / turn.step + 1 : 0;
  const std::size_t threads = thread_count(options.threads);
  const bool side_by_side = threads > 1 && count > 1 && table.data.rows() <= few_rows;
  Options each = options;
  each.max_time = 0.0;
  each.threads = side_by_side ? 1 : static_cast<std::int64_t>(threads);

  std::vector<std::optional<FoldPrediction>> results(folds.size());
  Board board(count);
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> begun = 0;
  const std::size_t team = side_by_side ? std::min(threads, count) : 1;
  const auto tell_finished = [&] {
    for (const std::size_t fold : board.take_finished())
      if (observer.done) observer.done(fold, *results[fold]);
  };
  Interrupt interrupt([&] {
    tell_finished();
    if (observer.progress && !observer.progress(board.now())) stop = true;
    return !stop;
  });
  const auto work = [&](std::size_t place, std::size_t) {
    if (stop) return;
    const std::size_t fold = turn.first + place * turn.step;
    FoldObserver watcher(board, fold, stop);
    try {
      Options own = each;
      const std::size_t waiting = count - begun++;  // this one among them
      if (observer.seconds_left) {
        const double share = static_cast<double>(std::min(team, waiting)) / static_cast<double>(waiting);
        own.max_time = std::max(least_time, share * time_for_folds * observer.seconds_left());
      }
      results[fold] = predict_fold(table, folds[fold], own, watcher, stop);
    } catch (const Error&) {
      stop = true;
      fail_in(fold);
    } catch (...) {
      stop = true;
      throw;
    }
    board.finish(fold, results[fold].has_value());
  };
  Workers workers(team);
  workers.run_watched(count, work, interrupt);
  tell_finished();
  return results;
}

}  // namespace rfnn::assessment
