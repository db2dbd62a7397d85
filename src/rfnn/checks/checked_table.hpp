#pragma once

// Private header: a table as the checks look at it, values in, problems out.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rfnn/data/column_code.hpp"
#include "rfnn/data/columns.hpp"
#include "rfnn/data/encoding.hpp"
#include "rfnn/data/table_problem.hpp"

namespace rfnn::checks {

/// Numbers, booleans as 0 and 1, times as days, categories as the places of their levels; NaN where a cell is missing
/// or cannot be read.
struct CheckedColumn {
  ColumnCode code;
  ColumnView values;
  bool asked = false;  ///< somebody said that it is a category
};

struct CheckedTable {
  std::size_t rows = 0;
  std::vector<CheckedColumn> inputs, targets;
  bool fills = false;  ///< training fills in what is missing of inputs
  /// Of a row, counted from 0: the line it stands in, and " (in b.csv)" where the table is in several files.
  std::function<std::size_t(std::size_t)> line_of = [](std::size_t row) { return row + 1; };
  std::function<std::string(std::size_t)> file_of = [](std::size_t) { return std::string(); };
  std::shared_ptr<std::vector<std::vector<double>>> made;  ///< keeps the values of times
};

/// The same cells; `raw` keeps those that are numbers already.
CheckedTable checked_table(const RawTable& raw);

/// The values of a column that are known, from the least to the greatest, and how often each stands there.
struct Distinct {
  std::vector<double> values;
  std::vector<std::size_t> counts;
  std::size_t known = 0;
};
Distinct distinct_values(const ColumnView& values, std::size_t rows);

/// The first row of which something is so, for column values; `rows` where there is none.
std::size_t first_row(const ColumnView& values, std::size_t rows, const std::function<bool(double)>& is_so);

/// The problem with the line of its first row, where there is one.
TableProblem placed(TableProblem problem, const CheckedTable& table, std::size_t row);

/// 12.5, -999, 1.2e-05: six significant digits.
std::string number(double value);
/// "1 cell", "12 rows"
std::string counted(std::size_t count, const std::string& thing);
/// NAME as one word of a command line.
std::string word(const std::string& name);

}  // namespace rfnn::checks
