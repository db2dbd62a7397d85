#pragma once

// Private header. Closed forms as operators of ONNX.

#include <string>

#include "rfnn/export/onnx_graph.hpp"
#include "rfnn/export/plan.hpp"

namespace rfnn::exporting {

/// Σ_i c_i k(v − v_i), blended where it is of windows; `variables` is rows × variables.
std::string onnx_closed_form(OnnxGraph& graph, const ClosedForm& form, const std::string& variables);

/// The same of a series, by its states; `variables` is rows × 1.
std::string onnx_series(OnnxGraph& graph, const ClosedForm& form, const std::string& variables);

}  // namespace rfnn::exporting
