#pragma once

// Private header.

#include <string>

#include "rfnn/export/plan.hpp"

namespace rfnn::exporting {

/// A file of C99 that needs the standard library alone and takes no memory: NAME_predict, NAME_gradient and
/// NAME_predict_rows. Its functions are those of runtime/exported.c; what is made here are the tables they read.
std::string c_source(const Plan& plan);

}  // namespace rfnn::exporting
