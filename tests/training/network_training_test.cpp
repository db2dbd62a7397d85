// The loop and what judges it, with a finder that follows a script.

#include "rfnn/training/network_training.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "rfnn/training/control.hpp"
#include "rows/naive.hpp"

namespace rfnn::training {
namespace {

using finders::FoundBlock;
using finders::Search;

/// A block of the constant c: z ← z + c.
FoundBlock constant(double c, bool complete = true) {
  FoundBlock found;
  found.block.branches = {{BranchKind::input, Matrix(1, 1), Matrix(2, 1), {}}};
  found.block.branches[0].amplitudes(0, 0) = c;
  found.record = finders::record_of(Method::sequential, found.block, 10, 0.25, complete);
  return found;
}

/// Gives what the script says, turn by turn, then nothing.
class Scripted final : public finders::BlockFinder {
 public:
  using Turn = std::function<std::optional<FoundBlock>(const Search&)>;
  explicit Scripted(std::vector<Turn> script) : script_(std::move(script)) {}

  std::optional<FoundBlock> find(const Search& search) override {
    attempts.push_back(search.attempt);
    blocks.push_back(search.network.blocks.size());
    residual = search.train.residual(0, 0);
    return attempts.size() <= script_.size() ? script_[attempts.size() - 1](search) : std::nullopt;
  }
  std::optional<Block> refit(const FoundBlock& found, rows::RowWork&, const rows::RowState& rows,
                             Interrupt&) const override {
    Block block = found.block;
    block.branches[0].amplitudes(0, 0) = rows.residual(0, 0);
    return block;
  }

  std::vector<std::uint64_t> attempts;
  std::vector<std::size_t> blocks;  ///< of the network, at each attempt
  double residual = 0.0;            ///< of the first training row, at the last attempt

 private:
  std::vector<Turn> script_;
};

Scripted::Turn gives(double c) {
  return [c](const Search&) { return constant(c); };
}
std::optional<FoundBlock> nothing(const Search&) { return std::nullopt; }

struct Recipe final : finders::Recipe {
  void save(ArchiveWriter&) const override {}
};

/// Rows whose target is 1 with a little scatter, half of them held out.
NetworkRows rows_of_one(bool held_out = true) {
  const auto make = [](std::uint64_t seed) {
    Matrix target = testing::normal_matrix(100, 1, seed, 0.01);
    for (std::size_t i = 0; i < 100; ++i) target(i, 0) += 1.0;
    return rows::RowState(rows::ScaledRows(testing::normal_matrix(100, 1, seed + 1).view(), target.view()));
  };
  return {make(1), held_out ? make(3) : rows::RowState()};
}

struct Trial {
  explicit Trial(std::vector<Scripted::Turn> script) : finder(std::make_shared<Scripted>(std::move(script))) {
    plan.joined = [this](const BlockRecord& record, const Network& network, bool last) {
      joined.push_back(record);
      EXPECT_EQ(network.blocks.size(), static_cast<std::size_t>(record.block));
      ended = last;
      return !stops_at || record.block != *stops_at;
    };
  }
  TrainedNetwork train(Control& control, NetworkRows rows = rows_of_one()) {
    return train_network(*work, std::move(rows), plan, control, {finder, finder}, {2.0}, interrupt);
  }
  TrainedNetwork train_by_gain(const Options& options = {}, double sure_first = 3.0, bool begins_once = false) {
    HeldOutGain control(options, sure_first, begins_once);
    return train(control);
  }

  std::shared_ptr<Scripted> finder;
  std::unique_ptr<rows::RowWork> work = rows::make_row_work(rows::Implementation::threads, 1);
  NetworkPlan plan;
  Interrupt interrupt;
  std::vector<BlockRecord> joined;
  std::optional<std::int64_t> stops_at;
  bool ended = false;
};

TEST(NetworkTraining, BlocksThatGainJoinAndOthersDoNot) {
  Trial trial({gives(0.5), gives(-3.0), nothing, gives(0.5)});
  const TrainedNetwork trained = trial.train_by_gain();
  ASSERT_EQ(trained.blocks.size(), 2U);
  EXPECT_TRUE(trained.complete);
  EXPECT_EQ(trained.reason, StopReason::stalled);
  EXPECT_EQ(trial.finder->blocks, (std::vector<std::size_t>{0, 1, 1, 1, 2, 2, 2, 2}));
  for (std::size_t a = 0; a < trial.finder->attempts.size(); ++a) EXPECT_EQ(trial.finder->attempts[a], a + 1);
  // What is reported is what the rows are left with, in the target's units: (2 · 0.5)² after the first.
  ASSERT_EQ(trial.joined.size(), 2U);
  EXPECT_NEAR(trial.joined[0].validation_mse.value(), 1.0, 0.05);
  EXPECT_LT(trial.joined[1].validation_mse.value(), 1e-3);
  EXPECT_EQ(trial.joined[0].block, 1);
  EXPECT_EQ(trial.joined[1].block, 2);
  EXPECT_EQ(trained.left.rows(), 100U);
  EXPECT_DOUBLE_EQ(mean_square(trained.left), trained.judged);
  EXPECT_NEAR(trial.finder->residual, 0.0, 0.1);
}

TEST(NetworkTraining, WhatAChoiceFlattersShrinksWithWhatIsLeft) {
  // Chosen by the rows that judge, the first block left 0.5 there and leaves 0.6 to an honest judge.
  const auto flattered = [](const Search& search) {
    FoundBlock found = constant(0.5);
    found.honest = rows::TiledColumns(search.held_out.count(), 1);
    for (std::size_t i = 0; i < found.honest.rows(); ++i) found.honest(i, 0) = search.held_out.residual(i, 0) - 0.4;
    return found;
  };
  const auto mean_left = [](const TrainedNetwork& trained) { return mean_size(trained.left)[0]; };
  EXPECT_NEAR(mean_left(Trial({flattered}).train_by_gain()), 0.6, 0.01);
  // The second leaves a fiftieth of that: of the tenth too.
  const TrainedNetwork both = Trial({flattered, gives(0.5)}).train_by_gain();
  ASSERT_EQ(both.blocks.size(), 2U);
  EXPECT_LT(mean_left(both), 0.015);
  EXPECT_NEAR(both.fitted[0], 0.008, 0.002) << "mean size of the scatter on its own rows";
}

TEST(NetworkTraining, PatienceCountsAttemptsWithoutGain) {
  for (const std::int64_t patience : {1, 3}) {
    Trial trial({gives(0.5)});
    Options options;
    options.patience = patience;
    EXPECT_EQ(trial.train_by_gain(options).reason, StopReason::stalled);
    EXPECT_EQ(trial.finder->attempts.size(), 1 + static_cast<std::size_t>(patience));
  }
}

TEST(NetworkTraining, ToleranceAndTheNumberOfBlocksEndIt) {
  Options options;
  options.tolerance = 1.5;  // the mean alone leaves 4, one block 1
  Trial tolerant({gives(0.5), gives(0.25)});
  EXPECT_EQ(tolerant.train_by_gain(options).reason, StopReason::tolerance);
  EXPECT_EQ(tolerant.joined.size(), 1U);
  EXPECT_TRUE(tolerant.ended);
  options = {};
  options.blocks = 2;
  Trial two({gives(0.5), gives(0.25), gives(0.1)});
  EXPECT_EQ(two.train_by_gain(options).reason, StopReason::all_blocks);
  EXPECT_EQ(two.joined.size(), 2U);
}

TEST(NetworkTraining, AFirstBlockMayJoinUnasked) {
  Trial asked({gives(-0.1)}), unasked({gives(-0.1)});
  EXPECT_TRUE(asked.train_by_gain({}, 3.0).blocks.empty());
  EXPECT_EQ(unasked.train_by_gain({}, -1.0).blocks.size(), 1U);
}

TEST(NetworkTraining, AWayThatBeginsOnceEndsWhereItFails) {
  Trial once({nothing, gives(0.5)}), again({nothing, gives(0.5)});
  EXPECT_EQ(once.train_by_gain({}, 3.0, true).reason, StopReason::stalled);
  EXPECT_EQ(once.finder->attempts.size(), 1U);
  EXPECT_EQ(again.train_by_gain({}, 3.0, false).blocks.size(), 1U);
}

TEST(NetworkTraining, AnInterruptKeepsWhatWasFound) {
  // Between blocks, with a block cut short that gains, with one that does not, and with none.
  const auto stopping = [](std::optional<FoundBlock> found) {
    return [found](const Search& search) {
      search.interrupt.stop();
      return found;
    };
  };
  Trial gained({gives(0.5), stopping(constant(0.5, false)), gives(0.1)});
  const TrainedNetwork with = gained.train_by_gain();
  EXPECT_EQ(with.blocks.size(), 2U);
  EXPECT_FALSE(with.complete);
  EXPECT_EQ(with.reason, StopReason::interrupted);
  EXPECT_FALSE(with.records[1].complete);
  EXPECT_LT(with.judged, 1e-3);

  for (const auto& found : {std::optional(constant(-0.5, false)), std::optional<FoundBlock>()}) {
    Trial lost({gives(0.5), stopping(found), gives(0.1)});
    const TrainedNetwork without = lost.train_by_gain();
    EXPECT_EQ(without.blocks.size(), 1U);
    EXPECT_FALSE(without.complete);
    EXPECT_EQ(without.reason, StopReason::interrupted);
    EXPECT_NEAR(without.judged, 0.25, 0.02);
    EXPECT_EQ(lost.finder->attempts.size(), 2U);
  }

  Trial at_once({stopping(std::nullopt)});
  EXPECT_TRUE(at_once.train_by_gain().blocks.empty());
}

TEST(NetworkTraining, ANoAfterABlockEndsIt) {
  Trial trial({gives(0.5), gives(0.25), gives(0.1)});
  trial.stops_at = 2;
  const TrainedNetwork trained = trial.train_by_gain();
  EXPECT_EQ(trained.blocks.size(), 2U);
  EXPECT_EQ(trained.reason, StopReason::interrupted);
}

TEST(NetworkTraining, WithoutHeldOutRowsTheTrainingRowsJudge) {
  Trial trial({gives(0.5)});
  Options options;
  options.patience = 1;
  HeldOutGain control(options, 3.0, false);
  const TrainedNetwork trained = trial.train(control, rows_of_one(false));
  ASSERT_EQ(trained.records.size(), 1U);
  EXPECT_FALSE(trained.records[0].validation_mse);
  EXPECT_DOUBLE_EQ(in_target_units(Eigen::VectorXd::Constant(1, trained.judged), {2.0}), trained.records[0].train_mse);
}

TEST(NetworkTraining, UnderAnErrorBoundEveryBlockJoins) {
  Options options = preset_options(Preset::paper);
  options.blocks = 3;
  History history;
  history.empty_train_mse = 4.0;
  ErrorControl errors(options, history);
  ErrorBound control(errors);
  Trial trial({gives(0.5), gives(-3.0), gives(3.0)});
  trial.plan.joined = [&](const BlockRecord& record, const Network&, bool) {
    history.blocks.push_back(record);
    return true;
  };
  const TrainedNetwork trained = trial.train(control, rows_of_one(false));
  EXPECT_EQ(trained.blocks.size(), 3U);
  EXPECT_EQ(trained.reason, StopReason::all_blocks);
}

TEST(NetworkTraining, GoingOnKeepsTheBlocksThatAreThere) {
  Trial trial({gives(0.5)});
  NetworkStart start;
  start.network.blocks = {constant(0.5).block};
  start.records = {constant(0.5).record};
  trial.plan.start = start;
  trial.plan.first = trial.plan.later = Method::sequential;
  Options options;
  options.patience = 1;
  const TrainedNetwork trained = trial.train_by_gain(options);
  ASSERT_EQ(trained.blocks.size(), 2U);
  EXPECT_EQ(trained.earlier, 1U);
  EXPECT_EQ(trained.blocks[0].block, start.network.blocks[0]);
  EXPECT_LT(trained.judged, 1e-3);
  EXPECT_GT(trial.finder->attempts[0], 1000U) << "other draws than those of the first run";
}

TEST(RefitNetwork, MakesBlocksAgainForOtherRows) {
  const auto recipe = std::make_shared<Recipe>();
  Trial trial({[&](const Search&) {
                 FoundBlock found = constant(0.5);
                 found.recipe = recipe;
                 return found;
               },
               gives(0.25)});
  Options options;
  options.patience = 1;
  const TrainedNetwork trained = trial.train_by_gain(options);
  ASSERT_EQ(trained.blocks.size(), 2U);
  NetworkRows rows = rows_of_one();
  Interrupt never, stopped;
  stopped.stop();
  const double first = rows.train.residual(0, 0);
  const auto again = refit_network(*trial.work, trained, rows.train, never);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->blocks[0].branches[0].amplitudes(0, 0), first);  // by its recipe
  EXPECT_EQ(again->blocks[1].branches[0].amplitudes(0, 0), 0.25);   // without one it stays
  EXPECT_NEAR(rows.train.residual(0, 0), -0.25, 1e-12);
  EXPECT_FALSE(refit_network(*trial.work, trained, rows.train, stopped));
}

TEST(RefitNetwork, ItsGainIsThatOfTheErrorsItLeaves) {
  // What was judged is 0.013 off everywhere, of rows that scatter by 0.01; the fit to all rows is off by what the first
  // of them scatters.
  Trial trial({[](const Search&) {
    FoundBlock found = constant(0.987);
    found.recipe = std::make_shared<Recipe>();
    return found;
  }});
  TrainedNetwork trained = trial.train_by_gain();
  ASSERT_EQ(trained.blocks.size(), 1U);
  NetworkRows rows = rows_of_one();
  const auto left_by = [](const rows::RowState& all, double level) {
    double sum = 0.0;
    for (std::size_t i = 0; i < all.count(); ++i) sum += std::abs(all.target()(i, 0) - level);
    return sum / static_cast<double>(all.count());
  };
  const double refitted = left_by(rows.train, rows.train.target()(0, 0)), fitted = left_by(rows.train, 0.987),
               judged = left_by(rows.held_out, 0.987);
  Interrupt never;
  ASSERT_TRUE(refit_network(*trial.work, trained, rows.train, never));
  // A constant is no freer on its own rows than on others: the gain is that of the sizes, but for chance.
  const double free = std::max(0.0, 1.0 - fitted / judged);
  const std::vector<double> gains = gains_of_refit(trained, rows.train, 0.5);
  ASSERT_EQ(gains.size(), 1U);
  EXPECT_NEAR(gains[0], refitted / (1.0 - 0.5 * free) / judged, 1e-9);
  EXPECT_GT(gains[0], 0.5);
  EXPECT_LT(gains[0], 0.9);
  // Half of what is left being fitted away, a network of as many rows again is fitted half as freely.
  trained.fitted[0] = 0.5 * judged;
  EXPECT_NEAR(gains_of_refit(trained, rows.train, 0.5)[0], std::min(refitted / 0.75 / judged, 1.25), 1e-9);
  trained.fitted.clear();
  EXPECT_TRUE(gains_of_refit(trained, rows.train, 0.5).empty()) << "nothing is known of its own rows";
}

}  // namespace
}  // namespace rfnn::training
