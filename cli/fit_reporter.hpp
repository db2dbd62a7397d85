#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/failure.hpp"
#include "cli/fit_plan.hpp"
#include "cli/progress.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/run_directory.hpp"
#include "rfnn/training/observer.hpp"

namespace rfnn::cli {

/// What became of a trained model.
struct Result {
  const Model& model;
  std::string place;   ///< where it is to be
  bool saved;          ///< false: what is there was better than the mean and stays
  std::string report;  ///< where the page about the run is; empty: there is none
};

/// Hands what happens in training to those who want to know: people, a JSON reader, the run directory. Says stop once a
/// signal has come.
class Reporter final : public Observer {
 public:
  /// Throws where the run directory cannot be one.
  Reporter(const FitArguments& arguments, const Options& options, std::chrono::steady_clock::time_point started);

  /// `resumed`: the record of the run goes on.
  void start(const FitPlan& plan, bool resumed);
  /// Of the run directory; null without one.
  [[nodiscard]] std::unique_ptr<Journal> journal(double seconds_between_notes);
  bool progress(const Progress& now) override;
  bool block_done(const BlockRecord& record) override;
  void warning(const std::string& text) override;
  void checkpoint(const Model& model);
  void done(const Result& result);
  void failed(const Failure& failure);

  /// Tells at the end, when the model is safe, that JSON lines were lost.
  void check_output() const;
  [[nodiscard]] const std::vector<BlockRecord>& blocks() const { return blocks_; }

 private:
  void line(std::string_view text);
  void event(const std::string& text);
  void summarise(const Result& result);
  template <class Action>
  void try_to_record(const Action& action);

  std::chrono::steady_clock::time_point started_;
  bool json_;
  std::unique_ptr<ProgressLines> lines_;
  std::unique_ptr<io::RunDirectory> run_;
  std::optional<InputError> lost_output_;
  std::string by_ranks_;                       ///< what starts the command again where ranks of MPI run it
  std::mutex mutex_;                           ///< of the next
  std::optional<std::string> journal_failed_;  ///< told from any thread, passed on by progress()
  std::vector<BlockRecord> blocks_;            ///< as they were trained, for the report of a run that fails
};

/// Seconds since a moment.
double seconds_since(std::chrono::steady_clock::time_point start);

}  // namespace rfnn::cli
