#include <sleef.h>

#include "rfnn/features/kernels.hpp"
#include "rfnn/features/law_kernels.hpp"
#include "rfnn/features/law_slopes.hpp"

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
inline Doubles sine(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_finz_sind4_u35avx2(reinterpret_cast<__m256d>(x)));
}
inline Doubles square_root(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_sqrtd4_u05avx2(reinterpret_cast<__m256d>(x)));
}
inline Floats square_root(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_sqrtf8_u05avx2(reinterpret_cast<__m256>(x)));
}

}  // namespace

#include "rfnn/features/law_kernels_impl.hpp"

#include "rfnn/features/law_slopes_impl.hpp"

namespace rfnn::features {
extern const LawKernels<double> law_kernels_avx2_double;
extern const LawKernels<float> law_kernels_avx2_float;
const LawKernels<double> law_kernels_avx2_double = {panel<double>, gradient<double>, combine<double>,
                                                    correlate<double>};
const LawKernels<float> law_kernels_avx2_float = {panel<float>, gradient<float>, combine<float>, correlate<float>};
extern const LawSlopes law_slopes_avx2;
const LawSlopes law_slopes_avx2 = {slope_panel};
}  // namespace rfnn::features
