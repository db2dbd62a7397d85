#pragma once

// Private header.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "rfnn/core/file_pages.hpp"
#include "rfnn/data/columns.hpp"

namespace rfnn {

/// Goes over columns some rows at a time, as doubles. A block of rows stays in the cache while its columns are read one
/// after the other, so a table in row order is fetched from memory once, not once for every column. Where all rows are
/// visited and lie in a file, those behind leave memory.
class RowBlocks {
 public:
  /// `rows`: those to visit, in their order; empty: all.
  explicit RowBlocks(const Columns& columns, std::span<const std::size_t> rows = {})
      : columns_(columns),
        rows_(rows),
        total_(rows.empty() ? columns.rows() : rows.size()),
        height_(std::clamp<std::size_t>(numbers / std::max<std::size_t>(columns.size(), 1), 8, 1024)),
        values_(height_ * columns.size()),
        let_go_at_(rows.empty() && columns.paged_row_bytes() > 0 ? FilePages::stretch / columns.paged_row_bytes() + 1
                                                                 : 0) {}
  ~RowBlocks() {
    if (let_go_at_ > 0) columns_.let_go(held_, first_ + count_);
  }
  RowBlocks(const RowBlocks&) = delete;
  RowBlocks& operator=(const RowBlocks&) = delete;

  /// Reads the next block; false at the end.
  bool next() {
    first_ += count_;
    if (let_go_at_ > 0 && first_ - held_ >= let_go_at_) {
      columns_.let_go(held_, first_);
      held_ = first_;
    }
    count_ = std::min(height_, total_ - first_);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      double* out = values_.data() + k * height_;
      rows_.empty() ? columns_[k].read(first_, count_, out) : columns_[k].read(rows_.subspan(first_, count_), out);
    }
    return count_ > 0;
  }

  /// Rows before this block, of those to visit.
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const double* column(std::size_t k) const { return values_.data() + k * height_; }
  /// Some of the block's columns side by side.
  [[nodiscard]] ConstMatrixView view(std::size_t first_column, std::size_t columns) const {
    return {column(first_column), count_, columns, 1, static_cast<std::ptrdiff_t>(height_)};
  }

 private:
  static constexpr std::size_t numbers = 8192;
  const Columns& columns_;
  std::span<const std::size_t> rows_;
  std::size_t total_, height_;
  std::size_t first_ = 0, count_ = 0;
  std::vector<double> values_;
  std::size_t let_go_at_, held_ = 0;  ///< rows that are let go together, 0: none; the first that is not yet
};

}  // namespace rfnn
