#pragma once

// Private header. What is open far from the rows. A law that foretells rows from their neighbours best, or makes them
// likeliest, need not say how far apart distant ones are: of a smooth series with a season, strengths of millions times
// the variance of the rows have been learnt. What it says near the rows is sound all the same, but k(0) is not.

#include <optional>

#include "rfnn/model/law.hpp"
#include "rfnn/rows/row_state.hpp"

namespace rfnn::uncertainty {

/// The variance that the law expects among the centres: k(0) less the mean of k over pairs; of windows the mean of
/// theirs. Little of k(0) where the law reaches farther than the rows do.
double expected_variance(const ClosedForm& form);

/// f: so much of k(0) that the variance expected is at most `tuning::times_seen` times that of the rows' targets, mean
/// over the outputs. Nothing where that is all of it.
std::optional<double> far_variance(const ClosedForm& form, const rows::RowState& rows);

}  // namespace rfnn::uncertainty
