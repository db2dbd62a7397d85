#pragma once

// Private header.

#include <cstddef>
#include <span>
#include <vector>

#include "rfnn/data/columns.hpp"

namespace rfnn {

/// What standardising a column needs to know about it.
struct ColumnStatistics {
  double mean = 0.0;
  double sd = 0.0;  ///< population standard deviation
  double min = 0.0;
  double max = 0.0;
  /// max − min within 16 units in the last place of the largest magnitude: the spread is rounding, dividing by it would
  /// make noise the signal. Time stamps of microseconds since 1970 in steps of 50 vary by more.
  bool constant = true;
};

/// Statistics of every column over the given rows (empty: all), each counting by its weight (by row of the data; empty:
/// all alike). Accurate at any scale and for a small spread around a
/// large offset; of values that are finite, no result overflows.
std::vector<ColumnStatistics> column_statistics(const Columns& columns, std::span<const std::size_t> rows = {},
                                                std::span<const double> weights = {});

}  // namespace rfnn
