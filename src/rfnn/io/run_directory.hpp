#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/journal.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::io {

/// What is known about a training run before it begins.
struct RunFacts {
  std::vector<std::string> command;                   ///< the command line, word by word
  std::vector<std::string> begun_by;                  ///< of a run that was taken up: the one it was begun by
  std::vector<std::string> options_given;             ///< names of the options somebody set, the others are defaults
  Options options;                                    ///< all of them, as used
  std::string data;                                   ///< the training file
  std::string validation;                             ///< the validation file; empty: none
  std::vector<std::string> inputs, targets, ignored;  ///< column names
  std::string weight;                                 ///< the column of the rows' weights; empty: none
  std::size_t rows = 0;                               ///< rows of the training file
  std::size_t validation_rows = 0;                    ///< rows of the validation file; 0: none
  std::string fingerprint;                            ///< of the training file's rows
  std::map<std::string, std::string> others;          ///< of what else was read, by what it is: "validation", "base"
  std::string model;                                  ///< where the model goes
};

/// Lines of `progress.jsonl` and of `rfnn fit --json`, without the line's end. Each is an object with an "event".
RFNN_API std::string start_event(const RunFacts& facts);
/// `elapsed`: seconds since the command began. Traces and histograms stay in the model file.
RFNN_API std::string block_event(const BlockRecord& record, double elapsed);
RFNN_API std::string warning_event(const std::string& text);
/// `saved`: false where the file at `path` was left as it was, because the model would have replaced it by the mean.
RFNN_API std::string done_event(const Model& model, const std::string& path, double elapsed, bool saved = true);
/// `exit_code`: what the command ends with.
RFNN_API std::string error_event(const std::string& cause, const std::string& cure, int exit_code);

/// The name of this machine, as run.json has it.
std::string host_name();

/// A folder with the record of one training run (io/run_record.hpp reads it back):
///   run.json        command, options given and used, version, data, columns, place, times, state, stop reason
///   progress.jsonl  one event per line, appended as it happens
///   model.rfnn      the model after the last finished block
///   checkpoint/     pieces of the work that are done, for a run that was ended to be taken up; gone when it is
///   finished
/// `state` is running, finished, interrupted (cut short by a signal or the time budget, with a model) or failed.
/// Every function throws InputError when the folder cannot be written.
class RFNN_API RunDirectory {
 public:
  /// Only looks: a folder that holds anything else than a run is refused, and so is one that a run which still lives
  /// writes to. A missing one is fine.
  explicit RunDirectory(std::string path);
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  ~RunDirectory();

  /// Makes the folder (and its parents) and begins the record, in place of the one of an earlier run, whose model is
  /// kept as previous.rfnn. Returns a sentence that says so; empty: there was none. From then on the folder is locked
  /// against other runs.
  std::string start(const RunFacts& facts);
  /// The same for a run that is taken up: its model and checkpoint stay where they are.
  void resume(const RunFacts& facts);
  /// Where pieces of the work are kept; notes every so many seconds. After start() or resume(). `failed` is told why
  /// nothing can be written any more.
  [[nodiscard]] std::unique_ptr<Journal> journal(double seconds_between_notes,
                                                 std::function<void(const std::string&)> failed) const;
  void append(std::string_view event);
  void checkpoint(const Model& model);
  /// The run is over; `model` is its result. A model without blocks of a run that was cut short does not replace one
  /// that is there.
  void finish(const Model& model);
  void fail(const std::string& reason);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string model_path() const { return path_ + "/model.rfnn"; }

 private:
  void write_run_file(const std::string& state, const Model* model, const std::string& error) const;
  [[nodiscard]] std::string set_aside_earlier() const;
  void open(const RunFacts& facts);
  void begin_record();
  [[nodiscard]] std::string checkpoint_path() const { return path_ + "/checkpoint"; }

  std::string path_;
  RunFacts facts_;
  std::string started_;
  std::string folder_;  ///< where the command runs: paths in the record are relative to it
  int lock_ = -1;       ///< descriptor of the folder, locked while the run lives
  int progress_ = -1;   ///< descriptor of progress.jsonl
};

}  // namespace rfnn::io
