#include "rfnn/features/law_slopes.hpp"

#include "rfnn/features/kernels.hpp"

namespace rfnn::features {

extern const LawSlopes law_slopes_baseline;
#if defined(__x86_64__)
extern const LawSlopes law_slopes_avx2, law_slopes_avx512;
#endif

const LawSlopes* law_slopes(std::string_view level) {
  if (kernels(level) == nullptr) return nullptr;  // which levels there are is one function's business
#if defined(__x86_64__)
  if (level == "avx512") return &law_slopes_avx512;
  if (level == "avx2") return &law_slopes_avx2;
#endif
  return &law_slopes_baseline;
}

const LawSlopes& law_slopes() { return *law_slopes(kernels().name); }

}  // namespace rfnn::features
