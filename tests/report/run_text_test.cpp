#include "rfnn/report/run_text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rfnn::report {
namespace {

TEST(ShellLine, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_line({"rfnn", "fit", "a.csv", "--ridge", "1e-4,1e-6"}), "rfnn fit a.csv --ridge 1e-4,1e-6");
  EXPECT_EQ(shell_line({"my data.csv", "it's", "$HOME", "a;b", "", "é"}),
            "'my data.csv' 'it'\\''s' '$HOME' 'a;b' '' 'é'");
}

TEST(LabelOf, IsShortUtf8OnOneLine) {
  EXPECT_EQ(label_of("depth"), "depth");
  EXPECT_EQ(label_of("caf\xe9"), "café");
  EXPECT_EQ(label_of("a\nb"), "a\\x0ab");
  EXPECT_EQ(label_of(""), "(no name)");
  EXPECT_LT(label_of(std::string(1000, 'x')).size(), 50U);
  EXPECT_EQ(label_of("<script>"), "<script>") << "escaping is the page's";
}

TEST(Percent, HasAsManyNinesAsItTakes) {
  EXPECT_EQ(percent(0.5), "50.0 %");
  EXPECT_EQ(percent(0.99823), "99.82 %");
  EXPECT_EQ(percent(0.99999961), "99.999961 %");
  EXPECT_EQ(percent(1.0), "100 %");
  EXPECT_EQ(percent(-0.25), "-25.0 %");
  EXPECT_EQ(percent(std::nan("")), "–");
}

TEST(TimeText, ReadsLikeATime) {
  EXPECT_EQ(time_text("2024-05-01T12:34:56Z"), "2024-05-01 12:34:56 UTC");
  EXPECT_EQ(time_text("yesterday"), "yesterday");
}

TEST(TimeSpan, HasItsUnit) {
  EXPECT_EQ(time_span(0.424), "0.42\u00a0s");
  EXPECT_EQ(time_span(12.34), "12.3\u00a0s");
  EXPECT_EQ(time_span(185.0), "3:05\u00a0min");
  EXPECT_EQ(time_span(3723.0), "1:02:03\u00a0h");
  EXPECT_EQ(time_span(std::nan("")), "?");
}

TEST(ListedLabels, StopsInTime) {
  EXPECT_EQ(listed_labels({"a", "b"}), "a, b");
  EXPECT_EQ(listed_labels({"a", "b", "c"}, 2), "a, b, … (3 in all)");
}

TEST(PeriodText, IsATurn) {
  EXPECT_EQ(period_text(0.0), "∞");
  EXPECT_EQ(period_text(-2.0 * 3.14159265358979), "1");
}

}  // namespace
}  // namespace rfnn::report
