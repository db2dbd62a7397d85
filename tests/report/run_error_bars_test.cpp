// The report's section on error bars: its figures hold what they say they show.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/run_stories.hpp"
#include "rfnn/data/targets.hpp"
#include "rfnn/report/run_page.hpp"

namespace rfnn::report {
namespace {

using testing::figure_named;
using ::testing::HasSubstr;
using testing::story_with_rows;
using testing::words_of;

TEST(RunErrorBars, ShowCalibrationAndWidthsAgainstErrors) {
  const Dataset train = generate(Target::sine, 300, 1, 0.1), test = generate(Target::sine, 200, 2, 0.1);
  Options options;
  options.width = 8;
  options.blocks = 1;
  options.members = 1;
  options.threads = 1;
  const RunStory story = story_with_rows(train, options, &test);
  ASSERT_TRUE(story.model->uncertainty);
  const Page page = run_page(story);
  EXPECT_THAT(words_of(page, "error-bars"), HasSubstr("200 test rows"));

  const Figure* calibration = figure_named(page, "calibration");
  ASSERT_NE(calibration, nullptr);
  ASSERT_EQ(calibration->series.size(), 2U);
  const Series& measured = calibration->series[1];
  ASSERT_EQ(measured.name, "measured");
  ASSERT_EQ(measured.x.size(), 51U);
  EXPECT_EQ(measured.y.front(), 0.0);
  for (std::size_t k = 1; k < measured.x.size(); ++k) {
    EXPECT_GE(measured.y[k], measured.y[k - 1]);
    EXPECT_NEAR(measured.y[k], measured.x[k], 10.0) << "rows are judged by each other's scores";
  }

  const Figure* widths = figure_named(page, "width-and-error");
  ASSERT_NE(widths, nullptr);
  ASSERT_EQ(widths->series.size(), 3U);
  EXPECT_EQ(widths->series[0].x.size(), story.model->uncertainty->judged.rows());
  EXPECT_EQ(widths->series[2].x.size(), 10U);
  for (std::size_t k = 0; k < widths->series[0].y.size(); ++k) EXPECT_GE(widths->series[0].y[k], 0.0);
  for (const double mean : widths->series[2].y) EXPECT_NEAR(std::log(mean / 0.1), 0.0, 1.0) << "noise of a tenth";
}

}  // namespace
}  // namespace rfnn::report
