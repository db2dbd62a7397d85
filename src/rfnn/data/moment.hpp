#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rfnn/core/export.hpp"

namespace rfnn {

/// What a cell of a column of times says.
enum class TimeForm : std::uint8_t { date, date_time, time_of_day };

/// A date, a moment or a time of day, exact to the nanosecond.
struct Moment {
  std::int64_t days = 0;         ///< since 1970-01-01; 0 for a time of day
  std::int64_t nanoseconds = 0;  ///< since midnight, from 0 to less than a day
  TimeForm form = TimeForm::date;
  bool zoned = false;  ///< the text gave a zone: it is a moment of UTC then

  friend bool operator==(const Moment&, const Moment&) = default;
};

inline constexpr std::int64_t nanoseconds_per_day = 86'400'000'000'000;

/// ISO 8601: `2024-05-01` (`2024/05/01` too), `2024-05` (its first day), `12:30`, `12:30:15.25`, and both with a `T` or
/// a space between them; a zone may follow a moment (`Z`, `+02`, `+0200`, `-05:30`). Years have four digits; 24:00 is
/// the next midnight, second 60 the next minute. Digits beyond nanoseconds are dropped. Nothing where the text is
/// anything else, or no date of the calendar.
RFNN_API std::optional<Moment> parse_moment(std::string_view text);

/// The days since 1970-01-01 of a date of the Gregorian calendar, and back.
RFNN_API std::int64_t days_of_date(std::int64_t year, unsigned month, unsigned day);
struct CalendarDate {
  std::int64_t year = 1970;
  unsigned month = 1, day = 1;
};
RFNN_API CalendarDate date_of_days(std::int64_t days);

/// Days, with their fraction, from midnight of day `origin` to a moment: whole numbers are subtracted first, so that
/// the result is the double nearest to the exact one, however far both are from 1970.
RFNN_API double days_from(std::int64_t origin, std::int64_t days, std::int64_t nanoseconds);

/// 2024-05-01
RFNN_API std::string date_text(std::int64_t days);

/// The moment `value` days after midnight of day `origin` as ISO 8601, to the second or, where there are some, to the
/// microsecond: 2024-05-01, 2024-05-01T12:30:00, 12:30:00.
RFNN_API std::string moment_text(double value, std::int64_t origin, TimeForm form);

/// A length of time given in days, in the unit that fits: 1461 → "4 yr", 365 → "365 d", 0.5 → "12 h", then min, s, ms,
/// µs. Four significant digits.
RFNN_API std::string span_text(double days);

}  // namespace rfnn
