#pragma once

// Private header.

#include <cstddef>

namespace rfnn {

/// A size as Eigen counts: its Index is std::ptrdiff_t.
constexpr std::ptrdiff_t as_index(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

}  // namespace rfnn
