#pragma once

// Private header: what is said of categories wherever they are refused.

#include <string>

namespace rfnn {

/// What to do with a text that has more values than a category may have.
inline std::string cure_of_many_levels(const std::string& name) {
  return "Leave it out with --ignore '" + name +
         "', or let the target's mean for each value stand in, taken from other rows, as scikit-learn does it: "
         "table['" +
         name + "'] = TargetEncoder(target_type='continuous').fit_transform(table[['" + name + "']], target).";
}

}  // namespace rfnn
