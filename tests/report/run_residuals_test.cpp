// The section about residuals: which rows it is about, and what it says of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "identities/naive_training.hpp"
#include "report/run_stories.hpp"
#include "rfnn/core/random.hpp"

namespace rfnn::report {
namespace {

using testing::figure_named;
using ::testing::HasSubstr;
using testing::words_of;

TEST(ResidualSection, NamesAWaveTheModelDoesNotKnow) {
  // Trained without the wave, shown on rows with it.
  Dataset train{testing::uniform_matrix(400, 1, 1, 0.0, 3.0), Matrix(400, 1), {"time"}, {"y"}};
  Dataset test{testing::uniform_matrix(600, 1, 2, 0.0, 3.0), Matrix(600, 1), {"time"}, {"y"}};
  const Stream noises(1, Purpose::noise);
  for (std::size_t i = 0; i < 400; ++i) train.targets(i, 0) = std::sin(2.0 * train.inputs(i, 0));
  for (std::size_t i = 0; i < 600; ++i)
    test.targets(i, 0) =
        std::sin(2.0 * test.inputs(i, 0)) + 0.2 * std::sin(60.0 * test.inputs(i, 0)) + 0.01 * noises.normal(i);
  const Page page = run_page(testing::story_with_rows(train, testing::quick_options(2, 200), &test));
  testing::expect_sound(page);
  EXPECT_THAT(words_of(page, "residuals"), HasSubstr("left in time: 60"));
  const Figure* figure = figure_named(page, "residual-spectrum");
  ASSERT_NE(figure, nullptr);
  ASSERT_EQ(figure->series.back().name, "lines that stand out");
  EXPECT_NEAR(figure->series.back().x.front(), 60.0, 0.2);
  EXPECT_NEAR(figure->series.back().y.front(), 0.2, 0.02);
}

TEST(ResidualSection, SaysWhenOnlyNoiseIsLeft) {
  Dataset data{testing::uniform_matrix(500, 1, 1, 0.0, 3.0), Matrix(500, 1), {"time"}, {"y"}};
  const Stream noises(1, Purpose::noise);
  for (std::size_t i = 0; i < 500; ++i) data.targets(i, 0) = std::sin(2.0 * data.inputs(i, 0)) + 0.1 * noises.normal(i);
  const Page page = run_page(testing::story_with_rows(data, testing::quick_options(1, 200)));
  EXPECT_THAT(words_of(page, "residuals"), HasSubstr("flat, like noise"));
}

/// Few noisy rows of three inputs, as preset auto takes them.
Dataset noisy(std::size_t rows) {
  Dataset data{testing::uniform_matrix(rows, 3, 1, 0.0, 1.0), Matrix(rows, 1), {"a", "b", "c"}, {"y"}};
  const Stream noises(1, Purpose::noise);
  for (std::size_t i = 0; i < rows; ++i)
    data.targets(i, 0) = 3.0 * std::sin(6.0 * data.inputs(i, 0)) + data.inputs(i, 1) + noises.normal(i);
  return data;
}

Options automatic() {
  Options options = preset_options(Preset::automatic);
  options.threads = 1;
  return options;
}

TEST(FittedRows, AreNeverCalledValidationRows) {
  const Dataset data = noisy(150);
  const RunStory story = testing::story_with_rows(data, automatic());
  ASSERT_GT(story.model->blocks(), 0U);
  ASSERT_TRUE(fitted_to_all_rows(*story.model));
  ASSERT_EQ(story.shown.size(), 1U) << "no row is left that the network has not seen";
  EXPECT_EQ(story.shown[0].total, 150U);
  const Page page = run_page(story);
  testing::expect_sound(page, 7);
  const Figure* histogram = figure_named(page, "residual-histogram");
  ASSERT_NE(histogram, nullptr);
  for (const Series& series : histogram->series) EXPECT_EQ(series.name.find("validation"), std::string::npos);
  EXPECT_EQ(histogram->series.front().name, "rows of training (fitted)");
  EXPECT_THAT(words_of(page, "residuals"), HasSubstr("The network was fitted to these rows"));
}

TEST(FittedRows, GivenValidationRowsStaySuch) {
  const Dataset data = noisy(150), apart = testing::wavy_data(40, 3);
  Options options = automatic();
  options.validation_fraction = 0.0;
  FitExtras extras;
  const DatasetView given = apart;
  extras.validation = given;
  const Model model = fit(data, options, extras);
  const auto rows = rows_of_training(model, data, "train.csv", &given, "valid.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "training rows");
  EXPECT_EQ(rows[1].name, "validation rows");
  EXPECT_EQ(rows[1].total, 40U);
}

TEST(FittedRows, ErrorsHaveTheirRowsTheirStandardErrorAndTheirCaution) {
  const Dataset data = noisy(150);
  RunStory story = testing::story_with_rows(data, automatic());
  History& history = story.model->history;
  history.final_validation_mse = 4.0;
  history.final_validation_se = 0.8;
  history.judge = Judge::held_out;
  const std::size_t held_out = story.model->validation_rows;
  std::string words = words_of(run_page(story), "run");
  EXPECT_THAT(words, HasSubstr("rows of training (fitted)|150|"));
  EXPECT_THAT(words, HasSubstr("held-out rows|" + std::to_string(held_out) + "|4 ±\u00a00.8|2 ±\u00a00.2|"));
  EXPECT_THAT(words, HasSubstr("2 ±\u00a00.2 root mean squared error on held-out rows"));
  EXPECT_THAT(words, HasSubstr("before its last fit, which used all 150 rows"));
  history.judge = Judge::leave_one_out;
  words = words_of(run_page(story), "run");
  EXPECT_THAT(words, HasSubstr("rows of training, by leave-one-out|150|4 ±\u00a00.8|"));
  history.judge = Judge::cross_fitting;
  words = words_of(run_page(story), "run");
  EXPECT_THAT(words, HasSubstr("rows of training, by cross-fitting|150|4 ±\u00a00.8|"));
  EXPECT_THAT(words, HasSubstr("by networks that were trained without it"));
}

TEST(FittedRows, TheRateIsNotThatOfAWideBlock) {
  RunStory story = testing::story_with_rows(noisy(150), automatic());
  BlockRecord wide = story.blocks.front(), narrow = wide;
  wide.width = 6000, wide.train_mse = 1.0;
  narrow.block = 2, narrow.width = 1, narrow.train_mse = 0.25;
  story.blocks = {wide, narrow};
  const Page page = run_page(story);
  const Figure* figure = figure_named(page, "error-per-block");
  ASSERT_NE(figure, nullptr);
  EXPECT_EQ(figure->caption.find("falls like"), std::string::npos) << figure->caption;
}

TEST(ResidualSection, LooksForWavesInTheLogarithmWhereTheNetworkDoes) {
  Dataset data{testing::uniform_matrix(300, 1, 1, -3.0, 4.0), Matrix(300, 1), {"conc"}, {"y"}};
  for (std::size_t i = 0; i < 300; ++i) {
    data.inputs(i, 0) = std::pow(10.0, data.inputs(i, 0));
    data.targets(i, 0) = std::sin(3.0 * std::log(data.inputs(i, 0)));
  }
  const RunStory story = testing::story_with_rows(data, automatic());
  ASSERT_TRUE(seen_as_logarithm(*story.model, 0));
  const Page page = run_page(story);
  testing::expect_sound(page, 7);
  EXPECT_EQ(figure_named(page, "spectrum")->x.label, "frequency (radians per unit of log(conc))");
  EXPECT_EQ(figure_named(page, "residual-spectrum")->x.label, "frequency (radians per unit of log(conc))");
  EXPECT_TRUE(figure_named(page, "residual-against-1")->x.logarithmic);
  EXPECT_TRUE(figure_named(page, "predictions")->x.logarithmic);
}

}  // namespace
}  // namespace rfnn::report
