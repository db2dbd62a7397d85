#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rfnn/core/export.hpp"
#include "rfnn/data/dataset.hpp"

namespace rfnn {

/// The three functions of the paper.
enum class Target { multiscale, stairstep, sine };

/// Words of the enumerators, in order.
RFNN_API std::span<const std::string_view> target_names();

/// d of the function: 1, 1, 3.
RFNN_API std::size_t target_inputs(Target target);

/// The function's value at θ (target_inputs numbers).
RFNN_API double evaluate(Target target, std::span<const double> theta);

/// `rows` points drawn uniformly from the function's domain, values with Gaussian noise of standard deviation
/// `noise` added. The same seed gives the same rows; more rows extend fewer.
RFNN_API Dataset generate(Target target, std::size_t rows, std::uint64_t seed, double noise = 0.0);

}  // namespace rfnn
