#include <sleef.h>

#include "rfnn/features/kernels.hpp"

namespace {

using Part __attribute__((vector_size(32), may_alias)) = double;

inline void sincos(const Part& phase, Part& sine, Part& cosine) {
  const Sleef___m256d_2 both = Sleef_finz_sincosd4_u35avx2(reinterpret_cast<__m256d>(phase));
  sine = reinterpret_cast<Part>(both.x);
  cosine = reinterpret_cast<Part>(both.y);
}

// 12 sums and 4 operands in the 16 registers.
constexpr std::size_t block_a = 4, block_b = 3;

}  // namespace

#include "rfnn/features/kernels_impl.hpp"

namespace rfnn::features {
extern const Kernels kernels_avx2;
const Kernels kernels_avx2 = {"avx2", ::features, gram, gram_ahead, combine, polynomials};
}  // namespace rfnn::features
