// What a model says about its inputs: derivatives, extremes, shares of the variance.

#include <cmath>
#include <memory>
#include <sstream>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

class Sensitivity : public ::testing::Test {
 protected:
  /// y = 3·days + log(size) + 5 where it is red, without noise.
  static void SetUpTestSuite() {
    home = std::make_unique<Folder>();
    std::string table = "day,size,colour,y\n";
    for (int i = 0; i < 120; ++i) {
      const int day = 1 + (i * 5) % 28;
      const double size = 1.0 + (i * 37) % 101;
      const double y = 3.0 * day + std::log(size) + (i % 2 == 0 ? 5.0 : 0.0);
      table += "2024-02-" + std::string(day < 10 ? "0" : "") + std::to_string(day) + "," + std::to_string(size) +
               (i % 2 == 0 ? ",red," : ",blue,") + std::to_string(y) + "\n";
    }
    write_file(*home / "data.csv", table);
    must(*home, {"fit", "data.csv", "--target", "y", "--quiet", "--out", "m.rfnn"});
  }
  static void TearDownTestSuite() { home.reset(); }
  static inline std::unique_ptr<Folder> home;
  const Folder& folder = *home;
};

TEST_F(Sensitivity, GradientsAreInTheUnitsOfTheTable) {
  write_file(folder / "rows.csv", "day,size,colour\n2024-02-10,20,red\n2024-02-15,,blue\n");
  const Outcome outcome = must(folder, {"predict", "m.rfnn", "rows.csv", "--gradient", "--flag-outside"});
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "y,d_y_d_day,d_y_d_size,outside");
  std::getline(lines, line);
  double y = 0.0, by_day = 0.0, by_size = 0.0;
  ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,0", &y, &by_day, &by_size), 3) << line;
  EXPECT_NEAR(y, 30.0 + std::log(20.0) + 5.0, 1.0);
  EXPECT_NEAR(by_day, 3.0, 0.1);
  EXPECT_NEAR(by_size, 1.0 / 20.0, 0.02);
  std::getline(lines, line);
  EXPECT_EQ(line, ",,,");
}

TEST_F(Sensitivity, OptimumIsWithinTheBox) {
  const Words words = {"optimum", "m.rfnn", "--box", "day=2024-02-05..2024-02-12", "--box", "colour=red"};
  Words more = words;
  more.insert(more.end(), {"--json", "--maximum"});
  const Json found = parsed(must(folder, more).out);
  EXPECT_EQ(found.at("goal"), "maximum");
  EXPECT_EQ(found.at("inputs").at("day"), "2024-02-12");
  EXPECT_EQ(found.at("inputs").at("colour"), "red");
  EXPECT_NEAR(found.at("value").get<double>(), 36.0 + std::log(101.0) + 5.0, 1.0);
  EXPECT_EQ(found.at("at_bound").at(0), "day");
  const std::string text = must(folder, words).out;
  EXPECT_NE(text.find("minimum of y"), std::string::npos) << text;
  EXPECT_NE(text.find("day     2024-02-05    at the bound of the box"), std::string::npos) << text;
  for (const auto& [box, part] : std::vector<std::pair<std::string, std::string>>{
           {"colour=green", "no level green"}, {"size=9..1", "no range"}, {"depth=1", "names no input"}}) {
    const Outcome outcome = run(folder, {"optimum", "m.rfnn", "--box", box});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  }
}

TEST_F(Sensitivity, SharesOfTheVarianceAreThoseOfTheFormula) {
  const Json json = parsed(must(folder, {"sensitivity", "m.rfnn", "--samples", "256", "--json"}).out);
  EXPECT_EQ(json.at("inputs"), (Json{"day", "size", "colour"}));
  // Days are uniform over 27, of variance 9 · 27²/12; red and blue are as many.
  const double all = json.at("variance"), days = 9.0 * 27.0 * 27.0 / 12.0;
  EXPECT_NEAR(json.at("first").at(0).get<double>() * all, days, 0.05 * days);
  EXPECT_NEAR(json.at("total").at(2).get<double>() * all, 6.25, 0.7);
  for (const char* key : {"first_standard_error", "total_standard_error"})
    for (const Json& error : json.at(key)) EXPECT_LT(error.get<double>(), 0.02);
  EXPECT_EQ(json.at("effects").size(), 3U);
  EXPECT_EQ(json.at("effects").at(2).at("values"), (Json{"blue", "red"}));
  EXPECT_EQ(json.at("scales").size(), 2U);
  const std::string text = must(folder, {"sensitivity", "m.rfnn", "--samples", "64", "--data", "data.csv"}).out;
  for (const char* part : {"shares of the variance", "alone", "with others", "main effects", "(± ", "wavelengths"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(must(folder, {"sensitivity", "m.rfnn", "--samples", "64", "--json", "--threads", "1"}).out,
            must(folder, {"sensitivity", "m.rfnn", "--samples", "64", "--json", "--threads", "3"}).out);
  EXPECT_EQ(run(folder, {"sensitivity", "m.rfnn", "--normal", "colour=1,2"}).code, 1);
}

TEST_F(Sensitivity, WhatIsDrawnFromIsSaidOnceAndInFull) {
  const auto refused = [&](const Words& more, const char* command = "sensitivity") {
    Words words = {command, "m.rfnn"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    return outcome.err;
  };
  const auto mentions = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(mentions(refused({"--normal", "size=1,"}), "is no mean with a standard deviation"));
  EXPECT_TRUE(mentions(refused({"--normal", "size=,1"}), "is no mean with a standard deviation"));
  for (const char* command : {"sensitivity", "optimum"}) {
    EXPECT_TRUE(mentions(refused({"--box", "colour="}, command), "leaves no level of it"));
    EXPECT_TRUE(mentions(refused({"--box", "size=1..2", "--box", "size=3..4"}, command), "twice"));
  }
  EXPECT_TRUE(mentions(refused({"--normal", "size=5,1", "--box", "size=1..9"}), "--box and --normal both say"));
  EXPECT_TRUE(mentions(refused({"--normal", "size=5,1", "--normal", "size=6,1"}), "twice"));
  must(folder, {"sensitivity", "m.rfnn", "--samples", "64", "--normal", "size=50,1", "--box", "colour=red"});
}

}  // namespace
}  // namespace rfnn::testing
