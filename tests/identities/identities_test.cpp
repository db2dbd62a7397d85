// What must hold of every trained network, checked from outside: the model, the data, and the formulas.

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "identities/naive_training.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/finders/sampled/metropolis.hpp"
#include "finders/paper_listing.hpp"

namespace rfnn {
namespace {

using testing::index;
using testing::mse;
using testing::naive_amplitudes;
using testing::naive_columns;
using testing::naive_predict;
using testing::naive_states;
using testing::naive_theta;
using testing::normal_residual;
using testing::scaled_targets;
using testing::short_options;
using testing::to_eigen;
using testing::to_matrix;
using testing::wavy_data;

constexpr Solver all_solvers[] = {Solver::cholesky, Solver::qr, Solver::svd, Solver::iterative};

std::vector<Eigen::Index> indices(const std::vector<std::size_t>& rows) { return {rows.begin(), rows.end()}; }

/// The normal equations of every block on its rows, with r = Q − z before the block.
void expect_normal_equations(const Model& model, const Dataset& data,
                             const std::vector<std::vector<std::size_t>>& rows_of, double tolerance) {
  const Eigen::MatrixXd theta = naive_theta(model, data.inputs), target = scaled_targets(model, data.targets);
  const auto& blocks = model.members.front().blocks;
  const auto states = naive_states(model.members.front(), theta, target.cols());
  for (std::size_t l = 0; l < blocks.size(); ++l) {
    const auto rows = indices(rows_of[l]);
    const Eigen::MatrixXd a = naive_columns(blocks[l], theta, states[l])(rows, Eigen::all);
    const Eigen::MatrixXd r = (target - states[l])(rows, Eigen::all);
    EXPECT_LE(
        normal_residual(a, naive_amplitudes(blocks[l]), r, model.options.ridge_of(static_cast<std::int64_t>(l + 1))),
        tolerance)
        << "block " << l + 1;
  }
}

std::vector<std::vector<std::size_t>> all_rows(std::size_t rows, std::size_t blocks) {
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return std::vector<std::vector<std::size_t>>(blocks, all);
}

TEST(Identities, NormalEquationsHoldInEveryBlock) {
  for (const Solver solver : all_solvers)
    for (const bool standardise_outputs : {false, true})
      for (const Keep keep : {Keep::last, Keep::best}) {
        const Dataset data = wavy_data(200, 2, 2);
        Options options = short_options(4, 20);
        options.solver = solver;
        options.keep = keep;
        options.standardise_outputs = standardise_outputs;
        options.ridge = {1e-3, 1e-4, 1e-5};
        const Model model = fit(data, options);
        ASSERT_EQ(model.blocks(), 4U);
        expect_normal_equations(model, data, all_rows(200, 4), solver == Solver::iterative ? 1e-7 : 1e-10);
      }
}

TEST(Identities, NormalEquationsHoldOnTheRowsOfEachBlock) {
  const Dataset data = wavy_data(200);
  FitExtras extras;
  extras.rows_per_block.resize(3);
  for (std::size_t i = 0; i < 120; ++i) {
    extras.rows_per_block[0].push_back(i);
    extras.rows_per_block[1].push_back(199 - i);
    extras.rows_per_block[2].push_back(i * 7 % 60);  // each twice
  }
  const Model model = fit(data, short_options(4, 20), extras);
  auto rows_of = extras.rows_per_block;
  rows_of.push_back(rows_of.back());  // the last entry serves all later blocks
  expect_normal_equations(model, data, rows_of, 1e-10);
  for (const BlockRecord& record : model.history.blocks) EXPECT_EQ(record.rows, 120U);
}

// The listing's r ← r − z with cumulative z would fit block 3 to Q − z_1 − z_2.
TEST(Identities, TheThirdBlockIsFittedToTheTargetLessTheState) {
  const Dataset data = wavy_data(200);
  const Model model = fit(data, short_options(3, 20));
  const Eigen::MatrixXd theta = naive_theta(model, data.inputs), target = scaled_targets(model, data.targets);
  const auto states = naive_states(model.members.front(), theta, 1);
  const Block& block = model.members.front().blocks[2];
  const Eigen::MatrixXd a = naive_columns(block, theta, states[2]), b = naive_amplitudes(block);
  EXPECT_LE(normal_residual(a, b, target - states[2], 1e-4), 1e-10);
  EXPECT_GE(normal_residual(a, b, target - states[1] - states[2], 1e-4), 1e-3);
}

TEST(Identities, PredictingTheTrainingRowsGivesTheTrainersState) {
  for (const bool standardise_outputs : {false, true}) {
    const Dataset data = wavy_data(600, 2, 2), validation = wavy_data(300, 2, 2, 9);
    Options options = short_options(4, 15);
    options.standardise_outputs = standardise_outputs;
    FitExtras extras;
    extras.validation = validation;
    const Model model = fit(data, options, extras);
    for (std::size_t l = 1; l <= 4; ++l) {
      const BlockRecord& record = model.history.blocks[l - 1];
      const double train = mse(data.targets, predict(model, data.inputs.view(), {.blocks = l}));
      const double held_out = mse(validation.targets, predict(model, validation.inputs.view(), {.blocks = l}));
      EXPECT_NEAR(record.train_mse, train, 1e-10 * train);
      EXPECT_NEAR(record.validation_mse.value(), held_out, 1e-10 * held_out);
    }
    EXPECT_NEAR(model.history.empty_train_mse, mse(data.targets, predict(model, data.inputs.view(), {.blocks = 0})),
                1e-12);
    EXPECT_NEAR(model.history.empty_validation_mse.value(),
                mse(validation.targets, predict(model, validation.inputs.view(), {.blocks = 0})), 1e-12);
    EXPECT_LE((to_eigen(predict(model, data.inputs.view())) - naive_predict(model, data.inputs)).cwiseAbs().maxCoeff(),
              1e-9);
  }
}

TEST(Identities, OnTheSameRowsTheTrainingErrorNeverRises) {
  for (const std::uint64_t seed : {1U, 2U, 3U})
    for (const StateBranch state_branch : {StateBranch::sampled, StateBranch::frozen}) {
      Options options = short_options(8, 20, 3);
      options.seed = seed;
      options.state_branch = state_branch;
      const Model model = fit(wavy_data(150, 2, 2, seed, 0.3), options);
      const auto& blocks = model.history.blocks;
      ASSERT_EQ(blocks.size(), 8U);
      for (std::size_t l = 1; l < blocks.size(); ++l)
        EXPECT_LE(blocks[l].train_mse, blocks[l - 1].train_mse * (1.0 + 1e-12));
    }
}

/// A target made of the very features a block starts from.
Dataset data_in_the_span(const Options& options, std::size_t inputs, std::size_t outputs) {
  Dataset data = wavy_data(200, inputs, outputs);
  Options none = options;
  none.blocks = 0;
  Model scaled = fit(data, none);  // for the scaler
  sampled::BranchMoves moves;
  moves.seed = options.seed;
  moves.block = 1;
  const Matrix omega =
      initial_frequencies(moves, static_cast<std::size_t>(options.width), inputs, options.initial_spread);
  const Eigen::MatrixXd a = testing::naive_features(naive_theta(scaled, data.inputs), omega);
  data.targets = to_matrix(a * to_eigen(testing::normal_matrix(2 * omega.rows(), outputs, 77)));
  return data;
}

TEST(Identities, ATargetInTheSpanIsRecovered) {
  for (const Solver solver : all_solvers)
    for (const std::int64_t iterations : {0, 30}) {
      Options options = short_options(1, iterations, 3);
      options.solver = solver;
      options.keep = Keep::best;
      options.ridge = {0.0};
      options.solver_tolerance = 1e-14;
      options.initial_spread = 2.0;
      const Dataset data = data_in_the_span(options, 2, 2);
      const Model model = fit(data, options);
      const double variance = model.history.empty_train_mse;
      EXPECT_LE(model.history.blocks.at(0).train_mse, (solver == Solver::iterative ? 1e-16 : 1e-20) * variance)
          << "solver " << static_cast<int>(solver);
    }
}

TEST(Identities, AllSolversWalkTheSamePath) {
  const Dataset data = wavy_data(250, 2, 1);
  Options options = short_options(3, 30);
  options.solver_tolerance = 1e-13;
  const Model first = fit(data, options);
  for (const Solver solver : all_solvers) {
    options.solver = solver;
    const Model other = fit(data, options);
    for (std::size_t l = 0; l < 3; ++l)
      for (std::size_t b = 0; b < first.members[0].blocks[l].branches.size(); ++b) {
        const Branch &one = first.members[0].blocks[l].branches[b], &two = other.members[0].blocks[l].branches[b];
        EXPECT_LE((to_eigen(one.frequencies) - to_eigen(two.frequencies)).cwiseAbs().maxCoeff(), 1e-6);
        EXPECT_LE((to_eigen(one.amplitudes) - to_eigen(two.amplitudes)).cwiseAbs().maxCoeff(), 1e-5);
      }
  }
}

// fit() as a whole is the paper's listing on standardised inputs.
TEST(Identities, TrainingIsThePapersListing) {
  const Dataset data = wavy_data(150, 3, 2);
  Options options = short_options(3, 50, 3);
  options.solver = Solver::qr;
  options.gamma = 7.0;
  options.gamma_state = 13.0;
  options.seed = 5;
  const Model model = fit(data, options);

  Eigen::MatrixXd theta = to_eigen(data.inputs);
  for (Eigen::Index k = 0; k < 3; ++k) {
    theta.col(k).array() -= theta.col(k).mean();
    theta.col(k) /= std::sqrt(theta.col(k).squaredNorm() / 150.0);
  }
  testing::ListingSettings settings;
  settings.gamma = 7.0;
  settings.gamma_state = 13.0;
  settings.delta = 2.4 * 2.4 / 3.0;
  settings.delta_state = 2.4 * 2.4 / 2.0;
  settings.seed = 5;
  testing::Listing listing(theta, to_eigen(data.targets), settings);
  const auto listed = listing.train();
  for (std::size_t l = 0; l < 3; ++l) {
    const auto& branches = model.members[0].blocks[l].branches;
    EXPECT_LE((to_eigen(branches[0].frequencies) - listed[l].omega.back()).cwiseAbs().maxCoeff(), 1e-6);
    if (l > 0) {
      EXPECT_LE((to_eigen(branches[1].frequencies) - listed[l].omega_state.back()).cwiseAbs().maxCoeff(), 1e-6);
    }
  }
  EXPECT_LE((to_eigen(predict(model, data.inputs.view())) - listing.z).cwiseAbs().maxCoeff(), 1e-6);
}

void expect_same_tensors(const Model& one, const Model& two) {
  EXPECT_TRUE(one.members == two.members);
  EXPECT_TRUE(one.scaler == two.scaler);
  EXPECT_EQ(one.inputs, two.inputs);
  EXPECT_EQ(one.data_fingerprint, two.data_fingerprint);
  ASSERT_EQ(one.history.blocks.size(), two.history.blocks.size());
  for (std::size_t l = 0; l < one.history.blocks.size(); ++l) {
    BlockRecord left = one.history.blocks[l], right = two.history.blocks[l];
    left.seconds = right.seconds = 0.0;
    EXPECT_TRUE(left == right) << "record of block " << l + 1;
  }
}

TEST(Identities, BitsDoNotDependOnTheNumberOfThreads) {
  const Dataset data = wavy_data(20000, 2, 2);
  for (const Solver solver : all_solvers) {
    Options options = short_options(2, 4, 6);
    options.solver = solver;
    options.validation_fraction = 0.1;
    Model one = fit(data, options);
    for (const std::int64_t threads : {2, 4}) {
      options.threads = threads;
      Model several = fit(data, options);
      if (solver == Solver::iterative) {  // knows no condition number, and no NaN equals another
        for (Model* model : {&one, &several})
          for (BlockRecord& record : model->history.blocks) record.condition = 0.0;
      }
      expect_same_tensors(one, several);
    }
  }
}

TEST(Identities, TheSeedDecidesEverything) {
  const Dataset data = wavy_data(100);
  Options options = short_options(2, 20);
  options.validation_fraction = 0.2;
  options.block_rows = BlockRows::subset;
  const Model one = fit(data, options);
  expect_same_tensors(one, fit(data, options));
  options.seed = 2;
  EXPECT_FALSE(one.members == fit(data, options).members);
}

TEST(Identities, StagedPredictionIsTheTruncatedModel) {
  const Dataset data = wavy_data(300, 2);
  const Model model = fit(data, short_options(4, 10));
  for (std::size_t l = 0; l <= 4; ++l) {
    Model cut = model;
    cut.members.front().blocks.resize(l);
    EXPECT_EQ(predict(model, data.inputs.view(), {.blocks = l}), predict(cut, data.inputs.view()));
    // Fewer blocks asked for are a prefix of more.
    if (l > 0) {
      EXPECT_TRUE(fit(data, short_options(static_cast<std::int64_t>(l), 10)).members == cut.members);
    }
  }
  const Matrix mean = predict(model, data.inputs.view(), {.blocks = 0});
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(mean(i, 0), model.targets[0].mean);
}

TEST(Identities, AModelIsSharedBetweenThreads) {
  const Dataset data = wavy_data(1000, 2);
  const Model model = fit(data, short_options(3, 10));
  const Matrix expected = predict(model, data.inputs.view());
  std::vector<Matrix> results(4);
  std::vector<std::thread> threads;
  for (Matrix& result : results) threads.emplace_back([&] { result = predict(model, data.inputs.view()); });
  for (auto& thread : threads) thread.join();
  for (const Matrix& result : results) EXPECT_EQ(result, expected);
}

// Inputs are standardised, so their units and origin change nothing but rounding.
TEST(Identities, UnitsOfTheInputsDoNotMatter) {
  const Dataset data = wavy_data(150, 2);
  Dataset other = data;
  for (std::size_t i = 0; i < 150; ++i) {
    other.inputs(i, 0) = 1e4 * data.inputs(i, 0) - 3e5;
    other.inputs(i, 1) = 1e-7 * data.inputs(i, 1);
  }
  const Options options = short_options(3, 20);
  const Model one = fit(data, options), two = fit(other, options);
  EXPECT_LE(
      (to_eigen(predict(one, data.inputs.view())) - to_eigen(predict(two, other.inputs.view()))).cwiseAbs().maxCoeff(),
      1e-6);
}

}  // namespace
}  // namespace rfnn
