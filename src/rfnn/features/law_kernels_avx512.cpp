#include <sleef.h>

#include "rfnn/features/kernels.hpp"
#include "rfnn/features/law_kernels.hpp"
#include "rfnn/features/law_slopes.hpp"

namespace {

using Doubles __attribute__((vector_size(64), may_alias)) = double;
using Floats __attribute__((vector_size(64), may_alias)) = float;

inline Doubles exponential(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_finz_expd8_u10avx512f(reinterpret_cast<__m512d>(x)));
}
inline Floats exponential(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_finz_expf16_u10avx512f(reinterpret_cast<__m512>(x)));
}
inline Doubles cosine(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_finz_cosd8_u35avx512f(reinterpret_cast<__m512d>(x)));
}
inline Floats cosine(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_finz_cosf16_u35avx512f(reinterpret_cast<__m512>(x)));
}
inline Doubles sine(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_finz_sind8_u35avx512f(reinterpret_cast<__m512d>(x)));
}
inline Doubles square_root(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_sqrtd8_u05avx512f(reinterpret_cast<__m512d>(x)));
}
inline Floats square_root(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_sqrtf16_u05avx512f(reinterpret_cast<__m512>(x)));
}

}  // namespace

#include "rfnn/features/law_kernels_impl.hpp"

#include "rfnn/features/law_slopes_impl.hpp"

namespace rfnn::features {
extern const LawKernels<double> law_kernels_avx512_double;
extern const LawKernels<float> law_kernels_avx512_float;
const LawKernels<double> law_kernels_avx512_double = {panel<double>, gradient<double>, combine<double>,
                                                      correlate<double>};
const LawKernels<float> law_kernels_avx512_float = {panel<float>, gradient<float>, combine<float>, correlate<float>};
extern const LawSlopes law_slopes_avx512;
const LawSlopes law_slopes_avx512 = {slope_panel};
}  // namespace rfnn::features
