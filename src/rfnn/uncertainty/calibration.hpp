#pragma once

// Private header. From rows that a model was judged on to what it knows of its errors (model/uncertainty.hpp):
//
//   1. c, e and b of each output: the width without its shape under which the errors are likeliest, Student's law with
//      5 degrees of freedom, ln c and ln e with a normal prior around 0
//   2. the shape g: a closed form fitted to ½ ln(ρ² + 0.03), ρ the errors in these widths; its law and noise are learnt
//      as those of blocks are. It is kept if the errors of rows left out, each by the shape without that row, are
//      surely likelier with it
//   3. the scores: errors over widths, the width of a row being that without the row itself

#include <cstdint>
#include <optional>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/uncertainty.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::uncertainty {

/// Rows and what a model that has not seen them makes of them.
struct Judged {
  Matrix inputs;     ///< rows × used inputs, standardised
  Matrix predicted;  ///< rows × outputs: (ŷ − mean)/sd of the targets' columns
  Matrix left;       ///< rows × outputs: y − ŷ in the outputs' standardised unit
  Matrix spread;     ///< the same: squared standard deviations of the members' predictions; empty: one member
  std::vector<double> variance;  ///< v of each row; empty: there is none. No number: not known of this row
  std::vector<double> weights;   ///< empty: all alike

  [[nodiscard]] std::size_t rows() const { return left.rows(); }
  /// At these places.
  [[nodiscard]] Judged at(const std::vector<std::size_t>& places) const;
};

/// Rows of both, one after the other; both have the same columns.
void append(Judged& all, const Judged& more);

/// What the square of a width is made of, but for its shape: f w/(1 + w) + e m² + b, w = c u k(0)/f up to `reach`, and
/// growing with u beyond, no slower than it.
struct WidthParts {
  double prior = 0.0;           ///< k(0)
  double far = 0.0;             ///< f, at most k(0)
  std::optional<double> reach;  ///< none: w = c u
  double gain = 0.0, spread = 0.0, floor = 0.0;

  /// From v and m².
  [[nodiscard]] double square(double variance, double spread_square) const;
};
/// Of an output of what is known.
WidthParts width_parts(const Uncertainty& known, double prior, std::size_t output);

struct CalibrationOptions {
  double prior = 0.0;  ///< k(0)
  /// What is open far from the rows; none: k(0).
  std::optional<double> far = {};
  /// Is the closed form one that the model is not made of? Then the model may be much better than its law among the
  /// rows, and where no row has judged it, need not be.
  bool stranger = false;
  /// Rows were judged by so many stretches of them rather than one by one; 0: one by one. Errors of a stretch go
  /// together. They say how far off such predictions are, and little else: there is no shape, either sign is as likely,
  /// and scores are wider by as much as Student's law with so many degrees of freedom is than the normal one.
  std::size_t stretches = 0;
  bool by_groups = false;  ///< what is kept of the rows are means of neighbouring ones
  std::uint64_t seed = 1;
};
/// Fills what follows from the rows; where the widths come from stays to be noted. Nothing where no row
/// has been judged. Interrupted, there is no shape.
std::optional<Uncertainty> calibrate(const Judged& judged, const CalibrationOptions& options, rows::RowWork& work,
                                     Interrupt& interrupt);

}  // namespace rfnn::uncertainty
