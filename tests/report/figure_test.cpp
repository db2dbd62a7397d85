#include "rfnn/report/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace rfnn::report {
namespace {

TEST(FigureCsv, OneLineAPointWithNumbersInFull) {
  const Figure figure{.id = "a",
                      .title = "",
                      .caption = "",
                      .alternative = "",
                      .x = {},
                      .y = {},
                      .series = {{.name = "train", .x = {1, 2}, .y = {0.1 + 0.2, std::nan("")}}}};
  EXPECT_EQ(csv(figure), "series,x,y\ntrain,1,0.30000000000000004\ntrain,2,\n");
}

TEST(FigureCsv, FramesBandsAndNamesThatNeedQuotes) {
  Figure figure{.id = "a", .title = "", .caption = "", .alternative = "", .x = {}, .y = {}};
  figure.series = {{.name = "target", .x = {0}, .y = {1}}};
  figure.frames = {{"1 block", {{.name = "a,\"b\"", .mark = Mark::band, .x = {0}, .y = {2}, .low = {1}}}}};
  EXPECT_EQ(csv(figure), "frame,series,x,y,low\n,target,0,1,\n1 block,\"a,\"\"b\"\"\",0,2,1\n");
}

TEST(FigureCsv, CellsGiveTheirCentres) {
  Figure figure{
      .id = "a", .title = "", .caption = "", .alternative = "", .x = {"x", false, 0, 2}, .y = {"y", false, 10, 12}};
  figure.series = {{.name = "y", .mark = Mark::cells, .x = {}, .y = {1, 2, 3, 4}, .columns = 2}};
  EXPECT_EQ(csv(figure), "series,x,y,value\ny,0.5,10.5,1\ny,1.5,10.5,2\ny,0.5,11.5,3\ny,1.5,11.5,4\n");
}

TEST(Spread, TakesAllWhenTheyFitAndEvenStepsWhenNot) {
  EXPECT_EQ(spread(3, 5), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(spread(10, 5), (std::vector<std::size_t>{0, 2, 4, 6, 8}));
  EXPECT_TRUE(spread(0, 5).empty());
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  const auto few = spread(huge, 1000);
  ASSERT_EQ(few.size(), 1000U);
  for (std::size_t i = 1; i < few.size(); ++i) ASSERT_GT(few[i], few[i - 1]);
  EXPECT_EQ(spread_note(10, 10), "");
  EXPECT_EQ(spread_note(100, 10), "Shown: 10 of 100 rows, evenly spread.");
}

TEST(Csv, CellsOfALogarithmicAxisAreOfEqualRatio) {
  Figure figure;
  figure.x = {.label = "x", .logarithmic = true, .low = 1.0, .high = 10000.0};
  figure.y = {.label = "y", .logarithmic = false, .low = 0.0, .high = 2.0};
  figure.series = {{.name = "map", .mark = Mark::cells, .x = {}, .y = {5, 6}, .columns = 2}};
  EXPECT_EQ(csv(figure), "series,x,y,value\nmap,10,1,5\nmap,1000,1,6\n");
}

TEST(HistogramBars, CountsEveryFiniteValueOnce) {
  const Series bars = histogram_bars({0.0, 0.1, 0.9, 1.0, -5.0, 7.0, std::nan("")}, 0.0, 1.0, 4);
  EXPECT_EQ(bars.mark, Mark::bars);
  EXPECT_EQ(bars.x, (std::vector<double>{0.125, 0.375, 0.625, 0.875}));
  EXPECT_EQ(bars.y, (std::vector<double>{3, 0, 0, 3}));
  EXPECT_EQ(bars.bar_width, 0.25);
}

TEST(HistogramBars, ValuesAllAlike) {
  const Series bars = histogram_bars({2.0, 2.0}, 2.0, 2.0, 3);
  double sum = 0.0;
  for (const double count : bars.y) sum += count;
  EXPECT_EQ(sum, 2.0);
  EXPECT_GT(bars.bar_width, 0.0);
}

TEST(ShortNumber, ReadsWell) {
  EXPECT_EQ(short_number(0.0), "0");
  EXPECT_EQ(short_number(3.14159), "3.142");
  EXPECT_EQ(short_number(123456.7), "123457");
  EXPECT_EQ(short_number(3.1e-5), "3.1e-5");
  EXPECT_EQ(short_number(-2.5e9), "-2.5e9");
  EXPECT_EQ(short_number(1e300), "1e300");
  EXPECT_EQ(short_number(std::nan("")), "–");
}

}  // namespace
}  // namespace rfnn::report
