#pragma once

// Private header. The numbers of the dense algorithms that were set by trying, together; all were measured with
// benchmarks/cholesky.cpp. None of them shows in the bits of a result.

#include <cstddef>

namespace rfnn::dense::tuning {

/// Columns whose products are summed before a block goes back to memory.
inline constexpr std::size_t depth = 192;

/// A tile of so many rows is the unit of parallel work; there are to be about so many tiles along the matrix.
inline constexpr std::size_t most_tile_rows = 192, tiles_wanted = 12;

/// Multiply-adds from which on the other threads are woken.
inline constexpr double worth_waking = 2e5;

/// Up to so many right-hand sides are solved for without copying the factor's order.
inline constexpr std::size_t few_columns = 8;

}  // namespace rfnn::dense::tuning
