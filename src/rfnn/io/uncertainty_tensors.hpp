#pragma once

// Private header: what a model knows of its errors in a model file, both ways (docs/model-file.md).

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/io/safetensors.hpp"
#include "rfnn/model/uncertainty.hpp"

namespace rfnn::io {

/// What the names of its tensors begin with; it is also the name of its metadata.
inline constexpr std::string_view uncertainty_name = "uncertainty";

/// Appends its tensors; `made` keeps what they refer to besides.
void add_uncertainty(const Uncertainty& known, std::vector<TensorToWrite>& tensors,
                     std::deque<std::vector<double>>& made);
/// What is no tensor, as JSON text.
std::string uncertainty_metadata(const Uncertainty& known);

/// Entries of a file by what follows "uncertainty." in their names.
using UncertaintyEntries = std::map<std::string_view, const TensorEntry*>;

/// The other direction; `metadata`: the text, `data`: the bytes of all tensors. Throws InputError where something is
/// missing, unknown or of the wrong shape; whether the numbers are sound is left to check(model).
Uncertainty uncertainty_of(const UncertaintyEntries& entries, const std::string& metadata, std::string_view data,
                           const std::string& origin);

}  // namespace rfnn::io
