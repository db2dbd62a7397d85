#pragma once

#include <cstddef>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"

namespace rfnn {

/// A law of frequencies: the density from which infinitely many features are drawn, with independent Gaussian
/// amplitudes. What they add up to is a Gaussian process; its covariance, the Fourier transform of the density, is the
/// kernel k(δ) of two points that differ by δ. A sum of parts, for variables v in standardised units:
///
///   k(δ) = Σ_p a_p · exp(−½ Σ_j (s_pj u_j)²) · Π_k q_p(t_pk |δ_k|) exp(−t_pk |δ_k|) · cos(μ_p·δ),    u = M δ
///
/// A frequency of part p is μ_p, or −μ_p, plus Mᵀ(s_p · normal) + t_p · Cauchy, number by number (a Voigt law); of
/// order 1 and 2 the Cauchy law is replaced by Student's with 3 and 5 degrees of freedom (Matérn's kernels):
/// q(x) = 1, 1 + x, 1 + x + x²/3. Of a radial part the factor is q(ρ) exp(−ρ) with ρ the length of (t_pk δ_k): its
/// frequencies have the same laws number by number, but no direction is special.
struct FrequencyLaw {
  struct Part {
    double strength = 0.0;            ///< a: the variance this part has
    std::vector<double> smooth;       ///< s, per coordinate of u; 0: none
    std::vector<double> rough;        ///< t, per variable; 0: none
    int order = 0;                    ///< of the rough factor: 0, 1 or 2
    std::vector<double> centre = {};  ///< μ, per variable; empty: 0
    bool radial = false;              ///< then there is no smooth factor: all s are 0

    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;
  Matrix map = {};  ///< M, coordinates × variables; empty: the identity

  [[nodiscard]] std::size_t variables() const { return parts.empty() ? 0 : parts.front().rough.size(); }
  /// k(0): the variance of the process.
  [[nodiscard]] double variance() const {
    double sum = 0.0;
    for (const Part& part : parts) sum += part.strength;
    return sum;
  }

  friend bool operator==(const FrequencyLaw&, const FrequencyLaw&) = default;
};

/// k(δ), as the formula is written.
RFNN_API double kernel_value(const FrequencyLaw& law, const double* difference);

/// Boxes of the inputs that overlap and cover the rows: a closed form of windows is one for each of them, blended. What
/// changes its nature from place to place has there the scale of its own, and no system is larger than a window.
struct Windows {
  Matrix low, high;               ///< windows × inputs: where a window counts, in standardised units
  Matrix scale;                   ///< windows × variables: the law's frequencies there, over those of the law
  std::vector<std::size_t> rows;  ///< per window: its centres, which lie one window after the other

  [[nodiscard]] std::size_t count() const { return rows.size(); }
  [[nodiscard]] std::size_t inputs() const { return low.cols(); }
  [[nodiscard]] bool empty() const { return rows.empty(); }

  friend bool operator==(const Windows&, const Windows&) = default;
};

/// How much a window counts at a place: Π_k b((x_k − middle)/half), b(u) = (1 − |u|)⁴(4|u| + 1), 0 outside the window.
RFNN_API double window_weight(const Windows& windows, std::size_t window, const double* inputs);

/// The closed form of infinitely many features: v ↦ Σ_i c_i k(v − v_i) over centres v_i, which are training rows. Of
/// windows: v ↦ Σ_w φ_w(x) Σ_{i of w} c_i k(S_w (v − v_i)) / Σ_w φ_w(x), with S_w the window's scales and φ_w its
/// weight at the inputs x of v, taken at the nearest place within the range of the centres.
struct ClosedForm {
  FrequencyLaw law;
  Matrix centres;        ///< rows × variables, in standardised units
  Matrix coefficients;   ///< rows × outputs
  Windows windows = {};  ///< empty: none

  friend bool operator==(const ClosedForm&, const ClosedForm&) = default;
};

}  // namespace rfnn
