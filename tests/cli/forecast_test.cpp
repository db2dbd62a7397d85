// Forecasts and gaps, as commands see them.

#include <cmath>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

using Json = nlohmann::json;

class Forecast : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file(folder / "first.csv", table(0, 400));
    write_file(folder / "last.csv", table(400, 500));
  }

  /// A slope and two seasons, a row a day.
  static std::string table(int from, int to) {
    std::string text = "day,level\n";
    for (int day = from; day < to; ++day) {
      const double noise = 0.1 * std::sin(1e4 * std::sin(static_cast<double>(day)));
      text += std::to_string(day) + "," +
              std::to_string(0.02 * day + std::sin(0.45 * day) + 0.5 * std::cos(1.3 * day) + noise) + "\n";
    }
    return text;
  }

  double r2_of_the_last(const Words& more) {
    Words words = {"fit", "first.csv", "--target", "level", "--out", "m.rfnn", "--quiet", "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    must(folder, words);
    return Json::parse(must(folder, {"evaluate", "m.rfnn", "last.csv", "--json"}).out)["r2"].get<double>();
  }

  Folder folder;
};

TEST_F(Forecast, HoldoutTailForeseesWhatARandomSplitDoesNot) {
  EXPECT_GT(r2_of_the_last({"--holdout", "tail"}), 0.9);
  const Json json = Json::parse(must(folder, {"inspect", "m.rfnn", "--json"}).out);
  EXPECT_EQ(json["options"]["holdout"], "tail");
  EXPECT_EQ(json["options"]["holdout_by"], "auto");
  EXPECT_EQ(json["blocks"][0]["method"], "lines");
  ASSERT_EQ(json["trend"].size(), 2U);
  EXPECT_EQ(json["trend"][1]["variable"], "day");
  EXPECT_NEAR(json["trend"][1]["coefficient"][0].get<double>(), 0.02, 1e-3);
  EXPECT_NEAR(json["spectrum"][0]["frequency"][0].get<double>(), 0.45, 1e-3);
  const std::string text = must(folder, {"inspect", "m.rfnn"}).out;
  EXPECT_NE(text.find("(day − "), std::string::npos) << text;
  EXPECT_NE(text.find("13.96"), std::string::npos) << "the season's days\n" << text;
  EXPECT_LT(r2_of_the_last({}), 0.8) << "rows between the others say nothing about those beyond";
}

TEST_F(Forecast, ReportShowsTheTrend) {
  must(folder, {"fit", "first.csv", "--target", "level", "--out", "m.rfnn", "--quiet", "--holdout", "gap"});
  must(folder, {"report", "m.rfnn", "--data", "last.csv", "--out", "page.html"});
  const std::string page = read_file(folder / "page.html");
  EXPECT_NE(page.find("A trend goes on beyond the data"), std::string::npos);
}

TEST_F(Forecast, BadUseEndsWithOneAndSaysWhatToDo) {
  const auto refused = [&](const Words& more) {
    Words words = {"fit", "first.csv", "--target", "level", "--out", "m.rfnn"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_NE(refused({"--holdout", "last"}).find("random, tail or gap"), std::string::npos);
  EXPECT_NE(refused({"--holdout", "tail", "--holdout-by", "2"}).find("there are 1 inputs"), std::string::npos);
  EXPECT_NE(refused({"--holdout", "tail", "--validation-fraction", "0"}).find("no rows are held out"),
            std::string::npos);
  EXPECT_NE(refused({"--preset", "paper", "--holdout", "tail"}).find("validation-fraction a number above 0"),
            std::string::npos);
  EXPECT_NE(refused({"--holdout", "tail", "--valid", "last.csv"}).find("Give one of the two"), std::string::npos);
  write_file(folder / "first.csv", "t,level\n3,1\n3,2\n3,4\n3,5\n");
  EXPECT_NE(refused({"--holdout", "gap"}).find("'t' is the same in all rows"), std::string::npos);
}

/// The number that --holdout-by, or a config file, stands for in the model's options.
TEST_F(Forecast, TimeIsNamedOrNumbered) {
  std::string text = "2,y,day\n";
  for (int row = 0; row < 40; ++row)
    text += std::to_string(row % 7) + "," + std::to_string(row % 5) + "," + std::to_string(row) + "\n";
  write_file(folder / "odd.csv", text);
  const auto outcome = [&](const Words& more) {
    Words words = {"fit",      "odd.csv",   "--target", "y", "--out",        "m.rfnn", "--quiet",
                   "--preset", "paper",     "--blocks", "1", "--iterations", "1",      "--validation-fraction",
                   "0.2",      "--holdout", "tail"};
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  };
  const auto number = [&](const Words& more) {
    const Outcome done = outcome(more);
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(must(folder, {"inspect", "m.rfnn", "--json"}).out)["options"]["holdout_by"];
  };
  EXPECT_EQ(number({"--holdout-by", "day"}), 2);
  EXPECT_EQ(number({"--holdout-by", "2"}), 1) << "a name wins over a number";
  EXPECT_EQ(number({"--holdout-by", "1"}), 1);
  EXPECT_EQ(number({}), "auto");
  write_file(folder / "named.json", R"({"holdout_by": "day"})");
  EXPECT_EQ(number({"--config", "named.json"}), 2);
  EXPECT_EQ(number({"--config", "named.json", "--holdout-by", "auto"}), "auto") << "flags win";

  const Outcome unknown = outcome({"--holdout-by", "days"}), target = outcome({"--holdout-by", "y"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("Did you mean \"day\""), std::string::npos) << unknown.err;
  EXPECT_EQ(target.code, 1);
  EXPECT_NE(target.err.find("no input"), std::string::npos) << target.err;
}

}  // namespace
}  // namespace rfnn::testing
