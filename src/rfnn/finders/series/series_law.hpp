#pragma once

// Private header.

#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/finders/series/series.hpp"
#include "rfnn/model/law.hpp"

namespace rfnn::series {

/// A law for a series, the noise that goes with it, and its share in the average.
struct SeriesPart {
  FrequencyLaw law;
  double noise = 0.0;  ///< σ²
  double share = 1.0;
};

struct SeriesLaw {
  std::vector<SeriesPart> parts;
  double left_out = 0.0;   ///< weighted mean square on rows left out one by one, over the outputs
  bool complete = true;    ///< false: interrupted, the best by then
  std::size_t visits = 0;  ///< of places, by all laws tried together: what it took
};

/// The law that predicts each row best from all the others. Matérn's of order 0 (straight lines between the rows, where
/// there is no noise), 1 and 2 (ever smoother), scale and noise of each by the exact leave-one-out error, its strength
/// by the likelihood; then the best of them, or an average where rows left out are surely better off with it. Leaving
/// out is what predicting rows between the rows is like; the likelihood looks ahead, which is like the ends. Nothing
/// for less than five places, for a residual of zeros, or when interrupted at once.
std::optional<SeriesLaw> learn_series_law(const Series& series, Interrupt& interrupt);

}  // namespace rfnn::series
