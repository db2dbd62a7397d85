// Data as people have it: constant, collinear, tiny, huge, few, broken.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

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
using testing::to_eigen;
using testing::wavy_data;

/// `data` with column k replaced.
template <class F>
Dataset with_column(Dataset data, std::size_t k, F value) {
  for (std::size_t i = 0; i < data.inputs.rows(); ++i) data.inputs(i, k) = value(i);
  return data;
}

bool any_says(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

TEST(ConstantTarget, IsItsOwnModel) {
  Dataset data = wavy_data(30, 2, 2);
  for (std::size_t i = 0; i < 30; ++i) {
    data.targets(i, 0) = 0.1;
    data.targets(i, 1) = -1e12;
  }
  const Model model = fit(data, short_options(3, 10));
  EXPECT_EQ(model.stop_reason, StopReason::constant_target);
  EXPECT_EQ(model.blocks(), 0U);
  const Matrix predictions = predict(model, data.inputs.view());
  EXPECT_EQ(predictions, data.targets);
  expect_valid(model, data);
}

TEST(ConstantTarget, AmongOthersIsTrainedAlong) {
  for (const bool standardise : {false, true}) {
    Dataset data = wavy_data(100, 1, 2);
    for (std::size_t i = 0; i < 100; ++i) data.targets(i, 1) = 3.0;
    Options options = short_options(2, 20);
    options.standardise_outputs = standardise;
    const Model model = fit(data, options);
    EXPECT_EQ(model.stop_reason, StopReason::all_blocks);
    expect_valid(model, data);
    if (standardise) {
      const Matrix predictions = predict(model, data.inputs.view());
      for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(predictions(i, 1), 3.0, 1e-9);
    }
  }
}

TEST(ConstantInput, IsLeftOutWithAWarning) {
  const Dataset plain = wavy_data(100, 2);
  Dataset data = plain;
  data.inputs = Matrix(100, 4);
  for (std::size_t i = 0; i < 100; ++i) {
    data.inputs(i, 0) = 7.0;
    data.inputs(i, 1) = plain.inputs(i, 0);
    data.inputs(i, 2) = 1.0 + 2e-15 * static_cast<double>(i % 2);  // constant up to rounding
    data.inputs(i, 3) = plain.inputs(i, 1);
  }
  data.input_names = {"seven", "a", "nearly one", "b"};
  struct Listener : Observer {
    void warning(const std::string& text) override { heard.push_back(text); }
    std::vector<std::string> heard;
  } listener;
  FitExtras extras;
  extras.observer = &listener;
  const Options options = short_options(2, 20);
  const Model model = fit(data, options, extras);
  EXPECT_EQ(model.used_inputs(), 2U);
  ASSERT_EQ(model.inputs.size(), 4U);
  EXPECT_FALSE(model.inputs[0].used);
  EXPECT_TRUE(model.inputs[1].used);
  EXPECT_FALSE(model.inputs[2].used);
  EXPECT_TRUE(any_says(model.warnings, "seven"));
  EXPECT_TRUE(any_says(model.warnings, "nearly one"));
  EXPECT_FALSE(any_says(model.warnings, "'a'"));
  EXPECT_EQ(listener.heard, model.warnings);
  // The others are trained on as if it were not there.
  EXPECT_TRUE(model.members == fit(plain, options).members);
  expect_valid(model, data);
}

TEST(ConstantInput, AllOfThemLeaveTheMean) {
  const Dataset data = with_column(wavy_data(30), 0, [](std::size_t) { return 4.5; });
  const Model model = fit(data, short_options(3, 10));
  EXPECT_EQ(model.stop_reason, StopReason::no_inputs);
  EXPECT_EQ(model.blocks(), 0U);
  EXPECT_NEAR(predict(model, data.inputs.view())(0, 0), model.targets[0].mean, 0.0);
  expect_valid(model, data);
}

TEST(Scales, InputsOfAnySizeAreTheSameProblem) {
  const Dataset data = wavy_data(150);
  const Options options = short_options(2, 40, 6);
  const double usual = fit(data, options).history.blocks.back().train_mse;
  for (const double scale : {1e-19, 1e12, 1e-150, 1e150}) {
    const Dataset scaled = with_column(data, 0, [&](std::size_t i) { return scale * data.inputs(i, 0); });
    const Model model = fit(scaled, options);
    EXPECT_NEAR(model.history.blocks.back().train_mse, usual, 1e-4 * usual) << scale;
    EXPECT_NEAR(mse(scaled.targets, predict(model, scaled.inputs.view())), usual, 1e-4 * usual) << scale;
    for (const Histogram& histogram : model.history.blocks[0].branches[0].accepted_frequencies)
      EXPECT_TRUE(std::isfinite(histogram.high));
    expect_valid(model, scaled);
  }
}

TEST(Scales, TargetsOfAnySizeAreTheSameProblemOnceStandardised) {
  const Dataset data = wavy_data(150);
  Options options = short_options(3, 40, 6);
  options.standardise_outputs = true;
  const double usual = fit(data, options).history.blocks.back().train_mse;
  for (const double scale : {1e-19, 1e12, 1e-100, 1e100}) {
    Dataset scaled = data;
    for (std::size_t i = 0; i < 150; ++i) scaled.targets(i, 0) *= scale;
    const Model model = fit(scaled, options);
    EXPECT_NEAR(model.history.blocks.back().train_mse / scale / scale, usual, 1e-4 * usual) << scale;
    expect_valid(model, scaled);
  }
}

TEST(Scales, TargetsOfAnySizeTrainAsTheyAre) {
  const Dataset data = wavy_data(150);
  for (const double scale : {1e-19, 1e12}) {
    Dataset scaled = data;
    for (std::size_t i = 0; i < 150; ++i) scaled.targets(i, 0) *= scale;
    const Model model = fit(scaled, short_options(3, 200, 6));
    EXPECT_LT(model.history.blocks.back().train_mse, 0.5 * model.history.empty_train_mse) << scale;
    EXPECT_TRUE(any_says(model.warnings, "standardise-outputs")) << scale;
    expect_valid(model, scaled);
  }
}

TEST(Scales, ASmallSpreadOnALargeOffsetIsSeen) {
  const Dataset data = wavy_data(150);
  const Dataset moved = with_column(data, 0, [&](std::size_t i) { return 1e6 + 1e-3 * data.inputs(i, 0); });
  const Options options = short_options(2, 40, 6);
  const double usual = fit(data, options).history.blocks.back().train_mse;
  const Model model = fit(moved, options);
  EXPECT_TRUE(model.inputs[0].used);
  EXPECT_NEAR(model.history.blocks.back().train_mse, usual, 0.01 * usual);
}

TEST(Sizes, FewerRowsThanColumns) {
  for (const std::size_t rows : {1U, 2U, 3U, 5U})
    for (const Solver solver : {Solver::cholesky, Solver::qr, Solver::svd, Solver::iterative})
      for (const double ridge : {0.0, 1e-4}) {
        const Dataset data = wavy_data(rows, 2, 2);
        Options options = short_options(3, 15, 6);
        options.solver = solver;
        options.ridge = {ridge};
        const Model model = fit(data, options);
        expect_valid(model, data);
        if (rows > 1) {
          EXPECT_EQ(model.blocks(), 3U);
          EXPECT_LT(model.history.blocks.back().train_mse, model.history.empty_train_mse);
        } else {
          EXPECT_EQ(model.blocks(), 0U);
          EXPECT_EQ(predict(model, data.inputs.view()), data.targets);
        }
      }
}

TEST(Sizes, DuplicatedRowsCountTwice) {
  const Dataset data = wavy_data(60);
  Dataset twice{Matrix(120, 1), Matrix(120, 1), {}, {}};
  for (std::size_t i = 0; i < 120; ++i) {
    twice.inputs(i, 0) = data.inputs(i % 60, 0);
    twice.targets(i, 0) = data.targets(i % 60, 0);
  }
  const Options options = short_options(2, 20);
  const Model one = fit(data, options), two = fit(twice, options);
  EXPECT_LE(
      (to_eigen(predict(one, data.inputs.view())) - to_eigen(predict(two, data.inputs.view()))).cwiseAbs().maxCoeff(),
      1e-6);
}

TEST(Sizes, RowsThatAreAllTheSame) {
  Dataset data = wavy_data(20, 2);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t k = 0; k < 2; ++k) data.inputs(i, k) = data.inputs(0, k);
  const Model model = fit(data, short_options(2, 5));
  EXPECT_EQ(model.stop_reason, StopReason::no_inputs);
  expect_valid(model, data);
}

TEST(Collinear, InputsAndNoRidgeGiveNumbers) {
  Dataset data = wavy_data(60, 3);
  for (std::size_t i = 0; i < 60; ++i) {
    data.inputs(i, 1) = 2.0 * data.inputs(i, 0);
    data.inputs(i, 2) = -data.inputs(i, 0);
  }
  for (const Solver solver : {Solver::cholesky, Solver::qr, Solver::svd, Solver::iterative}) {
    Options options = short_options(3, 30, 6);
    options.ridge = {0.0};
    options.solver = solver;
    expect_valid(fit(data, options), data);
  }
}

TEST(Collinear, FrequenciesFallBackToQrAndAreCounted) {
  const Dataset data = wavy_data(60);
  Options options = short_options(3, 10, 6);
  options.ridge = {0.0};
  options.initial_spread = 1e-8;  // all features alike
  options.delta = 1e-16;
  options.delta_state = 1e-16;
  const Model model = fit(data, options);
  for (const BlockRecord& record : model.history.blocks) EXPECT_GT(record.solver_fallbacks, 0U);
  expect_valid(model, data);
}

/// The message of the error fit() ends with.
template <class Kind>
std::string message(const Dataset& data, const FitExtras& extras = {}) {
  try {
    fit(data, short_options(1, 1), extras);
  } catch (const Kind& error) {
    EXPECT_FALSE(error.cure().empty());
    return error.what();
  }
  ADD_FAILURE() << "no error, or another one";
  return {};
}

TEST(BrokenData, ValuesThatAreNotFiniteAreNamed) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
    Dataset data = wavy_data(20, 3, 2);
    data.input_names = {"a", "b", "c"};
    data.target_names = {"p", "q"};
    Dataset bad_input = data, bad_target = data;
    bad_input.inputs(6, 1) = value;
    bad_target.targets(11, 1) = value;
    const std::string input = message<InputError>(bad_input), target = message<InputError>(bad_target);
    EXPECT_NE(input.find("7"), std::string::npos) << input;
    EXPECT_NE(input.find("'b'"), std::string::npos) << input;
    EXPECT_NE(target.find("12"), std::string::npos) << target;
    EXPECT_NE(target.find("'q'"), std::string::npos) << target;
    FitExtras extras;
    extras.validation = bad_input;
    EXPECT_NE(message<InputError>(data, extras).find("validation"), std::string::npos);
  }
}

TEST(BrokenData, ShapesThatDoNotFit) {
  Dataset data = wavy_data(20, 2);
  Dataset short_targets = data;
  short_targets.targets = Matrix(19, 1);
  message<UsageError>(short_targets);
  message<InputError>(Dataset{Matrix(0, 2), Matrix(0, 1), {}, {}});
  message<UsageError>(Dataset{Matrix(20, 0), Matrix(20, 1), {}, {}});
  message<UsageError>(Dataset{Matrix(20, 2), Matrix(20, 0), {}, {}});
  Dataset names = data;
  names.input_names = {"only one"};
  message<UsageError>(names);
  const Dataset other = wavy_data(5, 3);
  FitExtras extras;
  extras.validation = other;
  message<UsageError>(data, extras);
}

TEST(BrokenData, OptionsOutOfBoundsAreRefusedFirst) {
  Options options = short_options(1, 1);
  options.width = 0;
  EXPECT_THROW(fit(wavy_data(10), options), UsageError);
  options = short_options(1, 1);
  options.gamma = -1.0;
  EXPECT_THROW(fit(wavy_data(10), options), UsageError);
  options = short_options(1, 1);
  options.ridge = {};
  EXPECT_THROW(fit(wavy_data(10), options), UsageError);
}

TEST(BrokenData, ValuesWhoseSquaresOverflowAreRefusedOrTrained) {
  // An error that says so, or a sound model with an error one can read; never infinity, NaN or a crash.
  for (const double scale : {1e160, 1e200, 1e300})
    for (const bool standardise : {false, true})
      for (const Keep keep : {Keep::last, Keep::best}) {
        Dataset data = wavy_data(20);
        for (std::size_t i = 0; i < 20; ++i) data.targets(i, 0) *= scale;
        Options options = short_options(2, 5);
        options.standardise_outputs = standardise;
        options.keep = keep;
        try {
          expect_valid(fit(data, options), data);
        } catch (const NumericalError& error) {
          EXPECT_FALSE(error.cure().empty());
        }
      }
}

}  // namespace
}  // namespace rfnn::training
