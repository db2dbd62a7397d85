// Cut short: signals and the time budget. The model so far is always saved.

#include <chrono>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

using Json = nlohmann::json;

class Interrupted : public ::testing::Test {
 protected:
  void SetUp() override { must(folder, {"generate", "multiscale", "--rows", "500", "--out", "data.csv"}); }

  Json inspected(const std::string& model) { return Json::parse(must(folder, {"inspect", model, "--json"}).out); }

  Folder folder;
};

constexpr const char* begun = "\"event\":\"start\"";
constexpr const char* first_block = "\"event\":\"block\"";

TEST_F(Interrupted, SigintAndSigtermSaveTheModelAndEndWithFour) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Running fit(folder, endless_fit("data.csv", {"--iterations", "200", "--json"}));
    ASSERT_TRUE(fit.wait_for_output(first_block)) << fit.err();
    fit.kill(signal);
    const Outcome outcome = fit.wait();
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    const Json json = inspected("data.rfnn");
    EXPECT_EQ(json["stop_reason"], "interrupted");
    EXPECT_GE(json["blocks"].size(), 1u);
    must(folder, {"predict", "data.rfnn", "data.csv"});
    const std::size_t last = outcome.out.rfind("{\"event\":\"done\"");
    ASSERT_NE(last, std::string::npos) << outcome.out;
    EXPECT_EQ(Json::parse(outcome.out.substr(last))["stop_reason"], "interrupted");
    fs::remove(folder / "data.rfnn");
  }
}

TEST_F(Interrupted, WithinTheFirstBlockToo) {
  Running fit(folder, endless_fit("data.csv", {"--json"}));
  ASSERT_TRUE(fit.wait_for_output(begun)) << fit.err();
  fit.kill(SIGINT);
  EXPECT_EQ(fit.wait().code, 4);
  EXPECT_EQ(inspected("data.rfnn")["stop_reason"], "interrupted");
  must(folder, {"predict", "data.rfnn", "data.csv"});
}

TEST_F(Interrupted, EvenWhenStartedWithTheSignalIgnored) {
  // A shell script starts its background jobs like this.
  Running fit(
      folder, endless_fit("data.csv", {"--json"}),
      {.standard_input = "", .environment = {}, .standard_output = "", .in_child = [] { ::signal(SIGINT, SIG_IGN); }});
  ASSERT_TRUE(fit.wait_for_output(begun)) << fit.err();
  fit.kill(SIGINT);
  EXPECT_EQ(fit.wait().code, 4);
}

TEST_F(Interrupted, ASecondSignalAborts) {
  // Huge tiles of work cannot be had quickly; instead two signals arrive before the process runs again.
  Running fit(folder, endless_fit("data.csv", {"--json"}));
  ASSERT_TRUE(fit.wait_for_output(begun)) << fit.err();
  fit.kill(SIGSTOP);
  fit.kill(SIGINT);
  fit.kill(SIGTERM);
  fit.kill(SIGCONT);
  const Outcome outcome = fit.wait();
  EXPECT_EQ(outcome.code, -1);
  EXPECT_TRUE(outcome.signal == SIGINT || outcome.signal == SIGTERM) << outcome.signal;
  EXPECT_FALSE(fs::exists(folder / "data.rfnn"));
}

TEST_F(Interrupted, MaxTimeSavesTheModelAndEndsWithFour) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = run(folder, endless_fit("data.csv", {"--max-time", "0.5"}));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_GT(elapsed.count(), 0.2) << "the budget is to be used";
  EXPECT_EQ(inspected("data.rfnn")["stop_reason"], "out-of-time");
  EXPECT_EQ(run(folder, quick_fit("data.csv", {"--max-time", "600"})).code, 0) << "work that fits its budget is done";
}

TEST_F(Interrupted, ABudgetThatIsGoneAfterReadingStillGivesAModel) {
  EXPECT_EQ(run(folder, endless_fit("data.csv", {"--max-time", "1e-9"})).code, 4);
  EXPECT_EQ(inspected("data.rfnn")["stop_reason"], "out-of-time");
}

TEST_F(Interrupted, PredictLeavesNoFileBehindAndDiesByTheSignal) {
  must(folder, quick_fit("data.csv"));
  must(folder, {"generate", "multiscale", "--rows", "300000", "--out", "many.csv"});
  const auto hidden = [&] {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      count += entry.path().filename().string().find("rfnn-tmp") != std::string::npos ? 1 : 0;
    }
    return count;
  };
  Running predict(folder, {"predict", "data.rfnn", "many.csv", "--out", "predictions.csv"});
  while (hidden() == 0 && !fs::exists(folder / "predictions.csv")) ::usleep(200);
  predict.kill(SIGTERM);
  const Outcome outcome = predict.wait();
  if (outcome.code == 0) GTEST_SKIP() << "done before the signal came";
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_EQ(hidden(), 0u);
  EXPECT_FALSE(fs::exists(folder / "predictions.csv"));
}

}  // namespace
}  // namespace rfnn::testing
