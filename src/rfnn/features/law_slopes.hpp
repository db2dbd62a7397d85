#pragma once

// Private header. The derivatives of closed forms' kernels, beside their values (features/law_kernels.hpp has the
// values alone, and says what a law and columns are).

#include <cstddef>
#include <string_view>

#include "rfnn/features/law_kernels.hpp"

namespace rfnn::features {

/// One implementation for one SIMD level. AVX-512 and AVX2 give the same bits.
struct LawSlopes {
  /// out[i][row] = k(δ), as LawKernels::panel gives it, to the bit; slopes[i · coordinates + c][row] its derivative by
  /// coordinate c of the point, for coordinates with slopes[i · coordinates + c] other than null. Coordinates are the
  /// variables v and, where the law maps them, u = M v behind: the derivative by a variable in all is that by v plus Mᵀ
  /// times that by u. Where a part of order 0 has a kink (δ_k = 0; of a radial one δ = 0) it counts with 0 there, the
  /// mean of both sides. Odd in δ to the bit, but for laws around a centre.
  void (*panel)(const LawView<double>& law, const double* const* columns, const double* const* centres,
                std::size_t count, double* const* out, double* const* slopes);
};

/// Of the best level this CPU has, or of one by name; nullptr when this CPU or build does not have it.
const LawSlopes& law_slopes();
const LawSlopes* law_slopes(std::string_view level);

}  // namespace rfnn::features
