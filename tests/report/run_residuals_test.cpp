// The section about residuals: which rows it is about, and what it says of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace rfnn::report
