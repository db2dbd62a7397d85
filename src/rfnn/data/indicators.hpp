#pragma once

// Private header.

#include <vector>

#include "rfnn/data/columns.hpp"

namespace rfnn {

/// Which of the columns `candidates` (0 and 1: was the cell missing?) help to predict the targets beside `inputs`,
/// judged on rows that the judge has not seen: a linear least-squares fit with and without the candidate, each row
/// predicted by the fit to four fifths of the rows that it is not among. One helps where the sum of squared errors
/// falls by more than twice the standard error of the fall. `weights`: per row, empty: all alike. The rows' order does
/// not matter but for rounding. With more than a few hundred inputs only those with indices in `own` (per candidate:
/// its own column's) are used.
std::vector<bool> helpful_indicators(const Columns& inputs, const Columns& candidates,
                                     const std::vector<std::vector<std::size_t>>& own, const Columns& targets,
                                     const std::vector<double>& weights);

}  // namespace rfnn
