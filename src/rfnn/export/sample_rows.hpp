#pragma once

#include <cstddef>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn {

/// Rows as exports take them, one number per input column of the table (columns_of_table): numbers as they are,
/// booleans 0 or 1, times in days since their column's origin, levels by their place in the list, from 0; NaN is
/// missing. These are spread over the range of the training rows, and where the model holds rows of the training table,
/// every second one is one of them. The same every time.
RFNN_API Matrix export_sample_rows(const Model& model, std::size_t count);

/// The model's outputs for such rows; NaN where a cell that counts is missing and the model was not trained to fill it.
RFNN_API Matrix predict_export_rows(const Model& model, ConstMatrixView rows);

/// How far outputs of an export are from those of the model: the largest |a − b| / max(|b|, sd of the target).
RFNN_API double export_difference(const Model& model, ConstMatrixView exported, ConstMatrixView predicted);

/// Of rows: what is predicted, the bounds of intervals and the standard deviation, rows × outputs each.
struct ExportBounds {
  Matrix predicted, lower, upper, std;
};

/// Those of the model for such rows, NaN where a prediction is. Throws UsageError where it has no error bars.
RFNN_API ExportBounds bounds_of_export_rows(const Model& model, ConstMatrixView rows, double coverage);

/// How far bounds of an export are from those of the model, less the difference of what they lie around: relative to
/// the distance of the bounds, or to a millionth of max(|ŷ|, sd of the target) where that is larger, as rounding then
/// is what is seen.
RFNN_API double export_bounds_difference(const Model& model, const ExportBounds& exported,
                                         const ExportBounds& predicted);

}  // namespace rfnn
