#pragma once

// Private header: what is said of categories wherever they are refused.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/core/export.hpp"

namespace rfnn {

/// What to do with a text that has more values than a category may have.
inline std::string cure_of_many_levels(const std::string& name) {
  return "Leave it out with --ignore '" + name +
         "', or let the target's mean for each value stand in, taken from other rows, as scikit-learn does it: "
         "table['" +
         name + "'] = TargetEncoder(target_type='continuous').fit_transform(table[['" + name + "']], target).";
}

/// The word behind the number in `5 kg`, `-0.5mm`, `3,2 m/s`; empty: the text is something else. `1st` and `3rd` are no
/// numbers with a unit.
RFNN_API std::string_view unit_behind_number(std::string_view text);

/// Levels that are numbers with a unit, every one of them, in a column that nobody said is a category.
struct LevelsWithUnit {
  std::string text;  ///< what is wrong: "numbers with a unit, \"5 kg\""
  std::string cure;
  bool refused = false;  ///< so many of them, or such fine ones, that they are no names of things: 2WD and 4WD may be
};
RFNN_API std::optional<LevelsWithUnit> levels_with_unit(const std::string& name,
                                                        const std::vector<std::string>& levels);

}  // namespace rfnn
