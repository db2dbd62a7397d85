// `rfnn diagnose` on real runs with planted faults, and `rfnn fit --from`.

#include <gmock/gmock.h>

#include <cmath>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

using ::testing::HasSubstr;

class Diagnose : public ::testing::Test {
 protected:
  void SetUp() override {
    must(folder, {"generate", "multiscale", "--rows", "400", "--seed", "3", "--out", "data.csv"});
    must(folder, {"generate", "multiscale", "--rows", "60", "--seed", "3", "--out", "few.csv"});
    must(folder, {"generate", "stairstep", "--rows", "120", "--seed", "3", "--noise", "0.3", "--out", "noisy.csv"});
  }

  /// The problems of a run with the published algorithm, or with preset auto.
  Json problems(const std::string& data, const Words& more, bool paper = true) {
    fs::remove_all(folder / "run");
    Words words = {"fit", data, "-t", "y", "-q", "-o", "model.rfnn", "--run-dir", "run"};
    if (paper) words.insert(words.end(), {"--preset", "paper", "--blocks", "3", "--iterations", "200"});
    words.insert(words.end(), more.begin(), more.end());
    must(folder, words);
    return parsed(must(folder, {"diagnose", "run", "--json"}).out)["problems"];
  }

  std::string first(const Json& list) { return list.empty() ? "" : list[0]["kind"].get<std::string>(); }

  Folder folder;
};

TEST_F(Diagnose, NamesEachPlantedFaultFirst) {
  EXPECT_EQ(first(problems("few.csv", {"--width", "20"})), "too-few-rows");
  EXPECT_EQ(first(problems("data.csv", {"--width", "30", "--ridge", "0", "--iterations", "20"})), "ill-conditioned");
  EXPECT_EQ(first(problems("data.csv", {"--gamma", "1e5", "--delta", "1e6"})), "stuck");
  EXPECT_EQ(first(problems("data.csv", {"--delta", "1e-8"})), "acceptance");
  EXPECT_EQ(first(problems("few.csv", {"--initial-spread", "1000"})), "sampling-limit");
  EXPECT_EQ(first(problems("noisy.csv",
                           {"--width", "8", "--blocks", "8", "--validation-fraction", "0.4", "--ridge", "1e-7"})),
            "overfitting");
  const Json residuals =
      problems("data.csv", {"--width", "1", "--blocks", "1", "--keep", "best", "--iterations", "600"});
  EXPECT_EQ(first(residuals), "residuals") << residuals;
}

TEST_F(Diagnose, NamesWhatAppliesToPresetAuto) {
  must(folder, {"generate", "multiscale", "--rows", "15", "--seed", "3", "--out", "tiny.csv"});
  EXPECT_EQ(first(problems("tiny.csv", {}, false)), "too-few-rows");
  const Json bounded = problems("data.csv", {"--width", "1", "--blocks", "1"}, false);
  ASSERT_EQ(first(bounded), "residuals");
  EXPECT_EQ(bounded[0]["flag"], "--width auto --blocks 30");
}

TEST_F(Diagnose, NamesNothingOnHealthyRuns) {
  EXPECT_EQ(problems("data.csv", {}, false), Json::array());
  EXPECT_EQ(problems("data.csv", {"--keep", "best", "--iterations", "2000", "--blocks", "5"}), Json::array());
  EXPECT_EQ(must(folder, {"diagnose", "run"}).out, "no problem found in 5 blocks of run\n");
  const Outcome alone = must(folder, {"diagnose", "model.rfnn"});
  EXPECT_THAT(alone.err, HasSubstr("residuals were not looked at"));
  EXPECT_EQ(must(folder, {"diagnose", "model.rfnn", "--data", "data.csv"}).err, "");
}

TEST_F(Diagnose, NamesNoWaveBetweenTheTwoValuesOfANumber) {
  std::string table = "x,w,y\n";
  for (int i = 0; i < 400; ++i) {
    const double x = i * 0.618034 - std::floor(i * 0.618034);
    const int w = (i * i / 7) % 2;
    table += std::to_string(x) + "," + std::to_string(w) + "," + std::to_string(std::sin(6.0 * x) + w) + "\n";
  }
  write_file(folder / "flag.csv", table);
  EXPECT_EQ(problems("flag.csv", {"--keep", "best", "--iterations", "1500", "--blocks", "4"}), Json::array());
  const Json alone = parsed(must(folder, {"diagnose", "model.rfnn", "--json"}).out)["problems"];
  for (const Json& problem : alone) EXPECT_NE(problem["kind"], "sampling-limit") << alone;
}

TEST_F(Diagnose, KnowsTheRowsOfTrainingWhereverTheyComeFrom) {
  problems("noisy.csv", {"--width", "8", "--blocks", "8", "--ridge", "1e-7"});
  const auto said = [&](const std::string& source, const Words& more) {
    Words words = {"diagnose", source, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return must(folder, words);
  };
  const Outcome given = said("model.rfnn", {"--data", "noisy.csv"});
  EXPECT_EQ(given.out.find("not fitted"), std::string::npos) << given.out;
  EXPECT_EQ(given.out, said("run", {}).out);
  EXPECT_EQ(given.out, said("run", {"--data", "noisy.csv"}).out);
  must(folder, {"generate", "stairstep", "--rows", "120", "--seed", "4", "--noise", "0.3", "--out", "other.csv"});
  const Outcome other = said("model.rfnn", {"--data", "other.csv"});
  EXPECT_THAT(other.out, HasSubstr("rows not fitted"));
  EXPECT_EQ(other.err, "");
}

TEST_F(Diagnose, KnowsTheRowsOfTrainingWhereCellsWereFilledIn) {
  std::string table = "x,z,y\n";
  for (int i = 0; i < 120; ++i)
    table += std::to_string(0.37 * (i % 29)) + "," + (i % 40 == 7 ? "" : std::to_string(0.11 * (i % 31))) + "," +
             std::to_string(i % 7) + "\n";
  write_file(folder / "holes.csv", table);
  must(folder, {"fit", "holes.csv", "-t", "y", "-q", "--missing", "mean", "--preset", "paper", "--blocks", "1",
                "--iterations", "20", "--run-dir", "run"});
  for (const char* source : {"holes.rfnn", "run"})
    EXPECT_EQ(must(folder, {"diagnose", source, "--data", "holes.csv", "--json"}).out.find("not fitted"),
              std::string::npos)
        << source;
  EXPECT_THAT(must(folder, {"report", "holes.rfnn", "--data", "holes.csv", "--out", "page.html"}).err,
              HasSubstr("has the rows that the model was trained on"));
}

TEST_F(Diagnose, ReadsDataAsPredictDoes) {
  std::string table = "x,k,y\n";
  for (int i = 0; i < 80; ++i)
    table += std::to_string(0.37 * (i % 29)) + (i % 3 == 0 ? ",b," : ",a,") + std::to_string(i % 7) + "\n";
  write_file(folder / "levels.csv", table);
  write_file(folder / "more.csv", table + "0.2,c,1\n,a,2\n");
  must(folder, {"fit", "levels.csv", "-t", "y", "-q", "--preset", "paper", "--blocks", "1", "--iterations", "20"});
  for (const char* command : {"diagnose", "report"}) {
    const Outcome refused = run(folder, {command, "levels.rfnn", "--data", "more.csv"});
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("--unseen mean"));
    const Outcome read =
        must(folder, {command, "levels.rfnn", "--data", "more.csv", "--unseen", "mean", "--missing", "mean"});
    EXPECT_THAT(read.err, HasSubstr("1 cell with a level that training has not seen"));
    EXPECT_THAT(read.err, HasSubstr("1 missing cell filled in"));
    const Outcome needless = run(folder, {command, "levels.rfnn", "--unseen", "mean"});
    EXPECT_EQ(needless.code, 1);
    EXPECT_THAT(needless.err, HasSubstr("--unseen says how --data is read"));
    const Outcome swapped = run(folder, {command, "levels.csv", "--data", "levels.rfnn"});
    EXPECT_EQ(swapped.code, 1);
    EXPECT_THAT(swapped.err, HasSubstr(std::string("Give `rfnn ") + command + " levels.rfnn --data levels.csv`"));
  }
  for (const char* command : {"importance", "compare"})
    EXPECT_THAT(run(folder, {command, "levels.csv", "--data", "levels.rfnn"}).err,
                HasSubstr(std::string("Give `rfnn ") + command + " levels.rfnn --data levels.csv`"));
}

TEST_F(Diagnose, ReadsARunWithoutAModelAndSaysWhatItCannotRead) {
  problems("data.csv", {"--delta", "1e-8"});
  fs::remove(folder / "run/model.rfnn");
  const Outcome outcome = must(folder, {"diagnose", "run"});
  EXPECT_THAT(outcome.out, HasSubstr("acceptance: chains accept nearly everything"));
  EXPECT_THAT(outcome.err, HasSubstr("Only the records of its blocks"));
  EXPECT_EQ(run(folder, {"diagnose", "data.csv"}).code, 2);
  EXPECT_EQ(run(folder, {"diagnose", "nowhere"}).code, 2);
}

class FitFrom : public Diagnose {};

TEST_F(FitFrom, AddsBlocksAndGivesTheNetworkThatWasNeverStopped) {
  const Words fit = {"fit", "data.csv", "-t", "y", "-q", "--preset", "paper", "--iterations", "50", "--seed", "4"};
  const auto with = [&](Words more) {
    Words words = fit;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  must(folder, with({"--blocks", "2", "-o", "two.rfnn"}));
  must(folder, with({"--blocks", "4", "-o", "four.rfnn"}));
  must(folder, {"fit", "data.csv", "--from", "two.rfnn", "-q", "-o", "on.rfnn"});
  EXPECT_EQ(tensors_of(folder / "on.rfnn"), tensors_of(folder / "four.rfnn"));
  must(folder, {"fit", "data.csv", "--from", "two.rfnn", "--blocks", "3", "-q", "-o", "three.rfnn"});
  EXPECT_EQ(parsed(must(folder, {"inspect", "three.rfnn", "--json"}).out)["blocks"].size(), 3U);
  must(folder, {"fit", "data.csv", "--from", "three.rfnn", "--blocks", "4", "-q", "-o", "three.rfnn"});
  EXPECT_EQ(tensors_of(folder / "three.rfnn"), tensors_of(folder / "four.rfnn"));
}

TEST_F(FitFrom, SaysWhereHeldOutRowsWereSeen) {
  must(folder, {"fit", "few.csv", "-t", "y", "-q", "--blocks", "2", "-o", "auto.rfnn"});
  EXPECT_THAT(must(folder, {"fit", "few.csv", "--from", "auto.rfnn", "-o", "on.rfnn"}).err,
              HasSubstr("it has seen those that are held out now"));
  EXPECT_EQ(must(folder, {"fit", "data.csv", "--from", "auto.rfnn", "-o", "on.rfnn"}).err.find("has seen"),
            std::string::npos);
}

TEST_F(FitFrom, SaysWhatDiffers) {
  must(folder, {"fit", "data.csv", "-t", "y", "-q", "--preset", "paper", "--iterations", "9", "--blocks", "2"});
  const auto refused = [&](const Words& words, int code) {
    const Outcome outcome = run(folder, words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(refused({"fit", "data.csv", "--from", "data.rfnn"}, 1), HasSubstr("which it goes on from"));
  EXPECT_THAT(refused({"fit", "data.csv", "--from", "data.rfnn", "--blocks", "2", "-o", "new.rfnn"}, 1),
              HasSubstr("has 2 blocks already"));
  EXPECT_THAT(refused({"fit", "data.csv", "--from", "data.rfnn", "-t", "x", "-o", "new.rfnn"}, 1),
              HasSubstr("predicts y; --target says x"));
  must(folder, {"generate", "sine", "--rows", "50", "--seed", "3", "--out", "other.csv"});
  EXPECT_THAT(refused({"fit", "other.csv", "--from", "data.rfnn", "-o", "new.rfnn"}, 2), HasSubstr("x"));
  EXPECT_FALSE(fs::exists(folder / "new.rfnn"));
}

}  // namespace
}  // namespace rfnn::testing
