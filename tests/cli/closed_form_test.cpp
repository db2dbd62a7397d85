// Models with closed forms, as commands see them.

#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "io/support.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::testing {
namespace {

using Json = nlohmann::json;

class ClosedForms : public ::testing::Test {
 protected:
  void SetUp() override {
    model = test::model_with_closed_forms();
    // Numbers that a table can have.
    model.inputs[2] = {"b", 3, 5.0, 2.0, 1.0, 9.0, true};
    model.scaler.input_mean[1] = 5.0;
    model.scaler.input_sd[1] = 2.0;
    save_model(model, folder / "m.rfnn");
  }

  Folder folder;
  Model model;
};

TEST_F(ClosedForms, InspectShowsTheirLawsAndSaysThatRowsAreHeld) {
  const std::string text = must(folder, {"inspect", "m.rfnn"}).out;
  EXPECT_NE(text.find("rows of the training table"), std::string::npos) << text;
  EXPECT_NE(text.find("member 0, block 2, joint: 3 centres"), std::string::npos) << text;
  EXPECT_NE(text.find("92 % log(x)"), std::string::npos) << text;
  const Json json = Json::parse(must(folder, {"inspect", "m.rfnn", "--json"}).out);
  ASSERT_EQ(json["laws"].size(), 3U);
  const Json& law = json["laws"][2];
  EXPECT_EQ(law["member"], 1);
  EXPECT_EQ(law["block"], 1);
  EXPECT_EQ(law["branch"], "input");
  EXPECT_EQ(law["centres"], 4);
  EXPECT_EQ(law["variables"], Json({"log(x)", "b"}));
  EXPECT_DOUBLE_EQ(law["parts"][0]["smooth"][1].get<double>(), 0.5);
  EXPECT_NEAR(law["parts"][0]["cycles_median"][1].get<double>(), 0.5 * 0.67448975 / (2.0 * std::numbers::pi), 1e-9);
  EXPECT_GT(law["cycles_90"][1].get<double>(), law["cycles_median"][1].get<double>());
  for (const Json& line : json["spectrum"]) EXPECT_NE(line["member"], 1) << "a closed form has no lines";
  save_model(test::model_with_lattice(), folder / "none.rfnn");
  EXPECT_EQ(Json::parse(must(folder, {"inspect", "none.rfnn", "--json"}).out)["laws"], Json::array());
  EXPECT_EQ(must(folder, {"inspect", "none.rfnn"}).out.find("rows of the training table"), std::string::npos);
}

TEST_F(ClosedForms, PredictEvaluateAndReportTakeThem) {
  std::string table = "x,constant,b,y1,y2\n";
  Matrix rows(700, 3);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    rows(i, 0) = 0.25 + 0.01 * static_cast<double>(i);
    rows(i, 1) = 3.0;
    rows(i, 2) = static_cast<double>(i % 10);
    table += std::to_string(rows(i, 0)) + ",3," + std::to_string(i % 10) + "," + std::to_string(i % 7) + ",0.5\n";
  }
  write_file(folder / "data.csv", table);
  for (const std::size_t blocks : {0U, 1U, 2U, 3U}) {
    const Matrix expected = predict(model, rows.view(), {.blocks = blocks});
    std::istringstream found(
        must(folder, {"predict", "m.rfnn", "data.csv", "--blocks", std::to_string(blocks), "--quiet"}).out);
    std::string line;
    std::getline(found, line);
    EXPECT_EQ(line, "y1,y2");
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::getline(found, line);
      EXPECT_NEAR(std::stod(line), expected(i, 0), 1e-9 * std::abs(expected(i, 0))) << i;
    }
  }
  EXPECT_EQ(Json::parse(must(folder, {"evaluate", "m.rfnn", "data.csv", "--json"}).out)["rows"], 700);
  must(folder, {"report", "m.rfnn", "--data", "data.csv", "--out", "page.html"});
  EXPECT_NE(read_file(folder / "page.html").find("Law of frequencies of"), std::string::npos);
}

TEST_F(ClosedForms, FitSaysThatRowsAreHeld) {
  std::string table = "a,b,c,y\n";
  for (int i = 0; i < 150; ++i) {
    const double a = std::fmod(0.618 * i, 1.0), b = std::fmod(0.755 * i, 1.0), c = std::fmod(0.57 * i, 1.0);
    table += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "," +
             std::to_string(std::exp(-a * b) + std::sqrt(0.1 + b * c)) + "\n";
  }
  write_file(folder / "data.csv", table);
  for (const Words& more : {Words{}, Words{"--width", "8"}}) {
    Words words = {"fit", "data.csv", "--target", "y", "--out", "fitted.rfnn"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string said = must(folder, words).err;
    const bool held = holds_rows(load_model(folder / "fitted.rfnn"));
    EXPECT_EQ(held, more.empty()) << "a width is a number of frequencies";
    EXPECT_EQ(said.find("the inputs of training rows are part of this model") != std::string::npos, held) << said;
  }
}

TEST_F(ClosedForms, PredictionsTakeNoMoreMemoryForMoreRows) {
  const auto peak = [&](std::size_t rows) {
    std::string table = "x,constant,b\n";
    for (std::size_t i = 0; i < rows; ++i) table += "0.5,3,1\n";
    write_file(folder / "rows.csv", table);
    return must(folder, {"predict", "m.rfnn", "rows.csv", "--out", "out.csv", "--quiet"}).peak_bytes;
  };
  const double few = peak(100'000), many = peak(400'000);
  EXPECT_LT(many, few + 8e6);
}

}  // namespace
}  // namespace rfnn::testing
