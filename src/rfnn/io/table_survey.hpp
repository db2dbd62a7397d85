#pragma once

// Private header: what is found in a table that is read to its end, whatever is wrong with it.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/data/table_problem.hpp"

namespace rfnn::io {

class TableSurvey {
 public:
  /// Cells and lines that cannot be read: one problem for each kind of fault and column, with the first line.
  void add(const std::string& column, const std::string& kind, std::size_t line, const std::string& text,
           const std::string& cure);
  /// The next row delivered stands in this line.
  void add_row(std::size_t line) { lines_.push_back(line); }
  /// From here on the rows are those of another file.
  void begin_file(const std::string& origin);

  [[nodiscard]] const std::vector<TableProblem>& problems() const { return problems_; }
  /// Of a row, counted from 0: the line it stands in.
  [[nodiscard]] std::size_t line_of(std::size_t row) const { return row < lines_.size() ? lines_[row] : row + 1; }
  /// " of b.csv" where the table is in several files; else nothing.
  [[nodiscard]] std::string file_of(std::size_t row) const;

 private:
  std::vector<TableProblem> problems_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;  ///< of (column, kind) in `problems_`
  std::vector<std::size_t> lines_;
  std::vector<std::pair<std::size_t, std::string>> files_;  ///< first row, name
};

}  // namespace rfnn::io
