// `rfnn tune`: the search, going on from its record, and what it says of preset auto.

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <sstream>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

using ::testing::HasSubstr;

class Tune : public ::testing::Test {
 protected:
  void SetUp() override {
    must(folder, {"generate", "stairstep", "--rows", "90", "--seed", "2", "--noise", "0.05", "--out", "data.csv"});
  }
  Words tune(const Words& more = {}) {
    Words words = {"tune", "data.csv", "-t", "y",       "--preset", "paper",  "--iterations",
                   "20",   "--blocks", "2",  "--folds", "3",        "--seed", "5"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Folder folder;
};

TEST_F(Tune, EndsWithTheCommandOfTheWinnerAndGoesOnFromItsRecord) {
  const Json found = parsed(must(folder, tune({"--json", "-q"})).out);
  ASSERT_GT(found["trials"].size(), 20U);
  EXPECT_EQ(found["complete"], true);
  EXPECT_EQ(found["trials"][0]["folds"].size(), 3U);
  EXPECT_EQ(found["trials"][0]["options"]["iterations"], 20) << "what is given stays";

  const std::string record = read_file(folder / "data.tune.jsonl");
  const Outcome again = must(folder, tune({"--json"}));
  EXPECT_EQ(parsed(again.out), found);
  EXPECT_THAT(again.err, HasSubstr("results of an earlier search"));

  // What was half written when the process was killed is measured again.
  write_file(folder / "data.tune.jsonl", record.substr(0, record.size() / 2));
  EXPECT_EQ(parsed(must(folder, tune({"--json", "-q", "--threads", "1"})).out), found);

  const Outcome people = must(folder, tune());
  EXPECT_THAT(people.out, HasSubstr("mean squared error  folds"));
  EXPECT_THAT(people.out, HasSubstr("* the options that the search began with"));
  EXPECT_THAT(people.out, HasSubstr(found["command"].get<std::string>()));
  std::istringstream line(found["command"].get<std::string>());
  Words words;
  for (std::string word; line >> word;) words.push_back(word);
  words.erase(words.begin());
  words.push_back("-q");
  must(folder, words);
  const Json options = parsed(must(folder, {"inspect", "data.rfnn", "--json"}).out)["options"];
  for (const auto& [name, value] : found["trials"][0]["options"].items()) EXPECT_EQ(options[name], value) << name;
}

TEST_F(Tune, RefusesTheRecordOfAnotherSearch) {
  must(folder, tune({"-q"}));
  const Outcome other = run(folder, tune({"--seed", "6"}));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("is the record of another search"));
  EXPECT_EQ(run(folder, tune({"--budget", "never"})).code, 1);
  EXPECT_EQ(run(folder, tune({"--folds", "80"})).code, 1);
  EXPECT_EQ(run(folder, tune({"--state", "nowhere/record"})).code, 2);
}

TEST_F(Tune, ASignalEndsItWithWhatIsKnown) {
  Words words = tune({"--budget", "1000", "--state", "record"});
  Running running(folder, words);
  while (running.err().find("round 1, step 1") == std::string::npos) ::usleep(5000);
  running.kill(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("rfnn fit data.csv"));
}

TEST_F(Tune, ABudgetTooSmallForOneNetworkCutsItShort) {
  for (const char* preset : {"paper", "auto"}) {
    const Outcome outcome = run(folder, {"tune", "data.csv", "-t", "y", "--preset", preset, "--budget", "1e-6",
                                         "--state", std::string("record-") + preset, "--json"});
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("--budget (give a larger one, or fewer rows) ended the work"));
    EXPECT_EQ(parsed(outcome.out).at("preset"), preset);
  }
}

TEST_F(Tune, SaysOfPresetAutoThatNothingIsToBeTuned) {
  const Outcome outcome = must(folder, {"tune", "data.csv", "-t", "y", "--folds", "2", "--blocks", "2"});
  EXPECT_THAT(outcome.err, HasSubstr("Nothing is to be tuned with preset auto"));
  EXPECT_THAT(outcome.out, HasSubstr("From seed to seed the error"));
  const Json json =
      parsed(must(folder, {"tune", "data.csv", "-t", "y", "--folds", "2", "--blocks", "2", "--json"}).out);
  EXPECT_EQ(json["repeats"].size(), 5U);
  EXPECT_EQ(json["folds"].size(), 2U);
}

}  // namespace
}  // namespace rfnn::testing
