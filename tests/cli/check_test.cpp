// What `rfnn check` finds in a table before anything is trained on it, and what it leaves alone.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <utility>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

using Cells = std::map<std::string, std::string>;

const Words& columns() {
  static const Words names = {"a", "b", "temp", "flat", "almost", "station", "day", "tail", "copy", "cap", "when", "y"};
  return names;
}

/// A table with a fault in nearly every column.
std::vector<Cells> faulty_rows() {
  std::mt19937 random(3);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  const auto normal = [&] { return std::sqrt(-2.0 * std::log(1.0 - uniform())) * std::cos(6.283185307 * uniform()); };
  constexpr int stations[] = {3, 17, 22, 35, 48, 51, 66, 74, 88, 97};
  constexpr double effects[] = {0.1, -1.4, 0.9, -0.2, 1.6, -1.0, 0.4, -0.8, 1.2, -1.9};
  std::vector<Cells> rows;
  for (int i = 0; i < 400; ++i) {
    const double a = 5.0 * uniform(), b = normal(), temp = 20.0 + 5.0 * normal();
    const std::size_t station = random() % 10;
    const double y = std::sin(a) + 0.3 * b + 0.02 * temp + effects[station] + 0.05 * normal();
    Cells row = {{"a", std::to_string(a)}, {"b", std::to_string(b)}, {"temp", std::to_string(temp)}};
    row["flat"] = "7";
    row["almost"] = i == 10 || i == 200 ? "2" : "1";
    row["station"] = std::to_string(stations[station]);
    row["day"] = std::to_string(20230101 + 100 * (i % 12) + i % 28);
    row["tail"] = std::to_string(normal() / std::pow(uniform() + 1e-3, 2));
    row["copy"] = std::to_string(2.0 * y + 1.0);
    row["cap"] = std::to_string(std::min(0.8, uniform()));
    row["when"] = "2024-05-01T0" + std::to_string(i % 10) + ":00";
    row["y"] = std::to_string(y);
    rows.push_back(row);
  }
  for (const std::size_t i : {20U, 40U, 90U}) rows[i]["temp"] = "-999";
  rows[55]["b"] = "abc";
  rows[70]["b"] = "1e400";
  for (const std::size_t i : {60U, 61U, 62U}) rows[i]["a"] = "";
  rows[80]["when"] = "noon";
  for (const std::size_t i : {300U, 301U}) {  // the same inputs, another target
    const std::string y = rows[i]["y"];
    rows[i] = rows[299];
    rows[i]["y"] = y;
  }
  return rows;
}

std::string csv(const std::vector<Cells>& rows) {
  std::string text;
  for (const std::string& name : columns()) text += name + (name == "y" ? "\n" : ",");
  for (const Cells& row : rows)
    for (const std::string& name : columns()) text += row.at(name) + (name == "y" ? "\n" : ",");
  return text;
}

/// Count and line of the problems, by "column kind".
std::map<std::string, std::pair<int, int>> problems_in(const Json& json) {
  std::map<std::string, std::pair<int, int>> found;
  for (const Json& problem : json["problems"]) {
    EXPECT_FALSE(problem["text"].get<std::string>().empty());
    EXPECT_FALSE(problem["cure"].get<std::string>().empty());
    found[problem["column"].get<std::string>() + " " + problem["kind"].get<std::string>()] = {
        problem["count"].get<int>(), problem["line"].is_null() ? 0 : problem["line"].get<int>()};
  }
  return found;
}

TEST(Check, NamesEveryPlantedFault) {
  Folder folder;
  write_file(folder / "bad.csv", csv(faulty_rows()) + "1,2,3\n");
  const Outcome outcome = run(folder, {"check", "bad.csv", "--target", "y", "--json"});
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  const Json json = parsed(outcome.out);
  EXPECT_EQ(json["rows"], 400);
  const std::map<std::string, std::pair<int, int>> expected = {{"b text", {1, 57}},
                                                               {"b too-large", {1, 72}},
                                                               {"a missing", {3, 62}},
                                                               {"when unlike", {1, 82}},
                                                               {" cells", {1, 402}},
                                                               {"temp sentinel", {3, 22}},
                                                               {"flat constant", {400, 2}},
                                                               {"almost nearly-constant", {2, 12}},
                                                               {"station codes", {10, 0}},
                                                               {"day date", {400, 2}},
                                                               {"copy tells-target", {400, 0}},
                                                               {"y duplicates", {3, 301}}};
  auto found = problems_in(json);
  for (const auto& [what, where] : expected) EXPECT_EQ(found[what], where) << what;
  EXPECT_EQ(found.count("tail heavy-tails"), 1U);
  EXPECT_EQ(found.count("cap cut-off"), 1U);
  EXPECT_EQ(found.size(), expected.size() + 2) << outcome.out;

  // The same for people: every column, in lines that fit.
  const Outcome shown = run(folder, {"check", "bad.csv", "--target", "y"});
  EXPECT_EQ(shown.code, 2);
  std::size_t width = 0;
  for (const char c : shown.out) {
    width = c == '\n' ? 0 : width + 1;
    EXPECT_LE(width, 80U);
  }
  EXPECT_NE(shown.out.find("training refuses the table for 5 of them"), std::string::npos) << shown.out;
}

TEST(Check, FindsNothingInCleanTables) {
  Folder folder;
  must(folder, {"generate", "multiscale", "--rows", "300", "--seed", "1", "--noise", "0.1", "--out", "one.csv"});
  must(folder, {"generate", "sine", "--rows", "400", "--seed", "2", "--out", "three.csv"});
  std::string mixed = "when,colour,on,n,y\n";
  for (int i = 0; i < 300; ++i) {
    char line[80];
    std::snprintf(line, sizeof line, "2024-05-%02dT%02d:00Z,%s,%s,%d,%.4f\n", 1 + i / 24, i % 24,
                  i % 3 == 0 ? "red" : "blue", i % 5 == 0 ? "true" : "false", i * 7 % 12,
                  std::sin(0.3 * i) + i % 3 + 0.1 * (i * 7 % 12) + 0.2 * std::sin(91.0 * i));
    mixed += line;
  }
  write_file(folder / "mixed.csv", mixed);
  for (const char* name : {"one.csv", "three.csv", "mixed.csv"}) {
    const Json json = parsed(must(folder, {"check", name, "--target", "y", "--json"}).out);
    EXPECT_EQ(json["problems"].size(), 0U) << name << json;
    EXPECT_GT(json["memory_bytes"], 1e6);
    EXPECT_GT(json["seconds"], 0.0);
  }
  const Json one = parsed(must(folder, {"check", "one.csv", "--target", "y", "--json"}).out);
  EXPECT_GT(one["highest_frequency"], 10.0);
  EXPECT_NE(must(folder, {"check", "one.csv", "--target", "y"}).out.find("no problem found"), std::string::npos);
}

TEST(Check, SaysNothingMoreOfAColumnMostOfWhichIsRefused) {
  Folder folder;
  std::string text = "x,n,y\n";
  for (int i = 0; i < 60; ++i)
    text += std::to_string(i) + (i % 20 == 0 ? ",-999," : ",\"" + std::to_string(i) + ",5\",") +
            std::to_string(i * i % 11) + "\n";
  write_file(folder / "comma.csv", text);
  const auto found = problems_in(parsed(run(folder, {"check", "comma.csv", "--target", "y", "--json"}).out));
  EXPECT_EQ(found.count("n decimal-comma"), 1U);
  EXPECT_EQ(found.count("n constant"), 0U) << "the cells that can be read are alike, the others are not";
}

/// 300 rows: two inputs, of which the target depends on one, and noise.
std::string noisy_rows(
    const std::function<std::string(int)>& column, const std::string& name,
    const std::function<double(int)>& added = [](int) { return 0.0; }) {
  std::string text = name + ",a,b,y\n";
  for (int i = 0; i < 300; ++i) {
    const double a = i * 73 % 300 / 30.0, b = i * 191 % 300 / 300.0;
    text += column(i) + "," + std::to_string(a) + "," + std::to_string(b) + "," +
            std::to_string(std::sin(a) + 0.3 * std::sin(97.0 * i) + added(i)) + "\n";
  }
  return text;
}

TEST(Check, AFewWildTargetsDoNotMakeInputsTellTheTarget) {
  Folder folder;
  const auto plain = [](int i) { return std::to_string(i * 37 % 300); };
  const auto wild = [](int i) { return i % 150 == 5 ? 1e4 : 0.0; };
  write_file(folder / "wild.csv", noisy_rows(plain, "c", wild));
  const auto found = problems_in(parsed(must(folder, {"check", "wild.csv", "--target", "y", "--json"}).out));
  EXPECT_EQ(found.count("y heavy-tails"), 1U);
  EXPECT_EQ(found.size(), 1U) << "and nothing else";
}

TEST(Check, WhatIsRefusedIsNoInput) {
  Folder folder;
  write_file(folder / "towns.csv", noisy_rows([](int i) { return "t" + std::to_string(i % 120); }, "town"));
  const auto found = problems_in(parsed(run(folder, {"check", "towns.csv", "--target", "y", "--json"}).out));
  EXPECT_EQ(found.count("town levels"), 1U);
  EXPECT_EQ(found.count(" few-rows"), 0U) << "300 rows are enough for the other two";
}

TEST(Check, NamesWhatFitWarnsOfInAFirstLineOfNumbers) {
  Folder folder;
  std::string text = "2019,2020\n";
  for (int i = 0; i < 60; ++i) text += std::to_string(i * 7 % 60) + "," + std::to_string(i * i % 13) + "\n";
  write_file(folder / "years.csv", text);
  const Words check = {"check", "years.csv", "--target", "2", "--json"};
  EXPECT_EQ(problems_in(parsed(must(folder, check).out))[" header"], std::pair(1, 1));
  Words told = check;
  told.insert(told.end(), {"--header", "no"});
  EXPECT_EQ(problems_in(parsed(must(folder, told).out)).count(" header"), 0U);
}

TEST(Check, CuresAreThoseOfTheCase) {
  Folder folder;
  write_file(folder / "none.csv", "x,y\n1,\n2,NA\n3,\n");
  write_file(folder / "hole.csv", "x,y\n1,2\n,4\n3,1\n");
  const auto cure = [&](const Words& words) {
    return parsed(run(folder, words).out).at("problems").at(0).at("cure").get<std::string>();
  };
  EXPECT_EQ(cure({"check", "none.csv", "--target", "y", "--missing", "drop", "--json"}),
            "There is nothing to learn: name another --target.");
  const Outcome fit = run(folder, {"fit", "none.csv", "--target", "y", "--missing", "drop"});
  EXPECT_EQ(fit.code, 2);
  EXPECT_NE(fit.err.find("no row has a target"), std::string::npos) << fit.err;
  EXPECT_EQ(fit.err.find("--missing mean"), std::string::npos) << "nothing stands in for a target: " << fit.err;
  EXPECT_EQ(cure({"check", "hole.csv", "--target", "y", "--json"}).find("rfnn check"), std::string::npos);
}

TEST(Check, RefusesNumbersTooLargeForTheirSquares) {
  Folder folder;
  write_file(folder / "huge.csv", noisy_rows([](int i) { return std::to_string(i * 37 % 300) + "e300"; }, "c"));
  const Json json = parsed(run(folder, {"check", "huge.csv", "--target", "y", "--json"}).out);
  EXPECT_EQ(problems_in(json).count("c too-large"), 1U) << json;
  EXPECT_EQ(run(folder, {"check", "huge.csv", "--target", "y"}).code, 2);
  EXPECT_EQ(run(folder, {"fit", "huge.csv", "--target", "y"}).code, 3);
}

TEST(Check, SaysHowFastASampledColumnMayTurn) {
  Folder folder;
  const auto sampling = [&](const std::string& header, const std::function<std::string(int)>& column) {
    std::string text = header + ",site,y\n";
    for (int i = 0; i < 60; ++i)
      text += column(i) + (i % 3 == 0 ? ",a," : ",b,") + std::to_string(std::sin(0.7 * i)) + "\n";
    write_file(folder / "t.csv", text);
    const std::string shown = must(folder, {"check", "t.csv", "--target", "y"}).out;
    const Json json = parsed(must(folder, {"check", "t.csv", "--target", "y", "--json"}).out);
    return std::pair(shown, json);
  };
  const auto [day, times] = sampling("when", [](int i) {
    return "2024-05-" + std::to_string(10 + i * 7 % 20) + "T" + std::to_string(10 + i % 3) + ":00";
  });
  EXPECT_NE(day.find("sampling  waves along when down to periods of "), std::string::npos) << day;
  EXPECT_EQ(times["sampled_along"], "when");
  const auto [metre, ordered] = sampling("depth", [](int i) { return std::to_string(2 * i); });
  EXPECT_NE(metre.find("waves along depth up to 0.25 cycles per unit of depth (neighbours are"), std::string::npos)
      << metre;
  EXPECT_EQ(ordered["highest_frequency"], 0.25);
  const auto [mixed, none] = sampling("depth", [](int i) { return std::to_string(i * 37 % 60); });
  EXPECT_EQ(mixed.find("sampling"), std::string::npos) << "rows in no order are samples along nothing";
  EXPECT_TRUE(none["sampled_along"].is_null() && none["highest_frequency"].is_null());
}

TEST(Check, TellsTimesThatAreReadAsTextForTheirFirstRows) {
  Folder folder;
  std::string text = "t,y\n";
  for (int i = 0; i < 4000; ++i)
    text += (i < 1000 && i % 4 == 1 ? "later" : "2024-05-" + std::to_string(10 + i * 7 % 12)) + "," +
            std::to_string(std::sin(1.7 * i)) + "\n";
  write_file(folder / "t.csv", text);
  const auto found = problems_in(parsed(must(folder, {"check", "t.csv", "--target", "y", "--json"}).out));
  EXPECT_EQ(found.at("t mixed"), std::pair(250, 3));
}

TEST(Check, SaysOfLongNumbersOnlyWhatIsRead) {
  Folder folder;
  write_file(folder / "ids.csv", noisy_rows([](int i) { return "9007199254740993" + std::to_string(100 + i); }, "id"));
  const Json json = parsed(must(folder, {"check", "ids.csv", "--target", "y", "--json"}).out);
  ASSERT_EQ(problems_in(json).count("id constant"), 1U) << json;
  const std::string text = json["problems"][0]["text"];
  EXPECT_NE(text.find("as far as the 16 digits that are read of each tell"), std::string::npos) << text;
}

TEST(Check, RefusesWhatFitRefuses) {
  Folder folder;
  std::string many = "c,y\n", text = "x,y\n", each = "name,x,y\n";
  for (int i = 0; i < 600; ++i) many += "v" + std::to_string(i % 150) + "," + std::to_string(i % 7) + "\n";
  for (int i = 0; i < 30; ++i) {
    text += std::to_string(i) + (i % 2 == 0 ? ",good\n" : ",bad\n");
    each += "p" + std::to_string(i) + "," + std::to_string(i * i % 11) + "," + std::to_string(i % 5) + "\n";
  }
  write_file(folder / "many.csv", many);
  write_file(folder / "text.csv", text);
  write_file(folder / "each.csv", each);
  std::string times = "t,y\n";
  for (int i = 0; i < 100; ++i)
    times += (i == 99 ? "unknown" : "2024-05-01T" + std::to_string(10 + i % 12) + ":00") + "," + std::to_string(i % 7) +
             "\n";
  write_file(folder / "times.csv", times);
  write_file(folder / "weights.csv", "x,w,y\n1,1,2\n2,-3,4\n3,1,1\n");
  write_file(folder / "hole.csv", "x,z,y\n1,1,2\n\n2,,4\n3,1,1\n");
  const std::vector<std::pair<Words, std::string>> tables = {{{"many.csv"}, "c levels"},
                                                             {{"text.csv"}, "y target"},
                                                             {{"times.csv"}, "t unlike"},
                                                             {{"each.csv"}, "name identifier"},
                                                             {{"weights.csv", "--weight", "w"}, "w weight"},
                                                             {{"hole.csv"}, "z missing"},
                                                             {{"hole.csv"}, " blank"}};
  for (const auto& [words, problem] : tables) {
    Words check = {"check"}, fit = {"fit"};
    check.insert(check.end(), words.begin(), words.end());
    fit.insert(fit.end(), words.begin(), words.end());
    check.insert(check.end(), {"--target", "y", "--json"});
    fit.insert(fit.end(), {"--target", "y", "--dry-run"});
    const Outcome outcome = run(folder, check);
    EXPECT_EQ(outcome.code, 2) << problem;
    EXPECT_EQ(problems_in(parsed(outcome.out)).count(problem), 1U) << outcome.out;
    EXPECT_EQ(run(folder, fit).code, 2) << problem;
  }
  // With the rules for reading that fit has, it is as fit takes it.
  write_file(folder / "gaps.csv", "x;z;y\n1;1,5;2\n2;;4\n3;1,25;1\n4;NA;0\n");
  const Outcome taken =
      run(folder, {"check", "gaps.csv", "--target", "y", "--decimal", ",", "--missing", "mean", "--json"});
  EXPECT_EQ(taken.code, 0) << taken.out << taken.err;
  EXPECT_EQ(run(folder, {"check", "gaps.csv", "--target", "nothing"}).code, 2);
}

TEST(Check, NamesNumbersWithTheirUnit) {
  Folder folder;
  const auto checked = [&](int numbers, const Words& more = {}) {
    std::string table = "x,mass,y\n";
    for (int i = 0; i < 60; ++i)
      table += std::to_string(0.1 * i) + "," + std::to_string(5 + i % numbers) + " kg," +
               std::to_string(std::sin(0.1 * i)) + "\n";
    write_file(folder / "mass.csv", table);
    Words words = {"check", "mass.csv", "--target", "y", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    return std::pair(outcome.code, problems_in(parsed(outcome.out)).contains("mass unit"));
  };
  EXPECT_EQ(checked(7), std::pair(2, true));
  EXPECT_EQ(checked(2), std::pair(0, true));
  EXPECT_EQ(checked(7, {"--categorical", "mass"}), std::pair(0, false));
  EXPECT_EQ(run(folder, {"fit", "mass.csv", "--target", "y", "--dry-run"}).code, 2);
}

TEST(Check, CountsTheRowsThatTrainingTakes) {
  Folder folder;
  std::string table = "a,b,y\n";
  for (int i = 0; i < 60; ++i)
    table += (i % 2 == 0 ? "" : std::to_string(i % 13)) + "," + (i % 2 == 1 ? "" : std::to_string(i % 11)) + "," +
             (i == 7 ? "" : std::to_string(std::sin(0.1 * i))) + "\n";
  write_file(folder / "holes.csv", table);
  const auto few = [&](const char* rule) {
    const Json json = parsed(must(folder, {"check", "holes.csv", "-t", "y", "--missing", rule, "--json"}).out);
    return problems_in(json).contains(" few-rows");
  };
  EXPECT_FALSE(few("mean")) << "59 rows for two inputs";
}

}  // namespace
}  // namespace rfnn::testing
