#pragma once

// Private header.

#include <optional>
#include <span>

#include "rfnn/model/history.hpp"

namespace rfnn {

/// Least-squares slope of log(training error) against log(W·ℓ) over the blocks; the theory's rate is −1. Blocks whose
/// error is zero or not finite have no logarithm and are skipped; nothing when fewer than two different W·ℓ are left.
std::optional<double> rate_slope(std::span<const BlockRecord> blocks);

}  // namespace rfnn
