#include <gtest/gtest.h>

#include "io/support.hpp"
#include "rfnn/diagnostics/trend.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn {
namespace {

/// A model of two inputs, the first of them time, whose only block is a trend.
Model trend_model() {
  Model model;
  model.inputs = {{"day", 0, 100.0, 50.0, 0.0, 200.0, true}, {"b", 1, 3.0, 2.0, 0.0, 6.0, true}};
  model.targets = {{"y", 2, 10.0, 4.0, 0.0, 20.0, true}};
  model.scaler = {{100.0, 3.0}, {50.0, 2.0}, {10.0}, {4.0}};
  Branch branch{.kind = BranchKind::input, .frequencies = Matrix(0, 2), .amplitudes = Matrix(0, 1)};
  branch.trend = Matrix(5, 1);
  const double numbers[] = {0.5, 1.0, -0.25, 2.0, 0.0};
  for (std::size_t i = 0; i < 5; ++i) branch.trend(i, 0) = numbers[i];
  model.members = {{{{{branch}}}}};
  return model;
}

TEST(Trends, AreInTheUnitsOfTheData) {
  const std::vector<TrendTerm> terms = trends(trend_model());
  ASSERT_EQ(terms.size(), 4U) << "what is zero is not listed";
  EXPECT_EQ(terms[0].power, 0U);
  EXPECT_DOUBLE_EQ(terms[0].coefficient[0], 2.0);
  EXPECT_EQ(terms[1].variable, "day");
  EXPECT_DOUBLE_EQ(terms[1].about, 100.0);
  EXPECT_DOUBLE_EQ(terms[1].coefficient[0], 4.0 / 50.0);
  EXPECT_EQ(terms[2].variable, "b");
  EXPECT_DOUBLE_EQ(terms[2].coefficient[0], -0.5);
  EXPECT_EQ(terms[3].variable, "day");
  EXPECT_EQ(terms[3].power, 2U);
  EXPECT_DOUBLE_EQ(terms[3].coefficient[0], 8.0 / 2500.0);
}

TEST(Trends, AddUpToThePrediction) {
  const Model model = trend_model();
  Matrix rows(3, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    rows(i, 0) = 150.0 + 400.0 * static_cast<double>(i);  // far beyond the data as well
    rows(i, 1) = static_cast<double>(i);
  }
  const Matrix predicted = predict(model, rows.view());
  for (std::size_t i = 0; i < 3; ++i) {
    double expected = 10.0;
    for (const TrendTerm& term : trends(model)) {
      const double x = rows(i, term.variable == "b" ? 1 : 0);
      expected += term.coefficient[0] * std::pow(x - term.about, static_cast<double>(term.power));
    }
    EXPECT_NEAR(predicted(i, 0), expected, 1e-9 * std::abs(expected));
  }
}

TEST(Trends, OfAModelWithoutThemAreNone) {
  EXPECT_TRUE(trends(test::model_with_closed_forms()).empty());
  EXPECT_FALSE(has_trend(test::model_with_closed_forms()));
  EXPECT_TRUE(has_trend(test::model_with_trends()));
}

}  // namespace
}  // namespace rfnn
