#include "rfnn/data/columns.hpp"

#include <algorithm>
#include <cstdlib>

#include "rfnn/core/file_pages.hpp"

namespace rfnn {
namespace {

template <class T>
double number_at(const char* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return static_cast<double>(value);
}

template <class T>
void read_range(const char* place, std::ptrdiff_t stride, std::size_t count, double* out) {
  // Neighbours are worth a loop of their own: it becomes wide loads.
  if (stride == static_cast<std::ptrdiff_t>(sizeof(T)))
    for (std::size_t i = 0; i < count; ++i) out[i] = number_at<T>(place + i * sizeof(T));
  else
    for (std::size_t i = 0; i < count; ++i) out[i] = number_at<T>(place + static_cast<std::ptrdiff_t>(i) * stride);
}

template <class T>
void read_rows(const char* first, std::ptrdiff_t stride, std::span<const std::size_t> rows, double* out) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[i] = number_at<T>(first + static_cast<std::ptrdiff_t>(rows[i]) * stride);
}

}  // namespace

void ColumnView::read(std::size_t first, std::size_t count, double* out) const {
  const char* place = first_ + static_cast<std::ptrdiff_t>(first) * stride_;
  type_ == NumberType::float64 ? read_range<double>(place, stride_, count, out)
                               : read_range<float>(place, stride_, count, out);
}

void ColumnView::read(std::span<const std::size_t> rows, double* out) const {
  type_ == NumberType::float64 ? read_rows<double>(first_, stride_, rows, out)
                               : read_rows<float>(first_, stride_, rows, out);
}

Columns::Columns(ConstMatrixView matrix) : rows_(matrix.rows()) {
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(double));
  columns_.reserve(matrix.cols());
  const std::ptrdiff_t step = rows_ > 0 ? matrix.col_stride() : 0;  // without rows there may be no place to step from
  for (std::size_t k = 0; k < matrix.cols(); ++k)
    columns_.emplace_back(matrix.data() + static_cast<std::ptrdiff_t>(k) * step, bytes * matrix.row_stride());
}

namespace {

std::size_t step_of(const ColumnView& column) { return static_cast<std::size_t>(std::abs(column.stride())); }

/// Does a column lie in the rows of the one before it?
bool beside(const ColumnView& column, const ColumnView& before) {
  const auto* own = static_cast<const char*>(column.place(0));
  const auto* other = static_cast<const char*>(before.place(0));
  return column.pages() == before.pages() && column.stride() == before.stride() &&
         std::abs(own - other) < column.stride();
}

}  // namespace

void Columns::let_go(std::size_t first, std::size_t last) const {
  if (first >= last) return;
  for (std::size_t k = 0; k < size(); ++k) {
    const ColumnView& column = columns_[k];
    if (column.pages() == nullptr || (k > 0 && beside(column, columns_[k - 1]))) continue;
    const void* const begin = column.place(column.stride() < 0 ? last - 1 : first);
    column.pages()->let_go(begin, (last - first) * step_of(column));
  }
}

std::size_t Columns::paged_row_bytes() const {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < size(); ++k)
    if (columns_[k].pages() != nullptr && (k == 0 || !beside(columns_[k], columns_[k - 1])))
      bytes += step_of(columns_[k]);
  return bytes;
}

}  // namespace rfnn
