// The function a model stands for, written down from what `inspect --json` prints and nothing else, as
// docs/model-file.md explains.

#include <algorithm>
#include <cmath>

#include "cli/json.hpp"
#include "cli/process.hpp"

namespace rfnn::testing {
namespace {

using Row = std::vector<double>;

/// The inputs as lines see them: around the mean of training, logarithms where the network takes them.
Row shifted(const Json& model, const Row& inputs) {
  Row u;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Json& column = model["data"]["inputs"][k];
    if (!column["used"].get<bool>()) continue;
    double x = inputs[k];
    for (const Json& transform : model["transforms"])
      if (transform["input"] == column["name"]) x = std::log(std::max(x, transform["from"].get<double>()));
    u.push_back(x - model["scale"]["input"]["mean"][u.size()].get<double>());
  }
  return u;
}

Row value_at(const Json& model, const Row& inputs) {
  const Row u = shifted(model, inputs);
  const std::size_t outputs = model["data"]["targets"].size(), members = model["members"];
  Row result(outputs, 0.0);
  for (std::size_t e = 0; e < members; ++e) {
    Row s(outputs, 0.0);
    std::size_t last = 0;
    for (const Json& line : model["spectrum"])
      if (line["member"] == e) last = std::max(last, line["block"].get<std::size_t>());
    for (std::size_t block = 1; block <= last; ++block) {
      Row next = s;
      for (const Json& line : model["spectrum"]) {
        if (line["member"] != e || line["block"] != block) continue;
        Row w = line["branch"] == "state" ? Row{} : u;
        if (line["branch"] != "input") w.insert(w.end(), s.begin(), s.end());
        double angle = 0.0;
        for (std::size_t k = 0; k < w.size(); ++k) angle += line["frequency"][k].get<double>() * w[k];
        for (std::size_t o = 0; o < outputs; ++o)
          next[o] += static_cast<double>(members) * line["amplitude"][o].get<double>() *
                     std::cos(angle + line["phase"][o].get<double>());
      }
      s = next;
    }
    for (std::size_t o = 0; o < outputs; ++o) {
      const Json& mean = last == 0 ? model["data"]["targets"][o]["mean"] : model["scale"]["output"]["mean"][o];
      result[o] += (mean.get<double>() + s[o]) / static_cast<double>(members);
    }
  }
  return result;
}

class Formula : public ::testing::Test {
 protected:
  /// Compares the formula with `predict` on a few rows of a, b, c.
  void expect_agreement(const std::string& model_file, const std::vector<Row>& rows, std::size_t least_lines) {
    const Json model = parsed(must(folder, {"inspect", model_file, "--json"}).out);
    EXPECT_GE(model["spectrum"].size(), least_lines);
    std::string table = "a,b,c\n";
    for (const Row& row : rows)
      table += std::to_string(row[0]) + "," + std::to_string(row[1]) + "," + std::to_string(row[2]) + "\n";
    write_file(folder / "new.csv", table);
    std::istringstream predicted(must(folder, {"predict", model_file, "new.csv", "--quiet"}).out);
    std::string line;
    std::getline(predicted, line);  // names
    for (const Row& row : rows) {
      std::getline(predicted, line);
      std::istringstream cells(line);
      for (const double expected : value_at(model, row)) {
        std::string cell;
        std::getline(cells, cell, ',');
        EXPECT_NEAR(std::stod(cell), expected, 1e-9 * std::max(1.0, std::abs(expected))) << line;
      }
    }
  }

  Folder folder;
};

TEST_F(Formula, OfThePublishedAlgorithmWithStatesAndTwoOutputs) {
  std::string table = "a,b,c,k,y,z\n";
  for (int i = 0; i < 60; ++i) {
    const double a = 100.0 + 0.3 * i, b = std::fmod(0.37 * i, 2.0), c = 1.0 + std::fmod(0.7 * i, 5.0);
    table += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + ",5," +
             std::to_string(4.0 + std::sin(a) + b) + "," + std::to_string(std::cos(b * c)) + "\n";
  }
  write_file(folder / "data.csv", table);
  for (const char* standardise : {"true", "false"}) {
    must(folder, {"fit", "data.csv", "--target", "y,z", "--ignore", "k", "--preset", "paper", "--width", "3",
                  "--blocks", "3", "--iterations", "20", "--standardise-outputs", standardise, "--out", "m.rfnn"});
    expect_agreement("m.rfnn", {{103.0, 0.5, 1.5}, {111.0, 1.5, 2.0}, {117.25, 0.01, 4.0}}, 15);
  }
}

TEST_F(Formula, OfMembersAndLogarithms) {
  std::string table = "a,b,c,y\n";
  for (int i = 0; i < 240; ++i) {
    const double a = std::fmod(0.61 * i, 4.0), b = std::fmod(0.37 * i, 2.0),
                 c = std::pow(10.0, std::fmod(0.731 * i, 6.0) - 3.0);
    table += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "," +
             std::to_string(5.0 + std::sin(std::log(c)) + 0.3 * a) + "\n";
  }
  write_file(folder / "data.csv", table);
  must(folder, {"fit", "data.csv", "--target", "y", "--members", "2", "--width", "20", "--out", "m.rfnn"});
  expect_agreement("m.rfnn", {{3.0, 0.5, 1.0}, {1.0, 1.5, 20.0}, {0.25, 0.01, 1e-3}, {4.0, 2.0, 900.0}}, 2);
}

TEST_F(Formula, OfTheMeanAlone) {
  write_file(folder / "data.csv", "a,b,c,y\n1,2,3,4\n2,1,5,6\n4,8,1,11\n5,5,5,3\n");
  must(folder, {"fit", "data.csv", "--target", "y", "--preset", "paper", "--blocks", "0", "--out", "m.rfnn"});
  expect_agreement("m.rfnn", {{1.0, 2.0, 3.0}}, 0);
  EXPECT_EQ(must(folder, {"predict", "m.rfnn", "data.csv"}).out, "y\n6\n6\n6\n6\n");
}

}  // namespace
}  // namespace rfnn::testing
