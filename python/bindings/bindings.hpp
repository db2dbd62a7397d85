#pragma once

// The module rfnn._core: the library's functions as Python sees them, and no more. What a user meets (the estimator,
// its checks and its words) is in python/rfnn.

#include <nanobind/nanobind.h>

namespace rfnn::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_options(nb::module_& module);
void bind_data(nb::module_& module);
void bind_model(nb::module_& module);
void bind_fit(nb::module_& module);
void bind_report(nb::module_& module);
void bind_exports(nb::module_& module);
void bind_command(nb::module_& module);
void bind_threads(nb::module_& module);
void bind_datasets(nb::module_& module);
void bind_views(nb::module_& module);
void bind_tables(nb::module_& module);
void bind_assessment(nb::module_& module);
void bind_tuning(nb::module_& module);
void bind_pieces(nb::module_& module);

}  // namespace rfnn::python
