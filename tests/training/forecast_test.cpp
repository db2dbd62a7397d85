// Rows held out as the model will be used: beyond the others, or where a stretch of them is missing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/diagnostics/trend.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/uncertainty/error_bars.hpp"

namespace rfnn::training {
namespace {

using ::testing::HasSubstr;

double seasons(double t) { return 0.5 * t + 3.0 * std::sin(2.0 * t) + std::cos(7.0 * t); }

/// Rows at times of [from, to), in no order.
Dataset series(double from, double to, std::size_t count, double noise) {
  const Stream stream(7, Purpose::noise, 0, 0);
  Dataset data;
  data.inputs = Matrix(count, 1);
  data.targets = Matrix(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    data.inputs(i, 0) = from + (to - from) * static_cast<double>((i * 7919) % count) / static_cast<double>(count);
    data.targets(i, 0) = seasons(data.inputs(i, 0)) + noise * stream.normal(i);
  }
  return data;
}

Options held_out(Holdout holdout, std::int64_t threads = 1) {
  Options options;
  options.holdout = holdout;
  options.threads = threads;
  return options;
}

double error_between(const Model& model, double from, double to) {
  const Dataset test = series(from, to, 300, 0.0);
  const Matrix predicted = predict(model, test.inputs.view());
  double squares = 0.0;
  for (std::size_t i = 0; i < 300; ++i) squares += std::pow(predicted(i, 0) - test.targets(i, 0), 2);
  return squares / 300.0;
}

TEST(Forecast, TrendAndLinesGoOnBeyondTheRows) {
  const Model model = fit(series(0.0, 40.0, 800, 0.3), held_out(Holdout::tail));
  EXPECT_LT(error_between(model, 40.0, 60.0), 0.09) << "less than the noise, over half as long again as the data";
  ASSERT_EQ(model.history.blocks.size(), 1U);
  EXPECT_EQ(model.history.blocks[0].method, Method::lines);
  const std::vector<TrendTerm> terms = trends(model);
  ASSERT_EQ(terms.back().power, 1U);
  EXPECT_NEAR(terms.back().coefficient[0], 0.5, 0.02);
  // Of rows in between the network knows more, and of rows beyond less.
  EXPECT_GT(error_between(fit(series(0.0, 40.0, 800, 0.3), held_out(Holdout::random)), 40.0, 60.0), 1.0);
}

TEST(Forecast, BarsOpenWithTheDistance) {
  // A slope that wanders: nobody foresees where to, and the farther ahead the less.
  const auto wandering = [](std::size_t first, std::size_t last) {
    const Stream steps(3, Purpose::noise);
    Dataset data;
    data.inputs = data.targets = Matrix(last - first, 1);
    double slope = 0.0, at = 0.0;
    for (std::size_t i = 0; i < last; ++i) {
      slope = 0.98 * slope + 0.1 * steps.normal(i);
      at += slope;
      if (i < first) continue;
      data.inputs(i - first, 0) = static_cast<double>(i) / 10.0;
      data.targets(i - first, 0) = at;
    }
    return data;
  };
  const Model model = fit(wandering(0, 400), held_out(Holdout::tail));
  ASSERT_TRUE(model.uncertainty);
  EXPECT_FALSE(model.uncertainty->shape);
  const ErrorBars bars(model);
  EXPECT_NEAR(bars.quantile(0, 0.05), -bars.quantile(0, 0.95), 1e-9 * bars.quantile(0, 0.95)) << "either sign";
  const Dataset after = wandering(400, 500);
  const auto widths = [&](const Matrix& inputs) {
    const Matrix predicted = predict(model, inputs.view());
    Matrix found(inputs.rows(), 1);
    bars.widths(inputs.view(), predicted.view(), found.view());
    return found;
  };
  Matrix times(3, 1);
  for (std::size_t i = 0; i < 3; ++i) times(i, 0) = std::vector<double>{20.0, 42.0, 50.0}[i];
  const Matrix opening = widths(times), of_after = widths(after.inputs),
               predicted = predict(model, after.inputs.view());
  EXPECT_GT(opening(1, 0), 2.0 * opening(0, 0));
  EXPECT_GT(opening(2, 0), 1.5 * opening(1, 0));
  std::size_t inside = 0;
  for (std::size_t i = 0; i < 100; ++i)
    inside += std::abs(after.targets(i, 0) - predicted(i, 0)) < of_after(i, 0) * bars.quantile(0, 0.95) ? 1 : 0;
  EXPECT_GE(inside, 80U);
}

TEST(Forecast, GapsAreFilled) {
  Dataset data = series(0.0, 40.0, 800, 0.3), kept;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 800; ++i)
    if (data.inputs(i, 0) < 18.0 || data.inputs(i, 0) > 22.0) rows.push_back(i);
  kept.inputs = Matrix(rows.size(), 1);
  kept.targets = Matrix(rows.size(), 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    kept.inputs(i, 0) = data.inputs(rows[i], 0);
    kept.targets(i, 0) = data.targets(rows[i], 0);
  }
  EXPECT_LT(error_between(fit(kept, held_out(Holdout::gap)), 18.0, 22.0), 0.03);
}

TEST(Forecast, TheErrorReportedIsThatBeyondTheRows) {
  const Model model = fit(series(0.0, 40.0, 800, 0.3), held_out(Holdout::tail));
  const ModelErrors errors = final_errors(model);
  ASSERT_TRUE(errors.validation);
  EXPECT_EQ(errors.judge, Judge::held_out);
  EXPECT_GT(*errors.validation, 0.05);
  EXPECT_LT(*errors.validation, 0.3);
  EXPECT_EQ(model.validation_rows, 120U);
}

TEST(Forecast, DoesNotDependOnThreadsNorOnTheOrderOfRows) {
  const Dataset data = series(0.0, 20.0, 400, 0.3);
  Dataset turned = data;
  for (std::size_t i = 0; i < 400; ++i) {
    turned.inputs(i, 0) = data.inputs(399 - i, 0);
    turned.targets(i, 0) = data.targets(399 - i, 0);
  }
  for (const Holdout holdout : {Holdout::tail, Holdout::gap}) {
    const Model one = fit(data, held_out(holdout));
    EXPECT_EQ(one.members, fit(data, held_out(holdout, 3)).members);
    EXPECT_EQ(one.members, fit(turned, held_out(holdout)).members);
  }
}

TEST(Forecast, AnyInputMayBeTime) {
  const Stream stream(7, Purpose::noise, 0, 0);
  Dataset data;
  data.inputs = Matrix(600, 2);
  data.targets = Matrix(600, 1);
  for (std::size_t i = 0; i < 600; ++i) {
    data.inputs(i, 0) = stream.normal(i);
    data.inputs(i, 1) = 0.05 * static_cast<double>(i);
    data.targets(i, 0) = seasons(data.inputs(i, 1)) + data.inputs(i, 0);
  }
  Options options = held_out(Holdout::tail);
  options.holdout_by = 2;
  const Model model = fit(data, options);
  Matrix later(100, 2);
  double squares = 0.0;
  for (std::size_t i = 0; i < 100; ++i) {
    later(i, 0) = stream.normal(1000 + i);
    later(i, 1) = 30.0 + 0.1 * static_cast<double>(i);
  }
  const Matrix predicted = predict(model, later.view());
  for (std::size_t i = 0; i < 100; ++i) squares += std::pow(predicted(i, 0) - seasons(later(i, 1)) - later(i, 0), 2);
  EXPECT_LT(squares / 100.0, 0.1);
}

TEST(Forecast, PresetPaperIsJudgedByTheLastRows) {
  Options options = preset_options(Preset::paper);
  options.holdout = Holdout::tail;
  options.validation_fraction = 0.2;
  options.blocks = 2;
  options.iterations = 50;
  const Dataset data = series(0.0, 40.0, 200, 0.1);
  const Model model = fit(data, options);
  EXPECT_EQ(model.validation_rows, 40U);
  // The mean of the first rows is far from the last ones, where the trend has gone on.
  EXPECT_GT(*model.history.empty_validation_mse, 2.0 * model.history.empty_train_mse);
}

std::string cause_and_cure(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.cause() + " " + error.cure();
  }
  return "nothing was wrong";
}

TEST(Forecast, BadUseIsRefusedWithCauseAndCure) {
  const Dataset data = series(0.0, 40.0, 100, 0.1);
  Dataset constant = data;
  for (std::size_t i = 0; i < 100; ++i) constant.inputs(i, 0) = 3.0;
  EXPECT_THAT(cause_and_cure([&] { fit(constant, held_out(Holdout::tail)); }),
              ::testing::AllOf(HasSubstr("'x1' is the same in all rows"), HasSubstr("holdout-by")));
  Options options = held_out(Holdout::gap);
  options.holdout_by = 2;
  EXPECT_THAT(cause_and_cure([&] { fit(data, options); }), HasSubstr("there are 1 inputs"));
  options = held_out(Holdout::tail);
  options.validation_fraction = 0.0;
  EXPECT_THAT(cause_and_cure([&] { fit(data, options); }), HasSubstr("no rows are held out"));
  FitExtras extras;
  extras.validation = data;
  EXPECT_THAT(cause_and_cure([&] { fit(data, held_out(Holdout::tail), extras); }), HasSubstr("Give one of the two"));
}

TEST(Forecast, FewRowsGiveAModel) {
  for (const std::size_t rows : {1U, 2U, 3U, 5U, 10U, 20U})
    for (const Holdout holdout : {Holdout::tail, Holdout::gap}) {
      SCOPED_TRACE(std::to_string(rows) + " rows");
      const Dataset data = series(0.0, 10.0, rows, 0.1);
      if (rows < 2) {
        EXPECT_THROW(fit(data, held_out(holdout)), UsageError);
        continue;
      }
      const Model model = fit(data, held_out(holdout));
      EXPECT_NO_THROW(check(model));
      const Matrix predicted = predict(model, data.inputs.view());
      for (std::size_t i = 0; i < rows; ++i) EXPECT_TRUE(std::isfinite(predicted(i, 0)));
    }
}

}  // namespace
}  // namespace rfnn::training
