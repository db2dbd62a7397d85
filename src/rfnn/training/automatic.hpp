#pragma once

// Private header. Preset `auto`.

#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn {

/// fit() with preset `auto`; the options are valid.
Model fit_automatically(const DatasetView& data, const Options& options, const FitExtras& extras);

}  // namespace rfnn
