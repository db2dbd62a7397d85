#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/options/options.hpp"
#include "rfnn/training/observer.hpp"

namespace rfnn {

/// What a training run may be given besides data and options. All of it is optional.
struct FitExtras {
  /// Rows to control the error on, instead of a held-out fraction. Borrowed: they must outlive the call of fit().
  std::optional<DatasetView> validation;
  /// Training rows of each block (indices into the data, repeats allowed), instead of `block_rows`; the last entry
  /// serves all later blocks.
  std::vector<std::vector<std::size_t>> rows_per_block;
  Observer* observer = nullptr;
  /// Where the clock of `max_time` starts; default: now.
  std::optional<std::chrono::steady_clock::time_point> started;
  /// Called after every block but the last with the model as it stands (to save a checkpoint, say).
  std::function<void(const Model&)> checkpoint;
};

/// Trains a network block by block (docs/math.md). Always returns a valid model unless the data or options are
/// unusable: UsageError (options, shapes), InputError (no rows, values that are not finite), NumericalError.
/// The result depends on data, options and seed alone, not on the number of threads. The numbers are read where they
/// are (a Dataset is a DatasetView too); besides them memory holds the rows in standardised units, their state and
/// residual (docs/data-files.md).
RFNN_API Model fit(const DatasetView& data, const Options& options = {}, const FitExtras& extras = {});

}  // namespace rfnn
