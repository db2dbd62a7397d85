#pragma once

// Private header: a table whose columns lie in memory, as programs have them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rfnn/data/column_code.hpp"
#include "rfnn/data/columns.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::io {

enum class Holds : std::uint8_t { numbers, booleans, times, texts, categories };

/// A column owned by somebody who outlives the reader. A cell is a number, NaN where it is missing:
/// - numbers, booleans (0 or 1): themselves;
/// - texts, categories: a place in `texts`. Texts are read as cells of a CSV file are, so that they may turn out to be
///   times, booleans or numbers; categories are levels whatever they look like;
/// - times: the bytes of an int64, counts as data/encoding.hpp has them for the form of `time`.
struct ArrayColumn {
  std::string name;
  Holds holds = Holds::numbers;
  ColumnView cells;
  TimeScale time = {};
  std::vector<std::string> texts = {};
  std::string unit = {};
};

/// A reader of all of them, side by side. Two columns may share a name.
std::unique_ptr<TableReader> open_arrays(std::vector<ArrayColumn> columns, std::size_t rows, std::string origin,
                                         const TableFormat& format = {});

}  // namespace rfnn::io
