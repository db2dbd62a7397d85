#pragma once

// Private header.

#include <cstdint>
#include <vector>

#include "rfnn/core/communicator.hpp"
#include "rfnn/data/statistics.hpp"
#include "rfnn/training/ranks/records.hpp"

namespace rfnn::training {

/// Of all ranks at once: statistics of every column, inputs then targets, over the records of all, as column_statistics
/// has them up to rounding. The sums are of whole multiples of a small unit, so that the bits do not depend on how the
/// records are spread.
std::vector<ColumnStatistics> statistics_of_all(const std::vector<const Records*>& records, const RecordShape& shape,
                                                Communicator& ranks);

/// Of all ranks at once: the draw at place `wanted`, from 0, in ascending order of the draws of all; how many are below
/// it, and how many no larger.
struct DrawPlace {
  std::uint64_t draw = 0, below = 0, up_to = 0;
};
DrawPlace place_of(const std::vector<std::vector<std::uint64_t>>& draws, std::uint64_t wanted, Communicator& ranks);

}  // namespace rfnn::training
