// Samples of functions and draws of chains on the command line.

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>

#include "cli/json.hpp"
#include "cli/process.hpp"
#include "rfnn/core/random.hpp"

namespace rfnn::testing {
namespace {

using ::testing::HasSubstr;

std::vector<std::vector<double>> numbers_of(const std::string& csv, std::string& header) {
  std::istringstream lines(csv);
  std::getline(lines, header);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

class DrawsCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Stream x(3, Purpose::data), noise(3, Purpose::noise);
    std::string table = "x,y\n";
    for (std::size_t i = 0; i < 120; ++i)
      table += std::to_string(6.0 * x.uniform(i)) + "," +
               std::to_string(std::sin(6.0 * x.uniform(i)) + 0.1 * noise.normal(i)) + "\n";
    write_file(folder / "train.csv", table);
    write_file(folder / "rows.csv", "x\n1\n2.5\n9\n");
    write_file(folder / "turned.csv", "x\n9\n2.5\n1\n");
  }
  void fit_paper(const std::string& model, const Words& more) {
    Words words = {"fit",      "train.csv", "--target",     "y",  "--quiet",   "--out", model, "--preset", "paper",
                   "--blocks", "2",         "--iterations", "40", "--burn-in", "8"};
    words.insert(words.end(), more.begin(), more.end());
    must(folder, words);
  }
  Folder folder;
};

TEST_F(DrawsCommand, OfPresetAutoStandBehindThePrediction) {
  must(folder, {"fit", "train.csv", "--target", "y", "--quiet", "--out", "m.rfnn"});
  std::string header, turned_header;
  const auto rows = numbers_of(
      must(folder, {"predict", "m.rfnn", "rows.csv", "--std", "--draws", "3", "--draw-seed", "7", "--quiet"}).out,
      header);
  EXPECT_EQ(header, "y,y_std,y_draw1,y_draw2,y_draw3");
  const auto turned =
      numbers_of(must(folder, {"predict", "m.rfnn", "turned.csv", "--draws", "2", "--draw-seed", "7", "--quiet"}).out,
                 turned_header);
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(rows[i][2 + k], turned[2 - i][1 + k]);
  // Among the rows functions are near the prediction, far from them they part.
  EXPECT_LT(std::abs(rows[0][2] - rows[0][0]), 0.3);
  double apart = 0.0;
  for (std::size_t k = 0; k < 3; ++k) apart = std::max(apart, std::abs(rows[2][2 + k] - rows[2][0]));
  EXPECT_GT(apart, 0.3);
  const auto noisy = numbers_of(
      must(folder, {"predict", "m.rfnn", "rows.csv", "--draws", "1", "--draw-noise", "--quiet"}).out, header);
  EXPECT_NE(noisy[0][1], rows[0][2]);
  must(folder, {"report", "m.rfnn", "--data", "train.csv", "--out", "m.html", "--quiet"});
  EXPECT_THAT(read_file(folder / "m.html"), HasSubstr("functions that the model holds possible"));
}

TEST_F(DrawsCommand, OfPresetPaperAreInTheModelAndInAnArchive) {
  fit_paper("p.rfnn", {"--draws", "16", "--validation-fraction", "0.2"});
  const Json inspected = parsed(must(folder, {"inspect", "p.rfnn", "--json"}).out);
  EXPECT_EQ(inspected["options"]["draws"], 16);
  EXPECT_EQ(inspected["draws"]["draws"], 16);
  EXPECT_EQ(inspected["draws"]["statistics"].size(), 6U);
  EXPECT_GT(inspected["draws"]["statistics"][1]["r_hat"].get<double>(), 0.9);
  EXPECT_THAT(must(folder, {"inspect", "p.rfnn"}).out, HasSubstr("Draws of the chains: 16 draws"));
  std::string header;
  const auto rows = numbers_of(
      must(folder, {"predict", "p.rfnn", "rows.csv", "--interval", "0.9", "--draws", "2", "--quiet"}).out, header);
  EXPECT_EQ(header, "y,y_lower,y_upper,y_draw1,y_draw2");
  EXPECT_LT(rows[0][1], rows[0][0]);
  EXPECT_NE(rows[0][3], rows[0][4]);
  const Outcome many = run(folder, {"predict", "p.rfnn", "rows.csv", "--draws", "17"});
  EXPECT_EQ(many.code, 1);
  EXPECT_THAT(many.err, HasSubstr("keeps 16 draws"));

  fit_paper("q.rfnn", {"--draws", "16", "--seed", "2"});
  const Outcome both = must(folder, {"draws", "p.rfnn", "q.rfnn", "--out", "draws.npz"});
  EXPECT_THAT(both.out, HasSubstr("16 draws of 2 chains"));
  EXPECT_THAT(both.err, HasSubstr("wrote draws.npz"));
  const std::string archive = read_file(folder / "draws.npz");
  EXPECT_THAT(archive, HasSubstr("block2_state_frequencies.npy"));
  EXPECT_THAT(archive, HasSubstr("'shape': (2, 16, 6, 2, 1, )"));
  must(folder, {"draws", "p.rfnn", "q.rfnn", "--out", "again.npz", "--quiet"});
  EXPECT_EQ(read_file(folder / "again.npz"), archive);
  must(folder, {"report", "p.rfnn", "--data", "train.csv", "--out", "p.html", "--quiet"});
  const std::string page = read_file(folder / "p.html");
  EXPECT_THAT(page, HasSubstr("From the chains 16 networks were drawn"));
  EXPECT_THAT(page, HasSubstr("functions that the model holds possible"));
}

TEST_F(DrawsCommand, WhatCannotBeAskedIsRefused) {
  fit_paper("p.rfnn", {});
  EXPECT_THAT(read_file(folder / "p.rfnn"), ::testing::Not(HasSubstr("draws")));
  const Outcome none = run(folder, {"draws", "p.rfnn"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("--draws 100"));
  const Outcome other = run(folder, {"draws", "p.rfnn", "--out", "p.rfnn"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("ends with .npz"));
  EXPECT_EQ(run(folder, {"predict", "p.rfnn", "rows.csv", "--draws", "2"}).code, 1);
  EXPECT_EQ(run(folder, {"predict", "p.rfnn", "rows.csv", "--draw-seed", "2"}).code, 1);
  EXPECT_EQ(run(folder, {"predict", "p.rfnn", "rows.csv", "--draws", "0"}).code, 1);
  fit_paper("d.rfnn", {"--draws", "100"});
  EXPECT_THAT(must(folder, {"inspect", "d.rfnn"}).out, HasSubstr("Of 100 draws asked for 32 were kept"));
}

}  // namespace
}  // namespace rfnn::testing
