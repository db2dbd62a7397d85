#include "rfnn/rows/lattice/fft.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "rfnn/core/error.hpp"

namespace rfnn::rows {
namespace {

/// One pass: sequences of length radix · parts, each element `stride` numbers wide.
struct Pass {
  const double* re;
  const double* im;
  double* out_re;
  double* out_im;
  const double* cosine;
  const double* sine;
  std::size_t size;    ///< length of the whole transform, that of the twiddle tables
  std::size_t parts;   ///< butterflies that differ in their twiddles
  std::size_t stride;  ///< butterflies that share them
};

struct Complex {
  double re, im;
};

#define RFNN_INLINE inline __attribute__((always_inline))

RFNN_INLINE Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
RFNN_INLINE Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
RFNN_INLINE Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
RFNN_INLINE Complex operator*(double a, Complex b) { return {a * b.re, a * b.im}; }
RFNN_INLINE Complex minus_i(Complex a) { return {a.im, -a.re}; }

template <std::size_t radix>
RFNN_INLINE void butterfly(Complex (&a)[radix]) {
  if constexpr (radix == 2) {
    const Complex sum = a[0] + a[1];
    a[1] = a[0] - a[1];
    a[0] = sum;
  } else if constexpr (radix == 3) {
    constexpr double half_root3 = std::numbers::sqrt3 / 2.0;
    const Complex sum = a[1] + a[2], turn = half_root3 * minus_i(a[1] - a[2]), mid = a[0] - 0.5 * sum;
    a[0] = a[0] + sum;
    a[1] = mid + turn;
    a[2] = mid - turn;
  } else if constexpr (radix == 4) {
    const Complex p = a[0] + a[2], m = a[0] - a[2], q = a[1] + a[3], n = minus_i(a[1] - a[3]);
    a[0] = p + q;
    a[1] = m + n;
    a[2] = p - q;
    a[3] = m - n;
  } else {
    static_assert(radix == 5);
    constexpr double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;  // cos 2π/5, cos 4π/5
    constexpr double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;   // sin 2π/5, sin 4π/5
    const Complex p1 = a[1] + a[4], p2 = a[2] + a[3], m1 = minus_i(a[1] - a[4]), m2 = minus_i(a[2] - a[3]);
    const Complex r1 = a[0] + c1 * p1 + c2 * p2, r2 = a[0] + c2 * p1 + c1 * p2;
    const Complex t1 = s1 * m1 + s2 * m2, t2 = s2 * m1 - s1 * m2;
    a[0] = a[0] + p1 + p2;
    a[1] = r1 + t1;
    a[2] = r2 + t2;
    a[3] = r2 - t2;
    a[4] = r1 - t1;
  }
}

template <std::size_t radix>
RFNN_INLINE void run_pass(const Pass& pass) {
  const std::size_t turn = pass.size / (radix * pass.parts);
  for (std::size_t p = 0; p < pass.parts; ++p) {
    Complex twiddle[radix];
    for (std::size_t k = 1; k < radix; ++k) {
      const std::size_t at = p * k * turn;
      twiddle[k] = {pass.cosine[at], pass.sine[at]};
    }
    const double* __restrict re = pass.re + p * pass.stride;
    const double* __restrict im = pass.im + p * pass.stride;
    double* __restrict out_re = pass.out_re + p * radix * pass.stride;
    double* __restrict out_im = pass.out_im + p * radix * pass.stride;
    const std::size_t apart = pass.parts * pass.stride, stride = pass.stride;
    for (std::size_t q = 0; q < stride; ++q) {
      Complex a[radix];
      for (std::size_t j = 0; j < radix; ++j) a[j] = {re[j * apart + q], im[j * apart + q]};
      butterfly<radix>(a);
      out_re[q] = a[0].re;
      out_im[q] = a[0].im;
      for (std::size_t k = 1; k < radix; ++k) {
        const Complex turned = twiddle[k] * a[k];
        out_re[k * stride + q] = turned.re;
        out_im[k * stride + q] = turned.im;
      }
    }
  }
}

RFNN_INLINE void run_any(const Pass& pass, std::size_t radix) {
  switch (radix) {
    case 2:
      return run_pass<2>(pass);
    case 3:
      return run_pass<3>(pass);
    case 4:
      return run_pass<4>(pass);
    default:
      return run_pass<5>(pass);
  }
}

void run_baseline(const Pass& pass, std::size_t radix) { run_any(pass, radix); }

// The same operations in wider registers: without contraction the bits are the same.
#if defined(__x86_64__)
[[gnu::target("avx2")]] void run_wide(const Pass& pass, std::size_t radix) { run_any(pass, radix); }
bool has_wide() { return __builtin_cpu_supports("avx2") != 0; }
#else
void run_wide(const Pass& pass, std::size_t radix) { run_any(pass, radix); }
bool has_wide() { return false; }
#endif

bool divides_out(std::size_t n) {
  for (const std::size_t prime : {2u, 3u, 5u})
    while (n % prime == 0) n /= prime;
  return n == 1;
}

}  // namespace

std::size_t fft_size(std::size_t least, bool even) {
  std::size_t n = least == 0 ? 1 : least;
  while (!divides_out(n) || (even && n % 2 != 0)) ++n;
  return n;
}

Fft::Fft(std::size_t size) : size_(size), cosine_(size), sine_(size), wide_(has_wide()) {
  if (size == 0 || !divides_out(size))
    throw UsageError("A transform of length " + std::to_string(size) + " was asked for.", "Take one from fft_size.");
  for (std::size_t rest = size; rest > 1;) {
    std::size_t radix = 4;
    while (rest % radix != 0) radix = radix == 4 ? 2 : radix == 2 ? 3 : 5;
    radices_.push_back(radix);
    rest /= radix;
  }
  for (std::size_t j = 0; j < size; ++j) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(size);
    cosine_[j] = std::cos(angle);
    sine_[j] = -std::sin(angle);
  }
}

void Fft::forward(FftColumns& x, FftColumns& spare, std::size_t batch) const {
  std::size_t length = size_, stride = batch;
  for (const std::size_t radix : radices_) {
    length /= radix;
    const Pass pass = {x.re.data(),  x.im.data(), spare.re.data(), spare.im.data(), cosine_.data(),
                       sine_.data(), size_,       length,          stride};
    wide_ ? run_wide(pass, radix) : run_baseline(pass, radix);
    std::swap(x, spare);
    stride *= radix;
  }
}

void Fft::backward(FftColumns& x, FftColumns& spare, std::size_t batch) const {
  // Exchanging real and imaginary parts conjugates, up to a factor i that a second exchange takes back.
  std::swap(x.re, x.im);
  forward(x, spare, batch);
  std::swap(x.re, x.im);
}

}  // namespace rfnn::rows
