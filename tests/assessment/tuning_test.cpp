#include "rfnn/assessment/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rfnn/core/error.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::assessment {
namespace {

TuningPlan plan() {
  TuningPlan plan;
  plan.base = preset_options(Preset::paper);
  plan.rows = 1000;
  return plan;
}

/// An error that knows the answer: width 16 and best, the folds alike but for a little.
double error_of(const Task& task) {
  const double width = std::log2(static_cast<double>(task.options.width) / 16.0);
  return 1.0 + width * width + (task.options.keep == Keep::best ? 0.0 : 0.5) + 0.01 * static_cast<double>(task.fold);
}

std::vector<double> errors_of(const std::vector<Task>& tasks) {
  std::vector<double> errors;
  for (const Task& task : tasks) errors.push_back(error_of(task));
  return errors;
}

TEST(Tuning, FindsTheBestAndMeasuresItOnAllFolds) {
  const std::vector<Trial> trials = tune(plan(), errors_of);
  EXPECT_EQ(trials.front().options.keep, Keep::best);
  EXPECT_EQ(trials.front().options.width, 16);
  EXPECT_EQ(trials.front().errors.size(), 5U);
  EXPECT_TRUE(std::is_sorted(trials.begin(), trials.end(),
                             [](const Trial& a, const Trial& b) { return a.errors.size() > b.errors.size(); }));
  const auto defaults = std::find_if(trials.begin(), trials.end(),
                                     [](const Trial& trial) { return trial.options == preset_options(Preset::paper); });
  ASSERT_NE(defaults, trials.end());
  EXPECT_EQ(defaults->errors.size(), 5U) << "what all are compared with";
}

TEST(Tuning, HalvesSoThatMostCandidatesAreMeasuredOnFewFolds) {
  std::size_t measured = 0;
  const std::vector<Trial> trials = tune(plan(), [&](const std::vector<Task>& tasks) {
    measured += tasks.size();
    return errors_of(tasks);
  });
  EXPECT_EQ(trials.size(), 32U);
  EXPECT_LT(measured, 32U * 5U / 2U);
  std::set<std::string> distinct;
  for (const Trial& trial : trials) distinct.insert(options_to_json(trial.options));
  EXPECT_EQ(distinct.size(), trials.size()) << "nothing is tried twice";
}

TEST(Tuning, IsTheSameAgainAndGoesOnFromWhatWasMeasured) {
  const std::vector<Trial> whole = tune(plan(), errors_of);
  std::map<std::string, double> known;
  std::size_t left = 30;  // then it is ended
  const auto measure = [&](const std::vector<Task>& tasks) {
    std::vector<double> errors;
    for (const Task& task : tasks) {
      const std::string key = std::to_string(task.fold) + options_to_json(task.options);
      if (!known.contains(key)) {
        if (left == 0) break;
        --left;
        known[key] = error_of(task);
      }
      errors.push_back(known[key]);
    }
    return errors;
  };
  EXPECT_LT(tune(plan(), measure).size(), whole.size());
  left = 10000;
  const std::vector<Trial> resumed = tune(plan(), measure);
  ASSERT_EQ(resumed.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(resumed[i].options, whole[i].options);
    EXPECT_EQ(resumed[i].errors, whole[i].errors);
  }
}

TEST(Tuning, GoesOnWhereTheNeighboursOfTheBestAreKnownAndEndsWhereAllIs) {
  TuningPlan narrow = plan();
  narrow.fixed = {"blocks", "iterations", "gamma", "delta", "ridge"};
  narrow.rounds = 1000;
  EXPECT_EQ(tune(narrow, errors_of).size(), 16U) << "8 widths, last or best; the base is among them";
  narrow.fixed = {"blocks", "iterations", "gamma", "delta"};
  EXPECT_GT(tune(narrow, errors_of).size(), 110U) << "of 128";
}

TEST(Tuning, LeavesWhatIsGivenAndWhatTheRowsCannotBear) {
  TuningPlan few = plan();
  few.rows = 70;
  few.fixed = {"keep", "gamma_state"};
  for (const Trial& trial : tune(few, errors_of)) {
    EXPECT_EQ(trial.options.keep, Keep::last);
    EXPECT_EQ(trial.options.gamma_state, few.base.gamma_state);
    EXPECT_LE(trial.options.width, 8);
  }
}

TEST(Tuning, WhatCannotBeTrainedComesLast) {
  const std::vector<Trial> trials = tune(plan(), [](const std::vector<Task>& tasks) {
    std::vector<double> errors = errors_of(tasks);
    for (std::size_t t = 0; t < tasks.size(); ++t)
      if (tasks[t].options.keep == Keep::best) errors[t] = INFINITY;
    return errors;
  });
  EXPECT_EQ(trials.front().options.keep, Keep::last);
}

TEST(FoldErrors, MeasuresOnRowsThatWereNotFitted) {
  Dataset data{Matrix(60, 1), Matrix(60, 1), {}, {}};
  for (std::size_t i = 0; i < 60; ++i) {
    data.inputs(i, 0) = static_cast<double>(i) / 60.0;
    data.targets(i, 0) = std::sin(6.0 * data.inputs(i, 0));
  }
  const DatasetView view(data);
  const FoldErrors folds({.data = view}, 3, 1);
  Options options = preset_options(Preset::paper);
  options.width = 4;
  options.blocks = 1;
  options.iterations = 50;
  const auto go = [] { return true; };
  double sum = 0.0;
  for (std::size_t fold = 0; fold < 3; ++fold) sum += *folds.measure(options, fold, go);
  EXPECT_LT(sum / 3.0, 0.2);
  EXPECT_EQ(*folds.measure(options, 1, go), *folds.measure(options, 1, go));
  EXPECT_FALSE(folds.measure(options, 0, [] { return false; })) << "ended";
  options.blocks = 0;
  EXPECT_NEAR(*folds.measure(options, 0, go), 0.5, 0.2) << "the mean alone";
  EXPECT_THROW(FoldErrors({.data = view}, 40, 1), UsageError);
}

}  // namespace
}  // namespace rfnn::assessment
