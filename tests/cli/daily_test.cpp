// The work around a model: cv, compare, importance, and what predict and evaluate tell of single rows and groups.

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

/// Rows of the sine with a text and a date in front.
class Daily : public ::testing::Test {
 protected:
  void SetUp() override {
    std::istringstream lines(must(folder, {"generate", "sine", "--rows", "90", "--seed", "3"}).out);
    std::string line, table = "site,day,x1,x2,x3,y\n";
    std::getline(lines, line);
    for (int i = 0; std::getline(lines, line); ++i)
      table += std::string(i % 3 == 0   ? "\"Rom, I\""
                           : i % 3 == 1 ? "Bern"
                                        : "Ulm") +
               ",2024-01-" + std::to_string(10 + (i * 7) % 20) + "," + line + "\n";
    write_file(folder / "data.csv", table);
  }
  Words cv(const Words& more) {
    Words words = {"cv", "data.csv", "--target", "y", "--preset", "paper", "--blocks", "2", "--iterations", "20"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Json cv_json(const Words& more) {
    Words words = cv(more);
    words.insert(words.end(), {"--json", "--quiet"});
    Json json = parsed(must(folder, words).out);
    json.erase("seconds");
    for (Json& fold : json["folds"]) fold.erase("seconds");
    return json;
  }
  void fit_model(const std::string& out, const Words& more = {}) {
    Words words = {"fit",      "data.csv", "--target",     "y",  "--ignore", "site,day", "--preset", "paper",
                   "--blocks", "2",        "--iterations", "20", "--out",    out,        "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    must(folder, words);
  }
  /// The lines of a text.
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    return lines;
  }
  Folder folder;
};

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Daily, CrossValidationDoesNotDependOnThreads) {
  const Json json = cv_json({"--ignore", "site,day", "--threads", "1"});
  EXPECT_EQ(json, cv_json({"--ignore", "site,day", "--threads", "3"}));
  for (const char* key : {"mse", "standard_error", "r2"}) EXPECT_TRUE(json.at(key).is_number()) << key;
  for (const char* key : {"mean", "linear", "neighbours"}) EXPECT_TRUE(json.at("baselines").at(key).is_number()) << key;
  ASSERT_EQ(json.at("folds").size(), 5u);
  EXPECT_EQ(json.at("folds").at(0).at("rows"), 18);
  EXPECT_EQ(json.at("complete"), true);
}

TEST_F(Daily, CrossValidationShowsNetworkAndSimpleMethodsInOneTable) {
  const Outcome outcome = must(folder, cv({"--group", "site", "--folds", "3", "--ignore", "day"}));
  for (const char* part : {"90 rows, 3 inputs, target y; 3 folds of groups by site (GroupKFold)", "network", "mean",
                           "linear", "neighbours", "standard error", "r2"})
    EXPECT_TRUE(mentions(outcome.out, part)) << part << "\n" << outcome.out;
  for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_TRUE(mentions(outcome.err, "fold 3/3")) << outcome.err;
}

TEST_F(Daily, CrossValidationAlongDatesLeavesTheFirstRowsUnpredicted) {
  const Words words = cv({"--time", "day", "--ignore", "site,day", "--folds", "4", "--out", "out.csv"});
  EXPECT_TRUE(mentions(must(folder, words).out, "last"));
  const auto lines = lines_of(read_file(folder / "out.csv"));
  ASSERT_EQ(lines.size(), 91u);
  EXPECT_EQ(lines[0], "row,fold,y,y_residual");
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [](auto& line) { return line.ends_with(",,,"); }), 90 - 4 * 18);
}

TEST_F(Daily, RepeatedCrossValidationHasATableOfEach) {
  const Json json = cv_json({"--ignore", "site,day", "--folds", "2", "--repeat", "2", "--out", "out.csv"});
  ASSERT_EQ(json.at("folds").size(), 4u);
  EXPECT_EQ(json.at("folds").at(3).at("repeat"), 2);
  EXPECT_EQ(json.at("rows"), 90);
  const auto lines = lines_of(read_file(folder / "out.csv"));
  ASSERT_EQ(lines.size(), 181u);
  EXPECT_EQ(lines[0], "repeat,row,fold,y,y_residual");
  EXPECT_TRUE(lines[180].starts_with("2,90,")) << lines[180];
}

TEST_F(Daily, CrossValidationSaysWhatIsWrong) {
  const auto refused = [&](const Words& more, int code, const std::string& part) {
    const Outcome outcome = run(folder, cv(more));
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_TRUE(mentions(outcome.err, part)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  };
  refused({"--folds", "1"}, 1, "--folds");
  refused({"--folds", "91", "--ignore", "site,day"}, 1, "91 folds cannot be made of 90 rows");
  refused({"--folds", "4", "--group", "site", "--ignore", "day"}, 1, "of 3 groups");
  write_file(folder / "one.csv", "x,y\n1,2\n");
  EXPECT_TRUE(mentions(run(folder, {"cv", "one.csv", "--target", "y"}).err, "folds cannot be made of 1 row."));
  refused({"--group", "site", "--time", "day"}, 1, "one of the two");
  refused({"--time", "day", "--repeat", "2"}, 1, "--repeat");
  refused({"--time", "site", "--ignore", "site,day"}, 2, "no order of time");
  refused({"--group", "y"}, 1, "target and group");
  refused({"--group", "sites"}, 2, "Did you mean \"site\"");
  refused({"--out", "data.csv"}, 1, "table that is read");
  EXPECT_TRUE(mentions(run(folder, {"cv", "data.csv"}).err, "--target is missing"));
}

TEST_F(Daily, CrossValidationKnowsRowsWithoutGroupOrTime) {
  std::string table = "site,day,x,y\n";
  for (int i = 0; i < 40; ++i)
    table += std::string(i == 7 || i == 9 ? ""
                         : i % 2 == 0     ? "NA"
                         : i % 3 == 0     ? "b"
                                          : "c") +
             "," + (i == 5 ? "" : "2024-02-" + std::to_string(10 + i % 19)) + "," +
             (i == 3 ? "" : std::to_string(0.1 * i)) + "," + std::to_string(i % 7) + "\n";
  write_file(folder / "data.csv", table);
  const auto given = [&](const Words& more) {
    Words words = cv({"--ignore", "site,day", "--folds", "3"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto refused = [&](const Words& more) {
    const Outcome outcome = run(folder, given(more));
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    return outcome.err;
  };
  std::string filled = table;
  filled.replace(filled.find(",,"), 2, ",0.3,");  // the missing input of row 4
  write_file(folder / "data.csv", filled);
  EXPECT_TRUE(mentions(refused({"--time", "day"}), "row 6: there is nothing in column day"));
  EXPECT_TRUE(mentions(refused({"--group", "site"}), "row 8: there is nothing in column site"));
  EXPECT_TRUE(mentions(refused({"--group", "site"}), "--missing drop"));
  write_file(folder / "data.csv", table);
  const Outcome time = must(folder, given({"--time", "day", "--missing", "drop", "--out", "out.csv"}));
  EXPECT_TRUE(mentions(time.err, "1 row in no fold: nothing in day")) << time.err;
  EXPECT_EQ(lines_of(read_file(folder / "out.csv"))[5], "6,,,") << "behind rows 1, 2, 3 and 5";
  const Outcome group = must(folder, given({"--group", "site", "--missing", "drop"}));
  EXPECT_TRUE(mentions(group.err, "2 rows in no fold: nothing in site")) << group.err;
  EXPECT_TRUE(mentions(run(folder, given({"--group", "site", "--missing", "drop", "--folds", "4"})).err, "3 groups"));
}

TEST_F(Daily, CrossValidationNamesTheCellThatIsNoTime) {
  const auto refused = [&](const std::string& odd, bool dates) {
    std::string table = "t,x,y\n";
    for (int i = 0; i < 20; ++i)
      table += (i == 6  ? odd
                : dates ? "2024-01-" + std::to_string(10 + i)
                        : std::to_string(i)) +
               "," + std::to_string(0.1 * i) + "," + std::to_string(i % 3) + "\n";
    write_file(folder / "data.csv", table);
    return run(folder, cv({"--ignore", "t", "--time", "t"})).err;
  };
  EXPECT_TRUE(mentions(refused("soon", true), "row 7 has \"soon\""));
  EXPECT_TRUE(mentions(refused("12", true), "row 7 has \"12\""));
  EXPECT_TRUE(mentions(refused("2024-01-15", false), "row 7 has \"2024-01-15\""));
}

TEST_F(Daily, CrossValidationSaysWhereFoldsAreStretches) {
  std::string table = "t,x,y\n";
  for (int i = 0; i < 60; ++i)
    table += std::to_string(i / 2) + "," + std::to_string(i * 7 % 11) + "," + std::to_string(i * i % 13) + "\n";
  write_file(folder / "data.csv", table);
  const std::string note = "rows stand in the order of t, and each fold is a stretch of it";
  EXPECT_TRUE(mentions(must(folder, cv({})).err, note));
  const Outcome shuffled = must(folder, cv({"--repeat", "1"}));
  EXPECT_FALSE(mentions(shuffled.err, note));
  EXPECT_TRUE(mentions(shuffled.out, "(KFold, shuffled)")) << shuffled.out;
  EXPECT_FALSE(mentions(must(folder, cv({"--time", "t"})).err, note));
  EXPECT_FALSE(mentions(must(folder, cv({"--ignore", "t"})).err, note)) << "no input does";
}

TEST_F(Daily, CrossValidationIsNotLostWherePredictionsFindNoRoom) {
  const Outcome outcome = run(folder, cv({"--ignore", "site,day", "--folds", "2", "--out", "/dev/full"}));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(mentions(outcome.err, "/dev/full cannot be written")) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, "\nnetwork ")) << outcome.out;
}

TEST_F(Daily, CrossValidationThatIsStoppedReportsTheFoldsThatAreDone) {
  Running running(folder, cv({"--ignore", "site,day", "--folds", "45", "--threads", "1", "--iterations", "4000",
                              "--json", "--out", "out.csv"}));
  while (!mentions(running.err(), "fold  1/45")) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  running.kill(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  const Json json = parsed(outcome.out);
  EXPECT_EQ(json.at("complete"), false);
  EXPECT_GE(json.at("folds").size(), 1u);
  EXPECT_LT(json.at("folds").size(), 45u);
  EXPECT_EQ(json.at("rows"), 2 * json.at("folds").size());
  EXPECT_TRUE(mentions(outcome.err, "a signal ended the work")) << outcome.err;
  EXPECT_EQ(lines_of(read_file(folder / "out.csv")).size(), 91u);
}

TEST_F(Daily, MaxTimeIsForTheWholeCrossValidation) {
  const Outcome outcome = run(folder, cv({"--ignore", "site,day", "--iterations", "1000000000", "--max-time", "2"}));
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(mentions(outcome.out, "\nnetwork ")) << "every fold has its share of the time" << outcome.err;
  EXPECT_TRUE(mentions(outcome.err, "--max-time cut the training of 5 of 5 folds")) << outcome.err;
}

TEST_F(Daily, PredictCopiesColumnsAndAddsWhatIsAskedFor) {
  fit_model("m.rfnn");
  write_file(folder / "new.csv",
             "day,x3,note,x1,x2,y\n2024-01-01,.50,\"a, \"\"b\"\"\",0.5,0.5,2\n"
             "x,0.5,,0.5,,2\ny,0.5,n,9,0.5,\n");
  const auto plain = lines_of(must(folder, {"predict", "m.rfnn", "new.csv", "--quiet"}).out);
  const auto lines = lines_of(must(folder, {"predict", "m.rfnn", "new.csv", "--keep", "note,day", "--with-inputs",
                                            "--residual", "--flag-outside", "--quiet"})
                                  .out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "note,day,x1,x2,x3,y,y_residual,outside");
  EXPECT_TRUE(lines[1].starts_with("\"a, \"\"b\"\"\",2024-01-01,0.5,0.5,.50," + plain[1] + ",")) << lines[1];
  EXPECT_TRUE(lines[1].ends_with(",0")) << lines[1];
  EXPECT_EQ(lines[2], ",x,0.5,,0.5,,,");                                                 // cannot be predicted
  EXPECT_EQ(lines[3], "n,y,9,0.5,0.5," + plain[3] + ",,1");                              // no target, outside
  EXPECT_NEAR(std::stod(lines[1].substr(lines[1].rfind(',', lines[1].size() - 3) + 1)),  // measured − predicted
              2.0 - std::stod(plain[1]), 1e-12);
  EXPECT_EQ(run(folder, {"predict", "m.rfnn", "new.csv", "--keep", "y"}).code, 1);
  EXPECT_EQ(run(folder, {"predict", "m.rfnn", "new.csv", "--keep", "nobody"}).code, 2);
  EXPECT_EQ(run(folder, {"predict", "m.rfnn", "new.csv", "--keep", "day", "--out", "p.npy"}).code, 2);
  EXPECT_FALSE(fs::exists(folder / "p.npy"));
  write_file(folder / "bare.csv", "x1,x2,x3\n1,1,1\n");
  EXPECT_TRUE(mentions(run(folder, {"predict", "m.rfnn", "bare.csv", "--residual"}).err, "no column y"));
  // Numbers go through NPY files too.
  must(folder, {"predict", "m.rfnn", "data.csv", "--keep", "x2", "--out", "p.npy", "--quiet"});
  const auto again = lines_of(must(folder, {"predict", "m.rfnn", "data.csv", "--quiet"}).out);
  EXPECT_EQ(read_file(folder / "p.npy").size(), 128 + 2 * 8 * (again.size() - 1));
}

TEST_F(Daily, EvaluateKnowsGroupsAndQuantiles) {
  fit_model("m.rfnn");
  const Json json = parsed(must(folder, {"evaluate", "m.rfnn", "data.csv", "--group", "site", "--json"}).out);
  ASSERT_EQ(json.at("groups").size(), 3u);
  EXPECT_EQ(json.at("groups").at(0).at("group"), "Bern");
  EXPECT_EQ(json.at("groups").at(1).at("group"), "Rom, I");
  double mse = 0.0, mae = 0.0;
  for (const Json& group : json.at("groups")) {
    EXPECT_EQ(group.at("rows"), 30);
    mse += group.at("mse").get<double>() / 3.0;
    mae += group.at("mae").get<double>() / 3.0;
  }
  EXPECT_NEAR(json.at("mse").get<double>(), mse, 1e-12);
  EXPECT_NEAR(json.at("mae").get<double>(), mae, 1e-12);
  const Json& quantiles = json.at("quantiles");
  EXPECT_LT(quantiles.at("0.5"), quantiles.at("0.9"));
  EXPECT_LE(quantiles.at("0.99"), json.at("max_error"));
  const std::string text = must(folder, {"evaluate", "m.rfnn", "data.csv", "--group", "site"}).out;
  EXPECT_TRUE(mentions(text, "Rom, I") && mentions(text, "99 %") && mentions(text, "absolute error: mean")) << text;
  for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80u) << line;

  // Rows without a text are a group too, and stand in the columns of the others.
  std::string some = read_file(folder / "data.csv");
  for (std::size_t at = 0; (at = some.find("Ulm,", at)) != std::string::npos;) some.erase(at, 3);
  for (std::size_t at = 0; (at = some.find("\"Rom, I\"", at)) != std::string::npos;) some.replace(at, 8, "Rom");
  write_file(folder / "some.csv", some);
  std::vector<std::string> table = lines_of(must(folder, {"evaluate", "m.rfnn", "some.csv", "--group", "site"}).out);
  ASSERT_GE(table.size(), 4u);
  for (std::size_t back = 1; back <= 3; ++back)
    EXPECT_EQ(table[table.size() - back].size(), table[table.size() - 4].size()) << table[table.size() - back];
}

TEST_F(Daily, CompareTellsModelsApart) {
  fit_model("a.rfnn");
  fit_model("b.rfnn", {"--blocks", "0"});
  const Json json = parsed(must(folder, {"compare", "a.rfnn", "b.rfnn", "a.rfnn", "--data", "data.csv", "--json"}).out);
  EXPECT_EQ(json.at("rows"), 90);
  ASSERT_EQ(json.at("models").size(), 3u);
  const Json& worse = json.at("models").at(1);
  EXPECT_NEAR(worse.at("difference").at("mse").at("difference").get<double>(),
              worse.at("mse").get<double>() - json.at("models").at(0).at("mse").get<double>(), 1e-12);
  EXPECT_GT(worse.at("difference").at("mse").at("low"), 0.0);
  EXPECT_EQ(json.at("models").at(2).at("difference").at("quantiles").at("0.9").at("high"), 0.0);
  const Outcome text = must(folder, {"compare", "a.rfnn", "b.rfnn", "--data", "data.csv", "--report", "page.html"});
  EXPECT_TRUE(mentions(text.out, "worse")) << text.out;
  for (const std::string& line : lines_of(text.out)) EXPECT_LE(line.size(), 80u) << line;
  const std::string page = read_file(folder / "page.html");
  for (const char* part : {"parity", "convergence", "spectra-1", "Student"}) EXPECT_TRUE(mentions(page, part)) << part;
  EXPECT_EQ(run(folder, {"compare", "a.rfnn", "b.rfnn", "--data", "-"}).code, 1);
  EXPECT_EQ(run(folder, {"compare", "--data", "data.csv"}).code, 1);
  EXPECT_EQ(run(folder, {"compare", "a.rfnn"}).code, 1);
  must(folder, {"fit", "data.csv", "--target", "x1", "--ignore", "site,day", "--preset", "paper", "--blocks", "0",
                "--out", "c.rfnn", "--quiet"});
  EXPECT_TRUE(mentions(run(folder, {"compare", "a.rfnn", "c.rfnn", "--data", "data.csv"}).err, "same targets"));
}

TEST_F(Daily, CompareOfOneRowHasNoIntervals) {
  fit_model("a.rfnn");
  fit_model("b.rfnn", {"--seed", "7"});
  const std::vector<std::string> lines = lines_of(read_file(folder / "data.csv"));
  write_file(folder / "one.csv", lines[0] + "\n" + lines[1] + "\n");
  const std::string text = must(folder, {"compare", "a.rfnn", "b.rfnn", "--data", "one.csv"}).out;
  EXPECT_FALSE(mentions(text, "nan")) << text;
  EXPECT_TRUE(mentions(text, "no interval: too few rows"));
}

TEST_F(Daily, ImportanceRanksInputsAndGroups) {
  fit_model("m.rfnn", {"--blocks", "4", "--width", "10", "--iterations", "100"});
  const Words words = {"importance", "m.rfnn", "--data", "data.csv", "--group-columns", "x1+x2,x3"};
  Words as_json = words;
  as_json.emplace_back("--json");
  const Json json = parsed(must(folder, as_json).out);
  ASSERT_EQ(json.at("inputs").size(), 3u);
  EXPECT_GE(json.at("inputs").at(0).at("importance"), json.at("inputs").at(2).at("importance"));
  EXPECT_GT(json.at("inputs").at(0).at("standard_error"), 0.0);
  ASSERT_EQ(json.at("groups").size(), 2u);
  EXPECT_TRUE(mentions(must(folder, words).out, "x1+x2"));
  EXPECT_EQ(run(folder, {"importance", "m.rfnn"}).code, 1);
  EXPECT_EQ(run(folder, {"importance", "m.rfnn", "--data", "data.csv", "--group-columns", "x1+x9"}).code, 2);
  EXPECT_EQ(run(folder, {"importance", "m.rfnn", "--data", "data.csv", "--group-columns", "x1+x1"}).code, 1);
}

TEST_F(Daily, AReportShowsWhatInputsDo) {
  fit_model("m.rfnn");
  must(folder, {"report", "m.rfnn", "--data", "data.csv", "--out", "page.html", "--quiet"});
  const std::string page = read_file(folder / "page.html");
  for (const char* part : {"What the inputs do", "dependence-1", "Friedman", "\"interaction\""})
    EXPECT_TRUE(mentions(page, part)) << part;
}

}  // namespace
}  // namespace rfnn::testing
