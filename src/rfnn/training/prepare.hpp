#pragma once

// Private header. From a data set to rows that an engine can be filled with: checks, split, constant columns, scalers.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rfnn/data/canonical.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/scaled_rows.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::training {

/// Which rows serve for what, and how they are to be standardised; the numbers stay where they are.
struct PreparedRows {
  PreparedRows() = default;
  PreparedRows(PreparedRows&&) = default;  // not copied: `train` and `validation` refer to the lists
  PreparedRows& operator=(PreparedRows&&) = default;

  rows::ScaledRows train, validation;   ///< used inputs only; `validation` has no rows without validation
  CanonicalRows rows;                   ///< of the data; as listed where rows are given per block
  CanonicalRows given_validation;       ///< of the validation data given
  std::vector<std::size_t> train_rows;  ///< of `rows.order`, in its order; empty: all
  std::vector<std::size_t> held_out;    ///< the others, for validation

  [[nodiscard]] const std::vector<std::size_t>& trained_on() const {
    return train_rows.empty() ? rows.order : train_rows;
  }
  /// Frees the lists; `train` and `validation` still know how many rows there were, but cannot be read any more.
  void forget_lists();
  bool target_varies = false;  ///< at least one output does
  bool cut_short = false;      ///< interrupted: there are no rows to train on, the model has its columns and the mean
};

/// Throws where shapes do not fit, a number is not finite or a weight is none. `what`: the data in words.
void check_rows(const DatasetView& data, const std::string& what);

/// Rows that are in their order already, the first of so many.
struct OrderedRows {
  CanonicalRows rows;
  std::size_t in_all = 0;
};

/// Checks data and extras (UsageError, InputError), fills the model's columns, scaler, row counts, fingerprint,
/// warnings and the errors of the mean alone, and returns the rows to train on. Scalers see training rows only. The
/// data must outlive the result. `ordered`: the order of the data, where it is known.
PreparedRows prepare(const DatasetView& data, const Options& options, const FitExtras& extras, Model& model,
                     Interrupt& interrupt, const OrderedRows* ordered = nullptr);

// What that is made of, for tables that several ranks have parts of.
/// Numbers must be finite, weights sound (InputError); `before`: rows of the table before those of the part.
void check_part(const DatasetView& part, const std::vector<std::string>& input_names,
                const std::vector<std::string>& target_names, std::size_t before);
/// Validation data, where there are any (UsageError, InputError).
void check_validation(const FitExtras& extras, const Options& options, std::size_t inputs, std::size_t outputs,
                      const std::vector<std::string>& input_names, const std::vector<std::string>& target_names);
/// Why the validation data say nothing, in words; nothing where they do.
std::optional<std::string> cannot_judge(const DatasetView& data, const DatasetView& validation);
/// All that is to be said of the rows that judge: of validation rows that cannot, and of those a base has seen.
std::vector<std::string> doubts_about_judges(const DatasetView& data, const FitExtras& extras);
/// Columns and scalers of a network to go on from (UsageError).
void take_columns(const Model& start, std::size_t inputs, std::size_t outputs, Model& model);

/// Rows of the data (all when empty), to be standardised by the model's scaler, with their weights (by row of the data;
/// empty: all alike). Lists and data must outlive the result.
rows::ScaledRows scaled_rows(const DatasetView& data, const Model& model, std::span<const std::size_t> rows,
                             std::span<const double> weights);

/// Standardises `train` and `validation` by the model's scaler as it now is.
void scale_prepared(const DatasetView& data, const FitExtras& extras, const Model& model, PreparedRows& rows);

/// Columns' ranges, and where the model has no blocks its means, over all rows that were trained on or held out.
void describe_all_rows(const DatasetView& data, const PreparedRows& rows, Model& model);

/// Mean squared error of the columns' means on these rows (all when empty), mean over outputs.
double mean_alone(const Columns& targets, const std::vector<Column>& columns, std::span<const std::size_t> rows,
                  std::span<const double> weights);

/// Errors of the mean of all rows, in the target's units, mean over outputs.
struct MeanError {
  double train = 0.0;
  double left_out = 0.0;  ///< of each row, by the mean of the others
  std::optional<double> standard_error;
};
MeanError leave_one_out_of_mean(const DatasetView& data, const PreparedRows& rows, const Model& model);

/// Training rows of block `block` (from 1), as places in PreparedRows; empty: all.
std::vector<std::size_t> rows_of_block(std::int64_t block, const PreparedRows& rows, const Options& options,
                                       const FitExtras& extras);

}  // namespace rfnn::training
