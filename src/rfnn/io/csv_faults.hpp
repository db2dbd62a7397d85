#pragma once

// Private header: what is wrong with a cell, in words.

#include <string>

#include "rfnn/io/cell_readers.hpp"
#include "rfnn/io/csv_cells.hpp"

namespace rfnn::io {

/// What is wrong with a cell of a column of numbers that is none, and what to do. `name`: the column's.
CellReason cell_reason(const std::string& name, const std::string& cell, CellKind kind, char decimal = '.',
                       std::string_view what = "number");

/// The kind in one word: "missing", "text", …
std::string word_of(CellKind kind);

/// "a comma", "a tab", "|"
std::string delimiter_text(char delimiter);

/// A name as one word of a command line.
std::string as_word(const std::string& name);

}  // namespace rfnn::io
