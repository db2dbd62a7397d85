#include "rfnn/features/kernels.hpp"

#include <string>

#include "rfnn/core/version.hpp"

namespace rfnn::features {

extern const Kernels kernels_baseline;
#if defined(__x86_64__)
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

const Kernels* kernels(std::string_view name) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (name == kernels_avx512.name) return avx512 ? &kernels_avx512 : nullptr;
  if (name == kernels_avx2.name) return avx2 ? &kernels_avx2 : nullptr;
#endif
  return name == kernels_baseline.name ? &kernels_baseline : nullptr;
}

const Kernels& kernels() {
  for (const std::string_view name : {"avx512", "avx2"})
    if (const Kernels* found = kernels(name)) return *found;
  return kernels_baseline;
}

}  // namespace rfnn::features

namespace rfnn {

std::string simd_level() { return std::string(features::kernels().name); }

}  // namespace rfnn
