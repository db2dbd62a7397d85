// Runs that were ended and go on, and models that learn the difference to others.

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Resumed : public ::testing::Test {
 protected:
  void SetUp() override { must(folder, {"generate", "multiscale", "--rows", "400", "--out", "data.csv"}); }

  /// Is there a file of this kind, "note" or "piece", in the checkpoint?
  [[nodiscard]] bool has(const std::string& kind) const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder / "run/checkpoint", error))
      if (entry.path().extension() == "." + kind) return true;
    return false;
  }

  /// Begins a run and kills it as soon as its checkpoint has something of this kind; false where it ended before.
  bool killed(const Words& words, const std::string& kind) {
    Running fit(folder, words);
    for (int waited = 0; waited < 600000 && !has(kind) && ::kill(fit.pid(), 0) == 0; waited += 1) ::usleep(100);
    fit.kill(SIGKILL);
    return fit.wait().signal == SIGKILL;
  }

  std::string refused(const Words& words, int code) {
    const Outcome outcome = run(folder, words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return outcome.err;
  }

  const Words paper = {"fit",      "data.csv", "--target",     "y",    "--preset", "paper", "--width", "5",
                       "--blocks", "3",        "--iterations", "1500", "--quiet"};
  const Words recorded = {"--run-dir", "run", "--checkpoint-every", "0", "--out", "out.rfnn"};
  const Words resume = {"fit", "--resume", "run", "--quiet"};

  static Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Folder folder;
};

TEST_F(Resumed, InsideAChainToTheSameBits) {
  must(folder, with(paper, {"--out", "alone.rfnn"}));
  ASSERT_TRUE(killed(with(paper, recorded), "note"));
  ASSERT_FALSE(fs::exists(folder / "out.rfnn"));
  must(folder, resume);
  EXPECT_EQ(tensors_of(folder / "out.rfnn"), tensors_of(folder / "alone.rfnn"));
  EXPECT_EQ(tensors_of(folder / "run/model.rfnn"), tensors_of(folder / "alone.rfnn"));
  EXPECT_FALSE(fs::exists(folder / "run/checkpoint"));
  // It is as if nothing had been: acceptances, iterations and solves are those of all of the chain.
  const auto blocks = [&](const std::string& model) {
    Json list = parsed(must(folder, {"inspect", model, "--json"}).out)["blocks"];
    for (Json& block : list) block.erase("seconds");
    return list;
  };
  EXPECT_EQ(blocks("out.rfnn"), blocks("alone.rfnn"));
  EXPECT_THAT(must(folder, {"fit", "--resume", "run"}).err, HasSubstr("is finished"));
}

TEST_F(Resumed, PresetAutoToTheSameBits) {
  const Words fit = {"fit", "data.csv", "--target", "y", "--quiet", "--threads", "2"};
  must(folder, with(fit, {"--out", "alone.rfnn"}));
  ASSERT_TRUE(killed(with(fit, recorded), "piece"));
  must(folder, with(resume, {"--threads", "1"}));
  EXPECT_EQ(tensors_of(folder / "out.rfnn"), tensors_of(folder / "alone.rfnn"));
}

TEST_F(Resumed, AfterASignalToo) {
  must(folder, with(paper, {"--out", "alone.rfnn"}));
  Running fit(folder, with(paper, recorded));
  for (int waited = 0; waited < 600000 && !has("note") && ::kill(fit.pid(), 0) == 0; ++waited) ::usleep(100);
  fit.kill(SIGINT);
  ASSERT_EQ(fit.wait().code, 4);
  must(folder, resume);
  EXPECT_EQ(tensors_of(folder / "out.rfnn"), tensors_of(folder / "alone.rfnn"));
}

TEST_F(Resumed, RefusesOtherDataAndOptions) {
  ASSERT_TRUE(killed(with(paper, recorded), "note"));
  EXPECT_THAT(refused(with(resume, {"--seed", "2"}), 1), HasSubstr("seed 1, not 2"));
  EXPECT_THAT(refused(with(resume, {"--target", "x"}), 1), HasSubstr("--target has no use with --resume"));
  EXPECT_THAT(refused(with(resume, {"--base-column", "x"}), 1), HasSubstr("--base-column has no use with --resume"));
  EXPECT_THAT(refused({"fit", "--resume", "elsewhere"}, 2), HasSubstr("holds no run.json"));
  EXPECT_THAT(refused({"fit"}, 1), HasSubstr("at least one DATA"));
  std::string text = read_file(folder / "data.csv");
  write_file(folder / "data.csv", text.replace(text.rfind('.') + 1, 1, "7"));
  write_file(folder / "same.csv", text);
  EXPECT_THAT(refused(resume, 2), HasSubstr("data.csv has changed since the run in run was begun"));
  must(folder, {"generate", "multiscale", "--rows", "400", "--out", "again.csv"});
  must(folder, with(resume, {"again.csv"}));  // the same rows in another place
}

TEST_F(Resumed, ADamagedPieceIsMadeAgain) {
  must(folder, with(paper, {"--out", "alone.rfnn"}));
  ASSERT_TRUE(killed(with(paper, recorded), "note"));
  for (const auto& entry : fs::directory_iterator(folder / "run/checkpoint")) {
    std::string bytes = read_file(entry.path());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write_file(entry.path(), bytes);
  }
  must(folder, resume);
  EXPECT_EQ(tensors_of(folder / "out.rfnn"), tensors_of(folder / "alone.rfnn"));
}

/// A cheap function of many rows and a dear one of few, in which the cheap one is a part.
class OnABase : public ::testing::Test {
 protected:
  void SetUp() override {
    write("cheap.csv", 120, 0, [](double x, double c) { return std::sin(20.0 * x) + 0.0 * c; });
    write("dear.csv", 14, 1, [](double x, double c) { return dear(x, c); });
    write("test.csv", 200, 2, [](double x, double c) { return dear(x, c); });
    must(folder, {"fit", "cheap.csv", "-t", "y", "-q", "-o", "base.rfnn"});
  }
  static double dear(double x, double cheap) { return 2.0 * cheap + 0.3 * x; }

  /// Columns x, a constant for the few rows, cheap, y.
  template <class Function>
  void write(const std::string& name, int rows, int offset, const Function& y) {
    std::string text = "x,cheap,y\n";
    for (int i = 0; i < rows; ++i) {
      const double x = -1.0 + 2.0 * std::fmod(0.618034 * (i + 1) + 0.1 * offset, 1.0), cheap = std::sin(20.0 * x);
      text += std::to_string(x) + "," + std::to_string(cheap) + "," + std::to_string(y(x, cheap)) + "\n";
    }
    write_file(folder / name, text);
  }
  double error_of(const std::string& model) {
    return parsed(must(folder, {"evaluate", model, "test.csv", "--json"}).out)["rmse"];
  }
  Folder folder;
};

TEST_F(OnABase, TheDifferenceIsLearntAndTheFileIsAllThatIsNeeded) {
  must(folder, {"fit", "dear.csv", "-t", "y", "-q", "--ignore", "cheap", "-o", "alone.rfnn"});
  // The base has an input that the dear rows' networks have too; it may as well be read from a folder that goes.
  must(folder, {"fit", "cheap.csv", "-t", "y", "-q", "--ignore", "cheap", "-o", "base.rfnn"});
  must(folder, {"fit", "dear.csv", "-t", "y", "-q", "--ignore", "cheap", "--base", "base.rfnn", "-o", "both.rfnn"});
  fs::remove(folder / "base.rfnn");
  EXPECT_LT(error_of("both.rfnn"), 0.1 * error_of("alone.rfnn"));
  const Json json = parsed(must(folder, {"inspect", "both.rfnn", "--json"}).out);
  EXPECT_NEAR(json["base"]["factor"][0], 2.0, 0.1);
  EXPECT_EQ(json["base"]["inputs"], Json::array({"x"}));
  EXPECT_TRUE(json["base"]["model"].is_object());
  EXPECT_THAT(must(folder, {"inspect", "both.rfnn"}).out, HasSubstr("prediction of y by the base model"));
  must(folder, {"export", "both.rfnn", "--format", "python", "--out", "both.py", "--no-check"});
  const Outcome formula = run(folder, {"export", "both.rfnn", "--format", "formula", "--out", "both.tex"});
  EXPECT_EQ(formula.code, 2) << formula.err;
  // What goes on from it keeps the base, and adds blocks to the difference, by other rows as well.
  must(folder, {"fit", "test.csv", "--from", "both.rfnn", "-q", "-o", "on.rfnn"});
  EXPECT_LT(error_of("on.rfnn"), 0.1 * error_of("alone.rfnn"));
  EXPECT_TRUE(parsed(must(folder, {"inspect", "on.rfnn", "--json"}).out)["base"]["model"].is_object());
  // A base may have one of its own.
  must(folder, {"fit", "dear.csv", "-t", "y", "-q", "--ignore", "cheap", "--base", "both.rfnn", "-o", "three.rfnn"});
  EXPECT_LT(error_of("three.rfnn"), 0.1 * error_of("alone.rfnn"));
}

TEST_F(OnABase, RowsThatTheBaseWasFittedToAreWarnedOf) {
  const Words fit = {"fit", "cheap.csv", "-t", "y", "--base", "base.rfnn", "-o", "same.rfnn"};
  EXPECT_THAT(must(folder, fit).err, HasSubstr("The base was fitted to these very rows"));
  EXPECT_THAT(must(folder, {"fit", "cheap.csv", "-t", "y", "--base", "base.rfnn", "--dry-run"}).err,
              HasSubstr("not seen by --valid"));
  EXPECT_THAT(must(folder, {"inspect", "same.rfnn", "--json"}).out,
              HasSubstr("The base was fitted to these very rows"));
  const Words other = {"fit", "dear.csv", "-t", "y", "--base", "base.rfnn", "-o", "other.rfnn"};
  EXPECT_THAT(must(folder, other).err, Not(HasSubstr("The base was fitted")));
}

TEST_F(OnABase, ColumnsOfTheTable) {
  must(folder, {"fit", "dear.csv", "-t", "y", "-q", "--base-column", "cheap", "-o", "column.rfnn"});
  must(folder, {"fit", "dear.csv", "-t", "y", "-q", "--ignore", "cheap", "-o", "alone.rfnn"});
  EXPECT_LT(error_of("column.rfnn"), 0.1 * error_of("alone.rfnn"));
  const Outcome outcome = run(folder, {"fit", "dear.csv", "-t", "y", "--base-column", "nothing", "-o", "no.rfnn"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("which is no input"));
  std::string table = "x,colour,cheap,y\n";
  for (int i = 0; i < 40; ++i)
    table += std::to_string(0.1 * i) + (i % 3 == 0 ? ",blue," : ",red,") + std::to_string(i % 5) + "," +
             std::to_string(i % 7) + "\n";
  write_file(folder / "colours.csv", table);
  const Outcome text = run(folder, {"fit", "colours.csv", "-t", "y", "--base-column", "colour", "-o", "no.rfnn"});
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.err, HasSubstr("names colour, which holds no numbers"));
  EXPECT_THAT(text.err, HasSubstr("Name one of numbers: x, cheap."));
}

TEST_F(OnABase, ABaseForMoreTargetsSaysWhatToLearn) {
  std::string table = "x,y,z\n";
  for (int i = 0; i < 40; ++i)
    table += std::to_string(0.1 * i) + "," + std::to_string(i % 5) + "," + std::to_string(i % 7) + "\n";
  write_file(folder / "both.csv", table);
  must(folder, {"fit", "both.csv", "-t", "y,z", "-q", "--preset", "paper", "--blocks", "1", "--iterations", "5"});
  const Outcome outcome =
      run(folder, {"fit", "both.csv", "-t", "y", "--ignore", "z", "--base", "both.rfnn", "-o", "no.rfnn"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("give --target y,z"));
  const Outcome turned = run(folder, {"fit", "both.csv", "-t", "z,y", "--base", "both.rfnn", "-o", "no.rfnn"});
  EXPECT_EQ(turned.code, 2);
  EXPECT_THAT(turned.err, HasSubstr("Give --target y,z"));
}

TEST_F(OnABase, RefusesWhatDoesNotFit) {
  const auto refused = [&](const Words& words, int code) {
    const Outcome outcome = run(folder, words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(refused({"fit", "dear.csv", "-t", "y", "--ignore", "cheap", "--base", "base.rfnn", "-o", "no.rfnn"}, 2),
              HasSubstr("needs cheap, which the inputs have not"));
  EXPECT_THAT(refused({"fit", "dear.csv", "--from", "base.rfnn", "--base", "base.rfnn", "-o", "no.rfnn"}, 1),
              HasSubstr("keeps the base it has"));
}

}  // namespace
}  // namespace rfnn::testing
