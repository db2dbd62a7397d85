#include "rfnn/features/matrix_kernels.hpp"

#include "rfnn/features/kernels.hpp"

namespace rfnn::features {

extern const MatrixKernels<double> double_kernels_baseline;
extern const MatrixKernels<float> float_kernels_baseline;
#if defined(__x86_64__)
extern const MatrixKernels<double> double_kernels_avx2, double_kernels_avx512;
extern const MatrixKernels<float> float_kernels_avx2, float_kernels_avx512;
#endif

template <class T>
const MatrixKernels<T>* matrix_kernels(std::string_view name) {
  // What the CPU has is asked in one place.
  if (kernels(name) == nullptr) return nullptr;
  const auto pick = [](const MatrixKernels<double>* in_double, const MatrixKernels<float>* in_float) {
    if constexpr (sizeof(T) == sizeof(double))
      return in_double;
    else
      return in_float;
  };
#if defined(__x86_64__)
  if (name == double_kernels_avx512.name) return pick(&double_kernels_avx512, &float_kernels_avx512);
  if (name == double_kernels_avx2.name) return pick(&double_kernels_avx2, &float_kernels_avx2);
#endif
  return pick(&double_kernels_baseline, &float_kernels_baseline);
}

template <class T>
const MatrixKernels<T>& matrix_kernels() {
  static const MatrixKernels<T>& best = *matrix_kernels<T>(kernels().name);
  return best;
}

template const MatrixKernels<double>* matrix_kernels<double>(std::string_view);
template const MatrixKernels<float>* matrix_kernels<float>(std::string_view);
template const MatrixKernels<double>& matrix_kernels<double>();
template const MatrixKernels<float>& matrix_kernels<float>();

}  // namespace rfnn::features
