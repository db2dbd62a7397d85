#pragma once

// Private header.

#include <cstdint>
#include <vector>

#include "rfnn/data/columns.hpp"

namespace rfnn {

/// Works the columns into one number per row, which equal rows share; different ones share one too in rare cases.
/// `hash` has a number for every row, zeros to begin with.
void hash_rows(const Columns& columns, std::vector<std::uint64_t>& hash);

}  // namespace rfnn
