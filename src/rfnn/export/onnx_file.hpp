#pragma once

// Private header.

#include <string>

#include "rfnn/export/plan.hpp"

namespace rfnn::exporting {

/// A model of ONNX with one graph in double precision, `inputs` to `outputs`, for any number of rows. Throws InputError
/// where it would be larger than such a file may be.
std::string onnx_file(const Plan& plan);

}  // namespace rfnn::exporting
