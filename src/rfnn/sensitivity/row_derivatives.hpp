#pragma once

// Private header. Derivatives at one row, formula by formula, in numbers that carry their derivative along a direction:
// the derivative of a gradient along d is Hessian times d.

#include <cstddef>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::sensitivity {

/// The derivative of a standardised input by the input; of a logarithm 0 below where it begins.
double slope_of(const Standardised& standardised, double x);

/// Σ_l ∂²y_o/∂x_k∂x_l d_l after so many blocks: inputs and direction are 1 × inputs, products 1 × outputs·inputs.
void hessian_product(const Model& model, std::size_t blocks, ConstMatrixView inputs, ConstMatrixView direction,
                     MatrixView products);

}  // namespace rfnn::sensitivity
