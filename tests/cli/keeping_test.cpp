// Nothing good is lost: models that were there, models that find no room, records of other runs.

#include <sys/resource.h>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

class Keeping : public ::testing::Test {
 protected:
  void SetUp() override { must(folder, {"generate", "multiscale", "--rows", "200", "--out", "data.csv"}); }

  Json inspected(const std::string& model) { return parsed(must(folder, {"inspect", model, "--json"}).out); }

  std::size_t temporary_files() {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder.path()))
      count += entry.path().filename().string().find("rfnn-tmp") != std::string::npos ? 1 : 0;
    return count;
  }

  Folder folder;
};

/// The last line of JSON lines.
Json last_of(const std::string& lines) {
  const std::size_t end = lines.find_last_not_of('\n'), begin = lines.rfind('\n', end);
  return parsed(lines.substr(begin == std::string::npos ? 0 : begin + 1));
}

Words starved_fit(const Words& more = {}) {
  Words words = {"fit", "data.csv", "--target", "y", "--preset", "paper", "--max-time", "1e-9"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Keeping, ARunWithoutABlockDoesNotReplaceAModel) {
  must(folder, quick_fit("data.csv"));
  const std::string before = read_file(folder / "data.rfnn");
  const Outcome outcome = run(folder, starved_fit());
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_NE(outcome.err.find("kept the model that was there in data.rfnn"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("next:"), std::string::npos) << outcome.err;
  EXPECT_EQ(read_file(folder / "data.rfnn"), before);
  const Outcome json = run(folder, starved_fit({"--json"}));
  EXPECT_EQ(json.code, 4);
  EXPECT_EQ(last_of(json.out)["saved"], false);
  EXPECT_EQ(last_of(json.out)["blocks"], 0);
  EXPECT_EQ(read_file(folder / "data.rfnn"), before);
}

TEST_F(Keeping, WhereThereIsNoneTheMeanIsWritten) {
  const Outcome outcome = run(folder, starved_fit({"--json"}));
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(last_of(outcome.out)["saved"], true);
  EXPECT_EQ(inspected("data.rfnn")["stop_reason"], "out-of-time");
  const std::string told = run(folder, starved_fit({"--out", "other.rfnn"})).err;
  EXPECT_NE(told.find("the mean of the targets and nothing else: give a longer --max-time"), std::string::npos) << told;
  must(folder, {"predict", "data.rfnn", "data.csv"});
}

TEST_F(Keeping, APlanWithoutBlocksIsCompleted) {
  must(folder, quick_fit("data.csv"));
  must(folder, quick_fit("data.csv", {"--blocks", "0"}));
  EXPECT_EQ(inspected("data.rfnn")["spectrum"].size(), 0u) << "asked for, so written";
}

TEST_F(Keeping, TheModelOfAnEarlierRunStaysInItsFolder) {
  must(folder, quick_fit("data.csv", {"--run-dir", "run"}));
  const std::string before = read_file(folder / "run/model.rfnn");
  const Outcome second = run(folder, starved_fit({"--run-dir", "run", "--out", "other.rfnn"}));
  EXPECT_EQ(second.code, 4);
  EXPECT_NE(second.err.find("its model is kept as run/previous.rfnn"), std::string::npos) << second.err;
  EXPECT_EQ(read_file(folder / "run/previous.rfnn"), before);
  // A run that leaves the mean behind does not push the good one out.
  EXPECT_EQ(run(folder, starved_fit({"--run-dir", "run", "--out", "other.rfnn"})).code, 4);
  EXPECT_EQ(read_file(folder / "run/previous.rfnn"), before);
  const Outcome report = run(folder, {"report", "run", "--out", "run.html"});
  EXPECT_EQ(report.code, 0) << report.err;
}

TEST_F(Keeping, AModelWrittenIntoTheRunDirectoryIsKeptLikeAnyOther) {
  fs::create_directory(folder.path() / "run");
  must(folder, quick_fit("data.csv", {"--run-dir", "run", "--out", "run/model.rfnn"}));
  const std::string before = read_file(folder / "run/model.rfnn");
  EXPECT_EQ(run(folder, starved_fit({"--run-dir", "run", "--out", "run/model.rfnn"})).code, 4);
  EXPECT_EQ(read_file(folder / "run/model.rfnn"), before);
}

TEST_F(Keeping, TwoRunsDoNotShareAFolder) {
  Running first(folder, endless_fit("data.csv", {"--json", "--run-dir", "run"}));
  ASSERT_TRUE(first.wait_for_output("\"event\":\"start\"")) << first.err();
  const Outcome second = run(folder, quick_fit("data.csv", {"--run-dir", "run", "--out", "second.rfnn"}));
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.err.find("Another run is writing its record to run"), std::string::npos) << second.err;
  EXPECT_FALSE(fs::exists(folder / "second.rfnn"));
  first.kill(SIGKILL);
  first.wait();
  must(folder, quick_fit("data.csv", {"--run-dir", "run", "--out", "second.rfnn"}));
}

TEST_F(Keeping, AModelThatFindsNoPlaceIsSavedElsewhere) {
  fs::create_directory(folder.path() / "sub");
  fs::create_directory(folder.path() / "temporary");
  const Setting setting{
      .standard_input = "", .environment = {{"TMPDIR", folder / "temporary"}}, .standard_output = "", .in_child = {}};
  Running fit(folder, endless_fit("data.csv", {"--iterations", "200", "--json", "--out", "sub/m.rfnn"}), setting);
  ASSERT_TRUE(fit.wait_for_output("\"event\":\"block\"")) << fit.err();
  fs::remove_all(folder / "sub");
  fit.kill(SIGINT);
  const Outcome outcome = fit.wait();
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  const Json error = last_of(outcome.out);
  EXPECT_EQ(error["event"], "error");
  EXPECT_EQ(error["exit_code"], 2);
  const std::string cure = error["cure"], front = "The model is saved as ";
  ASSERT_EQ(cure.rfind(front, 0), 0u) << cure;
  const std::string place = cure.substr(front.size(), cure.find(" instead.") - front.size());
  EXPECT_EQ(place.rfind(folder / "temporary", 0), 0u) << place;
  EXPECT_GE(inspected(place)["blocks"].size(), 1u);
}

TEST_F(Keeping, AFileThatMayNotGrowIsAnErrorLikeAFullDisk) {
  must(folder, quick_fit("data.csv", {"--quiet"}));
  const std::string before = read_file(folder / "data.rfnn");
  const auto limited = [] {
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Outcome outcome = run(
      folder, quick_fit("data.csv", {"--quiet"}),
      {.standard_input = "", .environment = {{"TMPDIR", folder / "none"}}, .standard_output = "", .in_child = limited});
  EXPECT_EQ(outcome.code, 2) << outcome.signal << outcome.err;
  EXPECT_NE(outcome.err.find("ulimit -f"), std::string::npos) << outcome.err;
  EXPECT_EQ(read_file(folder / "data.rfnn"), before);
  EXPECT_EQ(temporary_files(), 0u);
}

TEST_F(Keeping, NoOriginLeavesOutWhereTheModelComesFrom) {
  must(folder, quick_fit("data.csv", {"--run-dir", "run", "--no-origin"}));
  for (const std::string model : {"data.rfnn", "run/model.rfnn"}) {
    const Json facts = inspected(model)["facts"];
    for (const char* name : {"host", "system", "folder", "command", "data"}) EXPECT_FALSE(facts.contains(name)) << name;
    EXPECT_TRUE(facts.contains("version"));
    EXPECT_EQ(read_file(folder / model).find(folder.path().string()), std::string::npos);
  }
  must(folder, quick_fit("data.csv"));
  EXPECT_TRUE(inspected("data.rfnn")["facts"].contains("command"));
}

TEST_F(Keeping, FailuresAreEventsToo) {
  const Outcome missing = run(folder, quick_fit("none.csv", {"--json"}));
  EXPECT_EQ(missing.code, 2);
  const Json error = last_of(missing.out);
  EXPECT_EQ(error["event"], "error");
  EXPECT_EQ(error["exit_code"], 2);
  EXPECT_FALSE(error["message"].get<std::string>().empty());
  EXPECT_FALSE(error["cure"].get<std::string>().empty());
  EXPECT_NE(missing.err, "") << "people are told as well";
  const Outcome usage = run(folder, quick_fit("data.csv", {"--json", "--width", "0"}));
  EXPECT_EQ(usage.code, 1);
  EXPECT_EQ(last_of(usage.out)["exit_code"], 1);
}

TEST_F(Keeping, TheLastEventHasTheErrorsAndWhatTheyWereMeasuredOn) {
  const Json done = last_of(must(folder, quick_fit("data.csv", {"--json", "--validation-fraction", "0.2"})).out);
  EXPECT_TRUE(done["validation_mse"].is_number());
  EXPECT_GT(done["validation_mse_se"].get<double>(), 0.0);
  EXPECT_EQ(done["judge"], "held-out");
  const Json without = last_of(must(folder, quick_fit("data.csv", {"--json"})).out);
  EXPECT_TRUE(without["validation_mse"].is_null());
  EXPECT_TRUE(without["judge"].is_null());
}

TEST_F(Keeping, TheFirstEventSaysHowManyRowsAreHeldOutOnlyWhereThatIsKnown) {
  const auto start = [&](const Words& more) {
    Words words = {"--json"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string out = must(folder, quick_fit("data.csv", words)).out;
    return parsed(out.substr(0, out.find('\n')));
  };
  EXPECT_EQ(start({})["validation_rows"], 0);
  EXPECT_TRUE(start({"--validation-fraction", "0.25"})["validation_rows"].is_null());
  EXPECT_EQ(start({"--valid", "data.csv"})["validation_rows"], 200);
  for (const bool automatic : {true, false}) {
    const Json plan = parsed(must(folder, {"fit", "data.csv", "--target", "y", "--dry-run", "--json", "--preset",
                                           automatic ? "auto" : "paper"})
                                 .out);
    EXPECT_EQ(plan["memory_is_lower_bound"], false);
    EXPECT_EQ(plan["validation_rows"].is_null(), automatic);
  }
}

TEST_F(Keeping, RowsThatCannotJudgeAreWarnedOf) {
  const auto warnings = [&](const Words& more) {
    Words words = {"fit", "data.csv", "--target", "y", "--dry-run"};
    words.insert(words.end(), more.begin(), more.end());
    return must(folder, words).err;
  };
  EXPECT_NE(warnings({"--valid", "data.csv"}).find("rows that are trained on"), std::string::npos);
  EXPECT_NE(warnings({"--validation-fraction", "0"}).find("no rows are held out"), std::string::npos);
  EXPECT_EQ(warnings({}).find("warning"), std::string::npos);
  EXPECT_EQ(warnings({"--validation-fraction", "0", "--preset", "paper"}).find("warning"), std::string::npos);
}

TEST_F(Keeping, TheSummaryBeginsWithTheErrorOnRowsHeldOut) {
  const Outcome outcome = must(folder, quick_fit("data.csv", {"--validation-fraction", "0.2"}));
  const std::size_t line = outcome.err.find("mean squared error ");
  ASSERT_NE(line, std::string::npos) << outcome.err;
  const std::string text = outcome.err.substr(line, outcome.err.find('\n', line) - line);
  EXPECT_LT(text.find(" on held-out rows, "), text.find(" on training rows")) << text;
  EXPECT_NE(must(folder, {"inspect", "data.rfnn"}).out.find(text), std::string::npos);
  EXPECT_NE(must(folder, quick_fit("data.csv", {"--valid", "data.csv"})).err.find(" on validation rows, "),
            std::string::npos);
}

}  // namespace
}  // namespace rfnn::testing
