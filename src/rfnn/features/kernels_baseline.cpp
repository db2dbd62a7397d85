#include <sleef.h>

#include "rfnn/features/kernels.hpp"

namespace {

using Lanes __attribute__((vector_size(64), may_alias)) = double;

inline void sincos(Lanes phase, Lanes& sine, Lanes& cosine) {
  for (int lane = 0; lane < 8; ++lane) {
    const Sleef_double_2 both = Sleef_cinz_sincosd1_u35purec(phase[lane]);
    sine[lane] = both.x;
    cosine[lane] = both.y;
  }
}

constexpr std::size_t block_a = 1, block_b = 2;

}  // namespace

#include "rfnn/features/kernels_impl.hpp"

namespace rfnn {
extern const Kernels kernels_baseline;
const Kernels kernels_baseline = {"baseline", features, gram, combine};
}  // namespace rfnn
