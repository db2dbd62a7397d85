#pragma once

// Private header: lines and cells of CSV text, and the numbers in them. A cell whose first character (after spaces) is
// a double quote goes on to the closing quote, "" inside it is one quote. A CR before an LF belongs to the line's end.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rfnn::io {

/// How the cells of a table are to be understood.
struct CellRules {
  char decimal = '.';
  std::vector<std::string> missing_words = {};  ///< beside the usual ones
  std::vector<double> missing_numbers = {};     ///< those of them that are numbers

  /// Empty, one of the usual words, or one of those given.
  [[nodiscard]] bool is_missing(std::string_view cell) const;
  [[nodiscard]] bool is_missing(double number) const {
    for (const double missing : missing_numbers)
      if (number == missing) return true;
    return false;
  }
};

enum class CellKind {
  number,
  missing,        ///< empty, NA, nan, null, ?, …
  infinite,       ///< inf
  too_large,      ///< beyond the range of a double
  decimal_comma,  ///< 3,14
  thousands,      ///< 1,273.5: marks between groups of three digits
  spaced,         ///< 3 14: two numbers
  date,           ///< 2024-05-01, 1.5.2024, 12:30, …
  text
};

/// What a cell (without its quotes) is; `value` is set when it is a number.
CellKind classify_cell(std::string_view cell, double& value, const CellRules& rules = {});

/// Where the cell at `p` ends: at a delimiter or at `end`, the end of the line's text.
const char* find_cell_end(const char* p, const char* end, char delimiter);

/// The cell [first, last) without the spaces and quotes around it.
std::string cell_text(const char* first, const char* last);

/// A line of the file: its text (without CR and LF) and where the next one begins.
struct CsvLine {
  const char* end = nullptr;
  const char* next = nullptr;  ///< nullptr: the line is not complete before `end` of the buffer
  std::size_t breaks = 0;      ///< line ends inside quoted cells
};

/// The line at `p`, whatever is quoted in it. `delimiters` are the characters a cell may begin after.
CsvLine find_line(const char* p, const char* end, std::string_view delimiters, char line_end);

/// The same where there are no quotes.
CsvLine find_plain_line(const char* p, const char* end, char line_end);

/// Has the line no cells at all?
bool is_blank(const char* p, const char* end);

/// The line end used in `text`: LF, or CR when a lone CR comes first. NUL: cannot be told yet, more of the file is
/// needed
/// (`all` says that there is no more).
char detect_line_end(std::string_view text, bool all);

/// Tab, semicolon or comma: the first of them that occurs equally often (and at all) in the first two lines, else the
/// first that occurs in the first line, else comma. `second` may be empty. `commas`: a comma may be one; else NUL where
/// there is none.
char detect_delimiter(std::string_view first, std::string_view second, bool commas = true);

/// A bar or a space, for lines in which no delimiter was found that is tried first: it divides both lines into as many
/// cells, more than one. NUL: neither does.
char rarer_delimiter(std::string_view first, std::string_view second, bool commas = true);

}  // namespace rfnn::io
