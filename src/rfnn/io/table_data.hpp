#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/data/encoding.hpp"
#include "rfnn/data/table_problem.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn {

/// Columns of a table by their places in it.
struct TablePlaces {
  std::vector<std::optional<std::size_t>> inputs;  ///< nothing: the column is not there, and what fills it stands in
  std::vector<std::size_t> targets;
  std::optional<std::size_t> weight = std::nullopt;
};

/// All rows of a table as a network learns from them or is judged by them, with all that keeps them. Copies share them.
struct TableData {
  EncodedTable table;
  std::optional<RawTable> raw = std::nullopt;  ///< a training table as it was read, where that is not numbers
  bool mapped = false;                         ///< the numbers lie in the file
  bool on_disk = false;                        ///< in that, or in a temporary one, and need not stay in memory
  bool cut_short = false;                      ///< there were more rows when reading was to end
  std::size_t bytes = 0;                       ///< of the numbers, in memory or mapped
  std::shared_ptr<const void> memory;
  std::vector<std::string> kept = {};  ///< texts of the cells that the table was told to keep, of the rows that stay
};

/// Reads a training table: finds out what its columns hold and decides what they become (data/encoding.hpp:
/// encode_training), by the options for reading. A table of nothing but numbers is held or mapped as
/// TableReader::read_rows does it, and its code is empty. All inputs have places. Ends early when `go_on` says so.
/// Within the option for memory only such tables may be larger than that: UsageError.
RFNN_API TableData read_training(TableReader& table, const TablePlaces& places, const Options& options,
                                 const std::function<bool()>& go_on = {});

/// A training table as it is read for check: to its end, whatever is wrong with it.
struct SurveyedTable {
  RawTable table;                                 ///< cells that cannot be read are missing
  std::vector<TableProblem> problems;             ///< what read_training would throw, cell by cell
  std::shared_ptr<const io::TableSurvey> survey;  ///< knows the lines of the rows
  std::size_t bytes = 0;                          ///< of the numbers
  std::shared_ptr<const void> memory;             ///< keeps them
};
RFNN_API SurveyedTable survey_training(TableReader& table, const TablePlaces& places, const Options& options);

/// The options for a table of this code: where rows are held out along an input and nobody said along which, that is
/// the first time there is.
RFNN_API Options options_along_time(Options options, const TableCode& code);

/// Reads another table with targets by the code of the training table; missing cells and unseen levels as the options
/// say. `notes` say what was filled in or left out.
RFNN_API TableData read_known(TableReader& table, const TablePlaces& places, const TableCode& code,
                              const Options& options, const std::function<bool()>& go_on = {});

/// Reads a table in batches as the inputs of a model, its targets and weights beside them where they have places.
class RFNN_API TableBatches {
 public:
  /// `used`: per column of the code, whether the model looks at it. With `keep_rows` rows that cannot be predicted are
  /// delivered, and incomplete() has their places; otherwise they are refused or, where the rule is to drop them, left
  /// out and counted.
  TableBatches(TableReader& table, const TablePlaces& places, TableCode code, std::vector<bool> used, Missing missing,
               Unseen unseen, bool keep_rows);

  /// The next rows; false at the end.
  bool next();
  /// For rows to train on: see RowEncoder.
  void leave_unmarked() { encoder_.leave_unmarked(); }
  [[nodiscard]] ConstMatrixView inputs() const { return inputs_.view(); }
  [[nodiscard]] ConstMatrixView targets() const { return targets_.view(); }
  /// One column, where there is a weight.
  [[nodiscard]] ConstMatrixView weights() const { return weights_.view(); }
  [[nodiscard]] std::size_t rows() const { return inputs_.rows(); }
  /// Texts of the cells that the table was told to keep, row by row of the batch.
  [[nodiscard]] const std::vector<std::string>& kept() const { return kept_; }
  /// Rows of the batch that have no inputs; means stand in.
  [[nodiscard]] const std::vector<std::size_t>& incomplete() const { return incomplete_; }

  [[nodiscard]] std::size_t filled() const { return encoder_.filled(); }  ///< cells so far
  [[nodiscard]] std::size_t unseen() const { return encoder_.unseen(); }  ///< cells so far
  [[nodiscard]] std::size_t dropped() const { return dropped_; }          ///< rows so far

 private:
  TableReader& table_;
  std::unique_ptr<const TableCode> code_;
  RowEncoder encoder_;
  bool keep_rows_;
  std::vector<std::optional<std::size_t>> places_;  ///< per input column, in the batch
  std::vector<std::size_t> target_places_;
  std::optional<std::size_t> weight_place_;
  std::size_t batch_rows_ = 0, dropped_ = 0;
  std::vector<double> cells_;
  std::vector<std::size_t> incomplete_;
  std::vector<std::string> kept_;
  Matrix batch_, inputs_, targets_, weights_;
};

}  // namespace rfnn
