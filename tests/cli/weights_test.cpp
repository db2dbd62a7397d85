// fit --weight: how much rows count.

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

/// Rows of the sine with a weight of 0, 1 or 2 each, and the same rows as often as that, backwards.
class WeightColumn : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string table = must(folder, {"generate", "sine", "--rows", "90", "--seed", "3"}).out;
    std::istringstream lines(table);
    std::string line, weighted = "times,x1,x2,x3,y\n", repeated;
    std::getline(lines, line);
    for (int i = 0; std::getline(lines, line); ++i) {
      weighted += std::to_string(i % 3) + "," + line + "\n";
      for (int copy = 0; copy < i % 3; ++copy) repeated = line + "\n" + repeated;
    }
    write_file(folder / "weighted.csv", weighted);
    write_file(folder / "repeated.csv", "x1,x2,x3,y\n" + repeated);
  }
  static Words fit_of(const std::string& data, const Words& more) {
    Words words = quick_fit(data);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Folder folder;
};

TEST_F(WeightColumn, IsTheRowAsOftenAsItSays) {
  must(folder, fit_of("weighted.csv", {"--weight", "times"}));
  must(folder, fit_of("repeated.csv", {}));
  EXPECT_EQ(tensors_of(folder / "weighted.rfnn"), tensors_of(folder / "repeated.rfnn"));
  // It is no input: a file without it will do.
  EXPECT_EQ(must(folder, {"predict", "weighted.rfnn", "repeated.csv"}).out,
            must(folder, {"predict", "repeated.rfnn", "repeated.csv"}).out);
  must(folder, fit_of("weighted.csv", {"--ignore", "times", "--out", "plain.rfnn"}));
  EXPECT_NE(tensors_of(folder / "weighted.rfnn"), tensors_of(folder / "plain.rfnn"));
}

TEST_F(WeightColumn, CountsInAValidationFileThatHasIt) {
  const Words common = {"--weight", "times", "--patience", "2"};
  auto with = [&](const std::string& valid, const std::string& out) {
    Words more = common;
    more.insert(more.end(), {"--valid", valid, "--out", out});
    must(folder, fit_of("weighted.csv", more));
    return parsed(must(folder, {"inspect", out, "--json"}).out).at("blocks");
  };
  EXPECT_EQ(with("weighted.csv", "a.rfnn").at(0).at("validation_mse"),
            with("repeated.csv", "b.rfnn").at(0).at("validation_mse"));
}

TEST_F(WeightColumn, IsPartOfTheRecord) {
  must(folder, fit_of("weighted.csv", {"--weight", "1", "--run-dir", "run", "--report", "page.html"}));
  EXPECT_EQ(parsed(read_file(folder / "run/run.json")).at("weight"), "times");
  EXPECT_NE(read_file(folder / "page.html").find("rows count by"), std::string::npos);
  EXPECT_NE(must(folder, fit_of("weighted.csv", {"--weight", "times", "--dry-run"})).err.find("weight    times"),
            std::string::npos);
}

TEST_F(WeightColumn, ThatIsNoneIsRefused) {
  const Outcome missing = run(folder, fit_of("weighted.csv", {"--weight", "tines"}));
  EXPECT_NE(missing.code, 0);
  EXPECT_NE(missing.err.find("tines"), std::string::npos) << missing.err;
  EXPECT_EQ(run(folder, fit_of("weighted.csv", {"--weight", "y"})).code, 1);
  std::string table = read_file(folder / "weighted.csv");
  table.replace(table.find("\n2,"), 3, "\n-2,");
  write_file(folder / "negative.csv", table);
  const Outcome negative = run(folder, fit_of("negative.csv", {"--weight", "times"}));
  EXPECT_EQ(negative.code, 2);
  EXPECT_NE(negative.err.find("negative.csv, row 3 below the header, column 1 (times)"), std::string::npos)
      << negative.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "negative.rfnn"));
}

}  // namespace
}  // namespace rfnn::testing
