#include "rfnn/report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

namespace rfnn::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Figure small_figure(std::string id) {
  return {.id = std::move(id),
          .title = "Title",
          .caption = "Caption",
          .alternative = "Alternative",
          .x = {"time"},
          .y = {"height"},
          .series = {{.name = "data", .x = {1, 2, 3}, .y = {1.0 / 3.0, std::nan(""), 2}}}};
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from) + from.size();
  return text.substr(start, text.find(to, start) - start);
}

/// The page's data as the browser reads them.
nlohmann::json figure_data(const std::string& page) {
  return nlohmann::json::parse(between(page, "id=\"figure-data\">\n", "\n</script>"));
}

TEST(Page, TextFromAnywhereStaysText) {
  const std::string evil = "<script>alert(1)</script>&\"'";
  Figure figure = small_figure("f");
  figure.title = figure.caption = figure.alternative = figure.x.label = figure.series[0].name = evil;
  figure.series[0].notes = {evil, evil, evil};
  figure.frames = {{evil, figure.series}, {evil, figure.series}};
  figure.slider = evil;
  const Page page{evil,
                  evil,
                  {{"s",
                    evil,
                    {Paragraph{evil}, Notice{evil}, Facts{{{evil, evil}}}, Highlights{{{evil, evil}}}, Code{evil},
                     Table{evil, {evil}, {{Cell(evil), Cell(evil, Tone::good)}}, true}, figure}}}};
  const std::string text = html(page);
  EXPECT_THAT(text, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(text, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;"));
  EXPECT_EQ(figure_data(text)["figures"][0]["title"], evil);
}

TEST(Page, TextThatIsNotUtf8AndControlCharactersDoNoHarm) {
  const Page page{"caf\xe9\x01", "", {{"s", "", {small_figure("f")}}}};
  EXPECT_THAT(html(page), HasSubstr("<title>café</title>"));
}

TEST(Page, FigureDataAreRoundedAndSharedAbscissaeWrittenOnce) {
  const std::string text = html({"t", "", {{"s", "", {small_figure("a"), small_figure("b")}}}});
  const auto data = figure_data(text);
  ASSERT_EQ(data["abscissae"].size(), 1U);
  EXPECT_EQ(data["abscissae"][0], nlohmann::json({1, 2, 3}));
  for (const auto& figure : data["figures"]) {
    EXPECT_EQ(figure["series"][0]["x"], 0);
    EXPECT_EQ(figure["series"][0]["y"], nlohmann::json({0.333333, nullptr, 2}));
  }
}

TEST(Page, AsksForNothingFromAnywhere) {
  const std::string text = html({"t", "", {{"s", "", {small_figure("a")}}}});
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  for (const char* outside :
       {"src=\"http", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest", "sendBeacon"}) {
    EXPECT_THAT(text, Not(HasSubstr(outside))) << outside;
  }
  EXPECT_THAT(text, HasSubstr("Chart.js v"));  // its licence line
  EXPECT_LT(text.size(), 400'000U);
}

TEST(Page, FiguresBesideEachOtherShareARow) {
  Figure half = small_figure("a");
  half.size = FigureSize::half;
  Figure other = half;
  other.id = "b";
  const std::string text = html({"t", "", {{"s", "", {half, other, Paragraph{"after"}}}}});
  const std::string row = between(text, "<div class=\"row\">\n", "<p>after</p>");
  EXPECT_THAT(row, HasSubstr("data-figure=\"a\""));
  EXPECT_THAT(row, HasSubstr("data-figure=\"b\""));
  EXPECT_TRUE(row.ends_with("</figure>\n</div>\n"));
}

TEST(Page, EveryCanvasHasItsTextAlternative) {
  const std::string text = html({"t", "", {{"s", "", {small_figure("a")}}}});
  EXPECT_THAT(text, HasSubstr("<canvas role=\"img\" aria-label=\"Alternative\"></canvas>"));
}

TEST(Page, ListsItsFigures) {
  const Page page{"t", "", {{"s", "", {small_figure("a"), Paragraph{""}}}, {"u", "", {small_figure("b")}}}};
  const auto figures = figures_of(page);
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[1]->id, "b");
}

}  // namespace
}  // namespace rfnn::report
