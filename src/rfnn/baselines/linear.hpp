#pragma once

// Private header.

#include <span>

#include "rfnn/core/matrix.hpp"

namespace rfnn::baselines {

/// Predictions by linear least squares with an intercept: what is learnt from `inputs` and `targets` (as many rows),
/// each row counting by its weight (empty: all alike), for the rows of `asked`. Inputs are standardised; constant ones
/// play no part. A ridge of 1e-10 decides between solutions where inputs are combinations of others, and nothing else.
Matrix linear_predictions(ConstMatrixView inputs, ConstMatrixView targets, std::span<const double> weights,
                          ConstMatrixView asked);

}  // namespace rfnn::baselines
