#include <sleef.h>

#include "rfnn/features/kernels.hpp"
#include "rfnn/features/law_kernels.hpp"

namespace {

using Doubles __attribute__((vector_size(32), may_alias)) = double;
using Floats __attribute__((vector_size(32), may_alias)) = float;

inline Doubles exponential(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_finz_expd4_u10avx2(reinterpret_cast<__m256d>(x)));
}
inline Floats exponential(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_finz_expf8_u10avx2(reinterpret_cast<__m256>(x)));
}
inline Doubles cosine(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_finz_cosd4_u35avx2(reinterpret_cast<__m256d>(x)));
}
inline Floats cosine(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_finz_cosf8_u35avx2(reinterpret_cast<__m256>(x)));
}
inline Doubles square_root(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_sqrtd4_u05avx2(reinterpret_cast<__m256d>(x)));
}
inline Floats square_root(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_sqrtf8_u05avx2(reinterpret_cast<__m256>(x)));
}

}  // namespace

#include "rfnn/features/law_kernels_impl.hpp"

namespace rfnn::features {
extern const LawKernels<double> law_kernels_avx2_double;
extern const LawKernels<float> law_kernels_avx2_float;
const LawKernels<double> law_kernels_avx2_double = {panel<double>, gradient<double>, combine<double>,
                                                    correlate<double>};
const LawKernels<float> law_kernels_avx2_float = {panel<float>, gradient<float>, combine<float>, correlate<float>};
}  // namespace rfnn::features
