#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"

namespace rfnn {

class FilePages;

enum class NumberType : std::uint8_t { float64, float32 };

/// One column of numbers owned by someone else, read as doubles without a copy: floats or doubles, `stride` bytes from
/// row to row, which may be negative, 0 (the same number in every row) or no multiple of the number's size.
class RFNN_API ColumnView {
 public:
  ColumnView() = default;
  ColumnView(const void* first, std::ptrdiff_t stride, NumberType type)
      : first_(static_cast<const char*>(first)), stride_(stride), type_(type) {}
  explicit ColumnView(const double* first, std::ptrdiff_t stride = sizeof(double))
      : ColumnView(first, stride, NumberType::float64) {}
  explicit ColumnView(const float* first, std::ptrdiff_t stride = sizeof(float))
      : ColumnView(first, stride, NumberType::float32) {}

  [[nodiscard]] std::ptrdiff_t stride() const { return stride_; }
  [[nodiscard]] NumberType type() const { return type_; }
  [[nodiscard]] const void* place(std::size_t row) const { return first_ + static_cast<std::ptrdiff_t>(row) * stride_; }

  /// The same column, whose numbers lie in pages of a file that need not stay in memory. Whoever reads through it lets
  /// them go; they must outlive it.
  [[nodiscard]] ColumnView in(const FilePages& pages) const {
    ColumnView same = *this;
    same.pages_ = &pages;
    return same;
  }
  [[nodiscard]] const FilePages* pages() const { return pages_; }

  double operator[](std::size_t row) const {
    return type_ == NumberType::float64 ? load<double>(row) : static_cast<double>(load<float>(row));
  }
  /// Rows [first, first + count) into `out`.
  void read(std::size_t first, std::size_t count, double* out) const;
  /// The rows listed, in their order, into `out`.
  void read(std::span<const std::size_t> rows, double* out) const;

 private:
  /// Arrays of others need not be aligned.
  template <class T>
  [[nodiscard]] T load(std::size_t row) const {
    T value;
    std::memcpy(&value, first_ + static_cast<std::ptrdiff_t>(row) * stride_, sizeof(T));
    return value;
  }

  const char* first_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  NumberType type_ = NumberType::float64;
  const FilePages* pages_ = nullptr;
};

/// Columns of equal length, side by side. A matrix of doubles of any layout is one without a copy.
class RFNN_API Columns {
 public:
  Columns() = default;
  explicit Columns(std::size_t rows, std::vector<ColumnView> columns = {})
      : rows_(rows), columns_(std::move(columns)) {}
  Columns(ConstMatrixView matrix);                                  // NOLINT(google-explicit-constructor)
  Columns(MatrixView matrix) : Columns(ConstMatrixView(matrix)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  const ColumnView& operator[](std::size_t column) const { return columns_[column]; }
  [[nodiscard]] auto begin() const { return columns_.begin(); }
  [[nodiscard]] auto end() const { return columns_.end(); }
  void add(const ColumnView& column) { columns_.push_back(column); }

  /// Rows [first, last) are not read again soon: where they lie in pages of a file, these may leave memory.
  void let_go(std::size_t first, std::size_t last) const;
  /// Bytes that a row takes there, from the first of its numbers to the last; 0: the columns lie in memory.
  [[nodiscard]] std::size_t paged_row_bytes() const;

 private:
  std::size_t rows_ = 0;
  std::vector<ColumnView> columns_;
};

}  // namespace rfnn
