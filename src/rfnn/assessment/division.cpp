#include "rfnn/assessment/division.hpp"

#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace rfnn::assessment {

Division divide(std::size_t rows, const DivisionPlan& plan) {
  Division division;
  division.folds_each = plan.folds;
  division.repeats = plan.repeats.value_or(1);
  division.clusters.resize(rows);
  std::iota(division.clusters.begin(), division.clusters.end(), std::size_t{0});
  if (!plan.times.empty()) {
    division.folds = time_series_split(time_order(plan.times, plan.column), plan.folds);
    for (std::size_t fold = 0; fold < plan.folds; ++fold)
      for (const std::size_t row : division.folds[fold].test) division.clusters[row] = fold;
    division.name = fmt::format("{} folds along {} (TimeSeriesSplit)", plan.folds, plan.column);
    return division;
  }
  const bool grouped = !plan.groups.empty(), shuffled = plan.repeats.has_value();
  if (grouped) division.clusters = group_numbers(plan.groups);
  for (std::size_t repeat = 1; repeat <= division.repeats; ++repeat) {
    std::vector<FoldRows> more =
        grouped ? (shuffled ? shuffled_group_k_fold(division.clusters, plan.folds, plan.seed, repeat)
                            : group_k_fold(division.clusters, plan.folds))
                : (shuffled ? shuffled_k_fold(rows, plan.folds, plan.seed, repeat) : k_fold(rows, plan.folds));
    for (FoldRows& fold : more) division.folds.push_back(std::move(fold));
  }
  division.name =
      fmt::format("{} folds{} ({}{})", plan.folds, grouped ? fmt::format(" of groups by {}", plan.column) : "",
                  grouped ? "GroupKFold" : "KFold",
                  !shuffled               ? ""
                  : division.repeats == 1 ? ", shuffled"
                                          : fmt::format(", shuffled {} times", division.repeats));
  return division;
}

}  // namespace rfnn::assessment
