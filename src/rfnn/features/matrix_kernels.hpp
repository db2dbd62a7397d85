#pragma once

// Private header. The arithmetic of dense matrix products and triangular factors, in double and in single precision.
//
// All operands are *stripes*: `stripe<T>` rows of a matrix, stored column by column, 64-byte aligned. Entry (row,
// column) of a stripe is at [column · stripe<T> + row]. A kernel changes a block of all rows of one stripe times
// `block_columns` columns. Every entry is summed one product after the other in the order of the columns, from the
// entry that is there: neither the size of blocks nor that of registers shows in the bits. AVX-512 and AVX2 give the
// same; the baseline has no fused multiply-add and differs in the last bits.

#include <cstddef>
#include <string_view>

namespace rfnn::features {

/// Rows of a stripe: three of the widest registers.
template <class T>
inline constexpr std::size_t stripe = 192 / sizeof(T);

inline constexpr std::size_t block_columns = 8;

template <class T>
struct MatrixKernels {
  std::string_view name;

  /// C ± X Yᵀ in place of C: C is stripe × 8, X stripe × depth; Y are 8 rows of a stripe × depth, `y` pointing at the
  /// first of them in the first column.
  void (*add)(T* c, const T* x, const T* y, std::size_t depth);
  void (*subtract)(T* c, const T* x, const T* y, std::size_t depth);

  /// (C − X Yᵀ) D⁻ᵀ in place of C, for the lower triangle D (8 × 8), which `d` points at within its stripe.
  void (*solve)(T* c, const T* x, const T* y, std::size_t depth, const T* d);

  /// C − X Yᵀ, where Y are the rows from `row` on of the stripe X itself, whose block on the diagonal these rows of C
  /// are: that becomes its Cholesky factor D, rows below it C D⁻ᵀ, and what is above the diagonal zero. Returns how
  /// many columns were done, 8 unless one has no positive and finite pivot.
  std::size_t (*factor)(T* c, const T* x, std::size_t depth, std::size_t row);

  /// out_k − Σ_rows a_k x for k < columns: `a` points at a stripe's first column, `x` at a number per row of the
  /// stripe. The one kernel that sums along a stripe: in 64 / sizeof(T) lanes, and these by halves.
  void (*subtract_transposed)(T* out, const T* a, const T* x, std::size_t columns);
};

/// The best level this CPU has; T is double or float.
template <class T>
const MatrixKernels<T>& matrix_kernels();

/// A level by name ("avx512", "avx2", "baseline"); nullptr when this CPU or build does not have it.
template <class T>
const MatrixKernels<T>* matrix_kernels(std::string_view name);

}  // namespace rfnn::features
