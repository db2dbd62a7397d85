#include "rfnn/training/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/data/row_blocks.hpp"
#include "rfnn/data/statistics.hpp"
#include "rfnn/data/split.hpp"
#include "rfnn/training/difference.hpp"
#include "rfnn/training/standardise.hpp"
#include "rfnn/training/tuning.hpp"

namespace rfnn::training {
namespace {

/// Calls `visit(row, column, value)` in the order of the rows.
template <class Visit>
void for_each_value(const Columns& columns, std::span<const std::size_t> rows, const Visit& visit) {
  for (RowBlocks block(columns, rows); block.next();)
    for (std::size_t i = 0; i < block.count(); ++i)
      for (std::size_t k = 0; k < columns.size(); ++k) visit(block.first() + i, k, block.column(k)[i]);
}

void check_finite(const Columns& columns, const std::vector<std::string>& names, const std::string& what,
                  std::size_t before = 0) {
  for_each_value(columns, {}, [&](std::size_t i, std::size_t k, double value) {
    if (!std::isfinite(value))
      throw InputError("Row " + std::to_string(before + i + 1) + " of the " + what + ", column '" + names[k] +
                           "', is not a finite number.",
                       "Remove the row or fill in the value.");
  });
}

/// Is any of them above zero?
bool check_weights(const DatasetView& data, const std::string& what, std::size_t before = 0) {
  if (!data.weights) return data.rows() > 0;
  bool any = false;
  const Columns weights(data.rows(), {*data.weights});
  for_each_value(weights, {}, [&](std::size_t i, std::size_t, double weight) {
    if (!(std::isfinite(weight) && weight >= 0.0))
      throw InputError("Row " + std::to_string(before + i + 1) + " of the " + what + " has weight " +
                           fmt::format("{:g}", weight) + ".",
                       "Weights are finite and not negative; 0 leaves a row out.");
    any = any || weight > 0.0;
  });
  return any;
}

void check_any_weight(const DatasetView& data, const std::string& what) {
  if (!check_weights(data, what))
    throw InputError("All rows of the " + what + " have weight 0.", "Give at least one row a weight above 0.");
}

void check_shapes(const DatasetView& data, const std::string& what) {
  if (data.inputs.rows() != data.targets.rows())
    throw UsageError("The " + what + " have " + std::to_string(data.inputs.rows()) + " rows of inputs but " +
                         std::to_string(data.targets.rows()) + " rows of targets.",
                     "Give both the same number of rows.");
  if (data.inputs.rows() == 0) throw InputError("The " + what + " have no rows.", "Give at least one row.");
  if (data.inputs.size() == 0)
    throw UsageError("The " + what + " have no input column.", "Give at least one besides the target.");
  if (data.targets.size() == 0)
    throw UsageError("The " + what + " have no target column.", "Name at least one target.");
  if ((!data.input_names.empty() && data.input_names.size() != data.inputs.size()) ||
      (!data.target_names.empty() && data.target_names.size() != data.targets.size()))
    throw UsageError("The " + what + " have not as many names as columns.", "Give one name per column, or none.");
}

}  // namespace

void check_rows(const DatasetView& data, const std::string& what) {
  check_shapes(data, what);
  check_finite(data.inputs, names_or_default(data.input_names, data.inputs.size(), "x"), what);
  check_finite(data.targets, names_or_default(data.target_names, data.targets.size(), "y"), what);
  check_any_weight(data, what);
}

namespace {

/// Statistics of columns over the training rows; of columns that vary among the held-out rows alone, over all.
std::vector<ColumnStatistics> statistics_of(const Columns& columns, const PreparedRows& rows) {
  std::vector<ColumnStatistics> statistics = column_statistics(columns, rows.trained_on(), rows.rows.weights);
  const bool any_constant =
      std::any_of(statistics.begin(), statistics.end(), [](const ColumnStatistics& s) { return s.constant; });
  if (any_constant && !rows.held_out.empty()) {
    const std::vector<ColumnStatistics> of_all = column_statistics(columns, rows.rows.order, rows.rows.weights);
    for (std::size_t k = 0; k < statistics.size(); ++k)
      if (statistics[k].constant) statistics[k] = of_all[k];
  }
  return statistics;
}

/// The used ones of the columns, to be standardised as `scale_of` says for each.
template <class ScaleOf>
rows::ScaledRows::Part scaled(const Columns& columns, const std::vector<Column>& described, const ScaleOf& scale_of) {
  rows::ScaledRows::Part part{Columns(columns.rows()), {}};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!described[k].used) continue;
    part.scales.push_back(scale_of(part.columns.size()));
    part.columns.add(columns[k]);
  }
  return part;
}

/// The rows held out first, and those to train on.
Split first_split(const DatasetView& data, const Options& options, std::span<const std::size_t> order,
                  const std::vector<std::string>& input_names) {
  const double share = held_out_share(options, order.size());
  if (options.holdout == Holdout::random) return holdout_split(data.inputs, order, share, options.seed);
  const std::size_t along = time_input(options);
  if (along >= data.inputs.size())
    throw UsageError("holdout-by is " + std::to_string(along + 1) + ", but there are " +
                         std::to_string(data.inputs.size()) + " inputs.",
                     "Give the number of an input, counted from 1 without the targets.");
  if (column_statistics(data.inputs, order, {})[along].constant)
    throw UsageError("Input '" + input_names[along] + "' is the same in all rows: none of them is the last.",
                     "Name the input that is time with holdout-by, or leave holdout at random.");
  std::vector<Split> splits = splits_along(options.holdout, data.inputs, along, order, share);
  if (splits.empty()) return {{order.begin(), order.end()}, {}};
  return std::move(splits.front());
}

}  // namespace

double mean_alone(const Columns& targets, const std::vector<Column>& columns, std::span<const std::size_t> rows,
                  std::span<const double> weights) {
  double sum = 0.0, count = 0.0;
  for_each_value(targets, rows, [&](std::size_t place, std::size_t o, double value) {
    const double weight = weights.empty() ? 1.0 : weights[rows.empty() ? place : rows[place]];
    const double error = value - columns[o].mean;
    sum += weight * (error * error);
    count += weight;
  });
  return sum / count;
}

void PreparedRows::forget_lists() {
  rows = given_validation = {};
  train_rows = held_out = {};
}

rows::ScaledRows scaled_rows(const DatasetView& data, const Model& model, std::span<const std::size_t> rows,
                             std::span<const double> weights) {
  const Scaler& scaler = model.scaler;
  const auto input = [&](std::size_t k) { return scaler.input(k); };
  const auto output = [&](std::size_t o) { return Standardised{scaler.output_mean[o], scaler.output_sd[o], 0.0}; };
  return {scaled(data.inputs, model.inputs, input), scaled(data.targets, model.targets, output), rows, weights};
}

void scale_prepared(const DatasetView& data, const FitExtras& extras, const Model& model, PreparedRows& rows) {
  rows.train = scaled_rows(data, model, rows.trained_on(), rows.rows.weights);
  if (extras.validation)
    rows.validation =
        scaled_rows(*extras.validation, model, rows.given_validation.order, rows.given_validation.weights);
  else if (!rows.held_out.empty())
    rows.validation = scaled_rows(data, model, rows.held_out, rows.rows.weights);
}

void check_part(const DatasetView& part, const std::vector<std::string>& input_names,
                const std::vector<std::string>& target_names, std::size_t before) {
  check_finite(part.inputs, input_names, "data", before);
  check_finite(part.targets, target_names, "data", before);
  check_weights(part, "data", before);
}

void check_validation(const FitExtras& extras, const Options& options, std::size_t inputs, std::size_t outputs,
                      const std::vector<std::string>& input_names, const std::vector<std::string>& target_names) {
  if (extras.validation && options.holdout != Holdout::random)
    throw UsageError("Validation data were given, and holdout says which rows to hold out.",
                     "Give one of the two: leave out the validation data, or leave holdout at random.");
  if (extras.validation) {
    const DatasetView& validation = *extras.validation;
    check_shapes(validation, "validation data");
    if (validation.inputs.size() != inputs || validation.targets.size() != outputs)
      throw UsageError("The validation data have other columns than the data.", "Give the same inputs and targets.");
    check_finite(validation.inputs, input_names, "validation data");
    check_finite(validation.targets, target_names, "validation data");
    check_any_weight(validation, "validation data");
    for_each_value(validation.targets, {}, [&](std::size_t, std::size_t o, double value) {
      check_magnitude(std::abs(value), validation.rows(), target_names[o]);
    });
  }
}

std::optional<std::string> cannot_judge(const DatasetView& data, const DatasetView& validation) {
  if (validation.rows() != data.rows() ||
      fingerprint(validation.inputs, validation.targets) != fingerprint(data.inputs, data.targets))
    return std::nullopt;
  return "The validation data are the rows that are trained on: their errors say nothing about others, and the network "
         "may fit the noise. Give other rows, or no validation data.";
}

std::vector<std::string> doubts_about_judges(const DatasetView& data, const FitExtras& extras) {
  std::vector<std::string> doubts;
  const DatasetView* const validation = extras.validation ? &*extras.validation : nullptr;
  if (validation != nullptr)
    if (auto text = cannot_judge(data, *validation)) doubts.push_back(std::move(*text));
  if (extras.base)
    if (auto text = base_has_seen(*extras.base, data, validation)) doubts.push_back(std::move(*text));
  return doubts;
}

void take_columns(const Model& start, std::size_t inputs, std::size_t outputs, Model& model) {
  if (start.inputs.size() != inputs || start.outputs() != outputs)
    throw UsageError("The network to go on from has " + std::to_string(start.inputs.size()) + " inputs and " +
                         std::to_string(start.outputs()) + " outputs, the data have " + std::to_string(inputs) +
                         " and " + std::to_string(outputs) + ".",
                     "Go on with data of the same columns, or train a new network.");
  model.inputs = start.inputs;
  model.targets = start.targets;
  model.scaler = start.scaler;
}

PreparedRows prepare(const DatasetView& data, const Options& options, const FitExtras& extras, Model& model,
                     Interrupt& interrupt, const OrderedRows* ordered) {
  check_rows(data, "data");
  const std::size_t inputs = data.inputs.size(), outputs = data.targets.size(), all_rows = data.rows();
  const auto input_names = names_or_default(data.input_names, inputs, "x");
  const auto target_names = names_or_default(data.target_names, outputs, "y");
  check_validation(extras, options, inputs, outputs, input_names, target_names);
  for (const auto& rows : extras.rows_per_block) {
    if (rows.empty()) throw UsageError("A block was given no rows.", "Give each block at least one row.");
    for (const std::size_t row : rows)
      if (row >= all_rows)
        throw UsageError("A block was given row " + std::to_string(row) + " of " + std::to_string(all_rows) + ".",
                         "Rows count from 0.");
  }

  PreparedRows rows;
  // Rows that somebody has given to blocks by their numbers stay what they are.
  rows.rows = ordered != nullptr              ? ordered->rows
              : extras.rows_per_block.empty() ? canonical_rows(data)
                                              : listed_rows(data);
  rows.cut_short = !interrupt.proceed();
  const std::size_t in_all = ordered != nullptr ? ordered->in_all : rows.rows.order.size();
  if (options.preset == Preset::automatic && in_all > tuning::most_rows) {
    model.warnings.push_back(
        fmt::format("Of {} rows {}, drawn at random, are used: networks of the size that can be "
                    "afforded for so many rows gain nothing from more.",
                    in_all, tuning::most_rows));
    rows.rows.order.resize(std::min(rows.rows.order.size(), tuning::most_rows));  // the order looks random
    rows.rows.order.shrink_to_fit();
  }
  const std::span<const double> weights = rows.rows.weights;
  if (!extras.validation && options.validation_fraction > 0.0 && !rows.cut_short) {
    Split split = first_split(data, options, rows.rows.order, input_names);
    rows.train_rows = std::move(split.train);
    rows.held_out = std::move(split.validation);
    if (options.preset == Preset::automatic) {
      rows.train_rows.resize(std::min(rows.train_rows.size(), tuning::most_race_rows));
      rows.held_out.resize(std::min(rows.held_out.size(), tuning::most_judging_rows));
    }
    if (rows.held_out.empty())
      model.warnings.push_back(
          "No row could be held out for validation: too few rows, or all of them have the same inputs.");
  }

  if (extras.start != nullptr) {
    take_columns(*extras.start, inputs, outputs, model);
    rows.target_varies = true;
  } else {
    rows.target_varies = standardise({statistics_of(data.inputs, rows), input_names},
                                     {statistics_of(data.targets, rows), target_names}, data.rows(), options, model);
  }

  if (extras.validation) rows.given_validation = canonical_rows(*extras.validation);
  scale_prepared(data, extras, model, rows);
  model.train_rows = rows.rows.rows_behind(rows.trained_on());
  model.history.empty_train_mse = mean_alone(data.targets, model.targets, rows.trained_on(), weights);
  if (extras.validation) {
    const DatasetView& validation = *extras.validation;
    const CanonicalRows& given = rows.given_validation;
    model.validation_rows = given.rows_behind(given.order);
    model.history.empty_validation_mse = mean_alone(validation.targets, model.targets, given.order, given.weights);
  } else if (!rows.held_out.empty()) {
    model.validation_rows = rows.rows.rows_behind(rows.held_out);
    model.history.empty_validation_mse = mean_alone(data.targets, model.targets, rows.held_out, weights);
  }
  model.data_fingerprint = fingerprint(data.inputs, data.targets);
  return rows;
}

std::vector<std::size_t> rows_of_block(std::int64_t block, const PreparedRows& rows, const Options& options,
                                       const FitExtras& extras) {
  if (extras.rows_per_block.empty())
    return block_rows(options.block_rows, options.subset_fraction, rows.train.count(), options.blocks, block,
                      options.seed);
  const auto& given =
      extras.rows_per_block[std::min(extras.rows_per_block.size(), static_cast<std::size_t>(block)) - 1];
  // Rows held out for validation are not trained on, whoever names them.
  std::vector<std::size_t> places;
  for (const std::size_t row : given) {
    const std::vector<std::size_t>& trained_on = rows.trained_on();  // ascending: rows are as listed here
    const auto found = std::lower_bound(trained_on.begin(), trained_on.end(), row);
    if (found != trained_on.end() && *found == row)
      places.push_back(static_cast<std::size_t>(found - trained_on.begin()));
  }
  if (places.empty())
    throw UsageError("All rows given for block " + std::to_string(block) + " are held out for validation.",
                     "Lower validation-fraction or give the block more rows.");
  return places;
}

void describe_all_rows(const DatasetView& data, const PreparedRows& rows, Model& model) {
  if (rows.held_out.empty()) return;
  const bool means = model.blocks() == 0;
  const auto update = [&](const Columns& columns, std::vector<Column>& described, bool with_means) {
    const std::vector<ColumnStatistics> all = column_statistics(columns, rows.rows.order, rows.rows.weights);
    for (std::size_t k = 0; k < described.size(); ++k) {
      described[k].min = all[k].min;
      described[k].max = all[k].max;
      if (with_means) described[k].mean = all[k].mean;
    }
  };
  update(data.inputs, model.inputs, false);
  update(data.targets, model.targets, means);
}

MeanError leave_one_out_of_mean(const DatasetView& data, const PreparedRows& rows, const Model& model) {
  const std::vector<double>& weights = rows.rows.weights;
  const std::size_t count = rows.rows.order.size();
  std::vector<double> squares(count, 0.0);
  double all = 0.0;
  for_each_value(data.targets, rows.rows.order, [&](std::size_t place, std::size_t o, double value) {
    const double error = value - model.targets[o].mean;
    squares[place] += error * error / static_cast<double>(model.outputs());
  });
  const auto weight = [&](std::size_t place) { return weights.empty() ? 1.0 : weights[rows.rows.order[place]]; };
  for (std::size_t i = 0; i < count; ++i) all += weight(i);
  MeanError error;
  std::vector<double> left_out(count);
  for (std::size_t i = 0; i < count; ++i) {
    // The mean without row i is off by a further w/(W − w) of its deviation.
    const double stretch = count > 1 && all > weight(i) ? all / (all - weight(i)) : 1.0;
    left_out[i] = squares[i] * stretch * stretch;
    error.train += weight(i) * squares[i] / all;
    error.left_out += weight(i) * left_out[i] / all;
  }
  if (count < 2) return error;
  double scatter = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double off = weight(i) / all * (left_out[i] - error.left_out);
    scatter += off * off;
  }
  error.standard_error = std::sqrt(scatter * static_cast<double>(count) / static_cast<double>(count - 1));
  return error;
}

}  // namespace rfnn::training
