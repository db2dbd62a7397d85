#include "rfnn/features/law_kernels.hpp"

#include "rfnn/features/kernels.hpp"

namespace rfnn::features {

extern const LawKernels<double> law_kernels_baseline_double;
extern const LawKernels<float> law_kernels_baseline_float;
#if defined(__x86_64__)
extern const LawKernels<double> law_kernels_avx2_double, law_kernels_avx512_double;
extern const LawKernels<float> law_kernels_avx2_float, law_kernels_avx512_float;
#endif

namespace {

template <class T>
const LawKernels<T>* of_level(std::string_view level, const LawKernels<T>& baseline, const LawKernels<T>& avx2,
                              const LawKernels<T>& avx512) {
  if (kernels(level) == nullptr) return nullptr;  // which levels there are is one function's business
  return level == "avx512" ? &avx512 : level == "avx2" ? &avx2 : &baseline;
}

}  // namespace

template <>
const LawKernels<double>* law_kernels(std::string_view level) {
#if defined(__x86_64__)
  return of_level(level, law_kernels_baseline_double, law_kernels_avx2_double, law_kernels_avx512_double);
#else
  return of_level(level, law_kernels_baseline_double, law_kernels_baseline_double, law_kernels_baseline_double);
#endif
}

template <>
const LawKernels<float>* law_kernels(std::string_view level) {
#if defined(__x86_64__)
  return of_level(level, law_kernels_baseline_float, law_kernels_avx2_float, law_kernels_avx512_float);
#else
  return of_level(level, law_kernels_baseline_float, law_kernels_baseline_float, law_kernels_baseline_float);
#endif
}

template <>
const LawKernels<double>& law_kernels() {
  return *law_kernels<double>(kernels().name);
}
template <>
const LawKernels<float>& law_kernels() {
  return *law_kernels<float>(kernels().name);
}

}  // namespace rfnn::features
