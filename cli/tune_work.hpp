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

/// Measures errors until it is told to stop, by a signal or because the budget is spent.
class TuneWork {
 public:
  struct Limits {
    std::size_t threads = 1;
    std::optional<std::chrono::steady_clock::time_point> deadline = {};
    std::function<void(std::size_t done, std::size_t of)> tell = {};  ///< called now and then on the calling thread
  };
  TuneWork(const assessment::FoldErrors& folds, TuneRecord& record, Limits limits);

  /// Each network on a thread of its own, or (`side_by_side` false) one after the other on all of them. Fewer errors
  /// than tasks: it was ended.
  std::vector<double> measure(const std::vector<assessment::Task>& tasks, bool side_by_side);

  [[nodiscard]] bool out_of_time() const;
  /// The result of every task that ended, found in the record or not.
  [[nodiscard]] std::size_t measured() const { return measured_; }

 private:
  const assessment::FoldErrors& folds_;
  TuneRecord& record_;
  Limits limits_;
  std::size_t measured_ = 0;
};

}  // namespace rfnn::cli
