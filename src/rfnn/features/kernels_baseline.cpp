#include <sleef.h>

#include "rfnn/features/kernels.hpp"

namespace {

using Part __attribute__((vector_size(16), may_alias)) = double;

// The two forms give the same bits: SLEEF's cinz functions do so at every width.
inline void sincos(const Part& phase, Part& sine, Part& cosine) {
#if defined(__x86_64__)
  const Sleef___m128d_2 both = Sleef_cinz_sincosd2_u35sse2(reinterpret_cast<__m128d>(phase));
  sine = reinterpret_cast<Part>(both.x);
  cosine = reinterpret_cast<Part>(both.y);
#else
  for (int lane = 0; lane < 2; ++lane) {
    const Sleef_double_2 both = Sleef_cinz_sincosd1_u35purec(phase[lane]);
    sine[lane] = both.x;
    cosine[lane] = both.y;
  }
#endif
}

// 12 sums and 4 operands in the 16 registers.
constexpr std::size_t block_a = 4, block_b = 3;

}  // namespace

#include "rfnn/features/kernels_impl.hpp"

namespace rfnn::features {
extern const Kernels kernels_baseline;
const Kernels kernels_baseline = {"baseline", ::features, gram, gram_ahead, combine, polynomials};
}  // namespace rfnn::features
