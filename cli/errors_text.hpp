#pragma once

#include <optional>
#include <string>

#include "rfnn/model/model.hpp"

namespace rfnn::cli {

/// As many digits as the standard error leaves a meaning to: 0.0731 ± 0.0099.
std::string with_spread(double value, const std::optional<double>& spread);

/// "mean squared error 0.0101 ± 0.0009 on held-out rows, 0.0093 on training rows"; empty when nothing is known.
std::string errors_text(const Model& model);

}  // namespace rfnn::cli
