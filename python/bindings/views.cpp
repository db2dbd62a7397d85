#include "rfnn/diagnostics/spectrum.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "python/bindings/bindings.hpp"
#include "rfnn/diagnostics/law_density.hpp"
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

/// The law of the closed forms over the inputs along one of them, all together.
std::vector<double> density_of(const Model& model, std::size_t variable, const std::vector<double>& frequencies) {
  const std::vector<BranchLaw> all = laws(model);
  std::vector<double> densities;
  if (all.empty() || variable >= model.used_inputs()) return densities;
  const BranchLaw mean = mean_law(all);
  for (const double frequency : frequencies) densities.push_back(law_density(mean, variable, frequency));
  return densities;
}

/// |ω| along an input below which these shares of the law are.
std::vector<double> quantiles_of(const Model& model, std::size_t variable, const std::vector<double>& shares) {
  const std::vector<BranchLaw> all = laws(model);
  std::vector<double> quantiles;
  if (all.empty() || variable >= model.used_inputs()) return quantiles;
  const BranchLaw mean = mean_law(all);
  for (const double share : shares) quantiles.push_back(law_quantile(mean, variable, share));
  return quantiles;
}

/// What is known of the model as a whole; describe() has every feature and block too.
std::string summary_of(const Model& model) {
  const ModelErrors errors = final_errors(model);
  const auto number = [](const std::optional<double>& value) {
    return value && std::isfinite(*value) ? io::Json(*value) : io::Json();
  };
  io::Json inputs = io::Json::array();
  for (const Column& column : model.inputs) inputs.push_back(io::to_json(column));
  io::Json seen = io::Json::array();
  for (const Column& column : variables_seen(model, BranchKind::input)) seen.push_back(io::to_json(column));
  const bool all = report::fitted_to_all_rows(model), apart = errors.judge == Judge::held_out;
  const std::size_t rows = model.train_rows + model.validation_rows;
  const io::Json summary = {{"train_mse", number(errors.train)},
                            {"validation_mse", number(errors.validation)},
                            {"validation_mse_se", number(errors.validation_se)},
                            {"judge", std::string(name_of(errors.judge))},
                            {"train_rows", all ? rows : model.train_rows},
                            {"validation_rows", apart ? model.validation_rows : rows},
                            {"empty_train_mse", number(model.history.empty_train_mse)},
                            {"empty_validation_mse", number(model.history.empty_validation_mse)},
                            {"inputs", std::move(inputs)},
                            {"variables", std::move(seen)}};
  return io::json_text(summary);
}

}  // namespace

void bind_views(nb::module_& module) {
  module.def("distinguishable_lines", &lines_of, nb::arg("model"),
             "The lines over the inputs that the data can tell apart, largest first, as `Model.spectrum` has features. "
             "Lines less than a radian apart over the ranges of the inputs are one.");
  module.def("law_density", &density_of, nb::arg("model"), nb::arg("variable"), nb::arg("frequencies"),
             "Density over the frequencies (radians per unit) of an input, counted among those used, of the closed "
             "forms all together; empty where there are none.");
  module.def("law_quantiles", &quantiles_of, nb::arg("model"), nb::arg("variable"), nb::arg("shares"),
             "The frequencies (radians per unit) below which these shares of the closed forms' variance are.");
  module.def("summary", &summary_of, nb::arg("model"),
             "Errors of the model and of the mean alone, the rows they are measured on, the inputs, and the inputs as "
             "frequencies refer to them (a "
             "logarithm is named `log(x)`), as JSON.");
}

}  // namespace rfnn::python
