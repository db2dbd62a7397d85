#include "rfnn/baselines/adam.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "baselines/networks.hpp"
#include "identities/naive_training.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/rows/predict.hpp"
#include "training/expect_valid.hpp"

namespace rfnn::baselines {
namespace {

using namespace rfnn::testing;

AdamOptions short_run(std::int64_t epochs, std::int64_t blocks = 3) {
  AdamOptions options;
  options.width = 4;
  options.blocks = blocks;
  options.epochs = epochs;
  options.batch = 64;
  options.learning_rate = 1e-2;
  return options;
}

const Network& network_of(const AdamResult& result) { return result.model.members.front(); }

/// (1/N) Σ |z_L − Q|² + λ |b|² on the data.
double naive_loss(const Model& model, const Network& network, const Dataset& data, double lambda) {
  const Eigen::MatrixXd theta = naive_theta(model, data.inputs), targets = scaled_targets(model, data.targets);
  double loss = (naive_states(network, theta, targets.cols()).back() - targets).squaredNorm() /
                static_cast<double>(data.inputs.rows());
  for (const Block& block : network.blocks) loss += lambda * naive_amplitudes(block).squaredNorm();
  return loss;
}

TEST(Adam, TheLossFallsAndTheCurveTellsIt) {
  const Dataset data = wavy_data(300, 2, 2);
  const AdamResult result = train_with_adam(data, short_run(200));
  expect_valid(result.model, data);
  EXPECT_TRUE(result.complete);
  ASSERT_GT(result.curve.size(), 50U);
  for (std::size_t i = 0; i <= 50; ++i) EXPECT_EQ(result.curve[i].epoch, static_cast<std::int64_t>(i));
  for (std::size_t i = 1; i < result.curve.size(); ++i) EXPECT_LT(result.curve[i - 1].epoch, result.curve[i].epoch);
  EXPECT_LT(result.curve.size(), 150U);
  EXPECT_EQ(result.curve.back().epoch, 200);
  EXPECT_LT(result.curve.back().loss, 0.3 * result.curve.front().loss);
  EXPECT_LT(result.curve.back().mse, 0.5 * result.model.history.empty_train_mse);

  const AdamPoint& end = result.curve.back();
  EXPECT_NEAR(end.loss, naive_loss(result.model, network_of(result), data, 1e-4), 1e-12);
  EXPECT_NEAR(end.mse, mse(data.targets, predict(result.model, data.inputs.view())), 1e-12);
}

TEST(Adam, TheSameSeedGivesTheSameNetworkAndAnotherAnother) {
  const Dataset data = wavy_data(150);
  AdamOptions options = short_run(5);
  const AdamResult one = train_with_adam(data, options), two = train_with_adam(data, options);
  EXPECT_EQ(network_of(one), network_of(two));
  EXPECT_EQ(one.curve.back().loss, two.curve.back().loss);
  options.seed = 2;
  EXPECT_NE(network_of(one), network_of(train_with_adam(data, options)));
}

TEST(Adam, StartsFromTheFrequenciesOfTrainingBlockByBlock) {
  const Dataset data = wavy_data(100, 2);
  AdamOptions adam = short_run(0, 2);
  adam.initial_spread = 3.0;
  Options options = short_options(2, 0);
  options.initial_spread = 3.0;
  const AdamResult start = train_with_adam(data, adam);
  const Model fitted = fit(data, options);
  ASSERT_EQ(network_of(start).blocks.size(), 2U);
  for (std::size_t l = 0; l < 2; ++l) {
    const auto& branches = network_of(start).blocks[l].branches;
    ASSERT_EQ(branches.size(), l + 1);
    for (std::size_t b = 0; b < branches.size(); ++b)
      EXPECT_EQ(branches[b].frequencies, fitted.members[0].blocks[l].branches[b].frequencies);
  }
  EXPECT_EQ(start.model.scaler, fitted.scaler);
  EXPECT_EQ(start.model.data_fingerprint, fitted.data_fingerprint);
  EXPECT_EQ(start.model.inputs, fitted.inputs);
  EXPECT_EQ(start.model.targets, fitted.targets);
}

TEST(Adam, InitialAmplitudesHaveOneOverTheColumnsAsVariance) {
  AdamOptions options = short_run(0, 3);
  options.width = 400;
  const Network network = network_of(train_with_adam(wavy_data(10), options));
  const double columns = 400.0 * 2.0 * 5.0;
  EXPECT_NEAR(squared_amplitudes(network) / columns, 1.0 / columns, 0.15 / columns);
}

/// Adam that makes plain gradient steps: with β₁ = β₂ = 0 and a huge ε a step is α/ε times the gradient, here so short
/// that the gradient stays as it was.
constexpr double plain_rate = 1e-6;
AdamOptions plain_steps(std::int64_t epochs, std::int64_t batch) {
  AdamOptions options = short_run(epochs);
  options.ridge = 0.05;
  options.batch = batch;
  options.beta1 = options.beta2 = 0.0;
  options.epsilon = 1e12;
  options.learning_rate = plain_rate * options.epsilon;
  return options;
}

// An epoch of equal batches goes (number of batches) · ∇ of the whole loss if, and only if, it visits every row once.
void expect_epoch_of_gradients(std::size_t rows, std::int64_t batch) {
  const Dataset data = wavy_data(rows, 2);
  const AdamResult start = train_with_adam(data, plain_steps(0, batch));
  const std::vector<double> before = flat(network_of(start)),
                            after = flat(network_of(train_with_adam(data, plain_steps(1, batch))));
  const std::vector<double> slopes =
      differences(network_of(start), [&](const Network& moved) { return naive_loss(start.model, moved, data, 0.05); });
  const double steps = static_cast<double>(rows) / static_cast<double>(batch);
  double largest = 0.0;
  for (const double slope : slopes) largest = std::max(largest, std::abs(slope));
  for (std::size_t i = 0; i < slopes.size(); ++i)
    EXPECT_NEAR((before[i] - after[i]) / plain_rate, steps * slopes[i], 1e-4 * steps * largest) << "parameter " << i;
}

TEST(Adam, AnEpochOfManyBatchesUsesEachRowOnce) { expect_epoch_of_gradients(120, 20); }

TEST(Adam, ABatchOfSeveralTilesIsOneStep) { expect_epoch_of_gradients(600, 600); }

TEST(Adam, TheBatchesAreDrawnAnewEveryEpoch) {
  // A row counts for more in the smaller last batch: where an epoch leads depends on the rows that fall into it.
  const Dataset data = wavy_data(30);
  std::vector<std::vector<double>> at;
  for (const std::int64_t epochs : {0, 1, 2, 3})
    at.push_back(flat(network_of(train_with_adam(data, plain_steps(epochs, 20)))));
  const auto way = [&](std::size_t epoch) {
    std::vector<double> difference;
    for (std::size_t i = 0; i < at[0].size(); ++i) difference.push_back((at[epoch][i] - at[epoch - 1][i]) / plain_rate);
    return difference;
  };
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
  };
  const double length = distance(way(1), std::vector<double>(at[0].size(), 0.0));
  EXPECT_GT(distance(way(1), way(2)), 0.01 * length);
  EXPECT_GT(distance(way(2), way(3)), 0.01 * length);
  // From the data's own order too.
  std::vector<double> in_order(at[0].size(), 0.0);
  const AdamResult start = train_with_adam(data, plain_steps(0, 20));
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 20}, {20, 10}}) {
    Dataset part = data;
    part.inputs = to_matrix(to_eigen(data.inputs).middleRows(index(first), index(count)));
    part.targets = to_matrix(to_eigen(data.targets).middleRows(index(first), index(count)));
    const std::vector<double> slopes = differences(
        network_of(start), [&](const Network& moved) { return naive_loss(start.model, moved, part, 0.05); });
    for (std::size_t i = 0; i < slopes.size(); ++i) in_order[i] -= slopes[i];
  }
  EXPECT_GT(distance(way(1), in_order), 0.01 * length);
}

TEST(Adam, ReachesATargetTheNetworkCanRepresent) {
  // One block, d = 1, frequencies near the start: cos 1.3 θ + 0.5 sin 0.4 θ of the standardised input.
  Dataset data{uniform_matrix(200, 1, 1, -1.0, 1.0), Matrix(200, 1), {}, {}};
  for (std::size_t i = 0; i < 200; ++i) {
    const double theta = std::sqrt(3.0) * data.inputs(i, 0);
    data.targets(i, 0) = std::cos(1.3 * theta) + 0.5 * std::sin(0.4 * theta);
  }
  AdamOptions options = short_run(1500, 1);
  options.ridge = 0.0;
  options.learning_rate = 5e-3;
  const AdamResult result = train_with_adam(data, options);
  EXPECT_LT(result.curve.back().mse, 1e-5);
}

TEST(Adam, TheModelReadsBackAndPredictsTheSame) {
  const Dataset data = wavy_data(130, 3, 2);
  const AdamResult result = train_with_adam(data, short_run(3));
  const Model copy = model_from_bytes(model_to_bytes(result.model), "copy");
  EXPECT_EQ(copy.members, result.model.members);
  EXPECT_EQ(predict(copy, data.inputs.view()), predict(result.model, data.inputs.view()));
  EXPECT_NE(copy.stop_text.find("Adam"), std::string::npos);
  EXPECT_EQ(copy.options.width, 4);
  EXPECT_EQ(copy.options.blocks, 3);
  EXPECT_EQ(copy.options.ridge, std::vector<double>{1e-4});
  EXPECT_EQ(copy.facts.at("training"), "adam");
  EXPECT_EQ(copy.facts.at("adam_epochs"), "3");
  EXPECT_EQ(copy.facts.at("adam_learning_rate"), "0.01");
  EXPECT_EQ(copy.train_rows, 130U);
  EXPECT_EQ(copy.history, result.model.history);
  EXPECT_GT(copy.history.empty_train_mse, 0.0);
}

TEST(Adam, CanBeEndedAfterAnyEpoch) {
  const Dataset data = wavy_data(100);
  std::vector<std::int64_t> asked;
  const AdamResult cut = train_with_adam(data, short_run(1000), [&](std::int64_t epoch) {
    asked.push_back(epoch);
    return epoch < 77;
  });
  EXPECT_FALSE(cut.complete);
  expect_valid(cut.model, data);
  EXPECT_EQ(cut.model.stop_reason, StopReason::interrupted);
  EXPECT_NE(cut.model.stop_text.find("77 of 1000"), std::string::npos) << cut.model.stop_text;
  EXPECT_EQ(cut.curve.back().epoch, 77);
  ASSERT_EQ(asked.size(), 77U);
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i], static_cast<std::int64_t>(i) + 1);

  // What is there is what so many epochs give.
  const AdamResult whole = train_with_adam(data, short_run(77), [](std::int64_t epoch) { return epoch < 77; });
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.model.stop_reason, StopReason::all_blocks);
  EXPECT_EQ(network_of(whole), network_of(cut));
}

TEST(Adam, AConstantInputIsLeftOut) {
  Dataset data = wavy_data(50, 2);
  for (std::size_t i = 0; i < 50; ++i) data.inputs(i, 1) = 4.0;
  const AdamResult result = train_with_adam(data, short_run(2));
  expect_valid(result.model, data);
  EXPECT_EQ(result.model.used_inputs(), 1U);
}

TEST(Adam, WithNothingToLearnTheMeanIsTheModel) {
  Dataset data = wavy_data(50, 1, 2);
  Dataset flat_inputs = data;
  for (std::size_t i = 0; i < 50; ++i) flat_inputs.inputs(i, 0) = 1.0;
  for (std::size_t i = 0; i < 100; ++i) data.targets.data()[i] = 7.0;
  const AdamResult constant = train_with_adam(data, short_run(2)), blind = train_with_adam(flat_inputs, short_run(2));
  expect_valid(constant.model, data);
  expect_valid(blind.model, flat_inputs);
  EXPECT_EQ(constant.model.stop_reason, StopReason::constant_target);
  EXPECT_EQ(blind.model.stop_reason, StopReason::no_inputs);
  EXPECT_DOUBLE_EQ(predict(constant.model, data.inputs.view())(3, 1), 7.0);
  EXPECT_DOUBLE_EQ(blind.curve.back().mse, blind.model.history.empty_train_mse);
}

TEST(Adam, RefusesSettingsThatMakeNoSense) {
  const Dataset data = wavy_data(20);
  const auto refuses = [&](const auto& change) {
    AdamOptions options = short_run(1);
    change(options);
    EXPECT_THROW(train_with_adam(data, options), UsageError);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses([](AdamOptions& o) { o.width = 0; });
  refuses([](AdamOptions& o) { o.blocks = 0; });
  refuses([](AdamOptions& o) { o.epochs = -1; });
  refuses([](AdamOptions& o) { o.batch = 0; });
  refuses([](AdamOptions& o) { o.learning_rate = 0.0; });
  refuses([&](AdamOptions& o) { o.learning_rate = nan; });
  refuses([](AdamOptions& o) { o.beta1 = 1.0; });
  refuses([](AdamOptions& o) { o.beta2 = -0.1; });
  refuses([](AdamOptions& o) { o.epsilon = 0.0; });
  refuses([](AdamOptions& o) { o.ridge = -1.0; });
}

TEST(Adam, SaysWhenItDiverges) {
  AdamOptions options = short_run(3);
  options.learning_rate = 1e200;
  EXPECT_THROW(train_with_adam(wavy_data(50), options), NumericalError);
}

}  // namespace
}  // namespace rfnn::baselines
