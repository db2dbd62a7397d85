#pragma once

// Private header.

#include <optional>
#include <span>

#include "rfnn/model/history.hpp"

namespace rfnn {

/// Least-squares slope of log(training error) against the logarithm of the features so far, the widths of the blocks
/// added up; with equal widths that is W·ℓ, and the theory's rate is −1. Blocks whose error is zero or not finite have
/// no logarithm and are skipped. Nothing when the features do not at least double over those that are left: a slope
/// over less says nothing (a wide block followed by narrow ones, say).
std::optional<double> rate_slope(std::span<const BlockRecord> blocks);

}  // namespace rfnn
