#pragma once

// Private header. What a closed form takes, by how it is fitted to rows.

#include <algorithm>
#include <cstddef>

#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::wide {

/// How a closed form is fitted to rows.
struct FitSize {
  std::size_t centres = 0;  ///< 0: all rows, exactly
  int steps = 0;            ///< then with all rows as centres, at most so many
};

/// Bytes of a fit. Exactly: one triangle. With centres: kernels, sums over the rows twice while they are made, a
/// factor; for steps with all rows kernels and sums without and with the rows held out, a factor for each λ and either,
/// and products of all rows in parts.
inline double bytes_of(const FitSize& size, double rows, double outputs) {
  const auto m = static_cast<double>(size.centres);
  if (size.centres == 0) return sizeof(double) * 0.5 * rows * rows;  // a triangle
  if (size.steps == 0) return sizeof(double) * tuning::arrays_of_centres * m * m;
  const double columns = std::min(tuning::systems_of_all * outputs, std::max(tuning::columns_of_all, 2.0 * outputs));
  return sizeof(double) * (tuning::arrays_beside_all * m * m + tuning::arrays_of_all * rows * columns);
}

/// Does the option for memory leave room for it? Few rows are fitted exactly, and with the fewest centres a fit is
/// tried, in any case: memory_plan() sees to the number of rows.
inline bool has_memory(const Options& options, const FitSize& size, double rows, double outputs) {
  const bool always = size.centres == 0 ? rows <= tuning::few_exact_rows : size.centres <= tuning::quick_centres;
  return always || options.memory == 0.0 || bytes_of(size, rows, outputs) <= tuning::share_of_memory * options.memory;
}

}  // namespace rfnn::wide
