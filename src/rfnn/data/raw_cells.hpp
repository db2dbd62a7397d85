#pragma once

// Private header. Cells of a column as it was read (data/encoding.hpp: RawColumn).

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "rfnn/data/encoding.hpp"

namespace rfnn {

inline std::int64_t count_of(const RawColumn& column, std::size_t row) {
  return std::bit_cast<std::int64_t>(column.cells[row]);
}

inline bool is_missing(const RawColumn& column, std::size_t row) {
  return column.code.kind == ColumnKind::time ? count_of(column, row) == missing_time : std::isnan(column.cells[row]);
}

/// The day of a time since 1970-01-01; that of a time of day is 0.
inline std::int64_t day_of(const RawColumn& column, std::size_t row) {
  const std::int64_t count = count_of(column, row);
  if (column.code.time.form == TimeForm::date) return count;
  return count >= 0 ? count / nanoseconds_per_day : -((-(count + 1)) / nanoseconds_per_day) - 1;
}

/// A time that is not missing, in days since a day.
inline double days_since(std::int64_t origin, const RawColumn& column, std::size_t row) {
  const bool dates = column.code.time.form == TimeForm::date, clock = column.code.time.form == TimeForm::time_of_day;
  const std::int64_t day = clock ? 0 : day_of(column, row);
  return days_from(origin, day, dates ? 0 : count_of(column, row) - day * nanoseconds_per_day);
}

}  // namespace rfnn
