#pragma once

// Private header. The shape of a width over the inputs and the predictions: a closed form learnt from errors.

#include <cstdint>
#include <optional>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::uncertainty {

struct Shape {
  ClosedForm form;  ///< g over (θ, ŷ)
  Matrix left_out;  ///< rows × outputs: g at each row without that row
};

/// Fits a closed form to `targets` (rows × outputs) over `variables`; what the rows have in common, their mean, is not
/// part of it. Some of the rows are its centres. Nothing when interrupted, or where no law was found.
std::optional<Shape> fit_shape(const Matrix& variables, const Matrix& targets, const std::vector<double>& weights,
                               std::uint64_t seed, rows::RowWork& work, Interrupt& interrupt);

}  // namespace rfnn::uncertainty
