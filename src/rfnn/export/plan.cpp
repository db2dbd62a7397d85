#include "rfnn/export/plan.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "rfnn/core/version.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/least_squares/markov.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::exporting {
namespace {

std::string levels_text(const ColumnCode& column) {
  std::string text;
  for (std::size_t level = 0; level < column.levels.size(); ++level)
    text += fmt::format("{}{} = {}", level == 0 ? "" : ", ", level, io::to_utf8(column.levels[level]));
  return text;
}

std::string about(const ColumnCode& column) {
  const std::string unit = column.unit.empty() ? "" : ", in " + io::to_utf8(column.unit);
  switch (column.kind) {
    case ColumnKind::number:
      return "a number" + unit;
    case ColumnKind::boolean:
      return "0 is false, 1 is true";
    case ColumnKind::category:
      return "the place of its level: " + levels_text(column);
    case ColumnKind::time:
      break;
  }
  if (column.time.form == TimeForm::time_of_day) return "days since midnight: 12:00 is 0.5";
  return fmt::format("days since {}{}, with their fraction", date_text(column.time.origin),
                     column.time.zoned ? " (UTC)" : "");
}

}  // namespace

Plan::Plan(const Model& of, std::string_view named)
    : model(of), name(named), fills(of.options.missing == Missing::mean) {
  const TableCode code = columns_of_table(of);
  for (std::size_t k = 0; k < code.inputs.size(); ++k) {
    const ColumnCode& column = code.inputs[k];
    columns.push_back({io::to_utf8(column.name), about(column), false});
    const std::size_t count = inputs_of(column);
    for (std::size_t i = 0; i < count; ++i) {
      const bool indicator = column.indicator && i + 1 == count;
      PlanInput& input = made_.emplace_back();
      input.column = k;
      input.kind = indicator                             ? PlanInput::Kind::missing
                   : column.kind == ColumnKind::category ? PlanInput::Kind::level
                                                         : PlanInput::Kind::value;
      input.level = input.kind == PlanInput::Kind::level ? i : 0;
      input.levels = column.levels.size();
      if (!indicator && i < column.fill.size()) input.fill = column.fill[i];
    }
  }
  std::vector<std::size_t> places(made_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  add(of, places, std::vector<double>(of.outputs(), 1.0));
}

PlanInput Plan::use(std::size_t input, const Standardised& scale) {
  PlanInput seen = made_[input];
  seen.scale = scale;
  columns[seen.column].used = true;
  return seen;
}

/// The networks of a model whose inputs are those at these places, each of their outputs times its weight.
void Plan::add(const Model& of, const std::vector<std::size_t>& places, const std::vector<double>& weight) {
  std::vector<PlanInput>& seen = inputs.emplace_back();
  std::size_t used = 0;
  for (std::size_t k = 0; k < of.inputs.size(); ++k)
    if (of.inputs[k].used) seen.push_back(use(places[k], of.scaler.input(used++)));
  const auto count = static_cast<double>(of.members.size());
  for (const Network& network : of.members) {
    PlanMember& member = members.emplace_back();
    member.inputs = inputs.size() - 1;
    member.network = &network;
    for (std::size_t o = 0; o < weight.size(); ++o) {
      // A network without blocks is the mean, also where the output is not centred.
      const double mean = network.blocks.empty() ? of.targets[o].mean : of.scaler.output_mean[o];
      member.mean.push_back(weight[o] * mean / count);
      member.scale.push_back(weight[o] * of.scaler.output_sd[o] / count);
    }
  }
  if (of.base.empty()) return;
  std::vector<std::size_t> its;
  for (const std::size_t input : of.base.inputs) its.push_back(places[input]);
  std::vector<double> its_weight;
  for (std::size_t o = 0; o < weight.size(); ++o) its_weight.push_back(weight[o] * of.base.factor[o]);
  if (of.base.model)
    add(*of.base.model, its, its_weight);
  else
    add_columns(of.base, its, its_weight);
}

void Plan::add_columns(const Base& base, const std::vector<std::size_t>& places, const std::vector<double>& weight) {
  const std::size_t count = base.inputs.size();
  std::vector<PlanInput>& seen = inputs.emplace_back();
  for (const std::size_t place : places) seen.push_back(use(place, {}));
  Branch branch{.frequencies = Matrix(0, count), .amplitudes = Matrix(0, count)};
  branch.trend = Matrix(1 + count, count);
  for (std::size_t o = 0; o < count; ++o) branch.trend(1 + o, o) = 1.0;
  columns_passed_on_.push_back({{{{branch}}}});
  members.push_back({inputs.size() - 1, &columns_passed_on_.back(), std::vector<double>(count), weight});
}

std::size_t Plan::most_inputs() const {
  std::size_t most = 0;
  for (const std::vector<PlanInput>& seen : inputs) most = std::max(most, seen.size());
  return most;
}

Seen seen_by(const Branch& branch, std::size_t inputs, std::size_t outputs) {
  return {branch.kind == BranchKind::state ? inputs : 0, variables_of(branch.kind, inputs, outputs)};
}

Matrix kernel_points(const ClosedForm& form) {
  const Matrix& map = form.law.map;
  const std::size_t variables = form.centres.cols();
  Matrix points(form.centres.rows(), variables + map.rows());
  std::size_t window = 0, left = form.windows.empty() ? 0 : form.windows.rows[0];
  for (std::size_t i = 0; i < points.rows(); ++i) {
    while (!form.windows.empty() && left == 0) left = form.windows.rows[++window];
    for (std::size_t k = 0; k < variables; ++k)
      points(i, k) = (form.windows.empty() ? 1.0 : form.windows.scale(window, k)) * form.centres(i, k);
    for (std::size_t j = 0; j < map.rows(); ++j)
      for (std::size_t k = 0; k < variables; ++k) points(i, variables + j) += map(j, k) * points(i, k);
    if (!form.windows.empty()) --left;
  }
  return points;
}

bool is_series(const ClosedForm& form) {
  return form.windows.empty() && least_squares::MarkovProcess::describes(form.law);
}

Series series_of(const ClosedForm& form) {
  const least_squares::MarkovSum sum(form);
  const std::size_t count = sum.centres().size(),
                    width = form.coefficients.cols() * static_cast<std::size_t>(sum.dimension());
  Series series{Matrix(count, 1), Matrix(count, width), Matrix(count, width)};
  std::copy(sum.centres().begin(), sum.centres().end(), series.centres.data());
  std::copy(sum.before().begin(), sum.before().end(), series.before.data());
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(sum.after().data() + (count - 1 - i) * width, width, series.after.data() + i * width);
  return series;
}

CentreRange centre_range(const ClosedForm& form) {
  CentreRange range;
  for (std::size_t k = 0; k < form.windows.inputs(); ++k) {
    range.least.push_back(form.centres(0, k));
    range.most.push_back(form.centres(0, k));
    for (std::size_t i = 0; i < form.centres.rows(); ++i) {
      range.least[k] = std::min(range.least[k], form.centres(i, k));
      range.most[k] = std::max(range.most[k], form.centres(i, k));
    }
  }
  return range;
}

std::vector<std::string> lines_about_columns(const Plan& plan) {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < plan.columns.size(); ++k)
    lines.push_back(fmt::format("{} {}: {}{}", k, plan.columns[k].name, plan.columns[k].about,
                                plan.columns[k].used ? "" : "; not used"));
  return lines;
}

std::string title_of(const Plan& plan) {
  const Model& model = plan.model;
  return fmt::format("A network of {}, {} and {}, exported by rfnn {}.",
                     io::counted(plan.columns.size(), "input column"), io::counted(model.outputs(), "output"),
                     io::counted(model.blocks(), "block"), version());
}

}  // namespace rfnn::exporting
