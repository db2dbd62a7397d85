#pragma once

#include "python/bindings/bindings.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::python {

/// The methods of Model that need rows.
void bind_prediction(nb::class_<Model>& model);
/// What Model says of its features, as arrays.
void bind_lines(nb::class_<Model>& model);

}  // namespace rfnn::python
