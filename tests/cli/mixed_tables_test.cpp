// A table as people have it, from check to a report: times, categories, booleans, missing cells, comments, decimal
// commas.

#include <cmath>
#include <cstdio>
#include <regex>
#include <sstream>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

/// Every 40th cell is missing, in turn; `level` may be one that training has not seen.
std::string table(int first, int rows, const std::string& level = "red") {
  std::string text = "# station A\nwhen;colour;active;x;y\n";
  const auto comma = [](double value) {
    std::string number = std::to_string(value);
    for (char& c : number) c = c == '.' ? ',' : c;
    return number;
  };
  for (int i = first; i < first + rows; ++i) {
    const int hour = i % 48 / 2, day = 1 + i / 48;
    const double x = std::sin(0.7 * i);
    const int colour = i % 3;
    std::ostringstream when;
    when << "2024-05-" << (day < 10 ? "0" : "") << day << "T" << (hour < 10 ? "0" : "") << hour
         << (i % 2 == 0 ? ":00" : ":30") << "Z";
    const double y = std::sin(2.0 * 3.14159265358979 * i / 24.84) + colour + 0.3 * x * x + (i % 5 == 0 ? 0.5 : 0.0);
    std::vector<std::string> cells = {when.str(),
                                      colour == 0   ? level
                                      : colour == 1 ? "green"
                                                    : "blue",
                                      i % 5 == 0 ? "Yes" : "no", comma(x)};
    if (i % 10 == 9) cells[static_cast<std::size_t>(i / 10 % 4)] = i % 20 == 9 ? "NA" : "";
    for (const std::string& cell : cells) text += cell + ";";
    text += comma(y) + "\n";
    if (i == first + rows / 2) text += "# filter changed\n";
  }
  return text;
}

class MixedTables : public ::testing::Test {
 protected:
  Folder folder;
  const Words reading = {"--decimal", ",", "--comment", "#"};

  Words fit(const Words& more) const {
    Words words = {"fit", "train.csv", "--target", "y", "--members", "1", "--blocks", "2"};
    words.insert(words.end(), reading.begin(), reading.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(MixedTables, FromCheckToReport) {
  write_file(folder / "train.csv", table(0, 400));
  write_file(folder / "new.csv", table(400, 60));
  const Words rules = {"--target", "y", "--decimal", ",", "--comment", "#", "--missing"};
  const auto with = [&](Words words, const Words& more) {
    words.insert(words.end(), rules.begin(), rules.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Outcome refused = run(folder, with({"check", "train.csv"}, {"error", "--json"}));
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(parsed(refused.out)["problems"].size(), 4U) << "a column each: " << refused.out;
  EXPECT_EQ(parsed(refused.out)["problems"][0]["count"], 10);
  EXPECT_EQ(parsed(must(folder, with({"check", "train.csv"}, {"mean", "--json"})).out)["problems"].size(), 0U);
  const Json folds =
      parsed(must(folder, with({"cv", "train.csv"}, {"mean", "--folds", "2", "--repeat", "1", "--preset", "paper",
                                                     "--blocks", "2", "--iterations", "30", "--json"}))
                 .out);
  EXPECT_EQ(folds["rows"], 400);
  EXPECT_LT(folds["mse"], folds["baselines"]["mean"]);
  const Outcome trained = must(folder, fit({"--missing", "mean", "--out", "m.rfnn", "--report", "fit.html"}));
  EXPECT_NE(trained.err.find("when: date-time, in days since 2024-05-01 (UTC)"), std::string::npos) << trained.err;
  EXPECT_NE(trained.err.find("colour: category, 3 levels: blue, green, red"), std::string::npos) << trained.err;
  EXPECT_NE(trained.err.find("missing cells: 10 when"), std::string::npos) << trained.err;

  const Outcome predicted = must(folder, {"predict", "m.rfnn", "new.csv"});
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 61);
  EXPECT_EQ(predicted.out.find("\n\n"), std::string::npos) << "all can be predicted";
  EXPECT_NE(predicted.err.find("6 missing cells filled in"), std::string::npos) << predicted.err;
  EXPECT_EQ(predicted.out, must(folder, {"predict", "m.rfnn", "new.csv", "--threads", "1"}).out);

  const std::string kept = must(folder, {"predict", "m.rfnn", "new.csv", "--keep", "when,colour"}).out;
  EXPECT_EQ(kept.rfind("when,colour,y\n2024-05-09T08:00Z,green,", 0), 0U) << kept.substr(0, 80);
  const Json scores = Json::parse(must(folder, {"evaluate", "m.rfnn", "new.csv", "--json"}).out);
  EXPECT_EQ(scores["rows"], 60);
  const Json ranked = Json::parse(must(folder, {"importance", "m.rfnn", "--data", "new.csv", "--json"}).out);
  EXPECT_EQ(ranked["inputs"][0]["name"], "colour");
  const Json inspected = Json::parse(must(folder, {"inspect", "m.rfnn", "--json"}).out);
  EXPECT_EQ(inspected["data"]["table"]["inputs"][0]["origin"], "2024-05-01");
  EXPECT_EQ(inspected["data"]["table"]["inputs"][1]["levels"], Json({"blue", "green", "red"}));
  EXPECT_EQ(inspected["options"]["missing"], "mean");
  EXPECT_EQ(inspected["options"]["decimal"], ",");
  const std::string shown = must(folder, {"inspect", "m.rfnn"}).out;
  EXPECT_NE(shown.find("when: date-time, in days since 2024-05-01 (UTC)"), std::string::npos) << shown;
  must(folder, {"report", "m.rfnn", "--data", "new.csv", "--out", "r.html", "--quiet"});
  const std::string page = read_file(folder / "r.html");
  const std::size_t effects = page.find("\"title\":\"y along when\"");
  ASSERT_NE(effects, std::string::npos);
  EXPECT_EQ(page.substr(effects).find("\"x\":{\"label\":\"when (UTC)\""),
            std::string("\"title\":\"y along when\",").size());
  EXPECT_NE(page.find("\"origin\":19844"), std::string::npos) << "days since 1970 of 2024-05-01: dates on the axis";
  EXPECT_NE(page.find("\"names\":[\"blue\",\"green\",\"red\"]"), std::string::npos);

  // Without the marks the columns cannot be read, and other levels are another matter.
  EXPECT_EQ(run(folder, {"predict", "m.rfnn", "new.csv", "--decimal", "."}).code, 2);
  write_file(folder / "unseen.csv", table(400, 6, "violet"));
  const Outcome unseen = run(folder, {"predict", "m.rfnn", "unseen.csv"});
  EXPECT_EQ(unseen.code, 2);
  EXPECT_NE(unseen.err.find("unseen.csv, line 5, column 2 (colour): \"violet\" is a level that training has not seen"),
            std::string::npos)
      << unseen.err;
  const Outcome mean = must(folder, {"predict", "m.rfnn", "unseen.csv", "--unseen", "mean"});
  EXPECT_NE(mean.err.find("2 cells with a level that training has not seen"), std::string::npos) << mean.err;
}

TEST_F(MixedTables, RowsThatCannotBePredictedAreEmpty) {
  write_file(folder / "train.csv", table(0, 200));
  const Outcome refused = run(folder, fit({"--out", "m.rfnn"}));
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("train.csv, line 12, column 1 (when): \"NA\" is a missing value"), std::string::npos)
      << refused.err;
  const Outcome trained = must(folder, fit({"--missing", "drop", "--out", "m.rfnn"}));
  EXPECT_NE(trained.err.find("20 of 200 rows left out"), std::string::npos) << trained.err;
  const Outcome predicted = must(folder, {"predict", "m.rfnn", "train.csv"});
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 201);
  EXPECT_NE(predicted.err.find("20 of 200 rows"), std::string::npos) << predicted.err;
  EXPECT_EQ(Json::parse(must(folder, {"evaluate", "m.rfnn", "train.csv", "--json"}).out)["rows"], 180);
  EXPECT_EQ(run(folder, {"predict", "m.rfnn", "train.csv", "--missing", "error"}).code, 2);
  EXPECT_EQ(must(folder, {"predict", "m.rfnn", "train.csv", "--missing", "mean"}).out.find("\n\n"), std::string::npos);
}

/// Waves over another input have no period in years, however little they turn along four months of days.
TEST_F(MixedTables, InspectShowsPeriodsOfWavesAlongTheTime) {
  std::string text = "day,z,y\n";
  for (int i = 0; i < 120; ++i) {
    char line[80];
    std::snprintf(line, sizeof line, "2024-%02d-%02d,%.5f,%.6f\n", 1 + i / 28, 1 + i % 28, i * 37 % 120 / 60.0,
                  std::sin(6.0 * (i * 37 % 120) / 60.0) + 0.5 * std::sin(2.0 * 3.14159265 * i / 7.0));
    text += line;
  }
  write_file(folder / "weeks.csv", text);
  must(folder, {"fit", "weeks.csv", "--target", "y", "--width", "6", "--members", "1", "--blocks", "1"});
  std::istringstream shown(must(folder, {"inspect", "weeks.rfnn"}).out);
  std::size_t along_z = 0, along_days = 0;
  for (std::string line; std::getline(shown, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    if (line.find("cycles") != std::string::npos) continue;
    along_z += line.find("           -  ") != std::string::npos && line.find("z 0.9") != std::string::npos ? 1 : 0;
    along_days += line.find(" d  ") != std::string::npos && line.find("day ") != std::string::npos ? 1 : 0;
    EXPECT_EQ(line.find(" yr  "), std::string::npos) << line;
  }
  EXPECT_GE(along_z, 1u);
  EXPECT_GE(along_days, 1u);
}

TEST_F(MixedTables, TheWorkAroundAModel) {
  write_file(folder / "train.csv", table(0, 200));
  must(folder, fit({"--missing", "drop", "--out", "m.rfnn", "--quiet", "--run-dir", "run"}));
  must(folder, fit({"--missing", "mean", "--out", "mean.rfnn", "--quiet", "--validation-fraction", "0.3"}));

  // Every cell kept stands beside the prediction of its row.
  std::istringstream lines(must(folder, {"predict", "m.rfnn", "train.csv", "--keep", "colour", "--with-inputs",
                                         "--residual", "--flag-outside"})
                               .out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "colour,when,active,x,y,y_residual,outside");
  std::getline(lines, line);
  EXPECT_EQ(line.rfind("red,2024-05-01T00:00Z,Yes,\"0,000000\",", 0), 0U) << line;

  const Json scores = Json::parse(must(folder, {"evaluate", "m.rfnn", "train.csv", "--group", "colour", "--json"}).out);
  EXPECT_EQ(scores["rows"], 180);
  std::size_t rows = 0;
  for (const Json& group : scores["groups"]) {
    rows += group["rows"].get<std::size_t>();
    EXPECT_LT(group["mse"], 0.3) << "rows and groups belong together";
  }
  EXPECT_EQ(scores["groups"].size(), 3U);
  EXPECT_EQ(rows, 180U);

  const Json important = Json::parse(
      must(folder, {"importance", "m.rfnn", "--data", "train.csv", "--json", "--group-columns", "colour+when"}).out);
  EXPECT_EQ(important["inputs"][0]["name"], "colour") << "levels are one thing";
  EXPECT_EQ(important["groups"][0]["inputs"].size(), 4U);

  // One leaves rows out, the other fills them in: both are judged by the same.
  const Outcome compared = must(folder, {"compare", "m.rfnn", "mean.rfnn", "--data", "train.csv", "--json"});
  EXPECT_EQ(Json::parse(compared.out)["rows"], 180);
  EXPECT_NE(compared.err.find("20 rows left out for missing cells"), std::string::npos) << compared.err;

  Words folds = {"cv",   "train.csv", "--target", "y",      "--members", "1",     "--blocks", "1",     "--missing",
                 "drop", "--folds",   "2",        "--time", "when",      "--out", "cv.csv",   "--json"};
  folds.insert(folds.end(), reading.begin(), reading.end());
  EXPECT_EQ(Json::parse(must(folder, folds).out)["rows"], 120);
  const std::string out_of_fold = read_file(folder / "cv.csv");
  EXPECT_NE(out_of_fold.find("\n9,"), std::string::npos);
  EXPECT_EQ(out_of_fold.find("\n10,"), std::string::npos) << "rows are numbered as in the table";
  EXPECT_NE(out_of_fold.find("\n199,"), std::string::npos);

  must(folder, {"diagnose", "run"});
  must(folder, {"report", "run", "--out", "run.html", "--quiet"});
  const std::string page = read_file(folder / "run.html");
  EXPECT_EQ(page.find("its fingerprint differs"), std::string::npos);
  const std::size_t effects = page.find("id=\"effects\"");
  ASSERT_NE(effects, std::string::npos);
  const std::string shown = page.substr(effects, page.find("</section>", effects) - effects);
  EXPECT_NE(shown.find("y along when"), std::string::npos);
  EXPECT_EQ(shown.find("colour="), std::string::npos) << "levels are one thing, with nothing between them";
  must(folder, {"fit", "train.csv", "--from", "m.rfnn", "--out", "more.rfnn", "--quiet"});
  const Json more = Json::parse(must(folder, {"inspect", "more.rfnn", "--json"}).out);
  EXPECT_EQ(more["data"]["table"]["inputs"][1]["levels"], Json({"blue", "green", "red"}));
  EXPECT_EQ(run(folder, {"fit", "train.csv", "--from", "m.rfnn", "--out", "x.rfnn", "--columns", "x"}).code, 1);
}

TEST_F(MixedTables, WavesThatHardlyTurnAlongTheTimeHaveNoPeriod) {
  std::string text = "when,x,y\n";
  for (int i = 0; i < 200; ++i)
    text += "2024-05-" + std::to_string(10 + i / 20) + "T" + std::to_string(10 + i % 14) + ":00," +
            std::to_string(i * 73 % 200) + "," + std::to_string(std::sin(0.05 * (i * 73 % 200)) + 0.01 * i) + "\n";
  write_file(folder / "slow.csv", text);
  must(folder, quick_fit("slow.csv", {"--width", "12"}));
  const std::string shown = must(folder, {"inspect", "slow.rfnn"}).out;
  std::size_t with = 0, without = 0;
  std::istringstream lines(shown.substr(shown.find("Frequencies of the inputs")));
  const std::regex row(R"( +[0-9.e-]+ +(-|([0-9.]+) (d|h|min|yr))  .*)");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    ++(match[1] == "-" ? without : with);
    if (match[3] == "d") EXPECT_LE(std::stod(match[2]), 20.0) << line;
    EXPECT_NE(match[3], "yr") << line;
  }
  EXPECT_GT(with, 0U) << shown;
  EXPECT_GT(without, 0U) << shown;
}

TEST_F(MixedTables, SeveralFilesAndColumnsChosen) {
  write_file(folder / "a.csv", "t,x,c,y\n2024-01-01,1,a,1\n2024-01-02,2,b,2\n2024-01-03,2,a,2\n");
  write_file(folder / "b.csv", "y,x,t\n3,1,2024-01-04\n");
  const Words line = {"fit", "a.csv", "b.csv", "--target", "y", "--dry-run", "--json"};
  EXPECT_EQ(run(folder, line).code, 2);
  write_file(folder / "b.csv", "y,c,x,t\n3,b,1,2024-01-04\n");
  const Json plan = Json::parse(must(folder, line).out);
  EXPECT_EQ(plan["rows"], 4);
  EXPECT_EQ(plan["inputs"], Json({"t", "x", "c=a", "c=b"}));
  EXPECT_EQ(plan["model"], "a.rfnn");
  Words some = line;
  some.insert(some.end(), {"--columns", "x"});
  EXPECT_EQ(Json::parse(must(folder, some).out)["inputs"], Json({"x"}));
}

}  // namespace
}  // namespace rfnn::testing
