#include "rfnn/diagnostics/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace rfnn {
namespace {

using ::testing::HasSubstr;

/// A run of three blocks in which nothing is wrong.
Evidence healthy() {
  Evidence evidence;
  evidence.options = preset_options(Preset::paper);
  evidence.rows = 1000;
  for (std::int64_t l = 1; l <= 3; ++l) {
    BlockRecord record;
    record.block = l;
    record.width = 6;
    record.rows = 1000;
    record.iterations = 5000;
    record.ridge = 1e-4;
    record.condition = 2e4;
    record.solves = 15000;
    record.branches.push_back({BranchKind::input, 30000, 6000, {}});
    if (l > 1) record.branches.push_back({BranchKind::state, 30000, 9000, {}});
    for (std::int64_t i = 0; i < 300; ++i) {
      const auto noise = static_cast<double>((i * 7919 + l) % 101) / 101.0;
      record.trace.push_back({i * 16, 1.0 + 0.1 * noise, 2.0 + 0.1 * noise, 3.0 - 0.1 * noise});
    }
    evidence.blocks.push_back(record);
  }
  return evidence;
}

/// The only problem there is.
Problem only(const Evidence& evidence) {
  const std::vector<Problem> found = problems(evidence);
  EXPECT_EQ(found.size(), 1U) << (found.empty() ? "" : found.back().text);
  return found.empty() ? Problem{} : found.front();
}

TEST(Problems, ThereAreNoneInAHealthyRun) { EXPECT_TRUE(problems(healthy()).empty()); }

TEST(Problems, TooFewRows) {
  Evidence evidence = healthy();
  for (BlockRecord& record : evidence.blocks) record.rows = 40;
  const Problem problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::too_few_rows);
  EXPECT_THAT(problem.text, HasSubstr("40 rows for the 24 coefficients of block 2"));
  EXPECT_THAT(problem.flag, HasSubstr("--width 5"));
  evidence.inputs = 200;
  EXPECT_THAT(only(evidence).text, HasSubstr("1000 rows for 200 inputs: fewer than 2010"));
}

TEST(Problems, IllConditioning) {
  Evidence evidence = healthy();
  evidence.blocks[1].condition = 3e13;
  evidence.blocks[1].ridge = 0.0;
  const Problem problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::ill_conditioned);
  EXPECT_THAT(problem.text, HasSubstr("3e+13 in block 2"));
  EXPECT_EQ(problem.flag, "--ridge 1e-4");
  evidence = healthy();
  evidence.blocks[0].solver_fallbacks = 9000;
  EXPECT_THAT(only(evidence).text, HasSubstr("20 % of the least-squares problems fell back to QR"));
}

TEST(Problems, ChainsThatAreStuckHardlyMoveOrAcceptAnything) {
  Evidence evidence = healthy();
  evidence.blocks[2].branches[1].accepted = 3;
  Problem problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::stuck);
  EXPECT_THAT(problem.text, HasSubstr("0.01 % of the proposals are accepted in block 3, state branch"));
  EXPECT_EQ(problem.flag, "--delta-state 0.58");
  evidence.blocks[2].branches[1].accepted = 300;
  EXPECT_EQ(only(evidence).kind, ProblemKind::acceptance);
  evidence = healthy();
  evidence.options.delta = 1e-9;
  evidence.blocks[0].branches[0].accepted = 29999;
  problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::acceptance);
  EXPECT_THAT(problem.text, HasSubstr("accept nearly everything: 100 %"));
  EXPECT_EQ(problem.flag, "--delta auto");
}

TEST(Problems, ALossThatStillDrifts) {
  Evidence evidence = healthy();
  for (TracePoint& point : evidence.blocks[1].trace) point.loss += 1e-3 * static_cast<double>(5000 - point.iteration);
  Problem problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::mixing);
  EXPECT_THAT(problem.text, HasSubstr("in block 2: split R-hat"));
  EXPECT_THAT(problem.text, HasSubstr("falls by"));
  EXPECT_EQ(problem.flag, "--iterations 20000");
  for (TracePoint& point : evidence.blocks[1].trace) point.loss = 1.0 + 1e-3 * static_cast<double>(point.iteration);
  EXPECT_EQ(only(evidence).flag, "--keep best") << "a chain that gets worse has a better state behind it";
  evidence.options.keep = Keep::best;
  EXPECT_TRUE(problems(evidence).empty()) << "which is what was kept";
}

TEST(Problems, FrequenciesThatWanderDoNotMatterWhileTheLossIsSettled) {
  Evidence evidence = healthy();
  for (BlockRecord& record : evidence.blocks)
    for (TracePoint& point : record.trace) point.frequency = static_cast<double>(point.iteration);
  EXPECT_TRUE(problems(evidence).empty());
}

TEST(Problems, TheMostSeriousComesFirst) {
  Evidence evidence = healthy();
  evidence.unfinished = "the run was cut short";
  evidence.blocks[0].condition = 1e14;
  for (BlockRecord& record : evidence.blocks) record.rows = 10;
  evidence.blocks[0].branches[0].accepted = 0;
  const std::vector<Problem> found = problems(evidence);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].kind, ProblemKind::unfinished);
  EXPECT_EQ(found[1].kind, ProblemKind::too_few_rows);
  EXPECT_EQ(found[2].kind, ProblemKind::ill_conditioned);
  EXPECT_EQ(found[3].kind, ProblemKind::stuck);
}

/// A model of one input spread evenly over [−1, 1] with errors noted after its blocks.
Model model_with(const std::vector<double>& frequencies, const std::vector<double>& amplitudes) {
  Model model;
  model.options = preset_options(Preset::paper);
  model.inputs = {{"x", 0, 0.0, std::sqrt(1.0 / 3.0), -1.0, 1.0, true}};
  model.targets = {{"y", 1, 0.0, 1.0, -2.0, 2.0, true}};
  model.scaler = {{0.0}, {1.0}, {0.0}, {1.0}};
  Branch branch{BranchKind::input, Matrix(frequencies.size(), 1), Matrix(2 * frequencies.size(), 1)};
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    branch.frequencies(j, 0) = frequencies[j];
    branch.amplitudes(2 * j, 0) = amplitudes[j];
  }
  model.members.resize(1);
  model.members[0].blocks.push_back({{branch}});
  model.history.empty_train_mse = 1.0;
  BlockRecord record = healthy().blocks[0];
  record.train_mse = 0.1;
  model.history.blocks = {record};
  return model;
}

TEST(Problems, FrequenciesBeyondTheSamplingLimit) {
  Evidence evidence = healthy();
  evidence.rows = 100;
  const Model model = model_with({3.0, 400.0}, {1.0, 1.0});  // half a turn per step: 99 π / 2 = 155
  evidence.model = &model;
  const Problem problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::sampling_limit);
  EXPECT_THAT(problem.text, HasSubstr("1 of 2 frequencies"));
  const Model within = model_with({3.0, 150.0}, {1.0, 1.0});
  evidence.model = &within;
  EXPECT_TRUE(problems(evidence).empty());
  RowsSeen grid{.inputs = Matrix(100, 1), .targets = Matrix(100, 1), .residuals = Matrix(100, 1)};
  for (std::size_t i = 0; i < 100; ++i) grid.inputs(i, 0) = -1.0 + 2.0 * static_cast<double>(i % 10) / 9.0;
  evidence.seen = grid;  // ten distinct values only
  EXPECT_EQ(only(evidence).kind, ProblemKind::sampling_limit);
}

TEST(Problems, BetweenTwoValuesThereIsNothingAWaveCouldMiss) {
  Evidence evidence = healthy();
  evidence.rows = 100;
  Model model = model_with({3.0, 400.0}, {1.0, 1.0});
  evidence.model = &model;
  Column& flag = model.inputs[0];
  flag = {"w", 0, 0.3, std::sqrt(0.3 * 0.7), 0.0, 1.0, true};  // 0 or 1, as a number
  EXPECT_TRUE(problems(evidence).empty());
  flag = {"w", 0, 20.3, std::sqrt(0.3 * 0.7), 20.0, 21.0, true};
  EXPECT_TRUE(problems(evidence).empty());
  flag.sd = std::sqrt(0.3 * 0.7 - 1e-6);  // one row of many lies between
  EXPECT_EQ(only(evidence).kind, ProblemKind::sampling_limit);
}

TEST(Problems, TwinsThatCancel) {
  Evidence evidence = healthy();
  const Model model = model_with({3.0, 3.001, 9.0}, {500.0, -499.0, 1.0});
  evidence.model = &model;
  const Problem problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::twins);
  EXPECT_THAT(problem.text, HasSubstr("3 of them are 2 to the data"));
}

/// With errors on training rows and on rows held out after 0, 1, … blocks.
Model model_along(const std::vector<double>& train, const std::vector<double>& apart) {
  Model model = model_with({3.0}, {1.0});
  const Block block = model.members[0].blocks[0];
  const BlockRecord record = model.history.blocks[0];
  model.members[0].blocks.clear();
  model.history.blocks.clear();
  model.history.empty_train_mse = train[0];
  if (!apart.empty()) model.history.empty_validation_mse = apart[0];
  for (std::size_t l = 1; l < train.size(); ++l) {
    model.members[0].blocks.push_back(block);
    model.history.blocks.push_back(record);
    model.history.blocks.back().block = static_cast<std::int64_t>(l);
    model.history.blocks.back().train_mse = train[l];
    if (!apart.empty()) model.history.blocks.back().validation_mse = apart[l];
  }
  return model;
}

TEST(Problems, OverAndUnderfittingByBlock) {
  Evidence evidence = healthy();
  Model model = model_along({1.0, 0.2, 0.1, 0.08, 0.06}, {1.0, 0.21, 0.15, 0.2, 0.25});
  evidence.model = &model;
  Problem problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::overfitting);
  EXPECT_THAT(problem.text, HasSubstr("least with 2 blocks (0.15) and 67 % larger with all 4"));
  EXPECT_THAT(problem.flag, HasSubstr("--blocks 2"));
  model.history.final_validation_se = 0.15;
  EXPECT_THAT(only(evidence).text, HasSubstr("4.2 times that on training rows")) << "the rise may be chance";

  model = model_along({1.0, 0.2, 0.02}, {1.0, 0.21, 0.2});
  problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::overfitting);
  EXPECT_THAT(problem.text, HasSubstr("10.0 times that on training rows"));

  model = model_along({1.0, 0.8, 0.4, 0.2}, {});
  problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::underfitting);
  EXPECT_EQ(problem.flag, "--blocks 6");
  model = model_along({1.0, 0.2, 0.19, 0.18}, {1.0, 0.2, 0.19, 0.18});
  EXPECT_TRUE(problems(evidence).empty());
}

TEST(Problems, StructureLeftInTheResiduals) {
  Evidence evidence = healthy();
  const Model model = model_with({3.0}, {1.0});
  evidence.model = &model;
  RowsSeen rows{.inputs = Matrix(300, 1), .targets = Matrix(300, 1), .residuals = Matrix(300, 1)};
  const auto fill = [&](double wave) {
    for (std::size_t i = 0; i < 300; ++i) {
      const double x = -1.0 + 2.0 * static_cast<double>(i) / 299.0;
      const double noise = static_cast<double>((i * 7919) % 101) / 101.0 - 0.5;
      rows.inputs(i, 0) = x;
      rows.residuals(i, 0) = wave * std::sin(20.0 * x) + 0.2 * noise;
      rows.targets(i, 0) = std::cos(3.0 * x) + rows.residuals(i, 0);
    }
    evidence.seen = rows;
  };
  fill(0.5);
  const Problem problem = only(evidence);
  EXPECT_EQ(problem.kind, ProblemKind::residuals);
  EXPECT_THAT(problem.text, HasSubstr("a wave of period 0.313 along x is"));
  Model of_times = model;
  of_times.table.inputs = {{.name = of_times.inputs[0].name, .kind = ColumnKind::time}};
  evidence.model = &of_times;
  EXPECT_THAT(only(evidence).text, HasSubstr("a wave of period 7.5"));
  EXPECT_THAT(only(evidence).text, HasSubstr(" h along x is"));
  evidence.model = &model;
  fill(0.0);
  EXPECT_TRUE(problems(evidence).empty());
}

}  // namespace
}  // namespace rfnn
