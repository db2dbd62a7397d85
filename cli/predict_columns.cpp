#include "cli/predict_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::cli {

std::vector<std::size_t> inputs_to_differentiate_by(const Model& model) {
  std::vector<std::size_t> places;
  const TableCode code = columns_of_table(model);
  std::size_t input = 0;
  for (const ColumnCode& column : code.inputs) {
    if (column.kind == ColumnKind::number || column.kind == ColumnKind::time) places.push_back(input);
    input += inputs_of(column);
  }
  return places;
}

PredictionColumns::PredictionColumns(TableReader& file, const Matched& matched, const Model& model,
                                     const ColumnWishes& wishes)
    : model_(model), wishes_(wishes) {
  std::vector<std::size_t> kept;
  const auto keep = [&](std::size_t place, const std::string& name) {
    if (std::find(kept.begin(), kept.end(), place) != kept.end()) return;
    kept.push_back(place);
    names_.push_back(name);
  };
  for (const std::string& list : wishes.keep)
    for (const std::string& name : split_names(list, file.names())) {
      const std::size_t place = find_column(file.names(), name, file.origin());
      keep(place, file.names()[place]);
    }
  // As they stand in the file, under the names the model knows them by.
  const Layout layout = layout_of(model);
  for (std::size_t j = 0; wishes.with_inputs && j < matched.inputs.size(); ++j)
    if (matched.inputs[j]) keep(*matched.inputs[j], layout.inputs[j].name);
  file.keep(kept);

  for (const Column& target : model.targets) names_.push_back(target.name);
  for (const Column& target : model.targets)
    if (wishes.residual) names_.push_back(target.name + "_residual");
  if (wishes.gradient) by_ = inputs_to_differentiate_by(model);
  for (const Column& target : model.targets)
    for (const std::size_t k : by_) names_.push_back(fmt::format("d_{}_d_{}", target.name, model.inputs[k].name));
  if (wishes.flag_outside) names_.emplace_back("outside");
  names_.insert(names_.end(), wishes.more.begin(), wishes.more.end());
  std::set<std::string> seen;
  const std::set<std::string> copied(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(kept.size()));
  for (const std::string& name : names_) {
    if (seen.insert(name).second) continue;
    if (!copied.contains(name))
      throw UsageError(fmt::format("Two columns of the result would be named {}.", printable(name)),
                       "That is the name of a target and of what is added to another one: ask for it by itself.");
    const bool target = std::any_of(model.targets.begin(), model.targets.end(),
                                    [&](const Column& column) { return column.name == name; });
    throw UsageError(fmt::format("Two columns of the result would be named {}.", printable(name)),
                     target ? fmt::format("That is the name of the prediction: leave it out of --keep; --residual adds "
                                          "{}_residual, measured minus predicted.",
                                          printable(name))
                            : "Leave it out of --keep, or rename it in the table.");
  }
}

ConstMatrixView PredictionColumns::numbers(const TableBatches& batch, ConstMatrixView predictions,
                                           ConstMatrixView jacobian, ConstMatrixView more) {
  constexpr double empty = std::numeric_limits<double>::quiet_NaN();
  const std::size_t outputs = model_.outputs();
  const std::size_t slopes = outputs * (wishes_.residual ? 2 : 1),
                    own = slopes + outputs * by_.size() + (wishes_.flag_outside ? 1 : 0), columns = own + more.cols();
  if (numbers_.rows() != predictions.rows() || numbers_.cols() != columns)
    numbers_ = Matrix(predictions.rows(), columns);
  for (std::size_t i = 0; i < predictions.rows(); ++i) {
    bool known = true;
    for (std::size_t o = 0; o < outputs; ++o) {
      numbers_(i, o) = predictions(i, o);
      known = known && std::isfinite(predictions(i, o));
      if (wishes_.residual) numbers_(i, outputs + o) = batch.targets()(i, o) - predictions(i, o);
    }
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t j = 0; j < by_.size(); ++j)
        numbers_(i, slopes + o * by_.size() + j) = known ? jacobian(i, o * model_.input_count() + by_[j]) : empty;
    if (wishes_.flag_outside)
      numbers_(i, own - 1) =
          known ? static_cast<double>(rows_outside_training_range(model_, batch.inputs().rows_from(i, 1))) : empty;
    for (std::size_t k = 0; k < more.cols(); ++k) numbers_(i, own + k) = known ? more(i, k) : empty;
  }
  return numbers_.view();
}

}  // namespace rfnn::cli
