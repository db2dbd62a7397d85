#pragma once

// Private header.

#include <algorithm>
#include <cstddef>

#include "rfnn/core/aligned.hpp"
#include "rfnn/features/kernels.hpp"

namespace rfnn::rows {

using features::tile_rows;  // how rows lie in memory is as the kernels want them

/// Columns of numbers cut into tiles of `tile_rows` rows: tile by tile, column by column, so that a tile's columns lie
/// together in the cache. The rows that fill up the last tile are zero.
class TiledColumns {
 public:
  TiledColumns() = default;
  TiledColumns(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), values_(tiles_for(rows) * columns * tile_rows, 0.0) {}

  static std::size_t tiles_for(std::size_t rows) { return (rows + tile_rows - 1) / tile_rows; }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t tiles() const { return tiles_for(rows_); }
  /// Rows of data in a tile: tile_rows, fewer in the last.
  [[nodiscard]] std::size_t rows_in(std::size_t tile) const { return std::min(tile_rows, rows_ - tile * tile_rows); }

  [[nodiscard]] std::size_t tile_bytes() const { return columns_ * tile_rows * sizeof(double); }

  [[nodiscard]] double* column(std::size_t tile, std::size_t column) {
    return values_.data() + (tile * columns_ + column) * tile_rows;
  }
  [[nodiscard]] const double* column(std::size_t tile, std::size_t column) const {
    return values_.data() + (tile * columns_ + column) * tile_rows;
  }
  double& operator()(std::size_t row, std::size_t column_number) {
    return column(row / tile_rows, column_number)[row % tile_rows];
  }
  double operator()(std::size_t row, std::size_t column_number) const {
    return column(row / tile_rows, column_number)[row % tile_rows];
  }

 private:
  std::size_t rows_ = 0, columns_ = 0;
  AlignedVector values_;
};

}  // namespace rfnn::rows
