#pragma once

// Private header. The numbers of the dense algorithms that were set by trying, together; all were measured with
// benchmarks/cholesky.cpp. None of them shows in the bits of a result.

#include <cstddef>

namespace rfnn::dense::tuning {

/// Columns whose products are summed before a block goes back to memory.
inline constexpr std::size_t depth = 192;

/// A tile of so many rows at the most is the unit of parallel work; there are to be so many tiles along a matrix and
/// one more for each thread.
inline constexpr std::size_t most_tile_rows = 192, least_tiles = 10;

/// Multiply-adds from which on the other threads are woken.
inline constexpr double worth_waking = 2e5;

/// Up to so many right-hand sides are solved for without copying the factor's order.
inline constexpr std::size_t few_columns = 8;

/// Many right-hand sides go through the factor so many stripes at a time.
inline constexpr std::size_t stripes_together = 8;

/// Products: terms summed before they are added to the result, and rows of the result at a time.
inline constexpr std::size_t product_depth = 384, product_rows = 1920;

}  // namespace rfnn::dense::tuning
