#pragma once

// Private header: draws of chains as JSON.

#include <vector>

#include "rfnn/diagnostics/draw_statistics.hpp"
#include "rfnn/io/json.hpp"

namespace rfnn::io {

/// {"chains", "draws", "statistics": [{"block", "quantity", "mean", "sd", "r_hat", "effective_samples"}, ...]}; null
/// where there are too few draws to tell.
Json draws_json(const std::vector<const ChainDraws*>& chains);

}  // namespace rfnn::io
