#pragma once

// Private header: lines and cells of CSV text, and the numbers in them. A cell whose first character (after spaces) is
// a double quote goes on to the closing quote, "" inside it is one quote. A CR before an LF belongs to the line's end.

#include <cstddef>
#include <string>
#include <string_view>

namespace rfnn::io {

enum class CellKind {
  number,
  missing,        ///< empty, NA, nan, null, …
  infinite,       ///< inf
  too_large,      ///< beyond the range of a double
  decimal_comma,  ///< 3,14
  spaced,         ///< 3 14: two numbers, or a thousands separator
  date,           ///< 2024-05-01, 1.5.2024, 12:30, …
  text
};

/// What a cell (without its quotes) is; `value` is set when it is a number.
CellKind classify_cell(std::string_view cell, double& value);

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
/// first that occurs in the first line, else comma. `second` may be empty.
char detect_delimiter(std::string_view first, std::string_view second);

/// A separator the reader does not know, for lines in which it found none it does: a bar or spaces that divide both
/// lines into as many cells, more than one. NUL: there is none.
char foreign_delimiter(std::string_view first, std::string_view second);

}  // namespace rfnn::io
