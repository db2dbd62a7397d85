// What a model says about the data it was trained on and about how training went.

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "identities/naive_training.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/training/prepare.hpp"

namespace rfnn::training {
namespace {

using testing::mse;
using testing::naive_columns;
using testing::naive_states;
using testing::naive_theta;
using testing::short_options;
using testing::to_eigen;
using testing::wavy_data;

TEST(BlockRowsOption, DisjointPartsSubsetsAndRowsGiven) {
  const Dataset data = wavy_data(100);
  Options options = short_options(3, 10);
  options.block_rows = BlockRows::disjoint;
  const Model disjoint = fit(data, options);
  std::size_t total = 0;
  for (const BlockRecord& record : disjoint.history.blocks) total += record.rows;
  EXPECT_EQ(total, 100U);

  options.block_rows = BlockRows::subset;
  options.subset_fraction = 0.3;
  const Model subset = fit(data, options);
  for (const BlockRecord& record : subset.history.blocks) EXPECT_EQ(record.rows, 30U);
  // The error is that of all training rows, whatever the block saw.
  EXPECT_NEAR(subset.history.blocks[2].train_mse, mse(data.targets, predict(subset, data.inputs.view())), 1e-10);

  options.block_rows = BlockRows::disjoint;
  options.blocks = 101;
  EXPECT_THROW(fit(data, options), UsageError);
}

TEST(BlockRowsOption, RowsHeldOutAreNotTrainedOn) {
  const Dataset data = wavy_data(100);
  Options options = short_options(2, 5);
  options.validation_fraction = 0.3;
  FitExtras extras;
  extras.rows_per_block = {{}};
  for (std::size_t i = 0; i < 100; ++i) extras.rows_per_block[0].push_back(i);
  Model model;
  Interrupt never;
  const PreparedRows prepared = prepare(data, options, extras, model, never);
  const std::set<std::size_t> train(prepared.train_rows.begin(), prepared.train_rows.end());
  ASSERT_EQ(train.size(), 70U);
  const auto places = rows_of_block(1, prepared, options, extras);
  EXPECT_EQ(places.size(), 70U);
  for (std::size_t p = 0; p < places.size(); ++p) EXPECT_EQ(places[p], p);
  EXPECT_EQ(fit(data, options, extras).history.blocks[0].rows, 70U);
  extras.rows_per_block[0].clear();
  for (std::size_t i = 0; i < 100; ++i)
    if (train.count(i) == 0) extras.rows_per_block[0].push_back(i);
  EXPECT_THROW(fit(data, options, extras), UsageError);
}

TEST(BlockRowsOption, RefusesRowsThatAreNotThere) {
  const Dataset data = wavy_data(10);
  FitExtras extras;
  extras.rows_per_block = {{0, 10}};
  EXPECT_THROW(fit(data, short_options(1, 1), extras), UsageError);
  extras.rows_per_block = {{0, 1}, {}};
  EXPECT_THROW(fit(data, short_options(1, 1), extras), UsageError);
}

TEST(Columns, AreDescribedInTheirOwnUnits) {
  Dataset data = wavy_data(100, 2);
  const Model unnamed = fit(data, short_options(0, 0));
  EXPECT_EQ(unnamed.inputs[1].name, "x2");
  EXPECT_EQ(unnamed.targets[0].name, "y");
  data.input_names = {"length", "width"};
  data.target_names = {"area"};
  const Model model = fit(data, short_options(0, 0));
  EXPECT_EQ(model.inputs[0].name, "length");
  EXPECT_EQ(model.targets[0].name, "area");
  const Eigen::VectorXd column = to_eigen(data.inputs).col(1);
  EXPECT_NEAR(model.inputs[1].mean, column.mean(), 1e-13);
  EXPECT_NEAR(model.inputs[1].sd, std::sqrt((column.array() - column.mean()).square().mean()), 1e-13);
  EXPECT_EQ(model.inputs[1].min, column.minCoeff());
  EXPECT_EQ(model.inputs[1].max, column.maxCoeff());
}

TEST(Columns, ScalersSeeTrainingRowsOnly) {
  Dataset data = wavy_data(100), validation = wavy_data(50, 1, 1, 5);
  for (std::size_t i = 0; i < 50; ++i) validation.inputs(i, 0) *= 100.0;
  FitExtras extras;
  extras.validation = validation;
  EXPECT_TRUE(fit(data, short_options(1, 1), extras).scaler == fit(data, short_options(1, 1)).scaler);
}

TEST(Columns, StandardisingIsAnOption) {
  const Dataset data = wavy_data(100);
  Options options = short_options(1, 5);
  options.standardise_inputs = false;
  const Model model = fit(data, options);
  EXPECT_EQ(model.scaler.input_mean[0], 0.0);
  EXPECT_EQ(model.scaler.input_sd[0], 1.0);
  EXPECT_EQ(model.scaler.output_mean[0], 0.0);
  EXPECT_EQ(model.scaler.output_sd[0], 1.0);
  options.standardise_outputs = true;
  EXPECT_NEAR(fit(data, options).scaler.output_mean[0], model.targets[0].mean, 1e-15);
}

TEST(Fingerprint, IsThatOfTheData) {
  const Dataset data = wavy_data(50, 2);
  const Options options = short_options(0, 0);
  const std::string print = fit(data, options).data_fingerprint;
  EXPECT_FALSE(print.empty());
  Options other_options = options;
  other_options.seed = 99;
  EXPECT_EQ(fit(data, other_options).data_fingerprint, print);
  Dataset other_input = data, other_target = data;
  other_input.inputs(49, 1) = std::nextafter(other_input.inputs(49, 1), 10.0);
  other_target.targets(0, 0) = std::nextafter(other_target.targets(0, 0), 10.0);
  EXPECT_NE(fit(other_input, options).data_fingerprint, print);
  EXPECT_NE(fit(other_target, options).data_fingerprint, print);
}

TEST(Records, ConditionIsThatOfTheRegularisedSystem) {
  const Dataset data = wavy_data(100);
  for (const Solver solver : {Solver::cholesky, Solver::svd}) {
    Options options = short_options(2, 20);
    options.solver = solver;
    const Model model = fit(data, options);
    const Eigen::MatrixXd theta = naive_theta(model, data.inputs);
    const auto states = naive_states(model.members[0], theta, 1);
    for (std::size_t l = 0; l < 2; ++l) {
      const Eigen::MatrixXd a = naive_columns(model.members[0].blocks[l], theta, states[l]);
      const Eigen::VectorXd values = (a.transpose() * a + 100.0 * 1e-4 * Eigen::MatrixXd::Identity(a.cols(), a.cols()))
                                         .selfadjointView<Eigen::Lower>()
                                         .eigenvalues();
      EXPECT_NEAR(model.history.blocks[l].condition, values.maxCoeff() / values.minCoeff(),
                  1e-6 * model.history.blocks[l].condition);
    }
  }
}

TEST(Records, HistogramsAreInTheUnitsOfTheInputs) {
  // cos(12 x) on [−1, 1]: 12 rad per unit of x, 7 in standardised units.
  Dataset data{testing::uniform_matrix(300, 1, 6, -1.0, 1.0), Matrix(300, 1), {}, {}};
  for (std::size_t i = 0; i < 300; ++i) data.targets(i, 0) = std::cos(12.0 * data.inputs(i, 0));
  Options options = short_options(1, 4000, 1);
  options.gamma = 6.0;
  options.ridge = {1e-2};  // so that frequencies near zero do not pass for strong ones
  options.burn_in = 2000;
  const Model model = fit(data, options);
  const Histogram& histogram = model.history.blocks[0].branches[0].accepted_frequencies.at(0);
  EXPECT_EQ(histogram.variable, "x1");
  const double width = (histogram.high - histogram.low) / static_cast<double>(histogram.counts.size());
  std::uint64_t near = 0, all = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    all += histogram.counts[i];
    if (std::abs(histogram.low + width * (static_cast<double>(i) + 0.5) - 12.0) < 2.0) near += histogram.counts[i];
  }
  ASSERT_GT(all, 100U);
  EXPECT_GT(static_cast<double>(near) / static_cast<double>(all), 0.7);
}

TEST(Records, HistogramsOfTheStateAreInTheUnitsOfTheTarget) {
  Dataset data = wavy_data(100);
  for (std::size_t i = 0; i < 100; ++i) data.targets(i, 0) *= 1000.0;
  Options options = short_options(2, 50);
  options.standardise_outputs = true;
  options.burn_in = 0;
  const Model model = fit(data, options);
  const Histogram& histogram = model.history.blocks[1].branches[1].accepted_frequencies.at(0);
  EXPECT_EQ(histogram.variable, "y");
  // Ranges start at 8 in standardised units and double.
  const double doublings = std::log2(histogram.high * model.targets[0].sd / 8.0);
  EXPECT_NEAR(doublings, std::round(doublings), 1e-9);
  EXPECT_GE(doublings, 0.0);
  EXPECT_LT(doublings, 5.0);
}

}  // namespace
}  // namespace rfnn::training
