#pragma once

// Private header. The numbers of the dense algorithms that were set by trying, together, measured with
// benchmarks/cholesky.cpp on an AMD EPYC with AVX-512 (Zen 4; 32 KB, 1 MB and 32 MB of cache) at n = 300, 1000, 2000
// and 4000. `product_depth` alone shows in the bits of a result.

#include <cstddef>

namespace rfnn::dense::tuning {

/// Columns whose products are summed before a block goes back to memory. 96 to 256: rates within 2 %.
inline constexpr std::size_t depth = 192;

/// A tile of so many rows at the most is the unit of parallel work; there are to be so many tiles along a matrix and
/// one more for each thread. 96 to 288 rows, 6 to 20 tiles: within 3 % on one thread. A schedule computed from the
/// times of single steps says 11, 13 and 14 times the rate of one thread on sixteen for n = 1000, 2000 and 4000.
inline constexpr std::size_t most_tile_rows = 192, least_tiles = 10;

/// Multiply-adds from which on the other threads are woken: some ten microseconds of work for each. Not varied.
inline constexpr double worth_waking = 1e6;

/// Up to so many right-hand sides the factor's own rows fill the lanes: as many as a kernel has columns.
inline constexpr std::size_t few_columns = 8;

/// Stripes of many right-hand sides, and of either factor of a product, that are one task. Not varied.
inline constexpr std::size_t stripes_together = 8;

/// Products: terms summed before they are added to the result, and rows of the result at a time. Not varied.
inline constexpr std::size_t product_depth = 384, product_rows = 1920;

}  // namespace rfnn::dense::tuning
