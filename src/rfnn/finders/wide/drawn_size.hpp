#pragma once

// Private header. How many frequencies are drawn for a wide block, and what fitting their amplitudes takes.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "rfnn/finders/wide/tuning.hpp"

namespace rfnn::wide {

inline bool by_dual(double rows) { return rows <= static_cast<double>(tuning::most_dual_rows); }

/// Features for so many multiply-adds.
inline std::size_t affordable_width(double operations, double rows, double inputs) {
  const double width = by_dual(rows) ? operations / (tuning::cost_of_dual * rows * rows)
                                     : operations / (tuning::cost_of_iterations * rows);
  double most = by_dual(rows)
                    ? std::clamp(tuning::features_per_row * rows, tuning::few_rows_fewest, tuning::few_rows_most)
                    : tuning::most_features;
  most = std::max(std::min(most, tuning::most_frequency_numbers / inputs), tuning::fewest_features);
  return static_cast<std::size_t>(std::clamp(width, tuning::fewest_features, most));
}

/// Rows that the law is learnt from.
inline std::size_t law_rows_for(double operations) {
  return static_cast<std::size_t>(
      std::clamp(std::cbrt(operations / tuning::cost_of_law), tuning::fewest_law_rows, tuning::most_law_rows));
}

/// Frequencies that a block of so many chooses from.
inline std::size_t drawn_for(std::size_t width) {
  return std::min(tuning::drawn_per_chosen * width, std::max(tuning::most_drawn, width));
}

/// Bytes: the law; frequencies to choose from and their projections; then of the dual the sums over frequencies and the
/// matrix they become, or of its sample, with a factor for each λ, and columns over the rows. Large ones go back to the
/// system before the next are made; small ones go back to the allocator, and are not always taken up again.
inline double bytes_of_drawn(double width, double law_rows, double rows, double inputs, double outputs) {
  constexpr double number = sizeof(double), large = 0x1p25, usual_lambdas = 6.0;
  const auto pool = static_cast<double>(drawn_for(static_cast<std::size_t>(width)));
  const double sample = std::min(rows, static_cast<double>(tuning::preconditioner_rows));
  const double law = number * 2.0 * law_rows * law_rows,
               choosing = number * pool * (inputs + 1.0 + 2.0 * static_cast<double>(tuning::projections));
  double fit = number * 2.0 * rows * rows;
  if (!by_dual(rows))
    fit = number * ((2.0 + 0.5 * usual_lambdas) * sample * sample + 6.0 * usual_lambdas * outputs * (rows + width));
  double small = 0.0, largest = 0.0;
  for (const double part : {law, choosing, fit}) {
    if (part <= large)
      small += part;
    else
      largest = std::max(largest, part);
  }
  return small + largest;
}

}  // namespace rfnn::wide
