#pragma once

// Private header. Lower triangles as the fast dense algorithms want them.

#include <cstddef>

#include "rfnn/core/large_array.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/features/matrix_kernels.hpp"

namespace rfnn::dense {

/// The lower triangle, diagonal included, of a symmetric or of a lower triangular matrix, in stripes
/// (features/matrix_kernels.hpp): rows s · width … (s + 1) · width − 1 lie together, column by column, up to and with
/// the columns of the block on the diagonal. So column j of stripe s is `width` consecutive numbers, 64-byte aligned;
/// and matrices of the same size have the same entry at the same place, whatever is done entry by entry runs over
/// `data()` alone. Half the memory of a square: n = 10 000 takes 0.4 GB in double precision.
///
/// Beyond the matrix there are rows up to a multiple of `width`, and above the diagonal the upper part of the blocks
/// there. A new triangle is zero, with ones on the diagonal beyond its size; what fills one by stripes keeps that so.
template <class T>
class Triangle {
 public:
  static constexpr std::size_t width = features::stripe<T>;

  Triangle() = default;
  explicit Triangle(std::size_t size);
  Triangle(const Triangle& other);
  Triangle& operator=(const Triangle& other);
  Triangle(Triangle&&) noexcept = default;
  Triangle& operator=(Triangle&&) noexcept = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t stripes() const { return (size_ + width - 1) / width; }
  /// Numbers held, those beyond the matrix included.
  [[nodiscard]] std::size_t numbers() const { return begin_of(stripes()); }

  /// i ≥ j.
  T& operator()(std::size_t i, std::size_t j) { return data()[place(i, j)]; }
  T operator()(std::size_t i, std::size_t j) const { return data()[place(i, j)]; }

  /// Stripe s: entry (s · width + r, j) is at [j · width + r], j < (s + 1) · width.
  [[nodiscard]] T* stripe(std::size_t s) { return data() + begin_of(s); }
  [[nodiscard]] const T* stripe(std::size_t s) const { return data() + begin_of(s); }
  [[nodiscard]] T* data() { return numbers_.data(); }
  [[nodiscard]] const T* data() const { return numbers_.data(); }

  /// Rows first … first + rows.rows() − 1, of which `rows` has the columns up to the diagonal at least. For any rows
  /// at once: different rows may be set by different threads.
  void set_rows(std::size_t first, BasicMatrixView<const T> rows);
  /// The same, in the other direction; columns beyond the diagonal are filled by symmetry where `rows` has them.
  void get_rows(std::size_t first, BasicMatrixView<T> rows) const;
  void add_to_diagonal(T shift);

 private:
  struct Free {
    void operator()(T* place) const { ::operator delete (place, std::align_val_t{64}); }
  };
  static std::size_t begin_of(std::size_t s) { return width * width * (s * (s + 1) / 2); }
  static std::size_t place(std::size_t i, std::size_t j) { return begin_of(i / width) + j * width + i % width; }

  LargeArray<T> numbers_;
  std::size_t size_ = 0;
};

extern template class Triangle<double>;
extern template class Triangle<float>;

}  // namespace rfnn::dense
