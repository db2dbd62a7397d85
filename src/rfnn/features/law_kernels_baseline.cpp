#include <sleef.h>

#include "rfnn/features/kernels.hpp"
#include "rfnn/features/law_kernels.hpp"
#include "rfnn/features/law_slopes.hpp"

namespace {

using Doubles __attribute__((vector_size(16), may_alias)) = double;
using Floats __attribute__((vector_size(16), may_alias)) = float;

#if defined(__x86_64__)
inline Doubles exponential(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_cinz_expd2_u10sse2(reinterpret_cast<__m128d>(x)));
}
inline Floats exponential(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_cinz_expf4_u10sse2(reinterpret_cast<__m128>(x)));
}
inline Doubles cosine(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_cinz_cosd2_u35sse2(reinterpret_cast<__m128d>(x)));
}
inline Floats cosine(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_cinz_cosf4_u35sse2(reinterpret_cast<__m128>(x)));
}
inline Doubles sine(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_cinz_sind2_u35sse2(reinterpret_cast<__m128d>(x)));
}
inline Doubles square_root(const Doubles& x) {
  return reinterpret_cast<Doubles>(Sleef_sqrtd2_u05sse2(reinterpret_cast<__m128d>(x)));
}
inline Floats square_root(const Floats& x) {
  return reinterpret_cast<Floats>(Sleef_sqrtf4_u05sse2(reinterpret_cast<__m128>(x)));
}
#else
// The same bits: SLEEF's cinz functions give them at every width.
inline Doubles exponential(const Doubles& x) {
  return Doubles{Sleef_cinz_expd1_u10purec(x[0]), Sleef_cinz_expd1_u10purec(x[1])};
}
inline Floats exponential(const Floats& x) {
  return Floats{Sleef_cinz_expf1_u10purec(x[0]), Sleef_cinz_expf1_u10purec(x[1]), Sleef_cinz_expf1_u10purec(x[2]),
                Sleef_cinz_expf1_u10purec(x[3])};
}
inline Doubles cosine(const Doubles& x) {
  return Doubles{Sleef_cinz_cosd1_u35purec(x[0]), Sleef_cinz_cosd1_u35purec(x[1])};
}
inline Floats cosine(const Floats& x) {
  return Floats{Sleef_cinz_cosf1_u35purec(x[0]), Sleef_cinz_cosf1_u35purec(x[1]), Sleef_cinz_cosf1_u35purec(x[2]),
                Sleef_cinz_cosf1_u35purec(x[3])};
}
inline Doubles sine(const Doubles& x) {
  return Doubles{Sleef_cinz_sind1_u35purec(x[0]), Sleef_cinz_sind1_u35purec(x[1])};
}
inline Doubles square_root(const Doubles& x) { return Doubles{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])}; }
inline Floats square_root(const Floats& x) {
  return Floats{__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]), __builtin_sqrtf(x[2]), __builtin_sqrtf(x[3])};
}
#endif

}  // namespace

#include "rfnn/features/law_kernels_impl.hpp"

#include "rfnn/features/law_slopes_impl.hpp"

namespace rfnn::features {
extern const LawKernels<double> law_kernels_baseline_double;
extern const LawKernels<float> law_kernels_baseline_float;
const LawKernels<double> law_kernels_baseline_double = {panel<double>, gradient<double>, combine<double>,
                                                        correlate<double>};
const LawKernels<float> law_kernels_baseline_float = {panel<float>, gradient<float>, combine<float>, correlate<float>};
extern const LawSlopes law_slopes_baseline;
const LawSlopes law_slopes_baseline = {slope_panel};
}  // namespace rfnn::features
