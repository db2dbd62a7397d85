#include "rfnn/data/moment.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rfnn {
namespace {

Moment moment(std::string_view text) {
  const auto found = parse_moment(text);
  EXPECT_TRUE(found.has_value()) << text;
  return found.value_or(Moment{});
}

TEST(Moments, IsoFormsAreRead) {
  EXPECT_EQ(moment("1970-01-01"), (Moment{0, 0, TimeForm::date, false}));
  EXPECT_EQ(moment("2000-02-29").days, 11016);
  EXPECT_EQ(moment("1969-12-31").days, -1);
  EXPECT_EQ(moment("2024-05"), moment("2024-05-01"));
  EXPECT_EQ(moment("2024-05-01T12:30"), (Moment{19844, 45'000'000'000'000, TimeForm::date_time, false}));
  EXPECT_EQ(moment("2024-05-01 12:30:00"), moment("2024-05-01T12:30"));
  EXPECT_EQ(moment("2024-05-01T12:30:00.000000001").nanoseconds, 45'000'000'000'001);
  EXPECT_EQ(moment("2024-05-01T12:30:00,5").nanoseconds, 45'000'500'000'000);
  EXPECT_EQ(moment("12:30"), (Moment{0, 45'000'000'000'000, TimeForm::time_of_day, false}));
  EXPECT_EQ(moment("24:00:00").nanoseconds, nanoseconds_per_day);
  EXPECT_EQ(moment("2024/05/01"), moment("2024-05-01")) << "the year first leaves no doubt";
  EXPECT_EQ(moment("2024/05/01 12:30"), moment("2024-05-01T12:30"));
  EXPECT_EQ(moment("2024-12-31T24:00").days, moment("2025-01-01").days);
}

TEST(Moments, TheOtherFormsOfIsoAreRead) {
  for (const char* text : {"20240501T1230", "20240501T123000", "20240501T12:30", "20240501t123000.0", "2024122T1230",
                           "2024-122T12:30", "2024-W18-3T12:30", "2024W183T1230"})
    EXPECT_EQ(moment(text), moment("2024-05-01T12:30")) << text;
  EXPECT_EQ(moment("20240501T12"), moment("2024-05-01T12:00"));
  EXPECT_EQ(moment("20240501T123015.25Z"), moment("2024-05-01T12:30:15.25Z"));
  EXPECT_EQ(moment("20240501T1230+0200"), moment("2024-05-01T10:30Z"));
  EXPECT_EQ(moment("2024-122"), moment("2024-05-01"));
  EXPECT_EQ(moment("2024-366"), moment("2024-12-31"));
  EXPECT_EQ(moment("2024-W18-3"), moment("2024-05-01"));
  EXPECT_EQ(moment("2024-W01"), moment("2024-01-01"));
  EXPECT_EQ(moment("2021-W01-1"), moment("2021-01-04"));
  EXPECT_EQ(moment("2020W537"), moment("2021-01-03"));
  EXPECT_EQ(moment("1969-W01-1"), moment("1968-12-30"));
  for (const char* text : {"4711-012",          "1001-101",        "2024122",         "20240501",   "2024-000",
                           "2023-366",          "2024-367",        "2024-1",          "2024-1221",  "2024-W00",
                           "2024-W53-1",        "2024-W18-0",      "2024-W18-8",      "2024-W1",    "2024W",
                           "20240501 1230",     "20240532T1230",   "20240501T",       "20240501T1", "20240501T123",
                           "20240501T2400 CET", "2024-05-01T1230", "2024/05/01T1230", "2024-W18-",  "202405T12",
                           "12345678T9012"})
    EXPECT_FALSE(parse_moment(text).has_value()) << text;
}

TEST(Moments, ZonesLeadToTheSameMoment) {
  for (const char* text : {"2024-05-01T12:30:00+02:00", "2024-05-01T12:30:00+0200", "2024-05-01T12:30:00+02",
                           "2024-05-01T10:30:00Z", "2024-05-01 05:00:00 -05:30"})
    EXPECT_EQ(moment(text), moment("2024-05-01T10:30:00z")) << text;
  EXPECT_EQ(moment("2024-01-01T00:30+01:00").days, moment("2023-12-31").days);
  EXPECT_TRUE(moment("2024-01-01T00:30+01:00").zoned);
}

TEST(Moments, AnythingElseIsNone) {
  for (const char* text : {"",
                           "2024",
                           "2024-13-01",
                           "2023-02-29",
                           "2024-00-01",
                           "2024-05-32",
                           "24-05-01",
                           "1.5.2024",
                           "2024-05-01T",
                           "2024-05-01T12",
                           "2024-05-01T25:00",
                           "2024-05-01T12:60",
                           "12:30Z",
                           "12:30:",
                           "12:30:15.",
                           "-001-01-01",
                           "2024-05-01T12:30+25:00",
                           "2024-05-01x",
                           "2024/05",
                           "2024/05-01",
                           "2024-05/01",
                           "05/01/2024",
                           "20240501",
                           "1:30",
                           "24:00:01",
                           "2024-05-01T12:30 CET"})
    EXPECT_FALSE(parse_moment(text).has_value()) << text;
}

RC_GTEST_PROP(Moments, DatesOfDaysComeBack, ()) {
  const auto days = *rc::gen::inRange<std::int64_t>(-719'000, 2'900'000);
  const CalendarDate date = date_of_days(days);
  RC_ASSERT(days_of_date(date.year, date.month, date.day) == days);
  const auto read = parse_moment(date_text(days));
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->days == days);
}

TEST(Moments, FiftyMicrosecondsAreKeptFarFrom1970) {
  const std::int64_t origin = moment("2024-05-01").days;
  double last = -1.0;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t nanoseconds = 45'000'000'000'000 + 50'000 * i;
    const double days = days_from(origin, origin, nanoseconds);
    EXPECT_GT(days, last);
    EXPECT_NEAR(days * 86400e9, static_cast<double>(nanoseconds), 10.0);
    last = days;
  }
  EXPECT_EQ(days_from(0, 1, nanoseconds_per_day / 2), 1.5);
  EXPECT_EQ(days_from(2'000'000, -500'000, nanoseconds_per_day / 4), -2'499'999.75) << "beyond whole nanoseconds";
}

TEST(Moments, WordsForPeople) {
  EXPECT_EQ(moment_text(0.5, 19844, TimeForm::date_time), "2024-05-01T12:00:00");
  EXPECT_EQ(moment_text(1.0, 19844, TimeForm::date), "2024-05-02");
  EXPECT_EQ(moment_text(0.25, 0, TimeForm::time_of_day), "06:00:00");
  EXPECT_EQ(moment_text(1e300, 0, TimeForm::date), "");
  EXPECT_EQ(span_text(0.5175), "12.42 h");
  EXPECT_EQ(span_text(365.25), "365.2 d");
  EXPECT_EQ(span_text(3652.5), "10 yr");
  EXPECT_EQ(span_text(1.0), "1 d");
  EXPECT_EQ(span_text(50e-6 / 86400), "50 µs");
}

}  // namespace
}  // namespace rfnn
