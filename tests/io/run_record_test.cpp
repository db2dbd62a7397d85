// The record of a run, read back.

#include "rfnn/io/run_record.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/support.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/version.hpp"
#include "rfnn/data/targets.hpp"
#include "rfnn/training/fit.hpp"

namespace rfnn {
namespace {

namespace fs = std::filesystem;

class RunRecordTest : public ::testing::Test {
 protected:
  void SetUp() override {
    facts.command = {"rfnn", "fit", "my data.csv", "--target", "caf\xe9"};
    facts.data = "my data.csv";
    facts.inputs = {"x"};
    facts.targets = {"y"};
    facts.ignored = {"id"};
    facts.rows = 40;
    facts.fingerprint = "f00";
    facts.model = "m.rfnn";
    facts.options = preset_options(Preset::paper);
    facts.options.blocks = 2;
    facts.options.iterations = 20;
    facts.options.threads = 1;
    facts.options_given = {"blocks", "iterations"};
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path + "/" + name, std::ios::binary) << text;
  }

  test::TempFolder folder;
  const std::string path = folder.path();
  io::RunFacts facts;
};

TEST_F(RunRecordTest, ReadsWhatWasWritten) {
  Model model = fit(generate(Target::multiscale, 40, 1), facts.options);
  EXPECT_EQ(model.history.blocks[1].method, Method::sampled);
  model.history.blocks[1].member = 3;
  model.history.blocks[1].method = Method::lattice;
  io::RunDirectory run(path);
  run.start(facts);
  run.append(io::start_event(facts));
  run.append(io::warning_event("careful"));
  for (const BlockRecord& record : model.history.blocks) run.append(io::block_event(record, 1.5));
  io::RunRecord record = io::read_run(path);
  EXPECT_EQ(record.state, "running");
  EXPECT_EQ(record.ended, "");
  EXPECT_EQ(record.elapsed, 1.5);
  EXPECT_EQ(io::process_of(record), io::ProcessState::gone) << "our number, but not our words";

  run.append(io::done_event(model, "m.rfnn", 2.5));
  run.finish(model);
  record = io::read_run(path);
  EXPECT_EQ(record.state, "finished");
  EXPECT_EQ(record.stop_text, model.stop_text);
  EXPECT_EQ(record.version, version());
  EXPECT_EQ(record.host, io::host_name());
  EXPECT_EQ(record.folder, fs::current_path().string());
  EXPECT_FALSE(record.started.empty() || record.ended.empty());
  EXPECT_EQ(record.elapsed, 2.5);
  EXPECT_EQ(record.warnings, std::vector<std::string>{"careful"});
  EXPECT_EQ(record.facts.command[2], "my data.csv");
  EXPECT_EQ(record.facts.options, facts.options);
  EXPECT_EQ(record.facts.options_given, facts.options_given);
  EXPECT_EQ(record.facts.ignored, facts.ignored);
  EXPECT_EQ(record.facts.rows, 40U);
  EXPECT_EQ(record.facts.fingerprint, "f00");
  ASSERT_EQ(record.blocks.size(), 2U);
  for (std::size_t l = 0; l < 2; ++l) {
    EXPECT_EQ(record.blocks[l].train_mse, model.history.blocks[l].train_mse);
    EXPECT_EQ(record.blocks[l].branches.size(), l + 1);
    EXPECT_EQ(record.blocks[l].branches[0].accepted, model.history.blocks[l].branches[0].accepted);
    EXPECT_TRUE(record.blocks[l].trace.empty());
    EXPECT_EQ(record.blocks[l].member, l == 0 ? 0 : 3);
    EXPECT_EQ(record.blocks[l].method, l == 0 ? Method::sampled : Method::lattice);
  }
}

TEST_F(RunRecordTest, AFailureKeepsItsReason) {
  io::RunDirectory run(path);
  run.start(facts);
  run.fail("Out of luck.");
  const io::RunRecord record = io::read_run(path);
  EXPECT_EQ(record.state, "failed");
  EXPECT_EQ(record.error, "Out of luck.");
  EXPECT_TRUE(record.blocks.empty());
  EXPECT_EQ(record.elapsed, std::nullopt);
}

TEST_F(RunRecordTest, HalfALineAndEventsOfLaterVersionsAreLeftOut) {
  const Model model = fit(generate(Target::multiscale, 40, 1), facts.options);
  io::RunDirectory run(path);
  run.start(facts);
  run.append(io::block_event(model.history.blocks[0], 1.0));
  run.append("{\"event\":\"telepathy\",\"text\":3}");
  run.append("{\"event\":\"warning\"}");
  const std::string half = io::block_event(model.history.blocks[1], 2.0);
  run.append(half.substr(0, half.size() / 2));
  const io::RunRecord record = io::read_run(path);
  EXPECT_EQ(record.blocks.size(), 1U);
  EXPECT_EQ(record.elapsed, 1.0);
  fs::remove(path + "/progress.jsonl");
  EXPECT_TRUE(io::read_run(path).blocks.empty());
}

TEST_F(RunRecordTest, RefusesWhatIsNoRun) {
  EXPECT_THROW(io::read_run(path), InputError) << "an empty folder";
  EXPECT_THROW(io::read_run(path + "/missing"), InputError);
  for (const std::string text : {"", "{", "[]", "{}", "{\"format\":\"else\"}", "{\"format\":\"rfnn-run\",\"schema\":2}",
                                 "{\"format\":\"rfnn-run\",\"schema\":1,\"state\":7}"}) {
    write("run.json", text);
    EXPECT_THROW(io::read_run(path), InputError) << text;
  }
}

TEST_F(RunRecordTest, RecordsOfOlderVersionsHaveNoPlace) {
  io::RunDirectory run(path);
  run.start(facts);
  std::ifstream file(path + "/run.json");
  std::string text, line;
  while (std::getline(file, line))
    if (line.find("\"host\"") == std::string::npos && line.find("\"folder\"") == std::string::npos) text += line + "\n";
  write("run.json", text);
  const io::RunRecord record = io::read_run(path);
  EXPECT_EQ(record.host, "");
  EXPECT_EQ(record.folder, "");
}

}  // namespace
}  // namespace rfnn
