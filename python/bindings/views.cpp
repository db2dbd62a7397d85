#include "rfnn/diagnostics/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"
#include "rfnn/io/json.hpp"

namespace rfnn::python {
namespace {

/// Range of each used input: what the data cannot tell apart is measured by it.
std::vector<double> ranges_of(const Model& model) {
  std::vector<double> ranges;
  for (const Column& column : model.inputs) {
    if (!column.used) continue;
    const double range = column.max - column.min;
    ranges.push_back(range > 0.0 && std::isfinite(range) ? range : 1.0);
  }
  return ranges;
}

/// Of very many lines only the `most` largest are looked at.
std::vector<SpectralLine> merged_lines(const Model& model, std::size_t most) {
  const std::vector<double> ranges = ranges_of(model);
  std::vector<SpectralLine> lines = spectrum(model);
  std::erase_if(lines, [](const SpectralLine& line) { return line.branch != BranchKind::input; });
  lines.resize(std::min(lines.size(), most));
  for (SpectralLine& line : lines)
    for (std::size_t k = 0; k < ranges.size(); ++k) line.frequency[k] *= ranges[k];
  lines = merged_input_lines(lines, 1.0);
  for (SpectralLine& line : lines)
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      line.frequency[k] /= ranges[k];
      line.cycles[k] = line.frequency[k] / (2.0 * std::numbers::pi);
    }
  return lines;
}

nb::list tuples_of(const Model& model, std::size_t most) {
  nb::list lines;
  for (const SpectralLine& line : merged_lines(model, most)) lines.append(nb::make_tuple(line.cycles, line.amplitude));
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
  const Json summary = {{"train_mse", number(errors.train)},
                        {"validation_mse", number(errors.validation)},
                        {"empty_train_mse", number(model.history.empty_train_mse)},
                        {"empty_validation_mse", number(model.history.empty_validation_mse)},
                        {"inputs", std::move(inputs)}};
  return summary.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void bind_views(nb::module_& module) {
  module.def(
      "merged_lines", &tuples_of, nb::arg("model"), nb::arg("most") = 1000,
      "The lines over the inputs, largest first, as cycles per unit of each used input and amplitude per output. "
      "Lines less than a radian apart over the range of the inputs are one: data cannot tell them apart.");
  module.def("summary", &summary_of, nb::arg("model"),
             "Errors of the model and of the mean alone, and what is known of the inputs, as JSON.");
}

}  // namespace rfnn::python
