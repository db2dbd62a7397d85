#include "rfnn/io/sensitivity_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rfnn/data/moment.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::io {
namespace {

/// A list over the targets where there are several.
template <class Value>
Json per_target(const Model& model, const Value& value) {
  if (model.outputs() == 1) return value(0);
  Json list = Json::array();
  for (std::size_t o = 0; o < model.outputs(); ++o) list.push_back(value(o));
  return list;
}

}  // namespace

std::vector<std::string> level_names(const Factor& factor) {
  return factor.kind == ColumnKind::boolean ? std::vector<std::string>{"false", "true"} : factor.levels;
}

std::string value_text(const Factor& factor, double value) {
  if (factor.kind == ColumnKind::time) return moment_text(value, factor.time.origin, factor.time.form);
  if (factor.kind == ColumnKind::number) return fmt::format("{:.6g}", value);
  return level_names(factor)[static_cast<std::size_t>(value)];
}

Json value_json(const Factor& factor, double value) {
  if (factor.kind == ColumnKind::number) return value;
  if (factor.kind == ColumnKind::boolean) return value != 0.0;
  return value_text(factor, value);
}

bool at_bound(const Factor& factor, double value) {
  return factor.continuous() && factor.varies() && (value == factor.low || value == factor.high);
}

Json to_json(const Model& model, const std::vector<Factor>& factors, const OptimumOptions& options,
             const Optimum& found) {
  Json inputs = Json::object(), bounds = Json::array();
  for (std::size_t f = 0; f < factors.size(); ++f) {
    inputs[to_utf8(factors[f].name)] = value_json(factors[f], found.values[f]);
    if (at_bound(factors[f], found.values[f])) bounds.push_back(to_utf8(factors[f].name));
  }
  const ConstMatrixView row(found.inputs.data(), 1, found.inputs.size());
  return {{"target", to_utf8(model.targets[options.output].name)},
          {"goal", options.maximum ? "maximum" : "minimum"},
          {"value", found.value},
          {"inputs", inputs},
          {"at_bound", bounds},
          {"outside", rows_outside_training_range(model, row) > 0},
          {"starts", found.starts},
          {"agreeing", found.agreeing}};
}

Json to_json(const Model& model, const SensitivityFindings& found) {
  const std::vector<Factor>& factors = found.factors;
  const auto name = [&](std::size_t f) { return to_utf8(factors[f].name); };
  Json names = Json::array(), targets = Json::array(), effects = Json::array(), scales = Json::array();
  for (std::size_t f = 0; f < factors.size(); ++f) names.push_back(name(f));
  for (const Column& target : model.targets) targets.push_back(to_utf8(target.name));
  const auto numbers = [&](auto list, auto member) {
    return per_target(model, [&](std::size_t o) {
      Json all = Json::array();
      for (const Estimate& estimate : found.indices.outputs[o].*list) all.push_back(estimate.*member);
      return all;
    });
  };
  const Json pairs = per_target(model, [&](std::size_t o) {
    Json all = Json::array();
    for (const PairIndex& pair : found.indices.outputs[o].pairs)
      all.push_back({{"inputs", {name(pair.first), name(pair.second)}},
                     {"value", pair.index.value},
                     {"standard_error", pair.index.standard_error}});
    return all;
  });
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const MainEffect& effect = found.effects[f];
    if (effect.values.empty()) continue;
    Json values = Json::array();
    for (const double value : effect.values) values.push_back(value_json(factors[f], value));
    const auto column = [&](const Matrix& matrix) {
      return per_target(model, [&](std::size_t o) {
        Json all = Json::array();
        for (std::size_t v = 0; v < matrix.rows(); ++v) all.push_back(matrix(v, o));
        return all;
      });
    };
    effects.push_back({{"input", name(f)},
                       {"values", values},
                       {"effect", column(effect.effect)},
                       {"standard_error", column(effect.standard_error)}});
  }
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const ScaleEnergy& energy = found.scales[f];
    if (energy.longest.empty()) continue;
    const auto shares = [&](double Estimate::*member) {
      return per_target(model, [&](std::size_t o) {
        Json all = Json::array();
        for (const Estimate& estimate : energy.share[o]) all.push_back(estimate.*member);
        return all;
      });
    };
    scales.push_back({{"input", name(f)},
                      {"longest_wavelength_over_range", energy.longest},
                      {"share", shares(&Estimate::value)},
                      {"standard_error", shares(&Estimate::standard_error)}});
  }
  return {{"inputs", names},
          {"targets", targets},
          {"first", numbers(&VarianceShares::first, &Estimate::value)},
          {"first_standard_error", numbers(&VarianceShares::first, &Estimate::standard_error)},
          {"total", numbers(&VarianceShares::total, &Estimate::value)},
          {"total_standard_error", numbers(&VarianceShares::total, &Estimate::standard_error)},
          {"pairs", pairs},
          {"mean", per_target(model, [&](std::size_t o) { return Json(found.indices.outputs[o].mean); })},
          {"variance", per_target(model, [&](std::size_t o) { return Json(found.indices.outputs[o].variance); })},
          {"effects", effects},
          {"scales", scales},
          {"evaluations", found.indices.evaluations}};
}

}  // namespace rfnn::io
