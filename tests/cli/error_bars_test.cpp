// Error bars on the command line.

#include <array>
#include <cmath>
#include <sstream>
#include <vector>

#include "cli/json.hpp"
#include "cli/process.hpp"
#include "rfnn/core/random.hpp"

namespace rfnn::testing {
namespace {

class ErrorBarsCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Stream x(3, Purpose::data), noise(3, Purpose::noise);
    for (const auto& [name, first] : {std::pair<const char*, std::size_t>{"train.csv", 0}, {"test.csv", 1000}}) {
      std::string table = "x,y\n";
      for (std::size_t i = first; i < first + 400; ++i)
        table += std::to_string(6.0 * x.uniform(i)) + "," +
                 std::to_string(std::sin(6.0 * x.uniform(i)) + 0.1 * noise.normal(i)) + "\n";
      write_file(folder / name, table);
    }
    must(folder, {"fit", "train.csv", "--target", "y", "--quiet", "--out", "m.rfnn"});
  }
  Folder folder;
};

TEST_F(ErrorBarsCommand, ColumnsStandBehindThePrediction) {
  write_file(folder / "rows.csv", "x\n1.0\nNA\n3\n40\n");
  const Outcome outcome = must(
      folder, {"predict", "m.rfnn", "rows.csv", "--std", "--interval", "0.9", "--quantiles", "0.05,0.5", "--quiet"});
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "y,y_std,y_lower,y_upper,y_q0.05,y_q0.5");
  double widths[2] = {};
  for (double& width : widths) {
    do ASSERT_TRUE(std::getline(lines, line)) << outcome.out << outcome.err;
    while (line.starts_with(",") || line.empty());
    double y = 0.0, sd = 0.0, lower = 0.0, upper = 0.0, low = 0.0, middle = 0.0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf,%lf,%lf", &y, &sd, &lower, &upper, &low, &middle), 6) << line;
    EXPECT_NEAR(lower, low, 1e-9);
    EXPECT_LT(lower, middle);
    EXPECT_LT(middle, upper);
    EXPECT_NEAR(upper - lower, 3.3 * sd, sd);
    width = upper - lower;
    if (&width == widths) EXPECT_NEAR(sd, 0.1, 0.04);
  }
}

TEST_F(ErrorBarsCommand, EvaluateMeasuresTheirCoverage) {
  const Json scores = parsed(must(folder, {"evaluate", "m.rfnn", "test.csv", "--json"}).out);
  const Json& known = scores["uncertainty"];
  EXPECT_NEAR(known["coverage"]["0.9"].get<double>(), 0.9, 0.06);
  EXPECT_NEAR(known["coverage"]["0.5"].get<double>(), 0.5, 0.1);
  // Of a normal law of deviation 0.1: 0.0564 and ln 0.1 + 1.42.
  EXPECT_NEAR(known["crps"].get<double>(), 0.0564, 0.008);
  EXPECT_NEAR(known["nll"].get<double>(), std::log(0.1) + 1.419, 0.15);
  EXPECT_GT(known["interval_score"]["0.9"].get<double>(), 0.3);
  EXPECT_NE(must(folder, {"evaluate", "m.rfnn", "test.csv"}).out.find("error bars"), std::string::npos);
}

/// outside, y_lower and y_upper of every row of a prediction.
std::vector<std::array<double, 3>> bounds_of(const std::string& out) {
  std::vector<std::array<double, 3>> rows;
  std::istringstream lines(out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "y,outside,y_lower,y_upper");
  for (double y = 0.0; std::getline(lines, line);) {
    auto& [outside, lower, upper] = rows.emplace_back();
    EXPECT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &y, &outside, &lower, &upper), 4) << line;
  }
  return rows;
}

// y is 0, 1 or 2 by the colour, and a half more where it is open, so that an interval over what a cell may have been is
// as wide as that.
TEST_F(ErrorBarsCommand, RowsWithCellsThatTrainingNeverMissedAreFlaggedAndWide) {
  const Stream of(5, Purpose::data), noise(5, Purpose::noise);
  std::string table = "day,colour,open,k,x,y\n";
  for (std::size_t i = 0; i < 240; ++i) {
    const std::size_t colour = i % 3, day = i % 28 + 1;
    const bool open = of.uniform(2 * i) < 0.5;
    const double x = of.uniform(2 * i + 1),
                 y = static_cast<double>(colour) + (open ? 0.5 : 0.0) + 0.05 * noise.normal(i);
    table += "2024-02-" + std::string(day < 10 ? "0" : "") + std::to_string(day) + "," +
             (colour == 0   ? "blue"
              : colour == 1 ? "green"
                            : "red") +
             "," + (open ? "true" : "false") + ",5," + std::to_string(x) + "," + std::to_string(y) + "\n";
  }
  write_file(folder / "mixed.csv", table);
  must(folder, {"fit", "mixed.csv", "--target", "y", "--quiet", "--out", "mixed.rfnn"});
  write_file(folder / "asked.csv",
             "day,colour,open,k,x\n2024-02-14,green,true,5,0.5\n2024-02-14,pink,true,5,0.5\n2024-02-14,,true,5,0.5\n"
             "2024-02-14,green,,5,0.5\n,green,true,5,0.5\n2024-02-14,green,true,50,0.5\n2024-02-14,green,true,,0.5\n");
  const auto rows = bounds_of(must(folder, {"predict", "mixed.rfnn", "asked.csv", "--interval", "0.9", "--flag-outside",
                                            "--missing", "mean", "--unseen", "mean", "--quiet"})
                                  .out);
  ASSERT_EQ(rows.size(), 7U);
  const double flags[] = {0, 1, 1, 1, 1, 1, 0};
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i][0], flags[i]) << "row " << i + 1;
  const auto width = [&](std::size_t i) { return rows[i][2] - rows[i][1]; };
  EXPECT_LT(width(0), 0.4);
  for (const std::size_t i : {1U, 2U}) {  // blue, green and red, while it is open
    EXPECT_LT(rows[i][1], 0.5);
    EXPECT_GT(rows[i][2], 2.5);
    EXPECT_LT(width(i), 3.5);
  }
  EXPECT_GT(width(3), 0.5);
  EXPECT_LT(width(3), 1.2);
  EXPECT_LT(width(4), 0.6) << "the day does not matter";
  EXPECT_EQ(width(5), width(0)) << "a model knows nothing of a column that was always the same";
  EXPECT_EQ(width(6), width(0));
}

TEST_F(ErrorBarsCommand, WhatCannotBeAskedIsRefused) {
  EXPECT_EQ(run(folder, {"predict", "m.rfnn", "test.csv", "--interval", "90"}).code, 1);
  EXPECT_EQ(run(folder, {"predict", "m.rfnn", "test.csv", "--quantiles", "0.1,1"}).code, 1);
  EXPECT_EQ(run(folder, {"predict", "m.rfnn", "test.csv", "--std", "--blocks", "1"}).code, 1);
  const auto quantiles = [&](const char* list) {
    return run(folder, {"predict", "m.rfnn", "test.csv", "--quantiles", list}).err;
  };
  EXPECT_NE(quantiles("0.5,0.50").find("--quantiles names 0.5 twice"), std::string::npos) << quantiles("0.5,0.50");
  EXPECT_NE(quantiles("0.1,,0.2").find("--quantiles has an empty place"), std::string::npos) << quantiles("0.1,,0.2");
  must(folder, {"fit", "train.csv", "--target", "y", "--quiet", "--out", "p.rfnn", "--preset", "paper", "--blocks", "1",
                "--iterations", "5"});
  const Outcome without = run(folder, {"predict", "p.rfnn", "test.csv", "--std"});
  EXPECT_EQ(without.code, 1);
  EXPECT_NE(without.err.find("preset auto"), std::string::npos) << without.err;
}

}  // namespace
}  // namespace rfnn::testing
