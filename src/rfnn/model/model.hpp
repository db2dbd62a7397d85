#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/data/column_code.hpp"
#include "rfnn/model/draws.hpp"
#include "rfnn/model/history.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/model/uncertainty.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn {

/// One column of the training data; statistics over the training rows, in the column's own units.
struct Column {
  std::string name;
  std::size_t position = 0;  ///< place in the training table, from 0 (files without a header are matched by it)
  double mean = 0.0;
  double sd = 0.0;  ///< population standard deviation
  double min = 0.0;
  double max = 0.0;
  bool used = true;  ///< false: constant input, left out

  friend bool operator==(const Column&, const Column&) = default;
};

/// v ↦ (v − mean) / sd, of the logarithm of v where `log_from` > 0; a value below `log_from` then counts as that.
struct Standardised {
  double mean = 0.0, sd = 1.0, log_from = 0.0;

  double operator()(double v) const { return ((log_from > 0.0 ? std::log(std::max(v, log_from)) : v) - mean) / sd; }
};

/// How each variable is standardised; mean 0 and sd 1 where nothing is.
struct Scaler {
  std::vector<double> input_mean, input_sd;    ///< per used input
  std::vector<double> output_mean, output_sd;  ///< per output
  /// Per used input: 0, or the smallest value of the training rows where its natural logarithm is what the network
  /// sees. Mean and sd are then those of the logarithm. Empty: no logarithms.
  std::vector<double> input_log_from = {};

  /// Of a used input.
  [[nodiscard]] Standardised input(std::size_t used) const {
    return {input_mean[used], input_sd[used], input_log_from.empty() ? 0.0 : input_log_from[used]};
  }

  friend bool operator==(const Scaler&, const Scaler&) = default;
};

struct Model;

/// What the networks of a model have learnt the difference to: the model predicts factor_o · base_o + what its networks
/// do. The base is another model, or columns that are among the inputs.
struct Base {
  std::shared_ptr<const Model> model = nullptr;  ///< null: the base are columns
  /// Places among the inputs: of those of the base model, in its order; or of the base itself, one per output.
  std::vector<std::size_t> inputs = {};
  std::vector<double> factor = {};  ///< per output; empty: there is no base

  [[nodiscard]] bool empty() const { return factor.empty(); }
};

/// A trained network with all that is needed to use, explain and repeat it. A value: copy it, move it, share it
/// between threads. The functions that use it are free functions (rows/predict.hpp, io/model_file.hpp).
struct Model {
  Options options;             ///< as given
  std::vector<Column> inputs;  ///< every input that the columns of the training table make, used or not
  std::vector<Column> targets;
  TableCode table;                ///< how they came from columns; empty: as they are, each a column of numbers
  std::size_t table_columns = 0;  ///< columns of the training table, ignored ones too; 0: not from a table
  bool named_columns = true;      ///< false: the table had no header, match by position
  Scaler scaler;
  std::vector<Network> members;  ///< the prediction is their average; at least one
  ChainDraws draws;              ///< of preset paper; empty: none were kept
  /// What that is added to. Where there is one, the statistics of `targets` are of the difference to it.
  Base base = {};
  std::optional<Uncertainty> uncertainty;  ///< nothing: not known
  History history;
  StopReason stop_reason = StopReason::all_blocks;
  std::string stop_text;  ///< the reason in words, with numbers
  std::vector<std::string> warnings;
  std::string data_fingerprint;  ///< of the training rows
  std::size_t train_rows = 0;
  std::size_t validation_rows = 0;
  double seconds = 0.0;                      ///< wall clock of fit
  std::map<std::string, std::string> facts;  ///< version, compiler, SIMD level, threads, host, times

  [[nodiscard]] std::size_t input_count() const { return inputs.size(); }
  [[nodiscard]] std::size_t used_inputs() const { return scaler.input_mean.size(); }
  [[nodiscard]] std::size_t outputs() const { return targets.size(); }
  /// Blocks of the deepest member.
  [[nodiscard]] std::size_t blocks() const {
    std::size_t deepest = 0;
    for (const auto& member : members) deepest = member.blocks.size() > deepest ? member.blocks.size() : deepest;
    return deepest;
  }
};

/// The used inputs as frequencies refer to them: where the network sees the logarithm of x, that is a column named
/// `log(x)`, its statistics those of the logarithm.
RFNN_API std::vector<Column> columns_of_frequencies(const Model& model);

/// The columns that a table has to have for the model, with what they hold: its `table`, or where that is empty a
/// column of numbers for every input, its mean standing in for a missing cell.
RFNN_API TableCode columns_of_table(const Model& model);

/// Does a prediction depend on the input? The networks leave out those that were constant, which a base may see.
RFNN_API bool is_needed(const Model& model, std::size_t input);

/// Does the model hold the block, or was it given up again?
RFNN_API bool is_kept(const Model& model, const BlockRecord& record);

/// The closed form whose posterior variance says how far the model's rows are; null: there is none.
RFNN_API const ClosedForm* reference_form(const Model& model);

/// Are rows of the training table part of the model? The centres of closed forms are: who has the model has them.
RFNN_API bool holds_rows(const Model& model);

/// Has a closed form windows, or a law with a radial part?
RFNN_API bool has_windows(const Model& model);

/// Has a branch a trend?
RFNN_API bool has_trend(const Model& model);

/// Mean squared errors of the model in the target's units, where known.
struct ModelErrors {
  std::optional<double> train, validation;
  std::optional<double> validation_se = {};  ///< standard error of `validation`
  Judge judge = Judge::held_out;             ///< of `validation`
};
/// Those noted for the model as a whole, else those after the last block kept, which is not the last one trained when
/// training went back to the best. A model without blocks has those of the mean.
RFNN_API ModelErrors final_errors(const Model& model);

/// Did the clock or a signal end training before its plan was completed?
RFNN_API bool cut_short(const Model& model);

/// Takes out of the facts where the model comes from: host and its system, folder, command, and the files read. What it
/// was trained with stays (version, options given, times), and so do the names of the columns.
RFNN_API void without_origin(Model& model);

/// Throws InputError when shapes do not fit together, a number is not finite, or two inputs or two targets of a table
/// with a header share a name (a model read from a file, say).
RFNN_API void check(const Model& model);

}  // namespace rfnn
