#pragma once

// Private header: what is wrong with a cell, in words.

#include <string>

#include "rfnn/io/cell_readers.hpp"
#include "rfnn/io/csv_cells.hpp"

namespace rfnn::io {

/// What a cell was read as.
struct CellRole {
  char decimal = '.';
  ColumnKind kind = ColumnKind::number;  ///< what its column holds
  bool input = true;                     ///< and not a target or a weight, which nothing can stand in for
};

/// What is wrong with a cell that is missing or, in a column of numbers, none, and what to do. `name`: the column's.
CellReason cell_reason(const std::string& name, const std::string& cell, CellKind kind, const CellRole& role = {});

/// The kind in one word: "missing", "text", …
std::string word_of(CellKind kind);

/// "a comma", "a tab", "|"
std::string delimiter_text(char delimiter);

/// A name as one word of a command line.
std::string as_word(const std::string& name);

}  // namespace rfnn::io
