#pragma once

// Private header. A table divided for cross-validation, as the command and Python ask for it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/assessment/folds.hpp"

namespace rfnn::assessment {

/// How rows are to be divided: by stretches of the table (KFold), by groups (GroupKFold) or along time
/// (TimeSeriesSplit), the first two again and again in orders drawn for the seed where `repeats` is given.
struct DivisionPlan {
  std::size_t folds = 5;
  std::optional<std::size_t> repeats = std::nullopt;
  std::uint64_t seed = 1;
  std::vector<std::string> groups = {};   ///< per row; empty: none
  std::vector<std::string> times = {};    ///< per row; empty: none
  std::string column = {};                ///< what groups or times are called
  std::vector<std::size_t> rows = {};     ///< of each row its place in the table; empty: the same
  std::vector<std::size_t> without = {};  ///< rows without a group or time, in order: they are in no fold
};

/// The folds, what they are called, and which rows are not independent of each other.
struct Division {
  std::vector<FoldRows> folds;  ///< of all repeats, one after the other
  std::string name;             ///< "5 folds (KFold)"
  std::vector<std::size_t> clusters;
  std::size_t folds_each = 5, repeats = 1;
};

Division divide(std::size_t rows, const DivisionPlan& plan);

}  // namespace rfnn::assessment
