#pragma once

// Private header: the cells of a line of CSV text as the numbers of a row, and what is wrong with those that are none.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rfnn/io/cell_readers.hpp"
#include "rfnn/io/csv_front.hpp"

namespace rfnn::io {

/// A cell that cannot be read, or (without a column) a line that is no row.
struct CsvFault {
  static constexpr std::size_t whole_line = static_cast<std::size_t>(-1);
  std::size_t column = whole_line;  ///< place in the file
  std::size_t line = 0;             ///< of the file: a quoted cell before this one may have line ends
  std::string kind;                 ///< in one word: "missing", "text", …
  CellReason reason;
};

/// Parsing says only whether a line is sound. For an unsound one, each_fault() walks over it again to say what is
/// wrong: the fast path carries no messages.
class CsvRow {
 public:
  CsvRow(const CsvFront& front, std::string origin, char line_end)
      : front_(front), origin_(std::move(origin)), line_end_(line_end) {}

  /// The columns a row has, by place in the file, and who reads their cells (nullptr: all are numbers). Throws for
  /// places that are none, and where two have one name.
  void choose(const std::vector<std::size_t>& selected, CellReaders* cells, bool accept_missing);

  /// Columns that are targets or weights, by place in the file: what is said of their cells is another cure.
  void no_inputs(const std::vector<std::size_t>& columns) { no_inputs_ = columns; }

  /// The numbers of the line [p, end) into `out`; false when anything about it is not as it should be.
  bool parse(const char* p, const char* end, double* out) const;
  /// Adds levels that were not seen before; false where there are none, or too many.
  bool learn_levels(const char* p, const char* end) const;
  /// Appends the texts of the cells of some columns.
  void keep(const char* p, const char* end, const std::vector<std::size_t>& columns,
            std::vector<std::string>& texts) const;

  using FaultVisitor = std::function<void(const CsvFault&)>;
  /// Tells what is wrong with a line that could not be parsed, `line` being its number.
  void each_fault(const char* p, const char* end, std::size_t line, const FaultVisitor& visit) const;
  /// As parse(), cells that cannot be read being missing; false for a line that has not as many cells as there are
  /// columns.
  bool parse_what_can_be(const char* p, const char* end, double* out) const;
  /// Throws the first of these faults.
  [[noreturn]] void explain(const char* p, const char* end, std::size_t line) const;

 private:
  void refuse_duplicate_names() const;
  bool parse_other(const CellReader& reader, const char* p, const char* stop, double& value) const;
  const char* parse_odd_number(const char* start, const char* end, double& value) const;
  [[nodiscard]] const char* parse_number(const char* p, const char* end, double& value) const;

  const CsvFront& front_;
  std::string origin_;
  char line_end_;
  CellReaders* cells_ = nullptr;
  bool accept_missing_ = false;
  std::vector<std::size_t> no_inputs_;
  std::size_t width_ = 0;                    ///< of a row
  std::vector<std::ptrdiff_t> slot_;         ///< per column of the file: its place in a row, −1: none
  std::vector<std::ptrdiff_t> number_slot_;  ///< the same of the columns of numbers alone
  std::vector<std::pair<std::size_t, std::size_t>> repeats_;  ///< places to copy for columns selected twice
  std::vector<const CellReader*> others_;  ///< per column of the file: who reads its cells; nullptr: they are numbers
};

}  // namespace rfnn::io
