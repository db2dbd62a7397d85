#pragma once

#include <cstddef>
#include <optional>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

struct PredictOptions {
  std::optional<std::size_t> blocks;  ///< use only the first so many blocks (0: the mean); default all
  std::size_t threads = 1;            ///< 0: as many as the process may use; the result does not depend on it
};

/// Writes the model's outputs for every row of `inputs` (rows × model.input_count(), columns as in training,
/// constant ones included) to `outputs` (rows × model.outputs()). Const and thread-safe; works tile by tile, so
/// the extra memory does not grow with the rows. Throws UsageError when shapes do not fit.
RFNN_API void predict(const Model& model, ConstMatrixView inputs, MatrixView outputs,
                      const PredictOptions& options = {});

/// The same into a new matrix.
RFNN_API Matrix predict(const Model& model, ConstMatrixView inputs, const PredictOptions& options = {});

/// Number of rows with a used input outside the range seen in training.
RFNN_API std::size_t rows_outside_training_range(const Model& model, ConstMatrixView inputs);

}  // namespace rfnn
