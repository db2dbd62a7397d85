#pragma once

// Private header.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/scratch_file.hpp"
#include "rfnn/features/kernels.hpp"

namespace rfnn::rows {

using features::tile_rows;  // how rows lie in memory is as the kernels want them

/// Where numbers lie: in memory, or in a file without a name, of which as much is in memory as is being worked on.
enum class Storage { memory, disk };

/// Numbers of either storage, zero at first. Copies lie where the original does.
class StoredNumbers {
 public:
  StoredNumbers() = default;
  StoredNumbers(std::size_t count, Storage storage);
  StoredNumbers(const StoredNumbers& other);
  StoredNumbers(StoredNumbers&& other) noexcept { swap(other); }
  StoredNumbers& operator=(StoredNumbers other) noexcept {
    swap(other);
    return *this;
  }
  ~StoredNumbers() = default;

  [[nodiscard]] double* data() { return place_; }
  [[nodiscard]] const double* data() const { return place_; }
  [[nodiscard]] bool on_disk() const { return disk_ != nullptr; }
  void let_go(std::size_t first, std::size_t last) const;

 private:
  void swap(StoredNumbers& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(disk_, other.disk_);
    std::swap(place_, other.place_);
  }

  AlignedVector memory_;
  std::unique_ptr<ScratchMap> disk_;
  double* place_ = nullptr;
};

/// Columns of numbers cut into tiles of `tile_rows` rows: tile by tile, column by column, so that a tile's columns lie
/// together in the cache. The rows that fill up the last tile are zero.
class TiledColumns {
 public:
  TiledColumns() = default;
  TiledColumns(std::size_t rows, std::size_t columns, Storage storage = Storage::memory)
      : rows_(rows), columns_(columns), values_(tiles_for(rows) * columns * tile_rows, storage) {}

  static std::size_t tiles_for(std::size_t rows) { return (rows + tile_rows - 1) / tile_rows; }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t tiles() const { return tiles_for(rows_); }
  /// Rows of data in a tile: tile_rows, fewer in the last.
  [[nodiscard]] std::size_t rows_in(std::size_t tile) const { return std::min(tile_rows, rows_ - tile * tile_rows); }

  [[nodiscard]] std::size_t tile_bytes() const { return columns_ * tile_rows * sizeof(double); }

  [[nodiscard]] Storage storage() const { return values_.on_disk() ? Storage::disk : Storage::memory; }
  /// Tiles [first, last) are not asked for again soon: where they lie on disk they may leave memory.
  void let_go(std::size_t first, std::size_t last) const {
    if (values_.on_disk()) values_.let_go(first * columns_ * tile_rows, last * columns_ * tile_rows);
  }
  /// The same for whoever goes from tile to tile and is done with this one; to be followed by let_go for all, as some
  /// of the latest are kept.
  void passed(std::size_t tile) const {
    if (!values_.on_disk()) return;
    const std::size_t stretch = FilePages::stretch / std::max<std::size_t>(tile_bytes(), 1) + 1;
    if ((tile + 1) % stretch != 0) return;
    const std::size_t end = tile + 1 - stretch;  // others may still be at those next to this one
    let_go(end - std::min(end, stretch), end);
  }

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
  StoredNumbers values_;
};

}  // namespace rfnn::rows
