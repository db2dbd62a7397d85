#pragma once

// Private header. What is known about one training run, from whatever is left of it: a model, the record of the run,
// or both; and rows to show the model on.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/io/run_record.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/report/run_rows.hpp"

namespace rfnn::report {

enum class RunState {
  finished,
  cut_short,  ///< by a signal or the time budget; the model is the result
  failed,
  killed,   ///< nobody wrote how it ended
  running,  ///< at the time of the report
  unknown,  ///< it may be running on another machine
};

/// Seconds of the parts of a run, where known.
struct RunTimes {
  std::optional<double> reading, preparing;
  std::optional<double> training;  ///< preparing and all blocks
  std::optional<double> total;     ///< the whole command so far
};

struct RunStory {
  std::string source;  ///< the model file or run folder asked about
  RunState state = RunState::finished;
  std::string ending;  ///< why it ended, in words

  std::optional<Model> model;
  std::string model_place;  ///< a path to use in commands; empty: the model is in no file
  std::string saving;       ///< how to save it then, and how to show rows on a page, in the user's language
  std::string showing_rows;
  std::string model_missing;  ///< why there is none

  std::vector<BlockRecord> blocks;  ///< all that were trained, kept in the model or not
  bool traces = true;               ///< false: the records are from the progress file, without traces and histograms

  std::string command;  ///< as a shell takes it; empty: not known
  std::string folder;   ///< where the command ran; empty: not known
  std::string data, validation;
  std::string fingerprint;
  std::size_t rows = 0, train_rows = 0, validation_rows = 0;
  std::vector<std::string> inputs, targets, ignored;
  Options options;
  std::optional<std::vector<std::string>> options_given;  ///< nothing: not known
  std::vector<std::string> warnings;
  std::map<std::string, std::string> facts;  ///< version, compiler, SIMD level, threads, host
  std::string started, ended;                ///< UTC
  RunTimes times;

  std::vector<ShownRows> shown;  ///< at most one of each role
  std::string rows_missing;      ///< why none are shown

  /// Blocks of the model's deepest member, of all members together, and the members trained.
  [[nodiscard]] std::size_t kept() const { return model ? model->blocks() : 0; }
  [[nodiscard]] std::size_t kept_blocks() const;
  [[nodiscard]] std::size_t members() const;
  /// Was a block sampled by a chain?
  [[nodiscard]] bool has_chain() const;
  /// The rows of a role; nullptr when there are none.
  [[nodiscard]] const ShownRows* rows_of(RowsRole role) const;
  /// The rows that predictions and residuals are shown on: test rows if there are any, else training rows.
  [[nodiscard]] const ShownRows* main_rows() const;
  /// Was the block trained and given up again? (A block that ended after the last checkpoint is not: it was lost.)
  [[nodiscard]] bool given_up(const BlockRecord& record) const;
  /// Mean squared error of the model on rows of a role, mean over outputs; nothing when not known.
  [[nodiscard]] std::optional<double> final_error(RowsRole role) const;
  /// Its standard error, where known.
  [[nodiscard]] std::optional<double> standard_error(RowsRole role) const;
  /// How many rows it is the error on, and what they are called: "held-out rows", "rows of training (fitted)".
  [[nodiscard]] std::size_t error_rows(RowsRole role) const;
  [[nodiscard]] std::string error_place(RowsRole role) const;
  /// Is the error on validation rows one on rows kept apart, and not a leave-one-out or cross-fitting error?
  [[nodiscard]] bool judged_by_rows_apart() const;
  /// Share of the variance it explains there.
  [[nodiscard]] std::optional<double> explained(RowsRole role) const;
};

/// A model file alone.
RunStory story_of(Model model, std::string path);

/// A run folder: its record, and the model in it where there is one.
RunStory story_of(io::RunRecord run, std::optional<Model> model, std::string path);

/// Is the model a result of this run, not of an earlier one in the same folder?
bool belongs_to(const Model& model, const io::RunRecord& run);

/// Mean over outputs of the squared error.
double mean_mse(const Scores& scores);

}  // namespace rfnn::report
