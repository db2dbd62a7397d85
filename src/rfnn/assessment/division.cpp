#include "rfnn/assessment/division.hpp"

#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace rfnn::assessment {

namespace {

/// The folds of some rows as those of all: `there` are the places of these.
Division with_all_rows(Division some, const std::vector<std::size_t>& there, std::size_t rows) {
  for (FoldRows& fold : some.folds)
    for (std::vector<std::size_t>* list : {&fold.train, &fold.test})
      for (std::size_t& row : *list) row = there[row];
  std::vector<std::size_t> clusters(rows, 0);
  for (std::size_t i = 0; i < there.size(); ++i) clusters[there[i]] = some.clusters[i];
  some.clusters = std::move(clusters);
  return some;
}

Division divide_some(std::size_t rows, DivisionPlan plan) {
  std::vector<std::size_t> there, places;
  std::vector<std::string> groups, times;
  for (std::size_t row = 0, next = 0; row < rows; ++row) {
    if (next < plan.without.size() && plan.without[next] == row) {
      ++next;
      continue;
    }
    there.push_back(row);
    places.push_back(plan.rows.empty() ? row : plan.rows[row]);
    if (!plan.groups.empty()) groups.push_back(std::move(plan.groups[row]));
    if (!plan.times.empty()) times.push_back(std::move(plan.times[row]));
  }
  plan.groups = std::move(groups);
  plan.times = std::move(times);
  plan.rows = std::move(places);
  plan.without.clear();
  return with_all_rows(divide(there.size(), plan), there, rows);
}

}  // namespace

Division divide(std::size_t rows, const DivisionPlan& plan) {
  if (!plan.without.empty()) return divide_some(rows, plan);
  Division division;
  division.folds_each = plan.folds;
  division.repeats = plan.repeats.value_or(1);
  division.clusters.resize(rows);
  std::iota(division.clusters.begin(), division.clusters.end(), std::size_t{0});
  if (!plan.times.empty()) {
    division.folds = time_series_split(time_order(plan.times, plan.column, plan.rows), plan.folds);
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
