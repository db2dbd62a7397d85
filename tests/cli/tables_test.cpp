// fit, predict, evaluate, inspect and generate on well-formed and malformed tables of every kind.

#include <zlib.h>

#include <cmath>
#include <regex>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

class Tables : public ::testing::Test {
 protected:
  void SetUp() override { must(folder, {"generate", "sine", "--rows", "200", "--seed", "3", "--out", "data.csv"}); }

  std::string predictions(const Words& words) {
    Words line = {"predict"};
    line.insert(line.end(), words.begin(), words.end());
    return must(folder, line).out;
  }
  /// The error text of a run that must end with 2.
  std::string refused(const Words& words) {
    const Outcome outcome = run(folder, words);
    EXPECT_EQ(outcome.code, 2) << ::testing::PrintToString(words) << outcome.err;
    EXPECT_NE(outcome.err, "");
    return outcome.err;
  }
  /// data.csv with its cells separated anew.
  std::string separated(char separator) {
    std::string text = read_file(folder / "data.csv");
    for (char& c : text) c = c == ',' ? separator : c;
    return text;
  }

  Folder folder;
};

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Tables, GenerateWritesInputsFirstAndExtendsBySeed) {
  const std::string table = read_file(folder / "data.csv");
  EXPECT_EQ(table.substr(0, 11), "x1,x2,x3,y\n");
  EXPECT_EQ(lines_in(table), 201u);
  const std::string shorter = must(folder, {"generate", "sine", "--rows", "50", "--seed", "3"}).out;
  EXPECT_EQ(table.substr(0, shorter.size()), shorter);
  EXPECT_NE(must(folder, {"generate", "sine", "--rows", "50", "--seed", "4"}).out, shorter);
  EXPECT_NE(must(folder, {"generate", "sine", "--rows", "50", "--seed", "3", "--noise", "0.1"}).out, shorter);
  EXPECT_EQ(must(folder, {"generate", "multiscale", "--rows", "1e1"}).out.substr(0, 4), "x,y\n");
  EXPECT_EQ(must(folder, {"generate", "stairstep", "--rows", "3", "--out", "-"}).out.substr(0, 4), "x,y\n");
}

TEST_F(Tables, EveryFormOfOneTableTrainsTheSameNetwork) {
  must(folder, quick_fit("data.csv"));
  const std::string expected = tensors_of(folder / "data.rfnn");
  ASSERT_FALSE(expected.empty());

  write_file(folder / "semicolon.csv", separated(';'));
  write_file(folder / "tab.txt", separated('\t'));
  std::string windows = "\xef\xbb\xbf";
  for (const char c : read_file(folder / "data.csv")) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  write_file(folder / "windows.csv", windows);
  gzFile zipped = gzopen((folder / "zipped.csv.gz").c_str(), "wb");
  const std::string plain = read_file(folder / "data.csv");
  ASSERT_EQ(gzwrite(zipped, plain.data(), static_cast<unsigned>(plain.size())), static_cast<int>(plain.size()));
  gzclose(zipped);
  must(folder, {"generate", "sine", "--rows", "200", "--seed", "3", "--out", "array.npy"});
  must(folder, {"generate", "sine", "--rows", "200", "--seed", "3", "--out", "ours.csv.gz"});

  for (const std::string name : {"semicolon.csv", "tab.txt", "windows.csv", "zipped.csv.gz", "ours.csv.gz"}) {
    must(folder, quick_fit(name));
    const std::string model = name.substr(0, name.find('.')) + ".rfnn";
    EXPECT_EQ(tensors_of(folder / model), expected) << name;
  }
  must(folder, {"fit", "array.npy", "--target", "4", "--preset", "paper", "--width", "3", "--blocks", "2",
                "--iterations", "30"});
  EXPECT_EQ(tensors_of(folder / "array.rfnn"), expected);
  must(folder, quick_fit("-"), {.standard_input = plain, .environment = {}, .standard_output = "", .in_child = {}});
  EXPECT_EQ(tensors_of(folder / "model.rfnn"), expected) << "standard input";
  must(folder, quick_fit("data.csv", {"--out", "german.rfnn"}),
       {.standard_input = "",
        .environment = {{"LC_ALL", "de_DE.UTF-8"}, {"LANG", "de_DE.UTF-8"}},
        .standard_output = "",
        .in_child = {}});
  EXPECT_EQ(tensors_of(folder / "german.rfnn"), expected) << "locale";
}

TEST_F(Tables, ThreadsDoNotChangeTheTensors) {
  must(folder, {"generate", "multiscale", "--rows", "20000", "--out", "many.csv"});
  for (const std::string threads : {"1", "2", "4"}) {
    must(folder, {"fit", "many.csv", "--target", "y", "--preset", "paper", "--blocks", "2", "--iterations", "20",
                  "--threads", threads, "--out", threads + ".rfnn"});
  }
  EXPECT_EQ(tensors_of(folder / "1.rfnn"), tensors_of(folder / "2.rfnn"));
  EXPECT_EQ(tensors_of(folder / "1.rfnn"), tensors_of(folder / "4.rfnn"));
  EXPECT_EQ(predictions({"1.rfnn", "many.csv", "--threads", "1"}),
            predictions({"1.rfnn", "many.csv", "--threads", "2"}));
}

TEST_F(Tables, InspectedOptionsRepeatTheRun) {
  must(folder, quick_fit("data.csv", {"--seed", "18446744073709551615", "--ridge", "1e-3,1e-5", "--keep", "best",
                                      "--delta", "0.7"}));
  const Json inspected = parsed(must(folder, {"inspect", "data.rfnn", "--json"}).out);
  write_file(folder / "config.json", inspected.at("options").dump());
  must(folder, {"fit", "data.csv", "--target", "y", "--config", "config.json", "--out", "again.rfnn"});
  EXPECT_EQ(tensors_of(folder / "again.rfnn"), tensors_of(folder / "data.rfnn"));
  // A flag wins over the file.
  must(folder, {"fit", "data.csv", "--target", "y", "--config", "config.json", "--seed", "7", "--out", "other.rfnn"});
  EXPECT_NE(tensors_of(folder / "other.rfnn"), tensors_of(folder / "data.rfnn"));
  EXPECT_EQ(parsed(must(folder, {"inspect", "other.rfnn", "--json"}).out)["options"]["width"], 3);
}

TEST_F(Tables, InspectShowsWhatAnyoneWants) {
  must(folder, quick_fit("data.csv", {"--validation-fraction", "0.25"}));
  const Json json = parsed(must(folder, {"inspect", "data.rfnn", "--json"}).out);
  for (const char* key : {"options", "data", "blocks", "stop_reason", "spectrum", "lines"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["blocks"].size(), 2u);
  EXPECT_EQ(json["stop_reason"], "all-blocks");
  ASSERT_EQ(json["spectrum"].size(), 9u);  // 3 features of block 1, 3 + 3 of block 2
  for (const Json& line : json["spectrum"]) {
    for (const char* key : {"member", "block", "branch", "frequency", "cycles", "amplitude"})
      EXPECT_TRUE(line.contains(key)) << key;
  }
  EXPECT_FALSE(json["lines"].empty());
  EXPECT_LE(json["lines"].size(), 6u) << "those of the input branches, near ones as one";
  for (const Json& line : json["lines"]) EXPECT_EQ(line["branch"], "input");
  const std::string text = must(folder, {"inspect", "data.rfnn"}).out;
  const std::string unwrapped = std::regex_replace(text, std::regex("\\s+"), " ");
  for (const char* part : {"width 3", "x1", "150 training rows", "50 validation rows", "all-blocks", "amplitude",
                           "less than a radian apart over the ranges of the data merged"}) {
    EXPECT_NE(unwrapped.find(part), std::string::npos) << part << "\n" << text;
  }
  must(folder, {"generate", "multiscale", "--rows", "100", "--out", "one.csv"});
  must(folder, quick_fit("one.csv"));
  EXPECT_NE(must(folder, {"inspect", "one.rfnn"}).out.find("merged"), std::string::npos);
}

TEST_F(Tables, PredictMatchesColumnsByName) {
  must(folder, quick_fit("data.csv"));
  const std::string expected = predictions({"data.rfnn", "data.csv"});
  EXPECT_EQ(expected.substr(0, 2), "y\n");
  EXPECT_EQ(lines_in(expected), 201u);

  // Other order, an extra column of text, no target.
  std::istringstream rows(read_file(folder / "data.csv"));
  std::string line, mixed;
  while (std::getline(rows, line)) {
    std::vector<std::string> cells;
    std::istringstream cell_text(line);
    for (std::string cell; std::getline(cell_text, cell, ',');) cells.push_back(cell);
    mixed += cells[2] + "," + (mixed.empty() ? "note" : "text") + "," + cells[0] + "," + cells[1] + "\n";
  }
  write_file(folder / "mixed.csv", mixed);
  EXPECT_EQ(predictions({"data.rfnn", "mixed.csv"}), expected);
  must(folder, {"predict", "data.rfnn", "mixed.csv", "--out", "p.csv"});
  EXPECT_EQ(read_file(folder / "p.csv"), expected);

  write_file(folder / "missing.csv", "x1,x3\n1,2\n");
  const std::string text = refused({"predict", "data.rfnn", "missing.csv"});
  EXPECT_NE(text.find("x2"), std::string::npos) << text;
  EXPECT_NE(text.find("x1, x3"), std::string::npos) << text;
  refused({"evaluate", "data.rfnn", "mixed.csv"});  // no target in it
  EXPECT_NE(refused({"evaluate", "data.rfnn", "missing.csv"}).find("has no columns x2, y."), std::string::npos);
}

TEST_F(Tables, PredictMatchesByPositionWithoutHeader) {
  must(folder, quick_fit("data.csv"));
  const std::string expected = predictions({"data.rfnn", "data.csv"});
  const std::string table = read_file(folder / "data.csv");
  write_file(folder / "bare.csv", table.substr(table.find('\n') + 1));
  EXPECT_EQ(predictions({"data.rfnn", "bare.csv"}), expected);
  std::string inputs;
  std::istringstream rows(read_file(folder / "bare.csv"));
  for (std::string line; std::getline(rows, line);) inputs += line.substr(0, line.rfind(',')) + "\n";
  write_file(folder / "inputs.csv", inputs);
  EXPECT_EQ(predictions({"data.rfnn", "inputs.csv"}), expected);
  refused({"evaluate", "data.rfnn", "inputs.csv"});
  write_file(folder / "two.csv", "1,2\n3,4\n");
  refused({"predict", "data.rfnn", "two.csv"});
  write_file(folder / "five.csv", "1,2,3,4,5\n");
  refused({"predict", "data.rfnn", "five.csv"});

  // Trained without a header, with the target in the middle and a column left out.
  must(folder, {"fit", "bare.csv", "--target", "2", "--preset", "paper", "--ignore", "3", "--width", "2", "--blocks",
                "1", "--iterations", "5"});
  const std::string middle = predictions({"bare.rfnn", "bare.csv"});
  std::string without, just_inputs;
  std::istringstream again(read_file(folder / "bare.csv"));
  for (std::string line; std::getline(again, line);) {
    std::vector<std::string> cells;
    std::istringstream cell_text(line);
    for (std::string cell; std::getline(cell_text, cell, ',');) cells.push_back(cell);
    without += cells[0] + "," + cells[1] + "," + cells[3] + "\n";
    just_inputs += cells[0] + "," + cells[3] + "\n";
  }
  write_file(folder / "without.csv", without);
  write_file(folder / "just.csv", just_inputs);
  EXPECT_EQ(predictions({"bare.rfnn", "without.csv"}), middle);
  EXPECT_EQ(predictions({"bare.rfnn", "just.csv"}), middle);
  EXPECT_EQ(must(folder, {"evaluate", "bare.rfnn", "without.csv", "--json"}).out,
            must(folder, {"evaluate", "bare.rfnn", "bare.csv", "--json"}).out);
}

TEST_F(Tables, AColumnNameWinsOverANumber) {
  std::string table = "2,1,y\n";
  for (int i = 0; i < 20; ++i)
    table += std::to_string(i) + "," + std::to_string(i * i % 7) + "," + std::to_string(3 * i) + "\n";
  write_file(folder / "numbers.csv", table);
  // Without a sign that it is one, a row of numbers is not a header; the letter makes it one.
  const Json plan = parsed(must(folder, {"fit", "numbers.csv", "--target", "1", "--dry-run", "--json"}).out);
  EXPECT_EQ(plan["targets"], Json({"1"}));
  EXPECT_EQ(plan["inputs"], Json({"2", "y"}));
}

TEST_F(Tables, ConstantColumnsAreLeftOutAndNotNeededLater) {
  std::string table = "a,k,y\n";
  for (int i = 0; i < 30; ++i) table += std::to_string(i * 0.1) + ",7.5," + std::to_string(std::sin(i * 0.3)) + "\n";
  write_file(folder / "constant.csv", table);
  const Outcome fitted = must(folder, quick_fit("constant.csv"));
  EXPECT_NE(fitted.err.find("warning: "), std::string::npos) << fitted.err;
  EXPECT_NE(fitted.err.find("k"), std::string::npos);
  const std::string expected = predictions({"constant.rfnn", "constant.csv"});
  std::string only = "a\n";
  for (int i = 0; i < 30; ++i) only += std::to_string(i * 0.1) + "\n";
  write_file(folder / "only.csv", only);
  EXPECT_EQ(predictions({"constant.rfnn", "only.csv"}), expected);
  const Json plan = parsed(must(folder, {"fit", "constant.csv", "--target", "y", "--dry-run", "--json"}).out);
  EXPECT_EQ(plan["constant"], Json({"k"}));
}

TEST_F(Tables, StagedPredictionsUseTheFirstBlocks) {
  must(folder, quick_fit("data.csv"));
  EXPECT_EQ(predictions({"data.rfnn", "data.csv", "--blocks", "2"}), predictions({"data.rfnn", "data.csv"}));
  EXPECT_NE(predictions({"data.rfnn", "data.csv", "--blocks", "1"}), predictions({"data.rfnn", "data.csv"}));
  std::istringstream mean(predictions({"data.rfnn", "data.csv", "--blocks", "0"}));
  std::string header, first;
  std::getline(mean, header);
  std::getline(mean, first);
  for (std::string line; std::getline(mean, line);) EXPECT_EQ(line, first);
  EXPECT_EQ(run(folder, {"predict", "data.rfnn", "data.csv", "--blocks", "3"}).code, 1);
}

TEST_F(Tables, PredictWarnsOutsideTheTrainingRange) {
  must(folder, quick_fit("data.csv"));
  write_file(folder / "far.csv", "x1,x2,x3\n0.5,0.5,0.5\n9,0.5,0.5\n0.5,-9,0.5\n");
  const Outcome outcome = must(folder, {"predict", "data.rfnn", "far.csv"});
  EXPECT_NE(outcome.err.find("2 of 3 rows"), std::string::npos) << outcome.err;
  EXPECT_EQ(lines_in(outcome.out), 4u);
  EXPECT_EQ(must(folder, {"predict", "data.rfnn", "far.csv", "--quiet"}).err, "");
  write_file(folder / "one.csv", "x1,x2,x3\n0.5,0.5,0.5\n9,0.5,0.5\n");
  const std::string one = must(folder, {"predict", "data.rfnn", "one.csv"}).err;
  EXPECT_NE(one.find("1 of 2 rows lies outside"), std::string::npos) << one;
}

TEST_F(Tables, EvaluateGivesExactlyTheseNumbers) {
  must(folder, quick_fit("data.csv"));
  const Json json = parsed(must(folder, {"evaluate", "data.rfnn", "data.csv", "--json"}).out);
  ASSERT_EQ(json.size(), 7u);
  for (const char* key : {"rows", "mse", "rmse", "r2", "max_error", "mae", "quantiles"})
    ASSERT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["rows"], 200);
  EXPECT_NEAR(json["rmse"].get<double>(), std::sqrt(json["mse"].get<double>()), 1e-12);
  // By hand, from the predictions.
  std::istringstream predicted(predictions({"data.rfnn", "data.csv"})), table(read_file(folder / "data.csv"));
  std::string p, t;
  std::getline(predicted, p);
  std::getline(table, t);
  double sum = 0.0, worst = 0.0;
  while (std::getline(predicted, p) && std::getline(table, t)) {
    const double error = std::stod(p) - std::stod(t.substr(t.rfind(',') + 1));
    sum += error * error;
    worst = std::max(worst, std::abs(error));
  }
  EXPECT_NEAR(json["mse"].get<double>(), sum / 200, 1e-12);
  EXPECT_NEAR(json["max_error"].get<double>(), worst, 1e-12);
  EXPECT_NE(must(folder, {"evaluate", "data.rfnn", "data.csv"}).out.find("rmse"), std::string::npos);
}

TEST_F(Tables, SeveralOutputsGiveLists) {
  must(folder, {"fit", "data.csv", "--target", "y,x3", "--preset", "paper", "--width", "3", "--blocks", "2",
                "--iterations", "20"});
  EXPECT_EQ(predictions({"data.rfnn", "data.csv"}).substr(0, 5), "y,x3\n");
  const Json json = parsed(must(folder, {"evaluate", "data.rfnn", "data.csv", "--json"}).out);
  for (const char* key : {"mse", "rmse", "r2", "max_error"}) EXPECT_EQ(json[key].size(), 2u) << key;
  must(folder, {"fit", "data.csv", "--target", "y", "--target", "x3", "--preset", "paper", "--width", "3", "--blocks",
                "2", "--iterations", "20", "--out", "twice.rfnn"});
  EXPECT_EQ(tensors_of(folder / "twice.rfnn"), tensors_of(folder / "data.rfnn"));
}

TEST_F(Tables, ConstantTargetsGiveAMeanAndNoR2) {
  std::string table = "x,y\n";
  for (int i = 0; i < 10; ++i) table += std::to_string(i) + ",2.5\n";
  write_file(folder / "flat.csv", table);
  must(folder, quick_fit("flat.csv"));
  EXPECT_EQ(predictions({"flat.rfnn", "flat.csv"}).substr(0, 6), "y\n2.5\n");
  const Json json = parsed(must(folder, {"evaluate", "flat.rfnn", "flat.csv", "--json"}).out);
  EXPECT_TRUE(json["r2"].is_null());
  EXPECT_EQ(json["mse"], 0.0);
}

TEST_F(Tables, BadFilesEndWithTwoAndSayWhere) {
  must(folder, quick_fit("data.csv"));
  refused(quick_fit("missing.csv"));
  refused({"predict", "missing.rfnn", "data.csv"});
  refused({"predict", "data.rfnn", "missing.csv"});
  refused({"inspect", "data.csv"});
  refused({"fit", "data.csv", "--target", "z"});
  refused(quick_fit("data.csv", {"--config", "missing.json"}));
  refused(quick_fit("data.csv", {"--config", "."}));
  refused(quick_fit("data.csv", {"--valid", "missing.csv"}));
  refused(quick_fit("."));
  write_file(folder / "bad.json", "{\"widht\": 3}");
  EXPECT_NE(refused(quick_fit("data.csv", {"--config", "bad.json"})).find("width"), std::string::npos);
  for (const char* cell : {"", "nan", "inf", "abc", "1;2"}) {
    write_file(folder / "bad.csv", "x,y\n1,2\n" + std::string(cell) + ",3\n4,5\n");
    const std::string text = refused(quick_fit("bad.csv"));
    EXPECT_NE(text.find('3'), std::string::npos) << text;  // the line
    EXPECT_NE(text.find('x'), std::string::npos) << text;  // the column
  }
  write_file(folder / "empty.csv", "");
  refused(quick_fit("empty.csv"));
  write_file(folder / "header.csv", "x,y\n");
  refused(quick_fit("header.csv"));
  write_file(folder / "ragged.csv", "x,y\n1,2\n1,2,3\n");
  refused(quick_fit("ragged.csv"));
}

TEST_F(Tables, ValidationFileControlsTheError) {
  must(folder, {"generate", "sine", "--rows", "60", "--seed", "9", "--out", "valid.csv"});
  must(folder, quick_fit("data.csv", {"--valid", "valid.csv"}));
  const Json json = parsed(must(folder, {"inspect", "data.rfnn", "--json"}).out);
  for (const Json& block : json["blocks"]) EXPECT_TRUE(block["validation_mse"].is_number());
  const double measured = parsed(must(folder, {"evaluate", "data.rfnn", "valid.csv", "--json"}).out)["mse"];
  EXPECT_NEAR(json["blocks"].back()["validation_mse"].get<double>(), measured, 1e-9 * measured);
  // A tolerance that is met at once stops before the last block.
  must(folder, quick_fit("data.csv", {"--valid", "valid.csv", "--tolerance", "1e9", "--out", "soon.rfnn"}));
  EXPECT_EQ(parsed(must(folder, {"inspect", "soon.rfnn", "--json"}).out)["stop_reason"], "tolerance");
}

TEST_F(Tables, DryRunReadsAndTrainsNothing) {
  const Outcome text =
      must(folder, {"fit", "data.csv", "--target", "y", "--preset", "paper", "--ignore", "x2", "--dry-run"});
  EXPECT_EQ(text.out, "");
  for (const char* part : {"200 rows", "x1, x3", "x2", "solves", "memory", "width 6"}) {
    EXPECT_NE(text.err.find(part), std::string::npos) << part << "\n" << text.err;
  }
  const Json json =
      parsed(must(folder, {"fit", "data.csv", "--target", "y", "--preset", "paper", "--dry-run", "--json"}).out);
  EXPECT_EQ(json["rows"], 200);
  EXPECT_EQ(json["inputs"], Json({"x1", "x2", "x3"}));
  EXPECT_EQ(json["solves"], 10 + 5000 * (2 + 9 * 3));
  EXPECT_FALSE(fs::exists(folder / "data.rfnn"));
}

}  // namespace
}  // namespace rfnn::testing
