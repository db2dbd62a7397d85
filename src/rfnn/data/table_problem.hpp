#pragma once

#include <cstddef>
#include <string>

namespace rfnn {

/// Something about a table that is wrong, or may be.
struct TableProblem {
  std::string column;     ///< its name; empty: the table as a whole
  std::string kind;       ///< one word for programs: "missing", "constant", "sentinel", …
  std::size_t count = 0;  ///< cells or rows it is about
  std::size_t line = 0;   ///< the first line (of a file without text: row) it is found in, from 1; 0: no single one
  std::string text;       ///< for people, one sentence
  std::string cure;       ///< what to do about it
  bool refused = false;   ///< training refuses the table for it
};

}  // namespace rfnn
