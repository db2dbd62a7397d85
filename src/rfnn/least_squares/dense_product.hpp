#pragma once

// Private header. Products of tall and of wide dense matrices on all threads. T and S are double or float; where
// numbers of the factors are floats (S) and those of the result doubles (T), products are summed in single precision
// for `tuning::product_depth` terms at a time and these sums in double.
//
// Results have the same bits for any number of threads; false when interrupted, and the output is of no use then.

#include <cstddef>
#include <span>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/least_squares/triangle.hpp"

namespace rfnn::dense {

/// C + Aᵀ diag(weights) A in place of C, which has as many rows as A columns; without weights all are 1. A may have any
/// strides, so A Aᵀ is the update by the transposed view. Rows may come in several calls.
template <class T, class S>
bool rank_update(Triangle<T>& c, BasicMatrixView<const S> a, std::span<const S> weights, Workers& workers,
                 Interrupt& interrupt);

/// C + A Bᵀ in place of C (p × q), for A (p × k) and B (q × k) of any strides.
template <class T, class S>
bool add_product(BasicMatrixView<T> c, BasicMatrixView<const S> a, BasicMatrixView<const S> b, Workers& workers,
                 Interrupt& interrupt);

}  // namespace rfnn::dense
