#pragma once

// Private header.

#include "rfnn/model/model.hpp"
#include "rfnn/training/run.hpp"

namespace rfnn::training {

/// fit() of all ranks at once (FitExtras::ranks).
///   paper  every rank holds some of the rows, rank 0 trains by sums over all of them
///   auto   as many rows as are ever used (tuning::most_rows), the first in their order, are gathered on rank 0, which
///          trains on them as if they were all there are
Model fit_over_ranks(const DatasetView& part, const Options& options, const FitExtras& extras);

}  // namespace rfnn::training
