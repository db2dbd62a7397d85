#include "rfnn/report/run_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "rfnn/core/random.hpp"
#include "rfnn/data/canonical.hpp"
#include "rfnn/data/row_blocks.hpp"
#include "rfnn/data/row_hash.hpp"
#include "rfnn/data/split.hpp"
#include "rfnn/report/figure.hpp"
#include "rfnn/report/run_text.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::report {

bool held_out_of_data(const Model& model) {
  return model.validation_rows > 0 && model.options.validation_fraction > 0.0;
}

bool fitted_to_all_rows(const Model& model) {
  return model.options.preset == Preset::automatic && held_out_of_data(model) &&
         model.history.final_train_mse.has_value();
}

RowCollector::RowCollector(const Model& model, RowsRole role, std::string origin, bool with_scores)
    : model_(model), limit_(limit_for(model)), width_(model.input_count() + model.outputs()) {
  shown_.role = role;
  shown_.name = name_of(role);
  shown_.origin = std::move(origin);
  if (with_scores) sums_.assign(model.blocks() + 1, ScoreSum(model.outputs()));
}

std::size_t RowCollector::limit_for(const Model& model) {
  constexpr std::size_t numbers = 4'000'000, depths = 20;  // predictions are kept for so many numbers of blocks
  return std::clamp<std::size_t>(numbers / (model.input_count() + depths * model.outputs()), 512, 20'000) / 2 * 2;
}

std::size_t RowCollector::chosen(std::size_t group) const {
  return group_rows_ == 1 ? 0 : Stream(1, Purpose::report, group_rows_).bits(group) % group_rows_;
}

void RowCollector::join_groups() {
  group_rows_ *= 2;
  for (std::size_t pair = 0; pair < limit_ / 2; ++pair) {
    const std::size_t from = 2 * pair + (chosen(pair) < group_rows_ / 2 ? 0 : 1);
    std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(from * width_), width_,
                kept_.begin() + static_cast<std::ptrdiff_t>(pair * width_));
  }
  kept_.resize(limit_ / 2 * width_);
}

void RowCollector::add(ConstMatrixView inputs, ConstMatrixView targets) {
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    const std::size_t group = shown_.total / group_rows_;
    if (shown_.total % group_rows_ == chosen(group)) {
      for (std::size_t k = 0; k < inputs.cols(); ++k) kept_.push_back(inputs(i, k));
      for (std::size_t o = 0; o < targets.cols(); ++o) kept_.push_back(targets(i, o));
    }
    ++shown_.total;
    if (shown_.total % group_rows_ == 0 && kept_.size() == limit_ * width_) join_groups();
  }
  if (sums_.empty()) return;
  shown_.outside += rows_outside_training_range(model_, inputs);
  constexpr std::size_t chunk = 16384;
  for (std::size_t first = 0; first < inputs.rows(); first += chunk) {
    const std::size_t rows = std::min(chunk, inputs.rows() - first);
    predict_by_depth(model_, inputs.rows_from(first, rows), [&](std::size_t depth, ConstMatrixView predictions) {
      sums_[depth].add(targets.rows_from(first, rows), predictions);
    });
  }
}

ShownRows RowCollector::take() {
  const std::size_t rows = kept_.size() / width_, inputs = model_.input_count();
  shown_.inputs = Matrix(rows, inputs);
  shown_.targets = Matrix(rows, width_ - inputs);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < inputs; ++k) shown_.inputs(i, k) = kept_[i * width_ + k];
    for (std::size_t k = inputs; k < width_; ++k) shown_.targets(i, k - inputs) = kept_[i * width_ + k];
  }
  for (const ScoreSum& sum : sums_) shown_.scores.push_back(sum.scores());
  return std::move(shown_);
}

ShownRows shown_rows(const Model& model, RowsRole role, std::string origin, const DatasetView& data,
                     const std::vector<std::size_t>& which) {
  RowCollector collector(model, role, std::move(origin), role == RowsRole::test);
  Columns both = data.inputs;
  for (const ColumnView& target : data.targets) both.add(target);
  for (RowBlocks block(both, which); block.next();)
    collector.add(block.view(0, data.inputs.size()), block.view(data.inputs.size(), data.targets.size()));
  return collector.take();
}

namespace {

/// Every row of the data on its side of the split, in the order of the data; equal ones are on the same. A model does
/// not keep which rows were held out: they follow from data, options and seed, as in training.
Split sides_of_rows(const Model& model, const DatasetView& data) {
  const std::vector<std::size_t> order = canonical_rows(data).order;
  const Split chosen =
      holdout_split(data.inputs, order, held_out_share(model.options, order.size()), model.options.seed);
  std::vector<std::uint64_t> hashes(data.rows(), 0);
  hash_rows(data.inputs, hashes);
  std::unordered_set<std::uint64_t> held_out;
  for (const std::size_t row : chosen.validation) held_out.insert(hashes[row]);
  Split split;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (data.weights && !((*data.weights)[i] > 0.0)) continue;
    (held_out.contains(hashes[i]) ? split.validation : split.train).push_back(i);
  }
  return split;
}

}  // namespace

std::vector<ShownRows> rows_of_training(const Model& model, const DatasetView& data, const std::string& origin,
                                        const DatasetView* validation, const std::string& validation_origin) {
  std::vector<ShownRows> rows;
  Split split;
  const bool fitted = validation == nullptr && fitted_to_all_rows(model);
  // Members hold out rows of their own: each of them was fitted to some that another has held out.
  const bool told_apart = validation == nullptr && held_out_of_data(model) && !fitted && model.members.size() == 1;
  if (told_apart) split = sides_of_rows(model, data);
  rows.push_back(shown_rows(model, RowsRole::training, origin, data, split.train));
  if (fitted) rows.back().name = fitted_rows_name;
  if (validation != nullptr) rows.push_back(shown_rows(model, RowsRole::validation, validation_origin, *validation));
  if (!split.validation.empty()) {
    rows.push_back(shown_rows(model, RowsRole::validation, origin, data, split.validation));
  }
  return rows;
}

void predict_by_depth(const Model& model, ConstMatrixView inputs,
                      const std::function<void(std::size_t, ConstMatrixView)>& see) {
  Predictor(model).stages(inputs, see);
}

std::vector<Matrix> predictions_at(const Model& model, ConstMatrixView inputs, const std::vector<std::size_t>& depths) {
  std::vector<Matrix> kept(depths.size());
  predict_by_depth(model, inputs, [&](std::size_t depth, ConstMatrixView predictions) {
    for (std::size_t i = 0; i < depths.size(); ++i) {
      if (depths[i] != depth) continue;
      kept[i] = Matrix(predictions.rows(), predictions.cols());
      std::copy_n(predictions.data(), kept[i].size(), kept[i].data());
    }
  });
  return kept;
}

Axis axis_of(const Model& model, std::size_t input) {
  Axis axis{.label = label_of(model.inputs[input].name)};
  const ColumnCode* column = column_of_input(model.table, input);
  if (column == nullptr || !has_values(model, input)) return axis;
  if (!column->unit.empty()) axis.label += " (" + label_of(column->unit) + ")";
  if (column->kind == ColumnKind::boolean) axis.names = {"false", "true"};
  if (column->kind != ColumnKind::time) return axis;
  axis.time = column->time;
  if (column->time.zoned) axis.label += " (UTC)";
  return axis;
}

bool is_time(const Model& model, std::size_t input) { return axis_of(model, input).time.has_value(); }

std::string value_text(const Model& model, std::size_t input, double value) {
  const Axis axis = axis_of(model, input);
  return axis.time ? moment_text(value, axis.time->origin, axis.time->form) : short_number(value);
}

bool has_values(const Model& model, std::size_t input) {
  const ColumnCode* column = column_of_input(model.table, input);
  return column == nullptr || (column->kind != ColumnKind::category && column->name == model.inputs[input].name);
}

std::size_t inputs_drawn(const Model& model) {
  bool all = true;
  for (std::size_t k = 0; k < model.inputs.size(); ++k) all = all && (!model.inputs[k].used || has_values(model, k));
  return all ? model.used_inputs() : std::max<std::size_t>(model.used_inputs(), 3);
}

bool seen_as_logarithm(const Model& model, std::size_t input) {
  if (!model.inputs[input].used) return false;
  const auto before = std::count_if(model.inputs.begin(), model.inputs.begin() + static_cast<std::ptrdiff_t>(input),
                                    [](const Column& column) { return column.used; });
  return model.scaler.input(static_cast<std::size_t>(before)).log_from > 0.0;
}

std::vector<double> grid_along(const Model& model, std::size_t input, double low, double high, std::size_t count) {
  const bool ratios = seen_as_logarithm(model, input) && low > 0.0;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    values[i] = ratios ? low * std::pow(high / low, share) : low + (high - low) * share;
  }
  return values;
}

std::vector<std::size_t> depths_shown(std::size_t blocks) {
  constexpr std::size_t most = 16, first_few = 5;
  std::vector<std::size_t> depths;
  if (blocks <= most) {
    for (std::size_t depth = 0; depth <= blocks; ++depth) depths.push_back(depth);
    return depths;
  }
  for (std::size_t depth = 0; depth < first_few; ++depth) depths.push_back(depth);
  constexpr std::size_t later = most - first_few;
  for (std::size_t i = 1; i <= later; ++i) depths.push_back(first_few - 1 + (blocks - first_few + 1) * i / later);
  return depths;
}

}  // namespace rfnn::report
