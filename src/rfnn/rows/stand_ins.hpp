#pragma once

// Private header. Which columns of a row are not known, so that something stands in for them.

#include <cstddef>

#include "rfnn/core/function_ref.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/data/stand_in.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::rows {

/// Calls see(column, first of its inputs, why) for the columns of the model's table in whose place something stands in
/// at row `i` of its inputs.
void each_stand_in(const Model& model, ConstMatrixView inputs, std::size_t i,
                   FunctionRef<void(std::size_t column, std::size_t input, StandIn why)> see);

/// Is there one whose like training had not? It had missing cells where its rule was to fill them in and there were
/// some.
bool has_new_stand_in(const Model& model, ConstMatrixView inputs, std::size_t i);

/// The inputs as training saw such rows: the numbers themselves where something stands in.
Matrix without_marks(const Model& model, ConstMatrixView inputs);

}  // namespace rfnn::rows
