#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/columns.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::cli {

/// What `rfnn predict` writes beside the predictions.
struct ColumnWishes {
  std::vector<std::string> keep;  ///< as given: NAME,... each
  bool with_inputs = false, residual = false, flag_outside = false, gradient = false;
  std::vector<std::string> more = {};  ///< names of further columns, behind all others
};

/// The inputs that a derivative by is something: numbers and times, not levels of categories nor yes and no. As places
/// among the model's inputs.
std::vector<std::size_t> inputs_to_differentiate_by(const Model& model);

/// The columns of a table of predictions: copied cells first, then the predictions, then what is computed of them.
class PredictionColumns {
 public:
  /// Tells the file which cells to keep. Throws for columns that are not there, and for names that would stand twice.
  PredictionColumns(TableReader& file, const Matched& matched, const Model& model, const ColumnWishes& wishes);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The numbers of a batch, one line per row; empty cells (NaN) where a row has no prediction. The Jacobian (rows ×
  /// outputs·inputs) is looked at where derivatives are wished for. `more`: the numbers of the further columns.
  ConstMatrixView numbers(const TableBatches& batch, ConstMatrixView predictions, ConstMatrixView jacobian = {},
                          ConstMatrixView more = {});

 private:
  const Model& model_;
  ColumnWishes wishes_;
  std::vector<std::size_t> by_;  ///< inputs to differentiate by
  std::vector<std::string> names_;
  Matrix numbers_;
};

}  // namespace rfnn::cli
