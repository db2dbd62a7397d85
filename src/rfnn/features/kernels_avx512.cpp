#include <sleef.h>

#include "rfnn/features/kernels.hpp"

namespace {

using Part __attribute__((vector_size(64), may_alias)) = double;

inline void sincos(const Part& phase, Part& sine, Part& cosine) {
  const Sleef___m512d_2 both = Sleef_finz_sincosd8_u35avx512f(reinterpret_cast<__m512d>(phase));
  sine = reinterpret_cast<Part>(both.x);
  cosine = reinterpret_cast<Part>(both.y);
}

// 24 sums and 5 operands in the 32 registers.
constexpr std::size_t block_a = 6, block_b = 4;

}  // namespace

#include "rfnn/features/kernels_impl.hpp"

namespace rfnn::features {
extern const Kernels kernels_avx512;
const Kernels kernels_avx512 = {"avx512", ::features, gram, gram_ahead, combine, polynomials};
}  // namespace rfnn::features
