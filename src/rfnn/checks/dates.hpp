#pragma once

// Private header: dates and times written as one whole number.

#include <optional>
#include <string>
#include <vector>

namespace rfnn::checks {

struct PackedForm {
  std::string what;     ///< "dates"
  std::string instead;  ///< "2024-05-01"
};

/// What the values (different ones, in order) are if they are dates packed into numbers: all of them have months,
/// days, hours and minutes that there are, and there are so many that this is no chance.
std::optional<PackedForm> packed_dates(const std::vector<double>& values);

}  // namespace rfnn::checks
