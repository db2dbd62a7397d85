#pragma once

// Private header. What sensitivity/ finds out, as texts and JSON.

#include <string>
#include <vector>

#include "rfnn/io/json.hpp"
#include "rfnn/sensitivity/factors.hpp"
#include "rfnn/sensitivity/indices.hpp"
#include "rfnn/sensitivity/optimum.hpp"

namespace rfnn {

/// All that is found out about what a model's variance comes from.
struct SensitivityFindings {
  std::vector<Factor> factors;
  SensitivityIndices indices;
  std::vector<MainEffect> effects;
  std::vector<ScaleEnergy> scales;
};

}  // namespace rfnn

namespace rfnn::io {

/// The levels of a category; false and true of a boolean.
std::vector<std::string> level_names(const Factor& factor);

/// A value as tables have it: 2024-05-01, red, true, 12.5.
std::string value_text(const Factor& factor, double value);
/// The same for JSON: numbers and booleans stay what they are.
Json value_json(const Factor& factor, double value);

/// Is the value at an end of the factor's range?
bool at_bound(const Factor& factor, double value);

Json to_json(const Model& model, const std::vector<Factor>& factors, const OptimumOptions& options,
             const Optimum& found);
Json to_json(const Model& model, const SensitivityFindings& found);

}  // namespace rfnn::io
