#pragma once

// Private header: what the first lines of a CSV file say about all of them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/data/column_code.hpp"
#include "rfnn/io/csv_cells.hpp"
#include "rfnn/io/csv_text.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::io {

/// How a file is written.
struct CsvDialect {
  char delimiter = ',';
  std::string comment = {};  ///< begins a line that is passed over
  CellRules rules = {};
  bool slow_numbers = false;  ///< numbers have a comma, or may stand for missing cells

  [[nodiscard]] bool is_comment(const char* p, const char* end) const;
};

/// The dialect, and the names and units that stand above the rows.
struct CsvFront {
  CsvDialect dialect = {};
  bool has_header = false;
  std::vector<std::string> names = {};
  std::vector<std::string> units = {};  ///< empty where there is no row of units
  std::size_t units_line = 0;           ///< the line they stand in
};

/// Finds out what can be found out, and moves the text to the first row.
CsvFront read_front(CsvText& text, const TableFormat& format);

/// What the columns at the places `selected` hold, by the next lines, of which none is taken; those for which
/// `categorical` says so are categories.
std::vector<ColumnCode> kinds_ahead(CsvText& text, const CsvFront& front, const std::vector<std::size_t>& selected,
                                    const std::vector<bool>& categorical);

}  // namespace rfnn::io
