#pragma once

// Private header. Cross-validation by several processes.

#include <optional>
#include <vector>

#include "rfnn/assessment/cross_validation.hpp"
#include "rfnn/core/communicator.hpp"

namespace rfnn::assessment {

/// Of all ranks at once, each with the whole table: cross_predict() with the folds dealt out in turn. All predictions
/// are on rank 0, on others those of their own folds.
std::vector<std::optional<FoldPrediction>> cross_predict(const CrossTable& table, const std::vector<FoldRows>& folds,
                                                         const Options& options, const CrossObserver& observer,
                                                         Communicator& ranks);

}  // namespace rfnn::assessment
