#pragma once

// Private header. Which inputs matter at all.

#include <cstdint>
#include <vector>

#include "rfnn/rows/feature_block.hpp"

namespace rfnn {

/// The chance of an input without influence to be looked at again.
inline constexpr double screened_out = 0.003;

/// A chance of at most 1 for every input: `screened_out` for those that bend a small block grown on some of the rows
/// little and that what it leaves shows no trace of, otherwise how much they bend it, at least 0.05. All 1 with few
/// inputs, where that block explains too little to tell, or when interrupted.
std::vector<double> screen_inputs(GrowthPasses& passes, const GrowthRows& train, const GrowthRows& held_out,
                                  std::uint64_t seed, std::uint64_t member, Interrupt& interrupt);

}  // namespace rfnn
