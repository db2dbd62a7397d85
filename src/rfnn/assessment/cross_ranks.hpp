#pragma once

// Private header. Cross-validation by several processes.

#include <optional>
#include <vector>

#include "rfnn/assessment/cross_validation.hpp"
#include "rfnn/core/communicator.hpp"

namespace rfnn::assessment {

/// Of all ranks at once: throws UsageError on all where one has another table than the first, other folds or options.
void agree_on_cross(const CrossTable& table, const std::vector<FoldRows>& folds, const Options& options,
                    Communicator& ranks);

/// Of all ranks at once, which have agreed, each with the whole table: cross_predict() with the folds dealt out in
/// turn. All predictions are on rank 0, on others those of their own folds.
std::vector<std::optional<FoldPrediction>> cross_predict(const CrossTable& table, const std::vector<FoldRows>& folds,
                                                         const Options& options, const CrossObserver& observer,
                                                         Communicator& ranks);

}  // namespace rfnn::assessment
