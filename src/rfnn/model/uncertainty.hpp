#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/history.hpp"
#include "rfnn/model/law.hpp"

namespace rfnn {

/// What a model knows of its errors (docs/uncertainty.md). For output o at inputs x the error y − ŷ(x) is s_o(x) times
/// a number from a distribution that is the same everywhere, known by its quantiles, the scores. In the output's
/// standardised unit
///
///   s_o(x)² = exp(2 g_o(x)) · (f w_o(x) / (1 + w_o(x)) + e_o m_o(x)² + b_o),
///   w_o = c_o u k(0)/f,   u = v / (k(0) − v)
///
/// with v(x) the posterior variance of a closed form given its centres, m_o(x) the spread of the members, or of the
/// networks drawn from the chains (the standard deviation of their predictions), and g a closed form of its own over
/// (θ, ŷ). Near the centres the first term is c v, far from them f, whatever c: k(0), the variance of the law, or less
/// where the rows cannot have come from so much. With a reach r, c says how the errors of rows judged grow, which have
/// no more u than that: beyond it c u becomes c u + max(1 − c, 0) (u − r). Where no closed form of the model holds rows
/// of the table, these hold none either: their centres are means of neighbouring rows.
struct Uncertainty {
  /// A closed form of the model itself: branch `branch` of block `block` of member `member`, from 0.
  struct Place {
    std::size_t member = 0, block = 0, branch = 0;

    friend bool operator==(const Place&, const Place&) = default;
  };
  /// Whose posterior variance it is: that of a closed form of the model, else `reference`, whose coefficients are 0;
  /// neither: v = 0 everywhere.
  std::optional<Place> place;
  std::optional<ClosedForm> reference;
  double noise = 0.0;           ///< λ of that: (K + λ)
  std::optional<double> reach;  ///< r
  std::optional<double> far;    ///< f; none: k(0)

  std::vector<double> gain, spread, floor;  ///< c, e and b per output
  std::optional<ClosedForm> shape;          ///< g: variables (θ, (ŷ − mean)/sd of the targets), an output each

  /// Quantiles of (y − ŷ)/s at k/(K + 1), k = 1 … K: K × outputs, ascending. Where rows judged are few these are their
  /// own scores.
  Matrix scores;
  /// Some of the rows judged, to show: (2 · outputs) columns, s and y − ŷ of output 0, of output 1, …, in the outputs'
  /// own units. Nothing of where they lie.
  Matrix judged;
  std::size_t rows = 0;           ///< that were judged
  Judge judge = Judge::held_out;  ///< by whom

  friend bool operator==(const Uncertainty&, const Uncertainty&) = default;
};

}  // namespace rfnn
