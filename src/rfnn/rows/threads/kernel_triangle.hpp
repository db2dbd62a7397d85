#pragma once

// Private header.

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/features/law_kernels.hpp"
#include "rfnn/least_squares/triangle.hpp"
#include "rfnn/rows/law_terms.hpp"

namespace rfnn::rows {

/// The kernel of every pair of the points (points × variables). False when interrupted.
bool kernel_triangle(const features::LawKernels<double>& level, const LawTerms<double>& terms, const Matrix& points,
                     dense::Triangle<double>& kernel, Workers& workers, Interrupt& interrupt);

}  // namespace rfnn::rows
