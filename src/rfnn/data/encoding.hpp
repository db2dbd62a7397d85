#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/data/column_code.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn {

/// The count of a time that is missing, as NumPy has it.
inline constexpr std::int64_t missing_time = std::numeric_limits<std::int64_t>::min();

/// A column as it was read, before anything is decided that needs all of its rows. A cell is 8 bytes:
/// - number, boolean: a double, NaN where it is missing;
/// - category: a double, the place of its level in `code.levels`, which are in any order; NaN where it is missing;
/// - time: the bytes of an int64, missing_time where it is missing: days since 1970-01-01 in a column of dates,
/// nanoseconds
///   since then in one of moments, nanoseconds since midnight in one of times of day.
struct RawColumn {
  ColumnCode code;
  ColumnView cells;
  bool asked = false;  ///< somebody said that it is a category, however many levels it has
};

struct RawTable {
  std::size_t rows = 0;
  std::vector<RawColumn> inputs, targets;
  std::optional<RawColumn> weight = std::nullopt;
};

/// A table as the numbers a network learns from.
struct EncodedTable {
  TableCode code;                      ///< empty: all columns are numbers as they were, nothing was missing
  DatasetView view;                    ///< columns that were numbers already are those of the raw table
  std::shared_ptr<const void> memory;  ///< keeps the others
  std::size_t bytes = 0;               ///< they take
  std::size_t dropped = 0;             ///< rows left out
  std::vector<std::size_t> rows;       ///< those that stay, by their places in the table; empty: all of them
  std::vector<std::string> notes;      ///< what was found and done, for people, one sentence each
};

/// Decides what the columns of a training table become: origins of times, levels that occur, what stands in for missing
/// cells, which of these get an indicator (data/indicators.hpp), and which rows go. A row whose target or weight is
/// missing goes whatever the rule, unless that is `error`. The order of rows does not matter. Throws InputError:
/// missing cells where the rule is `error`, a category with too many levels, a target that is a time or a category, no
/// rows left.
/// `rows`: of these rows only, in their order, as if they were the table. What its columns hold was decided by all of
/// it: a text is a category of whatever levels these rows have, a number of which they have no cell is 0, and the code
/// is never empty.
RFNN_API EncodedTable encode_training(const RawTable& table, Missing rule, const std::string& origin,
                                      std::span<const std::size_t> rows = {});

/// Rows as the inputs of a model.
struct EncodedRows {
  Matrix inputs;
  std::size_t unseen = 0;  ///< cells with a level that the code has not; the mean over its levels stands in
};
/// Other rows of the table that the code is of: missing cells are filled in.
RFNN_API EncodedRows encode_rows(const RawTable& table, std::span<const std::size_t> rows, const TableCode& code);

/// Numbers as they are, nothing of them missing?
RFNN_API bool is_plain(const TableCode& code);

/// Cells of rows that are to be predicted, in the form they have once the code is known: doubles, NaN where missing;
/// times as days since the origin; the place of a level, or unseen_level.
inline constexpr double unseen_level = -1.0;

/// Turns such rows into the inputs of a model, one by one.
class RFNN_API RowEncoder {
 public:
  /// `used`: per column, whether the model looks at it; a cell of another may be missing. Both must outlive this.
  RowEncoder(const TableCode& code, std::vector<bool> used, Missing rule)
      : code_(&code), used_(std::move(used)), fills_(rule == Missing::mean) {}

  /// `inputs` has room for inputs_of(code). False where a cell that counts is missing and the rule is not to fill it
  /// in; the inputs are numbers all the same. What stands in for a cell differs from the code's number by less than
  /// 10⁻¹⁴ of it, by which later steps know it (data/stand_in.hpp).
  bool encode(const double* cells, double* inputs);

  /// From now on what stands in is the code's number itself, as in training.
  void leave_unmarked() { marks_ = false; }

  [[nodiscard]] std::size_t filled() const { return filled_; }  ///< cells that were missing and filled in so far
  [[nodiscard]] std::size_t unseen() const { return unseen_; }  ///< cells with a level unknown to the model so far

 private:
  const TableCode* code_;
  std::vector<bool> used_;
  bool fills_, marks_ = true;
  std::size_t filled_ = 0, unseen_ = 0;
};

}  // namespace rfnn
