// Tables that are not what they seem, names that are hard to type, and arguments in the wrong order: what is said.

#include <cmath>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

class OddTables : public ::testing::Test {
 protected:
  /// The plan for a table, as JSON.
  Json plan(const std::string& table, const Words& more) {
    write_file(folder / "t.csv", table);
    Words words = {"fit", "t.csv", "--dry-run", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return parsed(must(folder, words).out);
  }
  Outcome refused(const std::string& table, const Words& more = {"--target", "y"}) {
    write_file(folder / "t.csv", table);
    Words words = {"fit", "t.csv", "--dry-run"};
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  }
  Folder folder;
};

std::string rows_of(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += std::to_string(std::sin(1.0 + i)) + "," + std::to_string(std::cos(2.0 * i)) + "\n";
  return text;
}

bool mentions(const Json& warnings, const std::string& text) { return warnings.dump().find(text) != std::string::npos; }

TEST_F(OddTables, NamesWithCommasCanBeNamed) {
  const std::string table = "\"position, in m\",\"height \"\"h\"\"\",z\n1,2,3\n2,3,5\n3,4,8\n";
  EXPECT_EQ(plan(table, {"--target", "position, in m"})["targets"], Json({"position, in m"}));
  EXPECT_EQ(plan(table, {"--target", "\"position, in m\",z"})["targets"], Json({"position, in m", "z"}));
  EXPECT_EQ(plan(table, {"--target", "z", "--ignore", "position, in m"})["ignored"], Json({"position, in m"}));
  EXPECT_EQ(plan(table, {"--target", "z", "--ignore", "height \"h\""})["ignored"], Json({"height \"h\""}));
}

TEST_F(OddTables, CaseIsHintedAt) {
  const Outcome outcome = refused("x1,y\n1,2\n2,3\n", {"--target", "Y"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("Did you mean \"y\"? Upper and lower case differ."), std::string::npos) << outcome.err;
  write_file(folder / "d.csv", "x1,x2,y\n1,2,3\n2,3,4\n4,4,9\n");
  must(folder, quick_fit("d.csv", {"--quiet"}));
  write_file(folder / "new.csv", "X1,X2\n1,2\n");
  const Outcome predict = run(folder, {"predict", "d.rfnn", "new.csv"});
  EXPECT_EQ(predict.code, 2);
  EXPECT_NE(predict.err.find("upper and lower case have to agree"), std::string::npos) << predict.err;
}

TEST_F(OddTables, NamesThatAreNumbersAreWarnedOf) {
  for (const std::string header : {"2019,2020\n", "1001,1002\n"}) {
    const Json far = plan(header + rows_of(30), {"--target", "2"});
    EXPECT_TRUE(mentions(far["warnings"], "look like names of columns")) << far["warnings"];
  }
  std::string years = "2018,2019\n";
  for (int i = 0; i < 30; ++i) years += std::to_string(1700 + 20 * i) + "," + std::to_string(2300 - 30 * i) + "\n";
  EXPECT_TRUE(mentions(plan(years, {"--target", "2"})["warnings"], "look like names of columns"));
  EXPECT_EQ(plan(rows_of(30), {"--target", "2"})["warnings"].size(), 0u) << "plain rows";
  EXPECT_EQ(
      plan("a,b,y\n" + std::string("900,0.5,1\n1,2,3\n2,1,4\n3,0,5\n4,1,7\n"), {"--target", "y"})["warnings"].size(),
      0u)
      << "below a header";
}

TEST_F(OddTables, AnIndexOfPandasIsWarnedOf) {
  const std::string table = ",x,y\n0,1.5,2\n1,2.5,1\n2,0.5,7\n";
  EXPECT_TRUE(mentions(plan(table, {"--target", "y"})["warnings"], "--ignore 1"));
  EXPECT_EQ(plan(table, {"--target", "y", "--ignore", "1"})["warnings"].size(), 0u);
  EXPECT_EQ(plan("t,x,y\n0,1.5,2\n1,2.5,1\n2,0.5,7\n", {"--target", "y"})["warnings"].size(), 0u) << "has a name";
  std::string index = ",x,y\n";
  for (int i = 0; i < 20; ++i)
    index += std::to_string(i) + "," + std::to_string(i % 7) + "," + std::to_string(i % 3) + "\n";
  write_file(folder / "index.csv", index);
  const Outcome tuned = run(folder, {"tune", "index.csv", "--target", "y", "--budget", "0.01"});
  EXPECT_NE(tuned.err.find("as an index that pandas"), std::string::npos) << tuned.err;
}

TEST_F(OddTables, BarsAndSpacesAreFoundOutAndCommentsAreNamed) {
  for (const std::string table : {"x|y\n1|2\n3|4\n", "x y\n1 2\n3 4\n", "  x   y\n  1   2\n"})
    EXPECT_EQ(plan(table, {"--target", "y"})["inputs"], Json({"x"})) << table;
  for (const std::string table :
       {"# made on Monday\nx,y\n1,2\n", "# a\n# b\nx,y\n1,2\n", "# made on Monday\nx;y\n1;2\n"}) {
    const Outcome outcome = refused(table);
    EXPECT_EQ(outcome.code, 2) << table;
    EXPECT_NE(outcome.err.find("--comment '#'"), std::string::npos) << outcome.err;
  }
  const Outcome names = refused("# made on Monday, by hand\nx,y\n1,2\n");
  EXPECT_NE(names.err.find("if that is a comment, give --comment '#'"), std::string::npos) << names.err;
  const Outcome other = refused("x~y\n1~2\n2~3\n");
  EXPECT_NE(other.err.find("separated by another character, give it with --delimiter"), std::string::npos) << other.err;
  EXPECT_EQ(plan("# made on Monday\nx,y\n1,2\n", {"--target", "y", "--comment", "#"})["inputs"], Json({"x"}));
  EXPECT_EQ(plan("#,x,y\n1,2,3\n2,5,1\n", {"--target", "y"})["inputs"], Json({"#", "x"})) << "a name as good as any";
}

TEST_F(OddTables, CellsThatAreNoNumbersComeWithTheirCure) {
  for (const auto& [cell, text] :
       std::vector<std::pair<std::string, std::string>>{{"2024-05-01", "is a date or a time"},
                                                        {"2024-05-01T12:30:00Z", "is a date or a time"},
                                                        {"1.5.2024", "is a date or a time"},
                                                        {"12:30", "is a date or a time"},
                                                        {"5/1/2024", "is a date or a time"},
                                                        {"5/1/2024 3:30 PM", "is a date or a time"},
                                                        {"1-May-2024", "is a date or a time"},
                                                        {"12 september 24", "is a date or a time"},
                                                        {"12-monkeys-24", "is not a number"},
                                                        {"1e400", "is beyond the numbers a double can hold"},
                                                        {"inf", "is infinite"},
                                                        {"blue", "is not a number"}}) {
    const Outcome outcome = refused("a,when,y\n1,2,3\n2," + cell + ",4\n");
    EXPECT_EQ(outcome.code, 2) << cell;
    EXPECT_NE(outcome.err.find("t.csv, line 3, column 2 (when): \"" + cell + "\" " + text), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("--ignore when"), std::string::npos) << outcome.err;
  }
}

TEST_F(OddTables, EmptyTablesAndBadWeightsAreNamedWithTheirFile) {
  const Outcome empty = refused("x,y\n");
  EXPECT_EQ(empty.code, 2);
  EXPECT_NE(empty.err.find("t.csv has no rows below its header"), std::string::npos) << empty.err;
  const Outcome weight = refused("x,w,y\n1,1,2\n2,-1,3\n", {"--target", "y", "--weight", "w"});
  EXPECT_EQ(weight.code, 2);
  EXPECT_NE(weight.err.find("t.csv, row 2 below the header, column 2 (w): -1 cannot be a weight"), std::string::npos)
      << weight.err;
  const Outcome one = refused("y\n1\n2\n");
  EXPECT_EQ(one.code, 1);
  EXPECT_NE(one.err.find("has one column only"), std::string::npos) << one.err;
  EXPECT_NE(refused("x,y\n1,2\n").err.find("t.csv: 1 row\n"), std::string::npos);
}

TEST_F(OddTables, AWeightIsNamedByItsPlaceInTheTable) {
  const std::string table = "x,w,y\n1,1,2\n,1,3\n2,1,\n3,-1,3\n4,1,5\n";
  for (const char* rule : {"mean", "drop"})
    EXPECT_NE(refused(table, {"--target", "y", "--weight", "w", "--missing", rule}).err.find("row 4 below the header"),
              std::string::npos)
        << rule;
}

TEST_F(OddTables, UnitsOfSeveralFilesAgree) {
  const std::string rows = "1,2\n2,3\n3,4\n4,7\n";
  write_file(folder / "m.csv", "x,y\nm,K\n" + rows);
  write_file(folder / "km.csv", "# far\ny,x\nK,km\n" + rows);
  write_file(folder / "more.csv", "x,y\nm,-\n" + rows);
  write_file(folder / "none.csv", "x,y\n" + rows);
  const auto fit = [&](Words words) {
    words.insert(words.begin(), "fit");
    words.insert(words.end(), {"--target", "y", "--dry-run", "--comment", "#"});
    return run(folder, words);
  };
  const Outcome apart = fit({"m.csv", "km.csv"});
  EXPECT_EQ(apart.code, 2);
  EXPECT_NE(apart.err.find("column 1 (x) is in \"m\" in m.csv and in \"km\" in km.csv"), std::string::npos)
      << apart.err;
  const Outcome alike = fit({"m.csv", "more.csv", "none.csv"});
  EXPECT_EQ(alike.code, 0) << alike.err;
  EXPECT_NE(alike.err.find("m.csv, line 2; more.csv, line 2 were each taken for the units"), std::string::npos)
      << alike.err;
  must(folder, quick_fit("m.csv", {"--quiet"}));
  for (const char* command : {"predict", "evaluate"}) {
    const Outcome other = run(folder, {command, "m.rfnn", "km.csv", "--comment", "#"});
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find("km.csv, column 2 (x) is in \"km\"; in training it was in \"m\""), std::string::npos)
        << other.err;
    must(folder, {command, "m.rfnn", "none.csv"});
    must(folder, {command, "m.rfnn", "more.csv"});
  }
  const Outcome late = fit({"none.csv", "km.csv"});
  EXPECT_NE(late.err.find("km.csv, line 3 was taken for the units"), std::string::npos) << late.err;
}

TEST_F(OddTables, NamesMayRepeatAmongColumnsThatAreNotUsed) {
  write_file(folder / "d.csv", "x,y\n1,2\n2,3\n4,4\n");
  must(folder, quick_fit("d.csv", {"--quiet"}));
  write_file(folder / "new.csv", "note,x,note\na,1,b\n");
  must(folder, {"predict", "d.rfnn", "new.csv"});
  write_file(folder / "twice.csv", "x,x\n1,1\n");
  EXPECT_EQ(run(folder, {"predict", "d.rfnn", "twice.csv"}).code, 2);
  EXPECT_EQ(plan("a,a,y\n1,2,3\n2,1,5\n", {"--target", "y", "--ignore", "2"})["inputs"], Json({"a"}));
  const Outcome both = refused("a,a,y\n1,2,3\n2,1,5\n");
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("columns 1 and 2 are both named \"a\""), std::string::npos) << both.err;
}

TEST_F(OddTables, SwappedArgumentsAreRecognised) {
  write_file(folder / "d.csv", "x,y\n1,2\n2,3\n4,4\n");
  must(folder, quick_fit("d.csv", {"--quiet"}));
  for (const std::string command : {"predict", "evaluate"}) {
    const Outcome outcome = run(folder, {command, "d.csv", "d.rfnn"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("`rfnn " + command + " d.rfnn d.csv`"), std::string::npos) << outcome.err;
  }
}

TEST_F(OddTables, RowsThatCannotBePredictedHaveEmptyCells) {
  write_file(folder / "d.csv", "x,y\n1,2\n2,3\n4,4\n5,1\n");
  must(folder, quick_fit("d.csv", {"--quiet"}));
  write_file(folder / "new.csv", "x\n1\n1.7e308\n2\n");
  const Outcome outcome = must(folder, {"predict", "d.rfnn", "new.csv"});
  EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
  std::istringstream lines(outcome.out);
  std::string header, first, second, third;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  std::getline(lines, third);
  EXPECT_EQ(second, "\"\"") << "a blank line would be no row at all";
  EXPECT_TRUE(std::isfinite(std::stod(first)) && std::isfinite(std::stod(third)));
  EXPECT_NE(outcome.err.find("1 of 3 rows"), std::string::npos) << outcome.err;
}

TEST_F(OddTables, RowsWithMissingInputsHaveEmptyCellsToo) {
  write_file(folder / "d.csv", "a,b,k,y\n1,2,7,3\n2,2.5,7,5\n4,1,7,4\n5,3,7,1\n");
  must(folder, quick_fit("d.csv", {"--quiet"}));
  write_file(folder / "whole.csv", "a,b,k\n1,2,7\n4,3,7\n");
  write_file(folder / "holes.csv", "a,b,k\n1,2,7\n,2,7\n3,NA,7\n4,3,\n");
  std::istringstream whole(must(folder, {"predict", "d.rfnn", "whole.csv"}).out);
  std::string name, first, second;
  whole >> name >> first >> second;
  const Outcome outcome = must(folder, {"predict", "d.rfnn", "holes.csv"});
  EXPECT_EQ(outcome.out, "y\n" + first + "\n\"\"\n\"\"\n" + second + "\n");
  EXPECT_NE(outcome.err.find("2 of 4 rows have inputs that are missing"), std::string::npos) << outcome.err;
  EXPECT_EQ(run(folder, {"fit", "holes.csv", "--target", "b"}).code, 2) << "training wants numbers";
}

TEST_F(OddTables, ATargetTooSmallForItsSquaresIsRefused) {
  const Outcome outcome = refused("x,y\n1,2e-300\n2,3e-300\n4,4e-300\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("Multiply it by a power of ten"), std::string::npos) << outcome.err;
  EXPECT_EQ(plan("x,y\n1,2e-300\n2,2e-300\n", {"--target", "y"})["rows"], 2) << "a constant one";
}

TEST_F(OddTables, EvaluateTakesWeights) {
  write_file(folder / "d.csv", "x,y\n1,2\n2,3\n4,4\n5,1\n");
  must(folder, quick_fit("d.csv", {"--quiet"}));
  write_file(folder / "weighted.csv", "x,w,y\n1,2,2.5\n2,0,30\n4,1,4.5\n");
  write_file(folder / "repeated.csv", "x,y\n1,2.5\n1,2.5\n4,4.5\n");
  const Json weighted = parsed(must(folder, {"evaluate", "d.rfnn", "weighted.csv", "--weight", "w", "--json"}).out);
  const Json repeated = parsed(must(folder, {"evaluate", "d.rfnn", "repeated.csv", "--json"}).out);
  for (const char* name : {"mse", "r2", "max_error"})
    EXPECT_NEAR(weighted[name].get<double>(), repeated[name].get<double>(), 1e-12) << name;
  EXPECT_EQ(weighted["rows"], 3);
  write_file(folder / "bad.csv", "x,w,y\n1,-2,2.5\n");
  EXPECT_EQ(run(folder, {"evaluate", "d.rfnn", "bad.csv", "--weight", "w"}).code, 2);
  EXPECT_EQ(run(folder, {"evaluate", "d.rfnn", "bad.csv", "--weight", "nothing"}).code, 2);
}

TEST_F(OddTables, AConfigFileMayBeAllThatInspectPrints) {
  write_file(folder / "d.csv", "x,y\n1,2\n2,3\n4,4\n5,1\n");
  must(folder, quick_fit("d.csv", {"--quiet", "--seed", "77"}));
  write_file(folder / "all.json", must(folder, {"inspect", "d.rfnn", "--json"}).out);
  must(folder, {"fit", "d.csv", "--target", "y", "--config", "all.json", "--out", "again.rfnn", "--quiet"});
  EXPECT_EQ(tensors_of(folder / "again.rfnn"), tensors_of(folder / "d.rfnn"));
  write_file(folder / "text.json", "{\"refine\": \"true\"}");
  const Outcome text = run(folder, {"fit", "d.csv", "--target", "y", "--config", "text.json"});
  EXPECT_EQ(text.code, 2);
  EXPECT_NE(text.err.find("option refine cannot be the text \"true\""), std::string::npos) << text.err;
  EXPECT_NE(text.err.find("No quotes."), std::string::npos) << text.err;
}

TEST_F(OddTables, HelpAndShortFlags) {
  EXPECT_EQ(must(folder, {"help", "fit"}).out, must(folder, {"fit", "--help"}).out);
  EXPECT_EQ(must(folder, {"help"}).out, must(folder, {"--help"}).out);
  EXPECT_EQ(run(folder, {"help", "nothing"}).code, 1);
  write_file(folder / "d.csv", "x,y\n1,2\n2,3\n4,4\n5,1\n");
  const Outcome quiet = must(folder, {"fit", "d.csv", "-t", "y", "-o", "m.rfnn", "-q", "--blocks", "0"});
  EXPECT_EQ(quiet.err, "");
  must(folder, {"predict", "m.rfnn", "d.csv", "-o", "p.csv", "-q"});
  EXPECT_TRUE(fs::exists(folder / "p.csv"));
}

TEST_F(OddTables, SymbolsAreForLocalesThatHaveThem) {
  write_file(folder / "d.csv", "x,y\n1,2\n2,3\n4,4\n5,1\n");
  must(folder, quick_fit("d.csv", {"--quiet"}));
  const auto in = [](const std::string& locale) {
    return Setting{.standard_input = "",
                   .environment = {{"LC_ALL", locale}, {"LC_CTYPE", ""}, {"LANG", ""}},
                   .standard_output = "",
                   .in_child = {}};
  };
  const auto ascii = [](const std::string& text) {
    for (const char c : text)
      if (static_cast<unsigned char>(c) >= 0x80) return false;
    return true;
  };
  for (const Words& words : std::vector<Words>{{"inspect", "d.rfnn"}, {"options"}, {"fit", "--help"}}) {
    EXPECT_TRUE(ascii(must(folder, words, in("C")).out)) << words[0];
    EXPECT_FALSE(ascii(must(folder, words, in("de_DE.UTF-8")).out) && words[0] == "inspect");
  }
}

}  // namespace
}  // namespace rfnn::testing
