#pragma once

// Private header. Trend and lines for a given background: generalised least squares, the frequencies by Gauss and
// Newton with the amplitudes eliminated.

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/finders/lines/background.hpp"
#include "rfnn/finders/lines/timeline.hpp"

namespace rfnn::lines {

/// c_0 + Σ_q c_q x^q + Σ_j Re b_j cos(ω_j x) − Im b_j sin(ω_j x); of several inputs the others take part linearly.
struct LineModel {
  int degree = 0;
  std::vector<double> frequencies;
  /// Terms × outputs: the constant, powers of time, other inputs, then two rows per line.
  Eigen::MatrixXd coefficients = {};
  double squares = 0.0;  ///< whitened, of what is left, all outputs together

  /// Terms before those of the lines.
  [[nodiscard]] std::size_t trend_terms(const Timeline& timeline) const {
    return 1 + static_cast<std::size_t>(degree) + timeline.inputs() - 1;
  }
};

/// Coefficients for the model's degree and frequencies. False when interrupted.
bool solve(const Timeline& timeline, const Whitening& whitening, LineModel& model, Interrupt& interrupt);

/// Moves the frequencies by at most so many steps, each only where it leaves less; solved before and after.
bool refine(const Timeline& timeline, const Whitening& whitening, int steps, LineModel& model, Interrupt& interrupt);

/// What the model leaves, not whitened: places × outputs.
Eigen::MatrixXd left_by(const Timeline& timeline, const LineModel& model);

}  // namespace rfnn::lines
