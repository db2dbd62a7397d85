#pragma once

// Private header.

#include <cstddef>
#include <span>

#include "rfnn/core/matrix.hpp"

namespace rfnn::baselines {

struct NeighbourPredictions {
  Matrix predictions;
  std::size_t neighbours = 0;  ///< that were averaged
};

/// Predictions for the rows of `asked` by the mean of the nearest rows of `inputs`, by their weights (empty: all
/// alike), in standardised inputs; of rows equally far the earlier ones. How many, 1 to 32, is what the rows themselves
/// are predicted best by from the others (of very many, 2000 of them). Neighbours are
/// looked for among 20 000 rows at most, spread evenly over all; among fewer where very many rows are asked for.
NeighbourPredictions neighbour_predictions(ConstMatrixView inputs, ConstMatrixView targets,
                                           std::span<const double> weights, ConstMatrixView asked);

}  // namespace rfnn::baselines
