#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/data/moment.hpp"

namespace rfnn {

enum class ColumnKind : std::uint8_t { number, time, category, boolean };

/// The kind in one word, as model files have it: number, time, category, boolean.
RFNN_API std::string_view name_of(ColumnKind kind);
/// date, date-time or time of day.
RFNN_API std::string_view name_of(TimeForm form);

/// How the times of a column are numbers: days, with their fraction, since midnight of the day `origin`.
struct TimeScale {
  TimeForm form = TimeForm::date;
  bool zoned = false;       ///< moments of UTC; else as the clock showed them
  std::int64_t origin = 0;  ///< days since 1970-01-01; 0 for times of day

  friend bool operator==(const TimeScale&, const TimeScale&) = default;
};

/// One column of a table and the inputs it makes, in this order: a number, a time and a boolean (0 or 1) make one, a
/// category one for each of its levels, which is 1 in its rows and 0 elsewhere; with an indicator there is one more, 1
/// where the cell is missing.
struct ColumnCode {
  std::string name;
  std::size_t position = 0;  ///< place in the table, from 0
  ColumnKind kind = ColumnKind::number;
  std::string unit = {};  ///< from a row of units; empty: not given
  TimeScale time = {};
  std::vector<std::string> levels = {};  ///< sorted: numbers by their size, then others by their bytes
  /// What stands in for a missing cell: the mean of the column, of a category the share of each level. Empty: nothing
  /// does, as in a target.
  std::vector<double> fill = {};
  bool indicator = false;
  std::size_t missing = 0;  ///< cells missing in the training table

  friend bool operator==(const ColumnCode&, const ColumnCode&) = default;
};

/// How a table became the numbers that a network sees. Empty: every column is a number, and nothing was missing.
struct TableCode {
  std::vector<ColumnCode> inputs;   ///< the inputs of the model are those these make, one column after the other
  std::vector<ColumnCode> targets;  ///< numbers and booleans

  [[nodiscard]] bool empty() const { return inputs.empty() && targets.empty(); }
  friend bool operator==(const TableCode&, const TableCode&) = default;
};

/// The number of inputs that a column makes.
RFNN_API std::size_t inputs_of(const ColumnCode& column);
RFNN_API std::size_t inputs_of(const TableCode& code);

/// Their names: `depth`, `colour=blue` and `colour=red`, `depth is missing`.
RFNN_API std::vector<std::string> input_names(const ColumnCode& column);
RFNN_API std::vector<std::string> input_names(const TableCode& code);

/// The column that input number `input` comes from; nullptr where the code is empty.
RFNN_API const ColumnCode* column_of_input(const TableCode& code, std::size_t input);

/// What the column holds, for people: "times, in days since 2024-05-01 (UTC)", "3 levels: blue, green, red".
RFNN_API std::string describe(const ColumnCode& column);

/// More levels than this make no category.
inline constexpr std::size_t most_levels = 100;

/// Throws InputError when a column is not what it may be (read from a file, say): no levels, or too many, or unsorted
/// ones; a fill of the wrong length or not finite; a target that is neither number nor boolean; two inputs of one name.
RFNN_API void check(const TableCode& code);

/// The order of levels.
RFNN_API bool level_before(const std::string& a, const std::string& b);

}  // namespace rfnn
