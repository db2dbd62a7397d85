#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/data/columns.hpp"

namespace rfnn {

/// Named columns of numbers: what a file holds, and what `fit` learns from once inputs and targets are chosen.
struct Dataset {
  Matrix inputs;                          ///< rows × d
  Matrix targets;                         ///< rows × m
  std::vector<std::string> input_names;   ///< d names, or empty: x1, x2, …
  std::vector<std::string> target_names;  ///< m names, or empty: y, or y1, y2, …
  std::vector<double> weights = {};       ///< per row, or empty: all 1 (DatasetView::weights)
};

/// The same where the numbers already are: arrays of floats or doubles with any strides, a mapped file, a Dataset.
/// Nothing is copied; the numbers must outlive the view and stay as they are.
struct DatasetView {
  DatasetView() = default;
  DatasetView(Columns input_columns, Columns target_columns, std::vector<std::string> names_of_inputs = {},
              std::vector<std::string> names_of_targets = {})
      : inputs(std::move(input_columns)),
        targets(std::move(target_columns)),
        input_names(std::move(names_of_inputs)),
        target_names(std::move(names_of_targets)) {}
  /// Throws UsageError when there are weights, but not one per row.
  RFNN_API DatasetView(const Dataset& data);  // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::size_t rows() const { return inputs.rows(); }

  Columns inputs;   ///< d columns
  Columns targets;  ///< m columns, as many rows
  std::vector<std::string> input_names, target_names;
  /// How much each row counts, ≥ 0, relative to the others: a row of weight 2 is the row twice, one of weight 0 is not
  /// there. Nothing: all count alike.
  std::optional<ColumnView> weights;
};

/// Hash of shape and numbers of inputs and targets, as 32 hex digits: the same data give the same fingerprint, whatever
/// their layout, and floats the same as the doubles they are equal to.
RFNN_API std::string fingerprint(const Columns& inputs, const Columns& targets);

}  // namespace rfnn
