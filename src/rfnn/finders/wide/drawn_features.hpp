#pragma once

// Private header.

#include <cstddef>
#include <cstdint>

#include "rfnn/model/law.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::wide {

/// Frequencies of a law (order 0, without centres), with the priors of their amplitudes.
rows::WideFeatures draw_features(const FrequencyLaw& law, std::size_t count, std::uint64_t seed, std::uint64_t member);

}  // namespace rfnn::wide
