#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/assessment/tuning.hpp"

namespace rfnn::cli {

/// The errors measured so far, in a file of JSON lines that a later run goes on from: a line about the search, then one
/// for each error.
class TuneRecord {
 public:
  /// Reads what there is. Throws InputError where the file is of another search or cannot be written.
  TuneRecord(std::string path, const std::string& about);
  TuneRecord(const TuneRecord&) = delete;
  TuneRecord& operator=(const TuneRecord&) = delete;
  ~TuneRecord();

  [[nodiscard]] std::optional<double> find(const Options& options, std::size_t fold) const;
  void add(const Options& options, std::size_t fold, double error);
  [[nodiscard]] std::size_t size() const { return errors_.size(); }

 private:
  std::string path_;
  int file_ = -1;
  std::map<std::string, double> errors_;
};

/// What errors are measured with, and how long.
struct TuneLimits {
  std::size_t threads = 1;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::function<void(std::size_t done, std::size_t of)> tell = {};  ///< called now and then on the calling thread

  [[nodiscard]] bool out_of_time() const { return deadline && std::chrono::steady_clock::now() >= *deadline; }
};

/// Of tasks, by their places.
using TuneErrors = std::vector<std::optional<double>>;
using TuneNote = std::function<void(std::size_t task, double error)>;

/// Measures until it is told to stop, by a signal or because the time is over: nothing for tasks that were not done.
/// Each network on a thread of its own, or (`side_by_side` false) one after the other on all of them. `note` is called
/// when one is done, by one thread at a time.
TuneErrors measure_errors(const assessment::FoldErrors& folds, const std::vector<assessment::Task>& tasks,
                          bool side_by_side, const TuneLimits& limits, const TuneNote& note);

class TuneRanks;

/// Measures errors that are not in the record yet.
class TuneWork {
 public:
  /// `ranks`: processes that measure with this one; null: it is alone.
  TuneWork(const assessment::FoldErrors& folds, TuneRecord& record, TuneLimits limits, TuneRanks* ranks);

  /// Each network on a thread of its own, or (`side_by_side` false) one after the other on all of them. Fewer errors
  /// than tasks: it was ended.
  std::vector<double> measure(const std::vector<assessment::Task>& tasks, bool side_by_side);

 private:
  const assessment::FoldErrors& folds_;
  TuneRecord& record_;
  TuneLimits limits_;
  TuneRanks* ranks_;
};

}  // namespace rfnn::cli
