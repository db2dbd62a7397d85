#include <sleef.h>

#include "rfnn/features/kernels.hpp"

namespace {

using Lanes __attribute__((vector_size(64), may_alias)) = double;  // two registers
union Halves {
  Lanes whole;
  __m256d half[2];
};

inline void sincos(Lanes phase, Lanes& sine, Lanes& cosine) {
  Halves in, s, c;
  in.whole = phase;
  for (int h = 0; h < 2; ++h) {
    const Sleef___m256d_2 both = Sleef_finz_sincosd4_u35avx2(in.half[h]);
    s.half[h] = both.x;
    c.half[h] = both.y;
  }
  sine = s.whole;
  cosine = c.whole;
}

// 6 sums are 12 of the 16 registers.
constexpr std::size_t block_a = 3, block_b = 2;

}  // namespace

#include "rfnn/features/kernels_impl.hpp"

namespace rfnn {
extern const Kernels kernels_avx2;
const Kernels kernels_avx2 = {"avx2", features, gram, combine};
}  // namespace rfnn
