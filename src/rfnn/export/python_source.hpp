#pragma once

// Private header.

#include <string>

#include "rfnn/export/plan.hpp"

namespace rfnn::exporting {

/// A file of Python that needs NumPy alone: predict(rows). Its functions are those of runtime/exported.py; what is made
/// here are the tables they read.
std::string python_source(const Plan& plan);

}  // namespace rfnn::exporting
