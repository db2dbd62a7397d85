#pragma once

// Private header: what is wrong with a cell, in words.

#include <string>

#include "rfnn/io/csv_cells.hpp"

namespace rfnn::io {

/// Throws InputError for a cell of a column of numbers that is none. `place`: file, line and column; `name`: the
/// column's.
[[noreturn]] void fail_cell(const std::string& place, const std::string& name, const std::string& cell, CellKind kind);

/// "a comma", "a tab", "|"
std::string delimiter_text(char delimiter);

/// A name as one word of a command line.
std::string as_word(const std::string& name);

}  // namespace rfnn::io
