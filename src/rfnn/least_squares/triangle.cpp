#include "rfnn/least_squares/triangle.hpp"

#include <algorithm>

namespace rfnn::dense {

namespace {

/// to(r, c) = from(r, c) for a block of a stripe's size, which any order of storage leaves in the cache.
template <class T>
void copy_block(const T* from, std::ptrdiff_t from_row, std::ptrdiff_t from_column, T* to, std::ptrdiff_t to_row,
                std::ptrdiff_t to_column, std::size_t rows, std::size_t columns) {
  if (to_row == 1 && from_row == 1) {
    for (std::size_t c = 0; c < columns; ++c, from += from_column, to += to_column) std::copy_n(from, rows, to);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r, from += from_row, to += to_row)
    for (std::size_t c = 0; c < columns; ++c)
      to[static_cast<std::ptrdiff_t>(c) * to_column] = from[static_cast<std::ptrdiff_t>(c) * from_column];
}

}  // namespace

template <class T>
Triangle<T>::Triangle(std::size_t size) : size_(size) {
  numbers_ = LargeArray<T>(numbers());
  std::fill_n(data(), numbers(), T(0));
  for (std::size_t i = size; i < stripes() * width; ++i) (*this)(i, i) = T(1);
}

template <class T>
Triangle<T>::Triangle(const Triangle& other) : size_(other.size_) {
  numbers_ = LargeArray<T>(numbers());
  std::copy_n(other.data(), numbers(), data());
}

template <class T>
Triangle<T>& Triangle<T>::operator=(const Triangle& other) {
  if (size_ != other.size_) return *this = Triangle(other);
  if (this != &other) std::copy_n(other.data(), numbers(), data());
  return *this;
}

template <class T>
void Triangle<T>::set_rows(std::size_t first, BasicMatrixView<const T> rows) {
  for (std::size_t at = 0; at < rows.rows();) {
    const std::size_t i = first + at, count = std::min(rows.rows() - at, width - i % width);
    // Blocks before the diagonal, then the triangle on it.
    for (std::size_t j = 0; j < i / width * width; j += width)
      copy_block(&rows(at, j), rows.row_stride(), rows.col_stride(), data() + place(i, j), 1, width, count, width);
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t j = i / width * width; j <= i + r; ++j) (*this)(i + r, j) = rows(at + r, j);
    at += count;
  }
}

template <class T>
void Triangle<T>::get_rows(std::size_t first, BasicMatrixView<T> rows) const {
  for (std::size_t at = 0; at < rows.rows();) {
    const std::size_t i = first + at, count = std::min(rows.rows() - at, width - i % width);
    const std::size_t diagonal = i / width * width;
    for (std::size_t j = 0; j < rows.cols(); j += width) {
      const std::size_t wide = std::min(width, rows.cols() - j);
      if (j < diagonal)
        copy_block(data() + place(i, j), 1, width, &rows(at, j), rows.row_stride(), rows.col_stride(), count, wide);
      else if (j > diagonal)
        copy_block(data() + place(j, i), width, 1, &rows(at, j), rows.row_stride(), rows.col_stride(), count, wide);
      else
        for (std::size_t r = 0; r < count; ++r)
          for (std::size_t c = j; c < j + wide; ++c) rows(at + r, c) = (*this)(std::max(i + r, c), std::min(i + r, c));
    }
    at += count;
  }
}

template <class T>
void Triangle<T>::add_to_diagonal(T shift) {
  for (std::size_t i = 0; i < size_; ++i) (*this)(i, i) += shift;
}

template class Triangle<double>;
template class Triangle<float>;

}  // namespace rfnn::dense
