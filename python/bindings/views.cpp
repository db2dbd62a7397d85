#include "rfnn/diagnostics/spectrum.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "python/bindings/bindings.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/report/run_rows.hpp"

namespace rfnn::python {
namespace {

nb::list lines_of(const Model& model) {
  nb::list lines;
  for (const SpectralLine& line : distinguishable_lines(model))
    lines.append(nb::make_tuple(line.member, line.block, std::string(name_of(line.branch)), line.frequency, line.cycles,
                                line.amplitude, line.phase));
  return lines;
}

/// What is known of the model as a whole; describe() has every feature and block too.
std::string summary_of(const Model& model) {
  const ModelErrors errors = final_errors(model);
  const auto number = [](const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json();
  };
  Json inputs = Json::array();
  for (const Column& column : model.inputs) inputs.push_back(to_json(column));
  Json seen = Json::array();
  for (const Column& column : variables_seen(model, BranchKind::input)) seen.push_back(to_json(column));
  const bool all = report::fitted_to_all_rows(model), apart = errors.judge == Judge::held_out;
  const std::size_t rows = model.train_rows + model.validation_rows;
  const Json summary = {{"train_mse", number(errors.train)},
                        {"validation_mse", number(errors.validation)},
                        {"validation_mse_se", number(errors.validation_se)},
                        {"judge", std::string(name_of(errors.judge))},
                        {"train_rows", all ? rows : model.train_rows},
                        {"validation_rows", apart ? model.validation_rows : rows},
                        {"empty_train_mse", number(model.history.empty_train_mse)},
                        {"empty_validation_mse", number(model.history.empty_validation_mse)},
                        {"inputs", std::move(inputs)},
                        {"variables", std::move(seen)}};
  return summary.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void bind_views(nb::module_& module) {
  module.def("distinguishable_lines", &lines_of, nb::arg("model"),
             "The lines over the inputs that the data can tell apart, largest first, as `Model.spectrum` has features. "
             "Lines less than a radian apart over the ranges of the inputs are one.");
  module.def("summary", &summary_of, nb::arg("model"),
             "Errors of the model and of the mean alone, the rows they are measured on, the inputs, and the inputs as "
             "frequencies refer to them (a "
             "logarithm is named `log(x)`), as JSON.");
}

}  // namespace rfnn::python
