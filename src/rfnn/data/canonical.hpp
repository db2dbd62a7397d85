#pragma once

// Private header. The rows a network learns from do not depend on how the table lists them: equal rows are one row with
// a weight, rows of weight zero are none, and the order follows from the numbers in the rows.

#include <cstddef>
#include <cstdint>
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

/// Numbers and weights must be finite, weights not negative.
CanonicalRows canonical_rows(const DatasetView& data);

/// All rows as they are listed, with their weights.
CanonicalRows listed_rows(const DatasetView& data);

}  // namespace rfnn
