#pragma once

// Private header. Which inputs matter at all.

#include <cstdint>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::grown {

/// A chance of at most 1 for every input: `tuning::screened_out` for those that bend a small block grown on some of the
/// rows little and that what it leaves without them shows no trace of, otherwise how much they bend it, at least 0.05.
/// All 1 with few inputs, with more of them than rows, where that block explains too little to tell, or when
/// interrupted.
std::vector<double> screen_inputs(rows::RowWork& work, const rows::RowState& train, const rows::RowState& held_out,
                                  const Address& address, Interrupt& interrupt);

}  // namespace rfnn::grown
