// Preset auto: what people give it, and what they may rely on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "identities/naive_training.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/data/targets.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"
#include "training/expect_valid.hpp"

namespace rfnn::training {
namespace {

using testing::expect_valid;
using testing::mse;
using testing::wavy_data;

Options one_thread() {
  Options options;
  options.threads = 1;
  return options;
}

double error_on(const Model& model, const Dataset& data) {
  return mse(data.targets, predict(model, data.inputs.view()));
}

double variance(const Dataset& data) {
  double mean = 0.0, square = 0.0;
  for (std::size_t i = 0; i < data.targets.rows(); ++i) mean += data.targets(i, 0);
  mean /= static_cast<double>(data.targets.rows());
  for (std::size_t i = 0; i < data.targets.rows(); ++i) square += std::pow(data.targets(i, 0) - mean, 2);
  return square / static_cast<double>(data.targets.rows());
}

std::size_t widest_block(const Model& model, std::size_t from) {
  std::size_t widest = 0;
  for (const Network& member : model.members)
    for (std::size_t l = from; l < member.blocks.size(); ++l) {
      std::size_t width = 0;
      for (const Branch& branch : member.blocks[l].branches) width += branch.frequencies.rows();
      widest = std::max(widest, width);
    }
  return widest;
}

TEST(Automatic, RecordsErrorsInTheUnitsOfTheTarget) {
  Dataset data = wavy_data(400);
  for (std::size_t i = 0; i < data.targets.rows(); ++i) data.targets(i, 0) = 30.0 * data.targets(i, 0) + 7.0;
  Options options = one_thread();
  options.width = 8;
  options.members = 1;
  options.blocks = 1;
  options.ridge = {1e-6};
  FitExtras extras;
  extras.validation = data;  // all rows are trained on, and judged by
  const Model model = fit(data, options, extras);
  ASSERT_EQ(model.history.blocks.size(), 1U);
  const double error = error_on(model, data);
  EXPECT_NEAR(model.history.blocks[0].train_mse, error, 1e-6 * error + 1e-12);
  EXPECT_NEAR(*model.history.blocks[0].validation_mse, error, 1e-6 * error + 1e-12);
}

TEST(Automatic, StopsAtAToleranceInTheUnitsOfTheTarget) {
  Dataset data = wavy_data(400);
  for (std::size_t i = 0; i < data.targets.rows(); ++i) data.targets(i, 0) *= 30.0;
  Options options = one_thread();
  options.width = 2;
  options.members = 1;
  options.tolerance = 0.02 * variance(data);
  const Model model = fit(data, options);
  EXPECT_EQ(model.stop_reason, StopReason::tolerance);
  EXPECT_LT(error_on(model, data), 2.0 * options.tolerance);
}

TEST(Automatic, IsTheDefault) {
  EXPECT_EQ(Options{}.preset, Preset::automatic);
  const Dataset data = wavy_data(200);
  const Model model = fit(data, one_thread());
  expect_valid(model, data);
  ASSERT_GE(model.history.blocks.size(), 1U);
  EXPECT_NE(model.history.blocks[0].method, Method::sampled);
  EXPECT_EQ(model.history.blocks[0].iterations, 0);
  EXPECT_EQ(model.validation_rows + model.train_rows, 200U);
  EXPECT_GT(model.validation_rows, 0U);
}

TEST(Automatic, FindsThreeLinesExactlyWithSixFeatures) {
  const Dataset data = generate(Target::multiscale, 2000, 3), test = generate(Target::multiscale, 3000, 4);
  Options options = one_thread();
  options.width = 6;
  options.blocks = 10;
  options.members = 1;
  const Model model = fit(data, options);
  EXPECT_LT(error_on(model, test), 1e-12);
  EXPECT_LE(widest_block(model, 0), 12U);
  ASSERT_FALSE(model.members[0].blocks.empty());
  const Branch& first = model.members[0].blocks[0].branches[0];
  EXPECT_LE(first.frequencies.rows(), 6U);
  for (const double line : {4.0, 70.0, 150.0}) {
    double nearest = 1e9;
    for (std::size_t j = 0; j < first.frequencies.rows(); ++j)
      nearest = std::min(nearest, std::abs(std::abs(first.frequencies(j, 0)) / model.scaler.input_sd[0] - line));
    EXPECT_LT(nearest, 1e-4) << line;
  }
}

TEST(Automatic, LearnsInputsOfEveryNumber) {
  for (const std::size_t inputs : {1U, 2U, 3U}) {
    const Dataset data = wavy_data(400, inputs, 1, 1), test = wavy_data(400, inputs, 1, 2);
    const Model model = fit(data, one_thread());
    expect_valid(model, data);
    EXPECT_LT(error_on(model, test), (inputs < 3 ? 1e-6 : 0.3) * variance(test)) << inputs;
  }
}

TEST(Automatic, SameBitsForAnyNumberOfThreads) {
  for (const std::size_t inputs : {1U, 2U, 4U}) {
    const Dataset data = wavy_data(150, inputs, 1, 5, 0.05);
    Options options = one_thread();
    options.blocks = 2;
    const Model alone = fit(data, options);
    for (const std::int64_t threads : {2, 3}) {
      options.threads = threads;
      EXPECT_EQ(fit(data, options).members, alone.members) << inputs << " inputs, " << threads << " threads";
    }
  }
}

TEST(Automatic, TheSeedDecides) {
  const Dataset data = wavy_data(300, 3, 1, 5, 0.1);
  Options options = one_thread();
  options.blocks = 1;
  const Model first = fit(data, options), again = fit(data, options);
  EXPECT_EQ(first.members, again.members);
  options.seed = 2;
  EXPECT_NE(fit(data, options).members, first.members);
}

TEST(Automatic, PureNoiseLeavesTheMean) {
  int learnt = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Dataset data = wavy_data(400, 3, 1, seed);
    const Stream noise(seed, Purpose::noise);
    for (std::size_t i = 0; i < 400; ++i) data.targets(i, 0) = noise.normal(i);
    Dataset test = wavy_data(1000, 3, 1, seed + 50);
    for (std::size_t i = 0; i < 1000; ++i) test.targets(i, 0) = noise.normal(5000 + i);
    const Model model = fit(data, one_thread());
    expect_valid(model, data);
    EXPECT_LE(model.blocks(), 2U);
    EXPECT_LT(error_on(model, test), 1.03 * variance(test));
    learnt += model.blocks() > 0;
  }
  EXPECT_LE(learnt, 1);
}

TEST(Automatic, IrrelevantInputsCostLittle) {
  const auto with_irrelevant = [](std::size_t rows, std::size_t irrelevant, std::uint64_t seed) {
    const Dataset two = wavy_data(rows, 2, 1, seed);
    Dataset data{Matrix(rows, 2 + irrelevant), two.targets, {}, {}};
    const Stream noise(seed, Purpose::noise);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < 2 + irrelevant; ++k)
        data.inputs(i, k) = k < 2 ? two.inputs(i, k) : noise.normal(i * irrelevant + k);
    return data;
  };
  Options options = one_thread();
  options.members = 1;
  const Dataset data = with_irrelevant(800, 12, 1), test = with_irrelevant(500, 12, 2);
  std::vector<double> errors;
  for (options.seed = 1; options.seed <= 3; ++options.seed) errors.push_back(error_on(fit(data, options), test));
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[1], 1e-6);
  EXPECT_LT(errors[2], 1e-4);
}

TEST(Automatic, FewRowsAndOddOnes) {
  for (const std::size_t rows : {1U, 2U, 3U, 5U, 12U, 31U}) {
    for (const std::size_t inputs : {1U, 2U, 3U}) {
      const Dataset data = wavy_data(rows, inputs, 2, 9);
      const Model model = fit(data, one_thread());
      expect_valid(model, data);
    }
  }
  Dataset data = wavy_data(120, 3, 2);
  for (std::size_t i = 0; i < 120; ++i) {
    data.inputs(i, 1) = 7.0;                                        // constant
    data.inputs(i, 0) = 1e9 + 1e-3 * static_cast<double>(i / 3);    // far off, every value three times
    data.targets(i, 0) = 1e-19 * std::sin(static_cast<double>(i));  // tiny
    data.targets(i, 1) = i % 2 == 0 ? 1e12 : -1e12;                 // huge
  }
  expect_valid(fit(data, one_thread()), data);
  Dataset equal = wavy_data(60, 2);  // all rows have the same inputs
  for (std::size_t i = 0; i < 60; ++i) equal.inputs(i, 0) = equal.inputs(i, 1) = 1.0;
  const Model mean = fit(equal, one_thread());
  EXPECT_EQ(mean.stop_reason, StopReason::no_inputs);
  expect_valid(mean, equal);
}

TEST(Automatic, BoundsAreKept) {
  const Dataset data = wavy_data(400, 2, 1, 3, 0.02);
  Options options = one_thread();
  options.width = 5;
  options.blocks = 2;
  options.members = 3;
  const Model model = fit(data, options);
  EXPECT_EQ(model.members.size(), 3U);
  EXPECT_LE(model.blocks(), 2U);
  EXPECT_LE(widest_block(model, 0), 10U);
  for (const Network& member : model.members) {
    std::size_t first = 0;
    for (const Branch& branch : member.blocks.at(0).branches) first += branch.frequencies.rows();
    EXPECT_LE(first, 5U);
  }
  ASSERT_TRUE(model.history.final_train_mse.has_value());
  EXPECT_NEAR(*model.history.final_train_mse, error_on(model, data), 1e-9 * variance(data));
}

TEST(Automatic, BranchesAreThoseAskedFor) {
  const Dataset data = generate(Target::sine, 1000, 2);
  Options options = one_thread();
  options.width = 3;
  options.blocks = 4;
  options.members = 1;
  for (const Branches branches : {Branches::joint, Branches::input_state}) {
    options.branches = branches;
    const Model model = fit(data, options);
    ASSERT_GE(model.blocks(), 2U);
    for (std::size_t l = 1; l < model.blocks(); ++l)
      for (const Branch& branch : model.members[0].blocks[l].branches)
        EXPECT_EQ(branch.kind == BranchKind::joint, branches == Branches::joint);
  }
}

TEST(Automatic, RefinementCanBeSwitchedOffAndTheRidgeGiven) {
  const Dataset data = wavy_data(500), test = wavy_data(500, 1, 1, 7);
  Options options = one_thread();
  options.width = 8;
  options.members = 1;
  const double refined = error_on(fit(data, options), test);
  options.refine = false;
  options.blocks = 3;
  options.ridge = {1e-3};
  const Model plain = fit(data, options);
  expect_valid(plain, data);
  EXPECT_LT(refined, 1e-8);
  EXPECT_GT(error_on(plain, test), 1e-8);
  for (const BlockRecord& record : plain.history.blocks) EXPECT_EQ(record.ridge, 1e-3);
}

TEST(Automatic, StopsAtTheWantedError) {
  const Dataset data = generate(Target::sine, 1000, 2);
  Options options = one_thread();
  options.width = 4;
  options.members = 1;
  options.tolerance = 0.05;
  const Model model = fit(data, options);
  EXPECT_EQ(model.stop_reason, StopReason::tolerance);
  options.tolerance = 0.0;
  EXPECT_LT(model.blocks(), fit(data, options).blocks());
}

TEST(Automatic, GivenValidationRowsAreNotTrainedOn) {
  const Dataset data = wavy_data(300, 2), validation = wavy_data(100, 2, 1, 8);
  Options options = one_thread();
  options.validation_fraction = 0.0;
  FitExtras extras;
  extras.validation = validation;
  const Model model = fit(data, options, extras);
  EXPECT_EQ(model.train_rows, 300U);
  EXPECT_EQ(model.validation_rows, 100U);
  expect_valid(model, data);
  ASSERT_TRUE(model.history.final_validation_mse.has_value());
  EXPECT_NEAR(*model.history.final_validation_mse, error_on(model, validation), 1e-9);
}

TEST(Automatic, SaysThatRowsTrainedOnCannotJudge) {
  const Dataset data = wavy_data(100);
  for (const Preset preset : {Preset::automatic, Preset::paper}) {
    Options options = testing::short_options(1, 5);
    options.preset = preset;
    FitExtras extras;
    extras.validation = data;
    const Model model = fit(data, options, extras);
    ASSERT_EQ(model.warnings.size(), 1U);
    EXPECT_NE(model.warnings[0].find("rows that are trained on"), std::string::npos) << model.warnings[0];
    const Dataset others = wavy_data(100, 1, 1, 8);
    extras.validation = others;
    EXPECT_TRUE(fit(data, options, extras).warnings.empty());
  }
}

/// Ends the run at its n-th look.
class Impatient final : public Observer {
 public:
  explicit Impatient(int looks) : looks_(looks) {}
  bool progress(const Progress& now) override {
    stages += now.stage.empty() ? 0 : 1;
    return looks_-- > 0;
  }
  int stages = 0;

 private:
  int looks_;
};

TEST(Automatic, InterruptedKeepsWhatItHas) {
  const Dataset data = wavy_data(3000, 4, 1, 1, 0.1);
  for (const int looks : {0, 1, 4}) {
    Impatient observer(looks);
    FitExtras extras;
    extras.observer = &observer;
    const Model model = fit(data, one_thread(), extras);
    EXPECT_EQ(model.stop_reason, StopReason::interrupted);
    expect_valid(model, data);
  }
}

TEST(Automatic, CheckpointsAreModels) {
  const Dataset data = wavy_data(200, 2, 1, 1, 0.05);
  Options options = one_thread();
  options.width = 4;
  options.blocks = 2;
  options.members = 2;
  FitExtras extras;
  int seen = 0;
  // One: the networks chosen, before they are fitted to all rows.
  extras.checkpoint = [&](const Model& so_far) {
    ++seen;
    expect_valid(so_far, data);
    EXPECT_EQ(so_far.members.size(), 2U);
    EXPECT_GT(so_far.blocks(), 0U);
  };
  const Model model = fit(data, options, extras);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(model.members.size(), 2U);
}

TEST(Automatic, RowsPerBlockAreRefused) {
  FitExtras extras;
  extras.rows_per_block = {{0, 1, 2}};
  EXPECT_THROW(fit(wavy_data(20), one_thread(), extras), UsageError);
}

}  // namespace
}  // namespace rfnn::training
