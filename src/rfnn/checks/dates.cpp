#include "rfnn/checks/dates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rfnn/data/moment.hpp"

namespace rfnn::checks {
namespace {

bool is_day(std::int64_t packed) {  // 20240501
  const std::int64_t year = packed / 10000, month = packed / 100 % 100, day = packed % 100;
  if (year < 1700 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31) return false;
  const CalendarDate same = date_of_days(days_of_date(year, static_cast<unsigned>(month), static_cast<unsigned>(day)));
  return same.year == year && same.month == static_cast<unsigned>(month) && same.day == static_cast<unsigned>(day);
}

bool is_month(std::int64_t packed) {  // 202405
  const std::int64_t year = packed / 100, month = packed % 100;
  return year >= 1700 && year <= 2200 && month >= 1 && month <= 12;
}

bool is_clock(std::int64_t packed) { return packed >= 0 && packed <= 2359 && packed % 100 < 60; }  // 1230

bool is_moment(std::int64_t packed) { return is_day(packed / 10000) && is_clock(packed % 10000); }  // 202405011230

bool is_second(std::int64_t packed) { return is_moment(packed / 100) && packed % 100 < 60; }  // 20240501123000

}  // namespace

std::optional<PackedForm> packed_dates(const std::vector<double>& values) {
  // Of numbers without such a meaning, one in 27 is a day, one in 8 a month, and 0.6 a time of day.
  constexpr std::size_t few = 4, more = 20;
  if (values.size() < few) return std::nullopt;
  const bool whole =
      std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v) && std::abs(v) < 1e15; });
  if (!whole) return std::nullopt;
  const auto all = [&](bool (*is_one)(std::int64_t)) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return is_one(static_cast<std::int64_t>(value)); });
  };
  if (all(is_day)) return PackedForm{"dates", "2024-05-01"};
  if (all(is_second)) return PackedForm{"dates with times", "2024-05-01T12:30:00"};
  if (all(is_moment)) return PackedForm{"dates with times", "2024-05-01T12:30"};
  if (values.size() < more) return std::nullopt;
  const double years = std::floor(values.back() / 100.0) - std::floor(values.front() / 100.0);
  if (all(is_month) && years >= 1.0) return PackedForm{"months", "2024-05"};
  if (all(is_clock) && values.back() >= 1000.0) return PackedForm{"times of day", "12:30"};
  return std::nullopt;
}

}  // namespace rfnn::checks
