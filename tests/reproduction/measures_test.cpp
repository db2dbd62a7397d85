#include "rfnn/reproduction/measures.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reproduction/support.hpp"

namespace rfnn::reproduction {
namespace {

using test::made_up_run;

/// 250 bins of one unit each.
Histogram empty_histogram() { return {"x", 0.0, 250.0, std::vector<std::uint64_t>(250, 0)}; }

Histogram with_counts(const std::vector<std::pair<std::size_t, std::uint64_t>>& counts) {
  Histogram histogram = empty_histogram();
  for (const auto& [bin, count] : counts) histogram.counts[bin] = count;
  return histogram;
}

TEST(ShareNear, CountsBinsWithinFive) {
  const Histogram histogram = with_counts({{145, 10}, {149, 20}, {154, 10}, {155, 30}, {20, 30}});
  EXPECT_DOUBLE_EQ(share_near(histogram, 150.0), 0.4);
  EXPECT_DOUBLE_EQ(share_near(histogram, 4.0), 0.0);
  EXPECT_TRUE(std::isnan(share_near(empty_histogram(), 4.0)));
}

TEST(Visibility, IsOneForAnEvenHistogram) {
  Histogram histogram = empty_histogram();
  for (auto& count : histogram.counts) count = 1000;
  for (const double line : multiscale_lines) EXPECT_NEAR(visibility(histogram, line), 1.0, 0.01) << line;
}

TEST(Visibility, SeesAPeakAndOnlyThere) {
  Histogram histogram = empty_histogram();
  for (auto& count : histogram.counts) count = 100;
  for (std::size_t bin = 65; bin < 75; ++bin) histogram.counts[bin] = 500;
  EXPECT_NEAR(visibility(histogram, 70.0), 5.0, 0.01);
  EXPECT_NEAR(visibility(histogram, 150.0), 1.0, 0.01);
  EXPECT_NEAR(visibility(histogram, 4.0), 1.0, 0.01);
}

TEST(Visibility, IsThatOverTheDenserSide) {
  // The slope of a hill beside it is no peak; a small one far from a large one is.
  Histogram histogram = empty_histogram();
  for (std::size_t bin = 0; bin < 250; ++bin) histogram.counts[bin] = bin < 160 ? 1000 : 10;
  EXPECT_LT(visibility(histogram, 150.0), 1.01);
  histogram = empty_histogram();
  histogram.counts[70] = 100000;
  histogram.counts[150] = 100;
  EXPECT_GT(visibility(histogram, 150.0), 10.0);
}

TEST(Visibility, IsSmallWhereNobodyWasEvenOutsideTheHistogram) {
  const Histogram histogram{"x", 0.0, 140.0, std::vector<std::uint64_t>(140, 50)};
  EXPECT_LT(visibility(histogram, 150.0), 0.1);
  EXPECT_TRUE(std::isnan(visibility(empty_histogram(), 4.0)));
}

TEST(Visibility, BetweenTheLinesCountsTheTailsOfOtherPeaks) {
  Histogram histogram = empty_histogram();
  for (auto& count : histogram.counts) count = 100;
  EXPECT_NEAR(visibility_between_lines(histogram, 150.0), 1.0, 0.01);
  for (std::size_t bin = 145; bin < 155; ++bin) histogram.counts[bin] = 500;
  EXPECT_NEAR(visibility_between_lines(histogram, 150.0), 5.0, 0.01);
  for (std::size_t bin = 10; bin < 40; ++bin) histogram.counts[bin] = 5000;  // the tail of the peak at 4
  EXPECT_GT(visibility(histogram, 150.0), 2.0);
  EXPECT_LT(visibility_between_lines(histogram, 150.0), 2.0);
}

TEST(RiseNear, ComparesShares) {
  reproduction::Run run = made_up_run(Target::multiscale, "method1", 1, {0.1, 0.1, 0.1});
  const auto add_block = [&](const Histogram& histogram) {
    BlockRecord record;
    record.block = static_cast<std::int64_t>(run.model.history.blocks.size()) + 1;
    record.branches.push_back({BranchKind::input, 0, 0, {histogram}});
    run.model.history.blocks.push_back(record);
  };
  add_block(with_counts({{150, 99}, {4, 901}}));
  add_block(with_counts({{150, 299}, {4, 701}}));
  add_block(with_counts({{150, 399}, {4, 601}}));
  const std::vector<std::int64_t> earlier = {1, 2};
  EXPECT_NEAR(rise_near(run, 150.0, 3, earlier), 2.0, 1e-12);
  EXPECT_TRUE(std::isnan(rise_near(run, 150.0, 4, earlier)));
}

/// One input line per frequency, in units of θ.
Model with_lines(const std::vector<std::pair<double, double>>& lines) {
  Model model;
  model.inputs.push_back({.name = "x"});
  model.targets.push_back({.name = "y"});
  model.scaler = {{0.0}, {1.0}, {0.0}, {1.0}};
  Branch branch{BranchKind::input, Matrix(lines.size(), 1), Matrix(2 * lines.size(), 1)};
  for (std::size_t j = 0; j < lines.size(); ++j) {
    branch.frequencies(j, 0) = lines[j].first;
    branch.amplitudes(2 * j, 0) = lines[j].second;
  }
  model.members.push_back({{Block{{branch}}}});
  return model;
}

TEST(FarthestLine, LooksAtTheSixLargestMergedLines) {
  EXPECT_NEAR(farthest_line(with_lines({{4.1, 1.0}, {70.2, 0.3}, {149.7, 0.05}})), 0.3, 1e-12);
  // Twins that cancel are one small line: six others hide 150.
  EXPECT_NEAR(farthest_line(with_lines({{4.0, 1.0},
                                        {70.0, 0.5},
                                        {150.0, 5.0},
                                        {150.1, -4.99},
                                        {20.0, 0.4},
                                        {30.0, 0.4},
                                        {40.0, 0.4},
                                        {130.0, 0.4}})),
              20.0, 1e-12);
}

TEST(PeakDistance, IsThatOfTheDensestBinWhereAChainCameBy) {
  reproduction::Run run = made_up_run(Target::multiscale, "method1", 1, {0.1, 0.1, 0.1});
  BlockRecord record;
  record.block = 1;
  record.branches.push_back({BranchKind::input, 0, 0, {with_counts({{5, 900}, {70, 600}, {76, 90}, {150, 3}})}});
  run.model.history.blocks.push_back(record);
  EXPECT_NEAR(peak_distance(run, 4.0), 1.0, 1.0) << "up to half a bin";
  EXPECT_LT(peak_distance(run, 70.0), 1.0);
  EXPECT_TRUE(std::isnan(peak_distance(run, 150.0))) << "less than 1 % were there";
  record.block = 2;
  record.branches.front().accepted_frequencies = {with_counts({{73, 900}, {150, 300}})};
  run.model.history.blocks.push_back(record);
  EXPECT_NEAR(peak_distance(run, 70.0), 3.0, 1.0) << "block 2 has more of them";
  EXPECT_LT(peak_distance(run, 150.0), 1.0);
}

TEST(AdamBehind, ComparesErrorsAfterTheSameTime) {
  reproduction::Run adam = made_up_run(Target::multiscale, "adam-text", 1, {0.01});
  adam.curve = {{0, 1.0, 1.0}, {500, 0.5, 0.4}, {1000, 0.3, 0.2}};
  adam.seconds = 10.0;
  reproduction::Run other = made_up_run(Target::multiscale, "method1", 1, {0.3, 0.2, 0.1, 0.05});
  for (RunBlock& block : other.blocks) block.seconds = 2.0;
  EXPECT_NEAR(adam_behind(adam, other, 3), 0.4 / 0.1, 1e-12) << "6 s are 600 epochs";
  EXPECT_NEAR(adam_behind(adam, other, 4), 0.4 / 0.05, 1e-12);
  for (RunBlock& block : other.blocks) block.seconds = 20.0;
  EXPECT_NEAR(adam_behind(adam, other, 3), 0.2 / 0.1, 1e-12) << "longer than Adam ran: its end";
  EXPECT_TRUE(std::isnan(adam_behind(other, other, 3)));
}

TEST(ErrorAtTolerance, IsTheTestErrorOfTheBlockThatReachesIt) {
  reproduction::Run run = made_up_run(Target::multiscale, "method1", 1, {0.1, 0.004, 0.001});
  run.blocks[1].test_mse = 0.006;
  EXPECT_NEAR(error_at_tolerance(run, 0.005), 1.2, 1e-12);
  EXPECT_NEAR(error_at_tolerance(run, 0.0005), 2.0, 1e-12) << "never reached: that of the last";
}

/// A network of one input with a block per pair (input wave, state wave), in units of the data.
Model with_branches(const std::vector<std::pair<double, double>>& amplitudes) {
  Model model = with_lines({{3.0, 1.0}});
  for (const auto& [input, state] : amplitudes) {
    Branch g{BranchKind::input, Matrix(1, 1), Matrix(2, 1)}, composed{BranchKind::state, Matrix(1, 1), Matrix(2, 1)};
    g.frequencies(0, 0) = composed.frequencies(0, 0) = 3.0;
    g.amplitudes(0, 0) = input;
    composed.amplitudes(0, 0) = state;
    model.members.front().blocks.push_back(Block{{g, composed}});
  }
  return model;
}

TEST(StateShare, IsThatOfTheVarianceOfTheBranches) {
  reproduction::Run run = made_up_run(Target::stairstep, "method1", 1, {0.1, 0.1});
  EXPECT_TRUE(std::isnan(state_share(run))) << "no blocks";
  run.model = with_branches({{1.0, 0.0}});
  EXPECT_EQ(state_share(run), 0.0);
  run.model = with_branches({{0.0, 2.0}});
  EXPECT_EQ(state_share(run), 1.0);
  run.model = with_branches({{1.0, 1.0}});
  EXPECT_GT(state_share(run), 0.2);
  EXPECT_LT(state_share(run), 0.8);
}

TEST(ErrorNearJumps, IsTheirShareOfTheSquaredError) {
  // The mean alone: what it leaves is spread over all steps, 15 % of the rows are near the jumps.
  reproduction::Run run = made_up_run(Target::stairstep, "method1", 1, {0.1});
  run.model.targets[0].mean = 0.5;
  EXPECT_NEAR(error_near_jumps(run), 0.1 * (0.25 / 4 + 3 * (1.0 / 36) / 4) / (0.5 * (0.25 + 1.0 / 36)) * 3, 0.1);
}

TEST(ErrorSlope, IsThePowerOfTheError) {
  EXPECT_NEAR(error_slope(made_up_run(Target::sine, "method1", 1, {0.8, 0.2, 0.8 / 9.0, 0.05})), -2.0, 1e-12);
  EXPECT_TRUE(std::isnan(error_slope(made_up_run(Target::sine, "method1", 1, {0.8}))));
}

TEST(Acceptance, IsOverAllBlocksAndBranches) {
  reproduction::Run run = made_up_run(Target::sine, "method1", 1, {0.1});
  BlockRecord record;
  record.branches = {{BranchKind::input, 100, 10, {}}, {BranchKind::state, 300, 90, {}}};
  run.model.history.blocks = {record, record};
  EXPECT_DOUBLE_EQ(acceptance_of(run), 0.25);
}

TEST(AdamError, IsThatOfTheLastEpochNoted) {
  reproduction::Run run;
  run.curve = {{0, 1.0, 1.0}, {90, 0.5, 0.4}, {110, 0.3, 0.2}};
  EXPECT_EQ(adam_error_at(run, 100), 0.4);
  EXPECT_EQ(adam_error_at(run, 110), 0.2);
  EXPECT_TRUE(std::isnan(adam_error_at(reproduction::Run{}, 100)));
}

class Overshoot : public ::testing::Test {
 protected:
  Overshoot() {
    for (int i = 0; i <= 1000; ++i) rows.push_back(-1.0 + 0.002 * i + 0.0005);
  }
  double of(const std::function<double(double)>& f) const {
    return overshoot(
        [&](const Matrix& inputs) {
          Matrix values(inputs.rows(), 1);
          for (std::size_t i = 0; i < inputs.rows(); ++i) values(i, 0) = f(inputs(i, 0));
          return values;
        },
        rows);
  }
  static double stairs(double x) { return evaluate(Target::stairstep, std::array{x}); }
  std::vector<double> rows;
};

TEST_F(Overshoot, IsNoneForTheFunctionItself) { EXPECT_EQ(of(stairs), 0.0); }

TEST_F(Overshoot, IsNinePercentForAFourierSeries) {
  // Steps as partial sums of a square wave of period 4 around each jump: Gibbs' 8.9 % of the jump.
  const auto partial = [](double x) {
    double sum = 0.5;
    for (int k = 1; k <= 401; k += 2) sum += 2.0 / (M_PI * k) * std::sin(M_PI / 2.0 * k * x);
    return sum;
  };
  const double found = of([&](double x) { return (partial(x + 0.5) + partial(x) + partial(x - 0.5)) / 3.0; });
  EXPECT_NEAR(found, 0.0895, 0.01);
}

TEST_F(Overshoot, IsMeasuredInUnitsOfTheJumpOnEitherSide) {
  EXPECT_NEAR(of([](double x) { return stairs(x) + (stairs(x - 0.05) < stairs(x) ? 0.1 : 0.0); }), 0.3, 1e-9);
  EXPECT_NEAR(of([](double x) { return stairs(x) - (stairs(x + 0.05) > stairs(x) ? 0.1 : 0.0); }), 0.3, 1e-9);
}

TEST_F(Overshoot, DoesNotLookBetweenTheRowsThatEncloseAJump) {
  // The jump a little too late, with a spike: within the gap between two rows.
  EXPECT_EQ(of([](double x) {
              for (const double jump : stairstep_jumps)
                if (x > jump - 0.0014 && x < jump + 0.0004) return 5.0;
              return stairs(x);
            }),
            0.0);
}

TEST_F(Overshoot, OneJumpAloneDoesNotDecide) {
  EXPECT_EQ(of([](double x) { return std::abs(x) < 0.1 ? 9.0 : stairs(x); }), 0.0);
}

}  // namespace
}  // namespace rfnn::reproduction
