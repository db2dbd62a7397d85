#pragma once

// Private header.

#include <cmath>

namespace rfnn::sensitivity {

/// A number with its derivative along one direction.
struct Dual {
  double value = 0.0, slope = 0.0;

  Dual() = default;
  Dual(double of) : value(of) {}  // NOLINT(google-explicit-constructor): numbers are constants
  Dual(double of, double along) : value(of), slope(along) {}

  friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double ratio = a.value / b.value;
    return {ratio, (a.slope - ratio * b.slope) / b.value};
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
};

inline Dual sine(const Dual& a) { return {std::sin(a.value), a.slope * std::cos(a.value)}; }
inline Dual cosine(const Dual& a) { return {std::cos(a.value), -a.slope * std::sin(a.value)}; }
inline Dual exponential(const Dual& a) {
  const double value = std::exp(a.value);
  return {value, value * a.slope};
}
/// 1, −1, or 0 at 0.
inline double sign(const Dual& a) { return a.value > 0.0 ? 1.0 : a.value < 0.0 ? -1.0 : 0.0; }
inline Dual magnitude(const Dual& a) { return {std::abs(a.value), sign(a) * a.slope}; }
/// Its derivative at 0 counts as 0.
inline Dual square_root(const Dual& a) {
  const double value = std::sqrt(a.value);
  return {value, value > 0.0 ? 0.5 * a.slope / value : 0.0};
}

}  // namespace rfnn::sensitivity
