#pragma once

// Private header. The only arithmetic that touches every row, in tiles of `tile_rows` rows. All arrays are columns of a
// tile: `tile_rows` doubles each, 64-byte aligned, rows beyond the data filled with zeros by the caller.

#include <cstddef>
#include <string_view>

namespace rfnn::features {

inline constexpr std::size_t tile_rows = 256;
inline constexpr std::size_t polynomials_together = 16;

/// One implementation of the kernels for one SIMD level. AVX-512 and AVX2 give the same bits: both use fused
/// multiply-add on eight virtual lanes in the same order and the bit-equal sine and cosine of SLEEF. The baseline has
/// no fused multiply-add and differs in the last bits.
struct Kernels {
  std::string_view name;

  /// For features j < features: cosine[j] = cos(ω_j·v), minus_sine[j] = −sin(ω_j·v) for every row, and zero from row
  /// `rows` on. `variables` points to the columns of v; frequencies[j] to the frequency of feature j, one number per
  /// variable.
  void (*features)(const double* const* variables, std::size_t variable_count, const double* const* frequencies,
                   std::size_t features, std::size_t rows, double* const* cosine, double* const* minus_sine);

  /// c[i · stride + j] += Σ_rows a_i b_j for i < a_count, j < b_count. With `upper` only j ≥ i is needed (and more may
  /// be done).
  void (*gram)(const double* const* a, std::size_t a_count, const double* const* b, std::size_t b_count, bool upper,
               double* c, std::size_t stride);

  /// The same; meanwhile `ahead_bytes` from `ahead` on, which will be needed next, are fetched into the cache.
  void (*gram_ahead)(const double* const* a, std::size_t a_count, const double* const* b, std::size_t b_count,
                     bool upper, double* c, std::size_t stride, const void* ahead, std::size_t ahead_bytes);

  /// out_o += Σ_c columns_c · coefficients[c · outputs + o], added in the order of c.
  void (*combine)(const double* const* columns, std::size_t column_count, const double* coefficients,
                  std::size_t outputs, double* const* out);

  /// out[i] = Σ_t coefficients[t · polynomials_together + i] · x^t for i < polynomials_together, t < terms. Both lists
  /// are 64-byte aligned.
  void (*polynomials)(const double* coefficients, std::size_t terms, double x, double* out);
};

/// The best level this CPU has.
const Kernels& kernels();

/// A level by name ("avx512", "avx2", "baseline"); nullptr when this CPU or build does not have it.
const Kernels* kernels(std::string_view name);

}  // namespace rfnn::features
