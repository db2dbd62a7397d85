// Cut short: signals and the time budget. The model so far is always saved.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

class Interrupted : public ::testing::Test {
 protected:
  void SetUp() override { must(folder, {"generate", "multiscale", "--rows", "500", "--out", "data.csv"}); }

  Json inspected(const std::string& model) { return parsed(must(folder, {"inspect", model, "--json"}).out); }

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
    EXPECT_EQ(parsed(outcome.out.substr(last))["stop_reason"], "interrupted");
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

Words automatic_fit(const Words& more) {
  Words words = {"fit", "data.csv", "--target", "y", "--threads", "2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Interrupted, PresetAutoWithHardlyAnyTimeKeepsTheOldModelOrSavesAValidOne) {
  const Outcome first = run(folder, automatic_fit({"--max-time", "0.001"}));
  EXPECT_EQ(first.code, 4) << first.err;
  EXPECT_EQ(inspected("data.rfnn")["stop_reason"], "out-of-time");
  must(folder, {"predict", "data.rfnn", "data.csv"});
  must(folder, quick_fit("data.csv"));
  const std::string before = read_file(folder / "data.rfnn");
  const Outcome outcome = run(folder, automatic_fit({"--max-time", "0.001"}));
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  if (outcome.err.find("kept the model") != std::string::npos) EXPECT_EQ(read_file(folder / "data.rfnn"), before);
  must(folder, {"predict", "data.rfnn", "data.csv"});
}

TEST_F(Interrupted, PresetAutoEndsSoonAfterAnEarlySignal) {
  must(folder, {"generate", "multiscale", "--rows", "20000", "--out", "data.csv"});
  Running fit(folder, automatic_fit({"--json"}));
  ASSERT_TRUE(fit.wait_for_output(begun)) << fit.err();
  fit.kill(SIGINT);
  const Outcome outcome = fit.wait();
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_EQ(inspected("data.rfnn")["stop_reason"], "interrupted");
  must(folder, {"predict", "data.rfnn", "data.csv"});
}

TEST_F(Interrupted, PredictLeavesNoFileBehindAndDiesByTheSignal) {
  must(folder, quick_fit("data.csv"));
  // The temporary file, with a name or without: then it is one of the process's descriptors.
  const auto being_written = [&](pid_t process) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd", error)) {
      const std::string file = fs::read_symlink(entry.path(), error).string();
      if (file.rfind(fs::canonical(folder.path()).string() + "/#", 0) == 0) return true;
    }
    return false;
  };
  const auto hidden = [&] {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      count += entry.path().filename().string().find("rfnn-tmp") != std::string::npos ? 1 : 0;
    }
    return count;
  };
  // The rows come from a pipe that stays open, so that predict cannot be done before the signal comes.
  const std::string pipe = folder / "pipe.csv";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Running predict(folder, {"predict", "data.rfnn", "pipe.csv", "--out", "predictions.csv"});
  const int writer = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  std::string rows = "x\n";
  for (int i = 0; i < 2000000; ++i) rows += "0.25\n";  // more than any buffer on the way
  for (std::size_t sent = 0; sent < rows.size();) {
    const ssize_t now = ::write(writer, rows.data() + sent, rows.size() - sent);
    ASSERT_GT(now, 0);
    sent += static_cast<std::size_t>(now);
  }
  while (hidden() == 0 && !being_written(predict.pid())) ::usleep(200);
  predict.kill(SIGTERM);
  ::close(writer);
  const Outcome outcome = predict.wait();
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_EQ(hidden(), 0u);
  EXPECT_FALSE(fs::exists(folder / "predictions.csv"));
}

}  // namespace
}  // namespace rfnn::testing
