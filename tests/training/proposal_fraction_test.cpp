// Proposals weighed on some rows, the kept state solved for on all.

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "identities/naive_training.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"
#include "training/expect_valid.hpp"

namespace rfnn::training {
namespace {

using testing::mse;
using testing::naive_amplitudes;
using testing::naive_columns;
using testing::naive_states;
using testing::naive_theta;
using testing::normal_residual;
using testing::scaled_targets;
using testing::short_options;
using testing::wavy_data;

Options fraction_options(double fraction) {
  Options options = short_options(3, 40);
  options.proposal_fraction = fraction;
  return options;
}

TEST(ProposalFraction, TheKeptStateIsSolvedForOnAllRows) {
  const Dataset data = wavy_data(400, 2, 2);
  for (const Solver solver : {Solver::cholesky, Solver::qr, Solver::svd, Solver::iterative})
    for (const Keep keep : {Keep::last, Keep::best}) {
      Options options = fraction_options(0.2);
      options.solver = solver;
      options.keep = keep;
      const Model model = fit(data, options);
      const Eigen::MatrixXd theta = naive_theta(model, data.inputs), target = scaled_targets(model, data.targets);
      const Network& network = model.members.front();
      const auto states = naive_states(network, theta, target.cols());
      for (std::size_t l = 0; l < network.blocks.size(); ++l) {
        const Eigen::MatrixXd a = naive_columns(network.blocks[l], theta, states[l]);
        const Eigen::MatrixXd r = target - states[l], b = naive_amplitudes(network.blocks[l]);
        EXPECT_LE(normal_residual(a, b, r, 1e-4), 1e-9) << "block " << l + 1;
        // On the rows of the proposals alone it would be another one.
        EXPECT_GT(normal_residual(a.topRows(80), b, r.topRows(80), 1e-4), 1e-6);
      }
    }
}

TEST(ProposalFraction, RecordsTellTheRowsOfBoth) {
  const Dataset data = wavy_data(400, 2);
  const Model model = fit(data, fraction_options(0.3));
  for (const BlockRecord& record : model.history.blocks) {
    EXPECT_EQ(record.rows, 400U);
    EXPECT_EQ(record.proposal_rows, 120U);
    EXPECT_TRUE(record.complete);
    EXPECT_EQ(record.solves, record.block == 1 ? 1U + 2 * 40 + 1 : 1U + 3 * 40 + 1);
  }
  EXPECT_NEAR(model.history.blocks[2].train_mse, mse(data.targets, predict(model, data.inputs.view())), 1e-10);

  Options options = fraction_options(0.5);
  options.block_rows = BlockRows::subset;
  options.subset_fraction = 0.25;
  for (const BlockRecord& record : fit(data, options).history.blocks) {
    EXPECT_EQ(record.rows, 100U);
    EXPECT_EQ(record.proposal_rows, 50U);
  }
}

TEST(ProposalFraction, OneIsTheSamplerAsItIs) {
  const Dataset data = wavy_data(300, 2);
  const Model plain = fit(data, short_options(3, 40)), one = fit(data, fraction_options(1.0));
  EXPECT_EQ(one.members, plain.members);
  for (const BlockRecord& record : one.history.blocks) EXPECT_EQ(record.proposal_rows, record.rows);
  EXPECT_NE(fit(data, fraction_options(0.99)).members, plain.members);
}

TEST(ProposalFraction, DependsOnTheSeedNotOnThreads) {
  const Dataset data = wavy_data(30000, 2);
  Options options = fraction_options(0.5);
  options.blocks = 2;
  options.iterations = 5;
  const Model one = fit(data, options);
  options.threads = 3;
  EXPECT_EQ(fit(data, options).members, one.members);
  options.seed = 2;
  EXPECT_NE(fit(data, options).members, one.members);
}

TEST(ProposalFraction, ARunThatIsStoppedIsStillSolvedOnAllRows) {
  class StopInBlock2 final : public Observer {
   public:
    bool progress(const Progress& now) override { return now.block < 2 || now.iteration < 1; }
  } observer;
  FitExtras extras;
  extras.observer = &observer;
  Options options = fraction_options(0.2);
  options.iterations = 3000;
  const Dataset data = wavy_data(2000, 2);
  const Model model = fit(data, options, extras);
  EXPECT_EQ(model.stop_reason, StopReason::interrupted);
  ASSERT_EQ(model.history.blocks.size(), 2U);
  EXPECT_FALSE(model.history.blocks[1].complete);
  EXPECT_EQ(model.history.blocks[1].rows, 2000U);
  testing::expect_valid(model, data);
}

TEST(ProposalFraction, NonsenseIsRefused) {
  const Dataset data = wavy_data(20);
  for (const double fraction : {0.0, -0.5, 1.5, std::nan("")}) {
    EXPECT_THROW(fit(data, fraction_options(fraction)), UsageError) << fraction;
  }
  EXPECT_EQ(fit(data, fraction_options(1e-6)).history.blocks[0].proposal_rows, 1U);
}

}  // namespace
}  // namespace rfnn::training
