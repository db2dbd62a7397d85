// Runs as they are left behind: finished, cut short, failed, killed, going on.

#include "rfnn/report/run_story.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "identities/naive_training.hpp"
#include "report/run_stories.hpp"

namespace rfnn::report {
namespace {

using testing::expect_sound;
using testing::figure_named;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::quick_options;
using testing::words_of;

/// The record of a run of `data` as its folder would have it.
io::RunRecord record_of(const Model& model, const std::string& state) {
  io::RunRecord run;
  run.state = state;
  run.facts.command = {"rfnn", "fit", "the data.csv", "--target", "y"};
  run.facts.options = model.options;
  run.facts.options_given = {"blocks", "keep"};
  run.facts.data = "the data.csv";
  run.facts.inputs = {"x1"};
  run.facts.targets = {"y"};
  run.facts.rows = model.train_rows;
  run.facts.fingerprint = model.data_fingerprint;
  run.version = "9.9.9";
  run.started = "2024-05-01T12:34:56Z";
  run.host = io::host_name();
  run.folder = "/somewhere";
  run.blocks = model.history.blocks;
  for (BlockRecord& record : run.blocks) {  // as progress.jsonl has them
    record.trace.clear();
    for (BranchRecord& branch : record.branches) branch.accepted_frequencies.clear();
  }
  run.elapsed = 12.0;
  return run;
}

TEST(RunStory, FinishedRun) {
  const Model model = fit(testing::wavy_data(80), quick_options());
  io::RunRecord run = record_of(model, "finished");
  run.stop_text = "all 3 blocks are trained";
  const RunStory story = story_of(run, model, "runs/a");
  EXPECT_EQ(story.state, RunState::finished);
  EXPECT_EQ(story.blocks.size(), 3U);
  EXPECT_EQ(story.command, "rfnn fit 'the data.csv' --target y");
  const Page page = run_page(story);
  expect_sound(page);
  EXPECT_THAT(words_of(page, "run"), HasSubstr("State: finished: all 3 blocks are trained"));
  EXPECT_THAT(words_of(page, "run"), HasSubstr("Started: 2024-05-01 12:34:56 UTC"));
  EXPECT_THAT(words_of(page, "run"), HasSubstr("12.0\u00a0s"));
  EXPECT_THAT(words_of(page, "rerun"), HasSubstr("cd /somewhere\nrfnn fit 'the data.csv' --target y"));
  EXPECT_THAT(words_of(page, "rerun"), HasSubstr("rfnn predict runs/a/model.rfnn TEST.csv"));
}

TEST(RunStory, CutShortRun) {
  class StopEarly : public Observer {
   public:
    bool progress(const Progress& now) override { return now.iteration < 10; }
  } observer;
  FitExtras extras;
  extras.observer = &observer;
  const Model model = fit(testing::wavy_data(80), quick_options(3, 2000000), extras);
  ASSERT_EQ(model.stop_reason, StopReason::interrupted);
  const RunStory story = story_of(model, "model.rfnn");
  EXPECT_EQ(story.state, RunState::cut_short);
  const Page page = run_page(story);
  expect_sound(page);
  EXPECT_THAT(words_of(page, "result"), HasSubstr("This run was cut short"));
}

TEST(RunStory, FailedRunWithoutAModel) {
  const Model model = fit(testing::wavy_data(80), quick_options());
  io::RunRecord run = record_of(model, "failed");
  run.error = "Disk full. Make <room>.";
  run.blocks.clear();
  run.elapsed.reset();
  const RunStory story = story_of(run, std::nullopt, "runs/a");
  EXPECT_EQ(story.state, RunState::failed);
  const Page page = run_page(story);
  expect_sound(page);
  EXPECT_TRUE(figures_of(page).empty());
  EXPECT_THAT(words_of(page, "result"), HasSubstr("This run failed: Disk full. Make <room>."));
  EXPECT_THAT(words_of(page, "predictions"), HasSubstr("before its first block was finished"));
  EXPECT_THAT(words_of(page, "rerun"), HasSubstr("rfnn report runs/a"));
}

TEST(RunStory, KilledRunShowsItsCheckpointAndTheBlockAfterIt) {
  const Model whole = fit(testing::wavy_data(80), quick_options());
  Model checkpoint = whole;
  checkpoint.members[0].blocks.resize(2);
  checkpoint.history.blocks.resize(2);
  io::RunRecord run = record_of(whole, "running");
  run.process = 0x7ffffff0;  // beyond the largest number a process can have
  const RunStory story = story_of(run, checkpoint, "runs/a");
  EXPECT_EQ(story.state, RunState::killed);
  EXPECT_EQ(story.kept(), 2U);
  ASSERT_EQ(story.blocks.size(), 3U);
  EXPECT_FALSE(story.given_up(story.blocks[2]));
  const Page page = run_page(story);
  expect_sound(page);
  EXPECT_THAT(words_of(page, "result"), HasSubstr("is gone and left no word"));
  EXPECT_THAT(words_of(page, "result"), HasSubstr("after 2 blocks"));
  EXPECT_EQ(figure_named(page, "loss-trace")->series.size(), 2U);
}

TEST(RunStory, KilledBeforeACheckpointShowsWhatTheProgressFileTells) {
  const Model whole = fit(testing::wavy_data(80), quick_options());
  io::RunRecord run = record_of(whole, "running");
  run.process = 0x7ffffff0;
  run.blocks.resize(1);
  const RunStory story = story_of(run, std::nullopt, "runs/a");
  const Page page = run_page(story);
  expect_sound(page);
  EXPECT_NE(figure_named(page, "error-per-block"), nullptr);
  EXPECT_EQ(figure_named(page, "loss-trace"), nullptr);
  EXPECT_THAT(words_of(page, "chain"), HasSubstr("kept with the model"));
}

TEST(RunStory, AProcessIsKnownByItsNumberAndItsWords) {
  const Model model = fit(testing::wavy_data(80), quick_options());
  io::RunRecord run = record_of(model, "running");
  run.process = ::getpid();
  EXPECT_EQ(io::process_of(run), io::ProcessState::gone) << "the number is ours now, the words are not";
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  if (!file) GTEST_SKIP() << "the system does not tell the words of a process";
  run.facts.command.clear();
  for (std::string word; std::getline(file, word, '\0');) run.facts.command.push_back(word);
  EXPECT_EQ(io::process_of(run), io::ProcessState::running);
  EXPECT_EQ(story_of(run, std::nullopt, "a").state, RunState::running);
  run.host = "another-machine";
  EXPECT_EQ(io::process_of(run), io::ProcessState::elsewhere);
  const RunStory story = story_of(run, std::nullopt, "a");
  EXPECT_EQ(story.state, RunState::unknown);
  EXPECT_THAT(words_of(run_page(story), "result"), HasSubstr("another-machine"));
}

TEST(RunStory, AModelOfAnEarlierRunIsToldApart) {
  Model model = fit(testing::wavy_data(80), quick_options());
  io::RunRecord run = record_of(model, "running");
  EXPECT_TRUE(belongs_to(model, run));
  run.started = "2999-01-01T00:00:00Z";
  EXPECT_FALSE(belongs_to(model, run)) << "made before the run began";
  run = record_of(model, "running");
  run.facts.options.seed = 2;
  EXPECT_FALSE(belongs_to(model, run)) << "other options";
  run = record_of(model, "running");
  run.facts.fingerprint = "0";
  EXPECT_FALSE(belongs_to(model, run)) << "other data";
}

TEST(RunStory, ErrorsOfTheModelAreThoseOfItsLastBlock) {
  const Model model = fit(testing::wavy_data(80), quick_options());
  const RunStory story = story_of(model, "m");
  EXPECT_EQ(*story.final_error(RowsRole::training), model.history.blocks[2].train_mse);
  EXPECT_EQ(story.final_error(RowsRole::validation), std::nullopt);
  EXPECT_EQ(story.final_error(RowsRole::test), std::nullopt);
  EXPECT_NEAR(*story.explained(RowsRole::training),
              1.0 - model.history.blocks[2].train_mse / model.history.empty_train_mse, 1e-12);
}

}  // namespace
}  // namespace rfnn::report
