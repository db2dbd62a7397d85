// When training ends, with what model, and what it says about it.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "identities/naive_training.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"
#include "training/expect_valid.hpp"

namespace rfnn::training {
namespace {

using testing::expect_valid;
using testing::mse;
using testing::short_options;
using testing::wavy_data;

TEST(Stopping, FixedNumberOfBlocksAndIterations) {
  const Dataset data = wavy_data(80);
  const Model model = fit(data, short_options(3, 12));
  EXPECT_EQ(model.stop_reason, StopReason::all_blocks);
  ASSERT_EQ(model.history.blocks.size(), 3U);
  EXPECT_EQ(model.blocks(), 3U);
  for (std::size_t l = 0; l < 3; ++l) {
    const BlockRecord& record = model.history.blocks[l];
    EXPECT_EQ(record.block, static_cast<std::int64_t>(l + 1));
    EXPECT_EQ(record.member, 0);
    EXPECT_EQ(record.method, Method::sampled);
    EXPECT_EQ(record.iterations, 12);
    EXPECT_TRUE(record.complete);
    EXPECT_EQ(record.rows, 80U);
    EXPECT_EQ(record.width, 4);
    EXPECT_EQ(record.ridge, 1e-4);
    EXPECT_FALSE(record.validation_mse.has_value());
    EXPECT_EQ(record.branches.size(), l == 0 ? 1U : 2U);
    EXPECT_GE(record.seconds, 0.0);
  }
  EXPECT_TRUE(model.history.rate_slope.has_value());
  EXPECT_EQ(model.train_rows, 80U);
  EXPECT_EQ(model.validation_rows, 0U);
  EXPECT_TRUE(model.warnings.empty());
  expect_valid(model, data);
}

TEST(Stopping, NoBlocksIsTheMean) {
  const Dataset data = wavy_data(80);
  const Model model = fit(data, short_options(0, 12));
  EXPECT_EQ(model.stop_reason, StopReason::all_blocks);
  EXPECT_EQ(model.blocks(), 0U);
  EXPECT_NEAR(mse(data.targets, predict(model, data.inputs.view())), model.history.empty_train_mse, 1e-14);
  expect_valid(model, data);
}

TEST(Stopping, NoIterationsIsRandomFeaturesRegression) {
  const Dataset data = wavy_data(80);
  const Model model = fit(data, short_options(3, 0));
  EXPECT_EQ(model.blocks(), 3U);
  EXPECT_EQ(model.history.blocks[2].iterations, 0);
  EXPECT_EQ(model.history.blocks[2].branches[0].proposed, 0U);
  expect_valid(model, data);
}

TEST(Stopping, OneFeatureIsEnough) {
  const Dataset data = wavy_data(80, 2, 2);
  const Model model = fit(data, short_options(3, 10, 1));
  EXPECT_EQ(model.members[0].blocks[2].branches[1].frequencies.rows(), 1U);
  expect_valid(model, data);
}

TEST(Stopping, ToleranceOnTheTrainingRows) {
  const Dataset data = wavy_data(200);
  Options options = short_options(50, 100, 2);
  options.keep = Keep::best;
  options.tolerance = 0.005;
  const Model model = fit(data, options);
  ASSERT_EQ(model.stop_reason, StopReason::tolerance) << model.stop_text;
  const auto& blocks = model.history.blocks;
  EXPECT_EQ(model.blocks(), blocks.size());
  EXPECT_GT(blocks.size(), 1U);
  EXPECT_LE(blocks.back().train_mse, 0.005);
  for (std::size_t l = 0; l + 1 < blocks.size(); ++l) EXPECT_GT(blocks[l].train_mse, 0.005);
  expect_valid(model, data);
}

TEST(Stopping, ToleranceOnTheValidationRows) {
  const Dataset data = wavy_data(300), validation = wavy_data(100, 1, 1, 8);
  Options options = short_options(50, 100, 2);
  options.keep = Keep::best;
  options.tolerance = 0.005;
  FitExtras extras;
  extras.validation = validation;
  const Model model = fit(data, options, extras);
  ASSERT_EQ(model.stop_reason, StopReason::tolerance) << model.stop_text;
  const auto& blocks = model.history.blocks;
  EXPECT_GT(blocks.size(), 1U);
  EXPECT_LE(blocks.back().validation_mse.value(), 0.005);
  for (std::size_t l = 0; l + 1 < blocks.size(); ++l) EXPECT_GT(blocks[l].validation_mse.value(), 0.005);
  EXPECT_EQ(model.validation_rows, 100U);
  EXPECT_EQ(model.train_rows, 300U);
  EXPECT_NE(model.stop_text.find("validation"), std::string::npos);
}

TEST(Stopping, ToleranceIsInTheTargetsUnits) {
  Dataset data = wavy_data(200);
  for (std::size_t i = 0; i < 200; ++i) data.targets(i, 0) *= 1000.0;
  Options options = short_options(50, 100, 6);
  options.keep = Keep::best;
  options.standardise_outputs = true;
  options.tolerance = 0.02 * 1e6;
  const Model model = fit(data, options);
  ASSERT_EQ(model.stop_reason, StopReason::tolerance);
  EXPECT_GT(model.blocks(), 0U);
  EXPECT_LE(mse(data.targets, predict(model, data.inputs.view())), 0.02 * 1e6 * (1.0 + 1e-9));
}

TEST(Stopping, AToleranceTheMeanMeetsNeedsNoBlock) {
  const Dataset data = wavy_data(50);
  Options options = short_options(5, 10);
  options.tolerance = 100.0;
  const Model model = fit(data, options);
  EXPECT_EQ(model.stop_reason, StopReason::tolerance);
  EXPECT_EQ(model.blocks(), 0U);
  expect_valid(model, data);
}

TEST(Stopping, PatienceGoesBackToTheBestAndKeepsTheHistory) {
  // Much noise on few rows: after some gain, later blocks fit the noise and do worse on fresh rows.
  const Dataset data = wavy_data(80, 1, 1, 3, 0.3), validation = wavy_data(200, 1, 1, 4, 0.3);
  Options options = short_options(40, 40, 3);
  options.patience = 3;
  FitExtras extras;
  extras.validation = validation;
  const Model model = fit(data, options, extras);
  ASSERT_EQ(model.stop_reason, StopReason::stalled) << model.stop_text;
  const auto& blocks = model.history.blocks;
  std::size_t best = 0;
  double lowest = model.history.empty_validation_mse.value();
  for (std::size_t l = 0; l < blocks.size(); ++l)
    if (blocks[l].validation_mse.value() < lowest) {
      lowest = blocks[l].validation_mse.value();
      best = l + 1;
    }
  EXPECT_GT(best, 0U) << "proves little";
  EXPECT_EQ(model.blocks(), best);
  EXPECT_EQ(blocks.size(), best + 3);
  EXPECT_NEAR(mse(validation.targets, predict(model, validation.inputs.view())), lowest, 1e-9 * lowest);
  expect_valid(model, data);
}

TEST(Stopping, AValidationFractionIsHeldOut) {
  const Dataset data = wavy_data(200);
  Options options = short_options(2, 10);
  options.validation_fraction = 0.25;
  const Model model = fit(data, options);
  EXPECT_EQ(model.train_rows, 150U);
  EXPECT_EQ(model.validation_rows, 50U);
  EXPECT_TRUE(model.history.blocks[1].validation_mse.has_value());
  EXPECT_EQ(model.history.blocks[0].rows, 150U);
  // Both errors together are that of all rows.
  const double all = mse(data.targets, predict(model, data.inputs.view()));
  const BlockRecord& last = model.history.blocks[1];
  EXPECT_NEAR(0.75 * last.train_mse + 0.25 * last.validation_mse.value(), all, 1e-9 * all);
}

TEST(Stopping, AFlatLossEndsABlockEarly) {
  const Dataset data = wavy_data(100);
  Options options = short_options(3, 1000000);
  options.flat_window = 30;
  options.flat_tolerance = 0.02;
  const Model model = fit(data, options);
  EXPECT_EQ(model.stop_reason, StopReason::all_blocks);
  for (const BlockRecord& record : model.history.blocks) {
    EXPECT_TRUE(record.complete);
    EXPECT_GE(record.iterations, 30);
    EXPECT_LT(record.iterations, 1000000);
  }
  EXPECT_TRUE(model.members == fit(data, options).members);
}

TEST(TimeBudget, EndsWithAValidModel) {
  const Dataset data = wavy_data(100);
  for (const double seconds : {1e-6, 0.05, 0.3}) {
    Options options = short_options(10, 1000000000);
    options.max_time = seconds;
    const Model model = fit(data, options);
    EXPECT_EQ(model.stop_reason, StopReason::out_of_time) << model.stop_text;
    EXPECT_LT(model.seconds, 60.0);
    expect_valid(model, data);
    if (model.blocks() > 0) {
      EXPECT_FALSE(model.history.blocks.back().complete);
      EXPECT_NEAR(model.history.blocks.back().train_mse, mse(data.targets, predict(model, data.inputs.view())), 1e-9);
    }
  }
}

TEST(TimeBudget, CountsFromWhenTheCallerSays) {
  const Dataset data = wavy_data(100);
  Options options = short_options(10, 1000000000);
  options.max_time = 1000.0;
  FitExtras extras;
  extras.started = std::chrono::steady_clock::now() - std::chrono::seconds(2000);
  const Model model = fit(data, options, extras);
  EXPECT_EQ(model.stop_reason, StopReason::out_of_time);
  EXPECT_EQ(model.blocks(), 0U);
  expect_valid(model, data);
}

TEST(TimeBudget, ThatIsAmpleChangesNothing) {
  const Dataset data = wavy_data(100);
  Options options = short_options(2, 10);
  const Model free = fit(data, options);
  options.max_time = 3600.0;
  const Model model = fit(data, options);
  EXPECT_EQ(model.stop_reason, StopReason::all_blocks);
  EXPECT_TRUE(model.members == free.members);
}

/// Notes every call, and says no when told to.
struct Watcher : Observer {
  bool progress(const Progress& where) override {
    note_thread();
    calls.push_back(where);
    return !stop_in_progress(where);
  }
  bool block_done(const BlockRecord& record) override {
    note_thread();
    blocks.push_back(record);
    return record.block != stop_after_block;
  }
  void warning(const std::string& text) override {
    note_thread();
    warnings.push_back(text);
  }
  void note_thread() { elsewhere = elsewhere || std::this_thread::get_id() != caller; }

  std::thread::id caller = std::this_thread::get_id();
  bool elsewhere = false;
  std::vector<Progress> calls;
  std::vector<BlockRecord> blocks;
  std::vector<std::string> warnings;
  std::function<bool(const Progress&)> stop_in_progress = [](const Progress&) { return false; };
  std::int64_t stop_after_block = -1;
};

TEST(Observing, SeesEveryBlockOnTheCallersThread) {
  const Dataset data = wavy_data(5000, 2);
  Options options = short_options(3, 30, 6);
  options.threads = 3;
  Watcher watcher;
  FitExtras extras;
  extras.observer = &watcher;
  const Model model = fit(data, options, extras);
  EXPECT_FALSE(watcher.elsewhere);
  EXPECT_EQ(watcher.blocks, model.history.blocks);
  ASSERT_FALSE(watcher.calls.empty());
  for (const Progress& where : watcher.calls) {
    if (where.block == 0) continue;  // still preparing
    EXPECT_GE(where.block, 1);
    EXPECT_LE(where.block, 3);
    EXPECT_EQ(where.blocks, 3);
    EXPECT_EQ(where.iterations, 30);
    EXPECT_LE(where.iteration, 30);
    EXPECT_GE(where.acceptance, 0.0);
    EXPECT_LE(where.acceptance, 1.0);
    EXPECT_GE(where.elapsed, 0.0);
    EXPECT_GT(where.previous_train_mse, 0.0);
    if (where.iteration > 0) {
      EXPECT_TRUE(std::isfinite(where.loss));
    }
  }
  // Watching changes nothing.
  EXPECT_TRUE(fit(data, options).members == model.members);
}

TEST(Observing, ANoEndsTheRunWithAValidModel) {
  const Dataset data = wavy_data(500);
  Options options = short_options(10, 1000000000);
  for (const std::int64_t iteration : {0, 1, 100}) {
    Watcher watcher;
    watcher.stop_in_progress = [&](const Progress& where) { return where.iteration >= iteration; };
    FitExtras extras;
    extras.observer = &watcher;
    const Model model = fit(data, options, extras);
    EXPECT_EQ(model.stop_reason, StopReason::interrupted) << model.stop_text;
    EXPECT_LE(model.blocks(), 1U);
    expect_valid(model, data);
    if (model.blocks() == 1) {
      EXPECT_FALSE(model.history.blocks[0].complete);
      EXPECT_GE(model.history.blocks[0].iterations, iteration);
      EXPECT_NEAR(model.history.blocks[0].train_mse, mse(data.targets, predict(model, data.inputs.view())), 1e-9);
    }
    if (iteration > 0) {
      EXPECT_EQ(model.blocks(), 1U);
    }
  }
}

TEST(Observing, ANoInALaterBlockKeepsTheEarlierOnes) {
  const Dataset data = wavy_data(500);
  Options options = short_options(10, 300);
  const Model whole = fit(data, options);
  options.iterations = 300;
  Watcher watcher;
  watcher.stop_after_block = 2;
  FitExtras extras;
  extras.observer = &watcher;
  const Model model = fit(data, options, extras);
  EXPECT_EQ(model.stop_reason, StopReason::interrupted);
  ASSERT_EQ(model.blocks(), 2U);
  EXPECT_EQ(watcher.blocks.size(), 2U);
  for (std::size_t l = 0; l < 2; ++l) EXPECT_TRUE(model.members[0].blocks[l] == whole.members[0].blocks[l]);
  expect_valid(model, data);
}

TEST(Observing, ANoAfterTheLastBlockComesTooLate) {
  Watcher watcher;
  watcher.stop_after_block = 2;
  FitExtras extras;
  extras.observer = &watcher;
  EXPECT_EQ(fit(wavy_data(50), short_options(2, 5), extras).stop_reason, StopReason::all_blocks);
}

// What comes last is part of the run: error bars, and draws of the chains.
TEST(Observing, ANoWhileErrorBarsAreLearntEndsTheRun) {
  Options options;
  options.threads = 1;
  Watcher watcher;
  watcher.stop_in_progress = [](const Progress& where) { return where.stage == "error bars"; };
  FitExtras extras;
  extras.observer = &watcher;
  const Dataset data = wavy_data(300, 3);
  const Model model = fit(data, options, extras);
  ASSERT_GT(model.blocks(), 0U);
  EXPECT_EQ(model.stop_reason, StopReason::interrupted) << model.stop_text;
  expect_valid(model, data);
}

TEST(Observing, ANoWhileDrawsAreMadeEndsTheRun) {
  Options options = short_options(3, 200);
  options.draws = 50;
  options.burn_in = 50;
  Watcher watcher;
  watcher.stop_in_progress = [](const Progress& where) { return where.stage == "drawing networks from the chains"; };
  FitExtras extras;
  extras.observer = &watcher;
  const Dataset data = wavy_data(2000);
  const Model model = fit(data, options, extras);
  EXPECT_EQ(model.blocks(), 3U);
  EXPECT_EQ(model.stop_reason, StopReason::interrupted) << model.stop_text;
  expect_valid(model, data);
}

TEST(Observing, AnExceptionComesThrough) {
  struct Thrower : Observer {
    bool progress(const Progress&) override { throw std::domain_error("from the observer"); }
  } thrower;
  FitExtras extras;
  extras.observer = &thrower;
  for (const std::int64_t threads : {1, 3}) {
    Options options = short_options(2, 1000, 6);
    options.threads = threads;
    EXPECT_THROW(fit(wavy_data(20000), options, extras), std::domain_error);
  }
}

// So many rows that preparing them takes a while: the observer is heard then, too.
TEST(Observing, GoesOnWhileManyRowsArePrepared) {
  Dataset data{
      testing::uniform_matrix(2000000, 1, 1, -1.0, 1.0), testing::uniform_matrix(2000000, 1, 2, -1.0, 1.0), {}, {}};
  Watcher watcher;
  watcher.stop_in_progress = [](const Progress&) { return true; };
  FitExtras extras;
  extras.observer = &watcher;
  const Model model = fit(data, short_options(2, 10), extras);
  ASSERT_EQ(watcher.calls.size(), 1U) << "asked again after it said no";
  EXPECT_EQ(watcher.calls[0].block, 0);
  EXPECT_FALSE(watcher.elsewhere);
  EXPECT_EQ(model.stop_reason, StopReason::interrupted);
  EXPECT_EQ(model.blocks(), 0U);
  EXPECT_NO_THROW(check(model));
  data.targets(1999999, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(fit(data, short_options(2, 10)), InputError);
}

TEST(Checkpoint, IsAValidModelAfterEveryBlock) {
  const Dataset data = wavy_data(100);
  std::vector<Model> saved;
  FitExtras extras;
  extras.checkpoint = [&](const Model& model) { saved.push_back(model); };
  const Model model = fit(data, short_options(4, 10), extras);
  ASSERT_GE(saved.size(), 3U);  // the last block's model is the result itself
  for (std::size_t l = 0; l < saved.size(); ++l) {
    ASSERT_EQ(saved[l].blocks(), l + 1);
    expect_valid(saved[l], data);
    EXPECT_EQ(predict(saved[l], data.inputs.view()), predict(model, data.inputs.view(), {.blocks = l + 1}));
    EXPECT_EQ(saved[l].history.blocks.size(), l + 1);
  }
}

TEST(Checkpoint, WithPatienceHoldsTheBestSoFar) {
  const Dataset data = wavy_data(80, 1, 1, 3, 0.3), validation = wavy_data(200, 1, 1, 4, 0.3);
  Options options = short_options(40, 40, 3);
  options.patience = 3;
  FitExtras extras;
  extras.validation = validation;
  bool went_back = false;
  extras.checkpoint = [&](const Model& model) {
    double lowest = model.history.empty_validation_mse.value();
    for (const BlockRecord& record : model.history.blocks) lowest = std::min(lowest, record.validation_mse.value());
    EXPECT_NEAR(mse(validation.targets, predict(model, validation.inputs.view())), lowest, 1e-9 * lowest);
    went_back = went_back || model.blocks() < model.history.blocks.size();
  };
  fit(data, options, extras);
  EXPECT_TRUE(went_back);
}

}  // namespace
}  // namespace rfnn::training
