#include "rfnn/data/moment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace rfnn {
namespace {

constexpr std::int64_t per_second = 1'000'000'000, per_minute = 60 * per_second, per_hour = 60 * per_minute;

/// Reads from the front of a text; `good` stays false once something was not as it should be.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] bool is_digit(std::size_t ahead = 0) const { return peek(ahead) >= '0' && peek(ahead) <= '9'; }
  /// Exactly so many digits.
  bool digits(int count, std::int64_t& value) {
    value = 0;
    for (int i = 0; i < count; ++i, ++at_) {
      const char c = peek();
      if (c < '0' || c > '9') return false;
      value = 10 * value + (c - '0');
    }
    return true;
  }
  /// The digits after a decimal mark, as nanoseconds; at least one.
  bool fraction(std::int64_t& nanoseconds) {
    std::int64_t scale = per_second;
    nanoseconds = 0;
    const std::size_t first = at_;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      scale /= 10;
      nanoseconds += scale * (peek() - '0');
    }
    return at_ > first;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_leap(std::int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

bool days_of_month(std::int64_t year, std::int64_t month, std::int64_t day, std::int64_t& days) {
  static constexpr std::array<int, 12> lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12) return false;
  const int length = lengths[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
  if (day < 1 || day > length) return false;
  days = days_of_date(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
  return true;
}

bool days_of_year(std::int64_t year, std::int64_t day, std::int64_t& days) {
  if (day < 1 || day > (is_leap(year) ? 366 : 365)) return false;
  days = days_of_date(year, 1, 1) + day - 1;
  return true;
}

/// Weeks begin on Monday; the first of a year is that with its fourth of January, and all have their Thursday in it.
bool days_of_week(std::int64_t year, std::int64_t week, std::int64_t day, std::int64_t& days) {
  constexpr std::int64_t thursday_1970 = 3, week_length = 7;  // 1970-01-01 was a Thursday, three days after a Monday
  const std::int64_t fourth = days_of_date(year, 1, 4) + thursday_1970;
  const std::int64_t first_monday = fourth - (fourth % week_length + week_length) % week_length - thursday_1970;
  const std::int64_t monday = first_monday + week_length * (week - 1);
  if (week < 1 || day < 1 || day > week_length || date_of_days(monday + thursday_1970).year != year) return false;
  days = monday + day - 1;
  return true;
}

struct TakenDate {
  std::int64_t days = 0;
  bool packed = false;  ///< without marks in it, as a time after it may be
  bool digits = false;  ///< nothing but digits: a number where no time follows
};

/// 2024-05-01, 2024-05, 2024/05/01; the day of the year 2024-122; weeks 2024-W18-3, 2024-W18; packed 20240501, 2024122,
/// 2024W183.
bool take_date(Cursor& in, TakenDate& date) {
  std::int64_t year = 0, first = 0, day = 1;
  if (!in.digits(4, year)) return false;
  if (in.take('/'))
    return in.digits(2, first) && in.take('/') && in.digits(2, day) && days_of_month(year, first, day, date.days);
  date.packed = !in.take('-');
  if (in.take('W')) {
    if (!in.digits(2, first)) return false;
    const bool with_day = date.packed ? in.is_digit() : in.take('-');
    return (!with_day || in.digits(1, day)) && days_of_week(year, first, day, date.days);
  }
  date.digits = date.packed;
  if (in.is_digit(2) && !in.is_digit(3)) {
    // Numbers of parts look like it, 4711-012: of the years ISO 8601 has without an agreement, those of measurements.
    constexpr std::int64_t first_year = 1583, last_year = 2261;
    return in.digits(3, day) && year >= first_year && year <= last_year && days_of_year(year, day, date.days);
  }
  if (!in.digits(2, first) || ((date.packed || in.take('-')) && !in.digits(2, day))) return false;
  return days_of_month(year, first, day, date.days);
}

/// 12:30, 12:30:15.25; packed 12, 1230, 123015.25.
bool take_time(Cursor& in, std::int64_t& nanoseconds, bool may_be_packed = false) {
  std::int64_t hour = 0, minute = 0, second = 0, fraction = 0;
  if (!in.digits(2, hour)) return false;
  const bool packed = may_be_packed && in.peek() != ':';
  if (packed ? in.is_digit() && !in.digits(2, minute) : !in.take(':') || !in.digits(2, minute)) return false;
  if (packed ? in.is_digit() : in.take(':')) {
    if (!in.digits(2, second)) return false;
    if ((in.take('.') || in.take(',')) && !in.fraction(fraction)) return false;
  }
  const bool midnight = hour == 24 && minute == 0 && second == 0 && fraction == 0;
  if ((hour > 23 && !midnight) || minute > 59 || second > 60) return false;
  nanoseconds = hour * per_hour + minute * per_minute + second * per_second + fraction;
  return true;
}

/// Z, +02, +0200, +02:00: how far the clock is ahead of UTC.
bool take_zone(Cursor& in, std::int64_t& ahead) {
  ahead = 0;
  if (in.take('Z') || in.take('z')) return true;
  const bool behind = in.peek() == '-';
  if (!in.take('+') && !in.take('-')) return false;
  std::int64_t hours = 0, minutes = 0;
  if (!in.digits(2, hours) || hours > 23) return false;
  if (!in.done()) {
    in.take(':');
    if (!in.digits(2, minutes) || minutes > 59) return false;
  }
  ahead = (behind ? -1 : 1) * (hours * per_hour + minutes * per_minute);
  return true;
}

/// Nanoseconds brought into one day.
Moment in_day(Moment moment) {
  const std::int64_t over = moment.nanoseconds >= 0
                                ? moment.nanoseconds / nanoseconds_per_day
                                : -((-moment.nanoseconds + nanoseconds_per_day - 1) / nanoseconds_per_day);
  moment.days += over;
  moment.nanoseconds -= over * nanoseconds_per_day;
  return moment;
}

std::string clock_text(std::int64_t nanoseconds) {
  const std::int64_t microseconds = nanoseconds / 1000 % 1'000'000;
  std::string text = fmt::format("{:02}:{:02}:{:02}", nanoseconds / per_hour, nanoseconds / per_minute % 60,
                                 nanoseconds / per_second % 60);
  if (microseconds == 0) return text;
  text += fmt::format(".{:06}", microseconds);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

}  // namespace

std::optional<Moment> parse_moment(std::string_view text) {
  Moment moment;
  Cursor in(text);
  if (text.size() > 2 && text[2] == ':') {
    moment.form = TimeForm::time_of_day;
    if (!take_time(in, moment.nanoseconds) || !in.done()) return std::nullopt;
    if (moment.nanoseconds > nanoseconds_per_day) return std::nullopt;
    return moment;  // 24:00 stays what it is: the end of the day
  }
  TakenDate date;
  if (!take_date(in, date)) return std::nullopt;
  moment.days = date.days;
  if (in.done()) return date.digits ? std::nullopt : std::optional(moment);
  if (date.digits && in.peek() == ' ') return std::nullopt;  // two numbers
  if (!in.take('T') && !in.take('t') && !in.take(' ')) return std::nullopt;
  moment.form = TimeForm::date_time;
  if (!take_time(in, moment.nanoseconds, date.packed)) return std::nullopt;
  if (!in.done()) {
    in.take(' ');
    std::int64_t ahead = 0;
    if (!take_zone(in, ahead) || !in.done()) return std::nullopt;
    moment.zoned = true;
    moment.nanoseconds -= ahead;
  }
  return in_day(moment);
}

// Both by counting years from March, so that the leap day is the last of its year, in cycles of 400 years.
std::int64_t days_of_date(std::int64_t year, unsigned month, unsigned day) {
  if (month <= 2) --year;
  const std::int64_t cycle = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t in_cycle = year - cycle * 400;
  const std::int64_t from_march = month > 2 ? month - 3 : month + 9;
  const std::int64_t day_of_year = (153 * from_march + 2) / 5 + day - 1;
  return cycle * 146'097 + in_cycle * 365 + in_cycle / 4 - in_cycle / 100 + day_of_year - 719'468;
}

CalendarDate date_of_days(std::int64_t days) {
  days += 719'468;
  const std::int64_t cycle = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t in_cycle = days - cycle * 146'097;
  const std::int64_t year = (in_cycle - in_cycle / 1460 + in_cycle / 36'524 - in_cycle / 146'096) / 365;
  const std::int64_t day_of_year = in_cycle - (365 * year + year / 4 - year / 100);
  const std::int64_t from_march = (5 * day_of_year + 2) / 153;
  CalendarDate date;
  date.day = static_cast<unsigned>(day_of_year - (153 * from_march + 2) / 5 + 1);
  date.month = static_cast<unsigned>(from_march < 10 ? from_march + 3 : from_march - 9);
  date.year = year + cycle * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

double days_from(std::int64_t origin, std::int64_t days, std::int64_t nanoseconds) {
  constexpr std::int64_t exact = 100'000;  // so many days of nanoseconds are a whole number of 63 bits
  const std::int64_t whole = days - origin;
  if (whole < exact && whole > -exact)
    return static_cast<double>(static_cast<long double>(whole * nanoseconds_per_day + nanoseconds) /
                               static_cast<long double>(nanoseconds_per_day));
  return static_cast<double>(static_cast<long double>(whole) +
                             static_cast<long double>(nanoseconds) / static_cast<long double>(nanoseconds_per_day));
}

std::string date_text(std::int64_t days) {
  const CalendarDate date = date_of_days(days);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::string moment_text(double value, std::int64_t origin, TimeForm form) {
  constexpr double farthest = 1e9;  // days; what lies beyond is no date
  if (!(std::abs(value) < farthest)) return "";
  const double whole = std::floor(value);
  auto nanoseconds = static_cast<std::int64_t>(std::llround((value - whole) * 86'400e6)) * 1000;
  std::int64_t days = origin + static_cast<std::int64_t>(whole);
  if (nanoseconds >= nanoseconds_per_day) {
    nanoseconds -= nanoseconds_per_day;
    ++days;
  }
  if (form == TimeForm::time_of_day) return clock_text(nanoseconds);
  if (form == TimeForm::date && nanoseconds == 0) return date_text(days);
  return date_text(days) + "T" + clock_text(nanoseconds);
}

std::string span_text(double days) {
  static constexpr std::array<std::pair<double, const char*>, 7> units = {{{365.25, "yr"},
                                                                           {1.0, "d"},
                                                                           {1.0 / 24, "h"},
                                                                           {1.0 / 1440, "min"},
                                                                           {1.0 / 86'400, "s"},
                                                                           {1.0 / 86'400e3, "ms"},
                                                                           {1.0 / 86'400e6, "µs"}}};
  const auto fits = std::find_if(units.begin(), units.end(), [&](const auto& unit) {
    return std::abs(days) >= 0.9995 * unit.first * (unit.first > 1.0 ? 2.0 : 1.0);
  });
  const auto& [size, name] = fits == units.end() ? units.back() : *fits;
  return fmt::format("{:.4g} {}", days / size, name);
}

}  // namespace rfnn
