#pragma once

// Private header. The frequencies left in what a model does not explain.

#include <cstddef>
#include <optional>
#include <vector>

namespace rfnn {

/// A wave left in the residuals.
struct ResidualLine {
  double frequency = 0.0;  ///< radians per unit
  double amplitude = 0.0;
  double share = 0.0;  ///< of the residuals' variance that goes when it is taken out
};

struct ResidualSpectrum {
  /// Ascending; where there are too many to draw, the largest of each neighbourhood.
  std::vector<double> frequency, amplitude;
  double noise =
      0.0;  ///< the amplitude that noise of the same spread would hardly ever (1 in 1000) reach anywhere here
  std::vector<ResidualLine> lines;  ///< those above it, strongest first; a few at most
  ResidualLine strongest;           ///< whether above it or not
  std::size_t rows = 0;             ///< used for the sums
};

/// A(ω) = (2/N) |Σ r_i exp(iω x_i)|, the amplitude of the sine and cosine of frequency ω that fit the residuals best,
/// for ω from half a turn over the range of x up to half a turn per step between distinct x (at most 1000 turns in
/// all). Lines are found one at a time, the strongest taken out before the next is looked for, so that its side lobes
/// do not count. Nothing when the residuals or x do not vary.
std::optional<ResidualSpectrum> residual_spectrum(const std::vector<double>& x, const std::vector<double>& residuals);

}  // namespace rfnn
