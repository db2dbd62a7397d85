#pragma once

// Private header. What one of several ranks takes of memory, and how it keeps within the option for it.

#include <cstddef>

#include "rfnn/training/memory.hpp"

namespace rfnn::training {

// `sizes`: rows of all ranks, and the bytes of the part that a rank has.

/// Preset paper: of a rank that puts its rows in order in memory and has them there or on disk while it trains.
/// UsageError where the option is too little for putting them in order, which preset auto begins with too.
MemoryPlan rank_plan(const Options& options, const RunSizes& sizes, std::size_t ranks);

/// Preset auto, after the rows are in order: of rank 0, on which as many of them as are used are gathered as records,
/// and how many these are. UsageError where there is no room for a few.
MemoryPlan gathering_plan(const Options& options, const RunSizes& sizes);

}  // namespace rfnn::training
