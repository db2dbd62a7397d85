#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace rfnn {

/// A rows × cols window on doubles owned by someone else, with any strides: row-major, column-major and
/// sliced arrays pass without a copy. Strides count elements, not bytes.
template <class T>
class BasicMatrixView {
 public:
  BasicMatrixView() = default;
  BasicMatrixView(T* data, std::size_t rows, std::size_t cols)
      : BasicMatrixView(data, rows, cols, static_cast<std::ptrdiff_t>(cols), 1) {}
  BasicMatrixView(T* data, std::size_t rows, std::size_t cols, std::ptrdiff_t row_stride, std::ptrdiff_t col_stride)
      : data_(data), rows_(rows), cols_(cols), row_stride_(row_stride), col_stride_(col_stride) {}

  /// A mutable view is a const view.
  template <class U>
    requires(std::is_same_v<T, const U>)
  BasicMatrixView(const BasicMatrixView<U>& other)  // NOLINT(google-explicit-constructor)
      : BasicMatrixView(other.data(), other.rows(), other.cols(), other.row_stride(), other.col_stride()) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] std::ptrdiff_t row_stride() const { return row_stride_; }
  [[nodiscard]] std::ptrdiff_t col_stride() const { return col_stride_; }
  [[nodiscard]] bool empty() const { return rows_ == 0 || cols_ == 0; }

  T& operator()(std::size_t i, std::size_t j) const {
    return data_[static_cast<std::ptrdiff_t>(i) * row_stride_ + static_cast<std::ptrdiff_t>(j) * col_stride_];
  }

  /// Rows [first, first + count), all columns.
  [[nodiscard]] BasicMatrixView rows_from(std::size_t first, std::size_t count) const {
    return {data_ + static_cast<std::ptrdiff_t>(first) * row_stride_, count, cols_, row_stride_, col_stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::ptrdiff_t row_stride_ = 0;
  std::ptrdiff_t col_stride_ = 0;
};

using MatrixView = BasicMatrixView<double>;
using ConstMatrixView = BasicMatrixView<const double>;

/// Owns rows × cols doubles, row-major and contiguous.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols, double value = 0.0)
      : values_(rows * cols, value), rows_(rows), cols_(cols) {}

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] double* data() { return values_.data(); }
  [[nodiscard]] const double* data() const { return values_.data(); }

  double& operator()(std::size_t i, std::size_t j) { return values_[i * cols_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values_[i * cols_ + j]; }

  [[nodiscard]] MatrixView view() { return {values_.data(), rows_, cols_}; }
  [[nodiscard]] ConstMatrixView view() const { return {values_.data(), rows_, cols_}; }

  /// Changes the number of rows; the values of the rows that stay are kept.
  void resize_rows(std::size_t rows) {
    values_.resize(rows * cols_);
    rows_ = rows;
  }

  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  std::vector<double> values_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace rfnn
