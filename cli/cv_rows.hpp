#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/fit_plan.hpp"
#include "rfnn/assessment/cross_validation.hpp"
#include "rfnn/assessment/division.hpp"
#include "rfnn/data/encoding.hpp"

namespace rfnn::cli {

/// Rows of the plan that no fold can have, for want of what the column kept says: their group, else their time. Where
/// missing cells are to be refused, the first of them is.
std::vector<std::size_t> rows_without_fold(const FitPlan& plan, bool groups);

/// One line per row of the table that was not left out (and repeat): where it stands there, its fold, prediction and
/// residual; empty where it was not predicted.
void write_predictions(const std::string& place, const assessment::Division& division, const EncodedTable& table,
                       const std::vector<std::optional<assessment::FoldPrediction>>& results);

}  // namespace rfnn::cli
