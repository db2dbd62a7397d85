#pragma once

// Private header.

#include <optional>

#include "rfnn/finders/series/series.hpp"
#include "rfnn/model/law.hpp"

namespace rfnn::series {

/// A law for a series and the noise that goes with it.
struct SeriesLaw {
  FrequencyLaw law;
  double noise = 0.0;     ///< σ²
  double left_out = 0.0;  ///< weighted mean square on rows left out one by one, over the outputs
  bool complete = true;   ///< false: interrupted, the best by then
};

/// The law that predicts each row best from all the others: Matérn's of order 0 (straight lines between the rows, where
/// there is no noise), 1 or 2 (ever smoother), its scale and the noise by the exact leave-one-out error, its strength by
/// the likelihood. Leaving out is what predicting rows between the rows is like; the likelihood looks ahead, which is
/// like the ends. Nothing for less than five places, for a residual of zeros, or when interrupted at once.
std::optional<SeriesLaw> learn_series_law(const Series& series, Interrupt& interrupt);

}  // namespace rfnn::series
