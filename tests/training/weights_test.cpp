// How much rows count, in what order they come, and going on from a network trained before.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "identities/naive_training.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn::training {
namespace {

using testing::mse;

double wave(double x1, double x2) { return std::sin(3.0 * x1) + 0.5 * x2 * x2; }

Dataset noisy_rows(std::size_t count, std::size_t inputs, std::uint64_t seed = 1) {
  Dataset data{Matrix(count, inputs), Matrix(count, 1), {}, {}, {}};
  const Stream stream(seed, Purpose::data);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < inputs; ++k) data.inputs(i, k) = 2.0 * stream.uniform(i * inputs + k) - 1.0;
    data.targets(i, 0) =
        wave(data.inputs(i, 0), data.inputs(i, inputs - 1)) + 0.1 * Stream(seed, Purpose::noise).normal(i);
  }
  return data;
}

/// Rows as often as their weights say, shuffled.
Dataset repeated(const Dataset& data) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < data.inputs.rows(); ++i)
    list.insert(list.end(), static_cast<std::size_t>(data.weights[i]), i);
  const Stream stream(7, Purpose::split);
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[stream.bits(i) % i]);
  Dataset other{Matrix(list.size(), data.inputs.cols()), Matrix(list.size(), 1), {}, {}, {}};
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t k = 0; k < data.inputs.cols(); ++k) other.inputs(i, k) = data.inputs(list[i], k);
    other.targets(i, 0) = data.targets(list[i], 0);
  }
  return other;
}

Options of_preset(Preset preset) {
  Options options = preset_options(preset);
  options.threads = 1;
  if (preset == Preset::paper) {
    options.blocks = 3;
    options.iterations = 60;
    options.burn_in = 10;
  } else {
    options.blocks = 3;
  }
  return options;
}

void expect_same_network(const Model& a, const Model& b) {
  EXPECT_EQ(a.scaler, b.scaler);
  ASSERT_EQ(a.members.size(), b.members.size());
  for (std::size_t e = 0; e < a.members.size(); ++e) {
    ASSERT_EQ(a.members[e].blocks.size(), b.members[e].blocks.size());
    for (std::size_t l = 0; l < a.members[e].blocks.size(); ++l)
      EXPECT_TRUE(a.members[e].blocks[l] == b.members[e].blocks[l]) << "member " << e << ", block " << l + 1;
  }
}

class Weights : public ::testing::TestWithParam<Preset> {};

TEST_P(Weights, IntegerOnesAreRepeatedRowsInAnyOrder) {
  for (const std::size_t inputs : {1U, 3U}) {
    Dataset data = noisy_rows(120, inputs);
    for (std::size_t i = 0; i < 120; ++i) data.weights.push_back(static_cast<double>(i % 4));  // some are zero
    for (const double fraction : {0.0, 0.2}) {
      Options options = of_preset(GetParam());
      options.validation_fraction = fraction;
      const Model weighted = fit(data, options), plain = fit(repeated(data), options);
      expect_same_network(weighted, plain);
      EXPECT_EQ(weighted.history.empty_train_mse, plain.history.empty_train_mse);
      EXPECT_EQ(final_errors(weighted).train, final_errors(plain).train);
      EXPECT_EQ(plain.train_rows + plain.validation_rows, 180U);
      EXPECT_EQ(weighted.train_rows + weighted.validation_rows, 90U);
    }
  }
}

TEST_P(Weights, OnlyTheirRatiosMatter) {
  Dataset data = noisy_rows(80, 2);
  for (std::size_t i = 0; i < 80; ++i) data.weights.push_back(0.25 + 0.01 * static_cast<double>(i));
  const Model model = fit(data, of_preset(GetParam()));
  for (double& weight : data.weights) weight *= 1024.0;
  expect_same_network(model, fit(data, of_preset(GetParam())));
}

TEST_P(Weights, RowsThatCountMoreAreFittedBetter) {
  // Two functions share their inputs; the one whose rows count is learnt.
  Dataset data = noisy_rows(300, 1);
  for (std::size_t i = 0; i < 300; ++i) {
    data.weights.push_back(i % 2 == 0 ? 1.0 : 1e-4);
    if (i % 2 == 1) data.targets(i, 0) = 5.0;
  }
  Options options = of_preset(GetParam());
  options.validation_fraction = 0.0;
  if (GetParam() == Preset::automatic) options.validation_fraction = 0.1;
  const Model model = fit(data, options);
  const Matrix out = predict(model, data.inputs.view());
  double error = 0.0;
  for (std::size_t i = 0; i < 300; i += 2) error += std::pow(out(i, 0) - data.targets(i, 0), 2) / 150.0;
  EXPECT_LT(error, 0.05);
}

TEST_P(Weights, OfValidationRowsCountInItsError) {
  const Dataset data = noisy_rows(100, 2);
  Dataset validation = noisy_rows(40, 2, 3);
  for (std::size_t i = 0; i < 40; ++i) validation.weights.push_back(static_cast<double>(i % 3));
  const Dataset all = repeated(validation);
  FitExtras weighted, plain;
  weighted.validation = validation;
  plain.validation = all;
  const Model a = fit(data, of_preset(GetParam()), weighted), b = fit(data, of_preset(GetParam()), plain);
  expect_same_network(a, b);
  EXPECT_EQ(a.history.empty_validation_mse, b.history.empty_validation_mse);
  EXPECT_EQ(final_errors(a).validation, final_errors(b).validation);
}

TEST_P(Weights, ThatAreNoneAreRefused) {
  Dataset data = noisy_rows(20, 1);
  data.weights.assign(20, 1.0);
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    data.weights[4] = bad;
    try {
      fit(data, of_preset(GetParam()));
      FAIL();
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("Row 5"), std::string::npos) << error.what();
    }
  }
  data.weights.assign(20, 0.0);
  EXPECT_THROW(fit(data, of_preset(GetParam())), InputError);
  data.weights.assign(19, 1.0);
  EXPECT_THROW(fit(data, of_preset(GetParam())), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Presets, Weights, ::testing::Values(Preset::paper, Preset::automatic),
                         [](const auto& tested) { return tested.param == Preset::paper ? "paper" : "automatic"; });

TEST(GoingOn, GivesTheNetworkThatWasNeverStopped) {
  const Dataset data = noisy_rows(150, 2);
  for (const double fraction : {0.0, 0.2}) {
    Options options = of_preset(Preset::paper);
    options.validation_fraction = fraction;
    options.blocks = 4;
    const Model whole = fit(data, options);
    options.blocks = 2;
    const Model half = fit(data, options);
    options.blocks = 4;
    FitExtras extras;
    extras.start = &half;
    const Model both = fit(data, options, extras);
    expect_same_network(both, whole);
    ASSERT_EQ(both.history.blocks.size(), 4U);
    for (std::size_t l = 0; l < 4; ++l) {
      EXPECT_EQ(both.history.blocks[l].block, static_cast<std::int64_t>(l + 1));
      EXPECT_EQ(both.history.blocks[l].train_mse, whole.history.blocks[l].train_mse);
      EXPECT_EQ(both.history.blocks[l].validation_mse, whole.history.blocks[l].validation_mse);
    }
    EXPECT_EQ(both.stop_reason, StopReason::all_blocks);
    extras.start = &whole;  // nothing is left to do
    expect_same_network(fit(data, options, extras), whole);
  }
}

TEST(GoingOn, AddsBlocksToEveryMember) {
  Dataset data = noisy_rows(400, 2);
  for (std::size_t i = 0; i < 400; ++i)
    data.targets(i, 0) = std::sin(9.0 * data.inputs(i, 0)) * std::sin(7.0 * data.inputs(i, 1));
  Options options = of_preset(Preset::automatic);
  options.blocks = 1;
  options.width = 3;
  options.members = 2;
  const Model first = fit(data, options);
  ASSERT_EQ(first.members.size(), 2U);
  struct Seen final : Observer {
    std::vector<std::int64_t> blocks;
    bool block_done(const BlockRecord& record) override {
      blocks.push_back(record.block);
      return true;
    }
  } seen;
  options.blocks = 4;
  FitExtras extras;
  extras.start = &first;
  extras.observer = &seen;
  const Model more = fit(data, options, extras);
  ASSERT_EQ(more.members.size(), 2U);
  for (std::size_t e = 0; e < 2; ++e) {
    ASSERT_GT(more.members[e].blocks.size(), 1U);
    EXPECT_TRUE(more.members[e].blocks[0] == first.members[e].blocks[0]);
  }
  EXPECT_LT(mse(data.targets, predict(more, data.inputs.view())),
            0.5 * mse(data.targets, predict(first, data.inputs.view())));
  ASSERT_FALSE(seen.blocks.empty());
  EXPECT_GT(*std::min_element(seen.blocks.begin(), seen.blocks.end()), 1);  // of those added alone
  EXPECT_EQ(more.history.blocks.size(), seen.blocks.size() + 2);
}

TEST(GoingOn, KeepsWhatThereWasWhenItIsStopped) {
  const Dataset data = noisy_rows(200, 2);
  struct Stop final : Observer {
    bool progress(const Progress&) override { return false; }
  } stop;
  for (const Preset preset : {Preset::paper, Preset::automatic}) {
    Options options = of_preset(preset);
    options.members = preset == Preset::automatic ? 2 : 1;
    options.blocks = 1;
    const Model first = fit(data, options);
    options.blocks = 5;
    FitExtras extras;
    extras.start = &first;
    extras.observer = &stop;
    const Model model = fit(data, options, extras);
    ASSERT_EQ(model.members.size(), first.members.size());
    EXPECT_EQ(model.stop_reason, StopReason::interrupted);
    for (std::size_t e = 0; e < model.members.size(); ++e) {
      ASSERT_GE(model.members[e].blocks.size(), first.members[e].blocks.size());
      for (std::size_t l = 0; l < first.members[e].blocks.size(); ++l)
        EXPECT_TRUE(model.members[e].blocks[l] == first.members[e].blocks[l]);
    }
  }
}

TEST(GoingOn, NeedsTheSameColumns) {
  const Model first = fit(noisy_rows(60, 2), of_preset(Preset::automatic));
  FitExtras extras;
  extras.start = &first;
  EXPECT_THROW(fit(noisy_rows(60, 3), of_preset(Preset::automatic), extras), UsageError);
}

}  // namespace
}  // namespace rfnn::training
