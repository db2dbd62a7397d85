#pragma once

// Private header.

#include "rfnn/model/model.hpp"
#include "rfnn/rows/ranks/ranks_work.hpp"
#include "rfnn/training/ranks/rank_preparation.hpp"
#include "rfnn/training/run.hpp"

namespace rfnn::training {

/// fit() of all ranks at once (FitExtras::ranks).
///   paper  every rank holds some of the rows, rank 0 trains by sums over all of them
///   auto   as many rows as are ever used (tuning::most_rows), the first in their order, are gathered on rank 0, which
///          trains on them as if they were all there are
Model fit_over_ranks(const DatasetView& part, const Options& options, const FitExtras& extras);

/// Preset paper, of who asks for the passes: trains on the rows that `work` knows by `number`. The run's model has its
/// columns and scaler already; held-out records of `prepared` are gone then.
Model train_on_spread(Run& run, rows::RanksWork& work, std::uint64_t number, PreparedRanks& prepared);

}  // namespace rfnn::training
