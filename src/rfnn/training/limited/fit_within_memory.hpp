#pragma once

// Private header. Fits that keep within the option for memory.

#include <optional>

#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/training/memory.hpp"

namespace rfnn::training {

/// Where the rows do not fit into the memory that the options allow: preset paper with rows in temporary files, to the
/// same bits as with rows in memory, or preset auto with fewer rows, of which the model says how many. Nothing where
/// they fit. UsageError where there is too little memory for either.
std::optional<Model> fit_within_memory(const DatasetView& data, const Options& options, const FitExtras& extras);

/// What memory is counted from: the rows, and the bytes of all that is given, of that those in files.
RunSizes sizes_of(const DatasetView& data, const Options& options, const FitExtras& extras);

// The two ways, whatever memory is allowed.
/// Preset paper, the rows in temporary files.
Model fit_on_disk(const DatasetView& data, const Options& options, const FitExtras& extras, const MemoryPlan& plan);
/// Preset auto, of plan.rows of the rows.
Model fit_to_some(const DatasetView& data, const Options& options, const FitExtras& extras, const MemoryPlan& plan);

}  // namespace rfnn::training
