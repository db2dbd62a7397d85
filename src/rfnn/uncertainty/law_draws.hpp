#pragma once

// Private header. Functions drawn from the Gaussian process of a law, as sums of features: frequencies from the law,
// independent normal amplitudes. Averaged over the frequencies too, the covariance of two values is exactly k.

#include <cstddef>
#include <cstdint>

#include "rfnn/model/law.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn::uncertainty {

/// Function number `draw` of a seed, for each output one, which share their frequencies. Each part of the law has
/// features by its share of the variance, and none has so few that it is not there.
Branch draw_function(const FrequencyLaw& law, std::size_t features, std::size_t outputs, std::uint64_t seed,
                     std::uint64_t draw);

}  // namespace rfnn::uncertainty
