#pragma once

// Private header.

#include <string>

#include "rfnn/export/plan.hpp"

namespace rfnn::exporting {

/// A model file as JSON: its metadata, with JSON inside strings taken out of them, and its tensors as lists of numbers
/// that read back exactly.
std::string json_document(const Plan& plan);

/// The model that such a document is of. Throws InputError.
Model model_of_json(const std::string& text, const std::string& origin);

}  // namespace rfnn::exporting
