#include "rfnn/data/sine_integral.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace rfnn {
namespace {

/// Σ (−1)^k x^(2k+1) / ((2k+1)·(2k+1)!), summed from the smallest term up (Horner). Its terms stay below 3 for |x| ≤ 4.
double power_series(double x) {
  constexpr int terms = 20;
  const double square = x * x;
  double sum = 0.0;  // c_k x²ᵏ + c_{k+1} x²ᵏ⁺² + …, divided by 1/(2k+1)! x²ᵏ
  for (int k = terms; k >= 0; --k) {
    const double n = 2.0 * k + 1.0;
    sum = 1.0 / n - square * sum / ((n + 1.0) * (n + 2.0));
  }
  return x * sum;
}

/// π/2 + Im E₁(ix), E₁ by its continued fraction e⁻ᶻ / (z + 1 − 1²/(z + 3 − 2²/(z + 5 − …))), for x ≥ 4.
double continued_fraction(double x) {
  const int depth = static_cast<int>(30.0 + std::max(0.0, 400.0 / x - 10.0));
  const std::complex<double> z(0.0, x);
  std::complex<double> tail = 0.0;
  for (int k = depth; k >= 1; --k) {
    const std::complex<double> below = z + (2.0 * k + 1.0) - tail;
    tail = static_cast<double>(k) * k / std::norm(below) * std::conj(below);
  }
  return std::numbers::pi / 2.0 + (std::complex<double>(std::cos(x), -std::sin(x)) / (z + 1.0 - tail)).imag();
}

}  // namespace

double sine_integral(double x) {
  constexpr double series_ends = 4.0;
  const double size = std::abs(x);
  if (size <= series_ends) return power_series(x);
  return std::copysign(continued_fraction(size), x);
}

}  // namespace rfnn
