#pragma once

// Private header. The rows a network learns from do not depend on how the table lists them: equal rows are one row with
// a weight, rows of weight zero are none, and the order follows from the numbers in the rows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rfnn/data/dataset.hpp"

namespace rfnn {

struct CanonicalRows {
  std::vector<std::size_t> order;     ///< rows to use, one of every kind, in an order that looks random
  std::vector<double> weights;        ///< by row of the data, those of equal rows added up; empty: all 1
  std::vector<std::uint32_t> copies;  ///< by row of the data, how many of weight above zero it stands for; empty: all 1

  /// Rows of the data that the listed ones stand for.
  [[nodiscard]] std::size_t rows_behind(std::span<const std::size_t> rows) const;
};

/// Where the values of a column lie.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};
/// Of every column, inputs then targets, over the rows of weight above zero.
std::vector<Extent> extents_of(const DatasetView& data);

/// Per column whether it tells the rows apart: what is the same in every one of them, up to rounding, must not decide
/// about their order, as it is no input to learn from (ColumnStatistics::constant).
std::vector<bool> varying(const std::vector<Extent>& extents);

/// What the rows are put in order by, one number per row.
std::vector<std::uint64_t> order_hashes(const DatasetView& data, const std::vector<bool>& varies);

/// Numbers and weights must be finite, weights not negative.
CanonicalRows canonical_rows(const DatasetView& data);
/// The same of some of the rows of a table whose columns vary as said.
CanonicalRows canonical_rows(const DatasetView& data, const std::vector<bool>& varies);

/// All rows as they are listed, with their weights.
CanonicalRows listed_rows(const DatasetView& data);

}  // namespace rfnn
