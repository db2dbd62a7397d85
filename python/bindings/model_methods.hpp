#pragma once

#include "python/bindings/bindings.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::python {

/// The methods of Model that need rows.
void bind_prediction(nb::class_<Model>& model);
/// Derivatives and what is made of them.
void bind_sensitivity(nb::class_<Model>& model);
/// How far off predictions may be.
void bind_error_bars(nb::class_<Model>& model);
/// What Model says of its features, as arrays.
void bind_lines(nb::class_<Model>& model);

}  // namespace rfnn::python
