#pragma once

#include <cstddef>

namespace rfnn::baseline {

/// cos(ω·v) and −sin(ω·v) of every row (row-major values) in loops a compiler can vectorise. Its source is compiled
/// with -O3 -march=native -ffast-math, which replaces std::cos and std::sin by the vector functions of the C library.
void fast_columns(const double* values, std::size_t rows, const double* frequency, std::size_t variables,
                  double* phases, double* cosine, double* minus_sine);

}  // namespace rfnn::baseline
