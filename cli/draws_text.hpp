#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/diagnostics/draw_statistics.hpp"

namespace rfnn::cli {

/// A line for every block and quantity: mean, deviation, split R̂ and effective sample size.
std::string draws_text(const std::vector<DrawStatistic>& statistics, std::size_t chains, std::size_t draws);

}  // namespace rfnn::cli
