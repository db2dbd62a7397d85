#pragma once

// Private header. From a data set to standardised rows: split, constant columns, scalers.

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn {

struct PreparedRows {
  Matrix train_inputs, train_targets;            ///< standardised; used inputs only
  Matrix validation_inputs, validation_targets;  ///< no rows without validation
  std::vector<std::size_t> train_rows;           ///< their numbers in the data; empty: all, in order
  bool target_varies = false;                    ///< at least one output does
};

/// Checks data and extras (UsageError, InputError), fills the model's columns, scaler, row counts, fingerprint,
/// warnings and the errors of the mean alone, and returns the rows to train on. Scalers see training rows only.
PreparedRows prepare(const Dataset& data, const Options& options, const FitExtras& extras, Model& model);

/// Training rows of block `block` (from 1), as places in PreparedRows; empty: all.
std::vector<std::size_t> rows_of_block(std::int64_t block, const PreparedRows& rows, const Options& options,
                                       const FitExtras& extras);

}  // namespace rfnn
