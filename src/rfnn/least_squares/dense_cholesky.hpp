#pragma once

// Private header. Symmetric positive definite systems of some hundred to some ten thousand unknowns: Cholesky's factor
// and what follows from it, on all threads, at the rate of a matrix product. T is double or float.
//
// Results have the same bits for any number of threads. Work is done in tiles of a millisecond or less, and the
// interrupt is looked at between them: what was interrupted says so, and its output is of no use.

#include <cstddef>
#include <span>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/least_squares/triangle.hpp"

namespace rfnn::dense {

struct Factored {
  enum class State { complete, interrupted, not_positive_definite };
  State state = State::complete;
  /// Where the matrix is not positive definite: the size of the first leading part that is not, less one.
  std::size_t column = 0;

  explicit operator bool() const { return state == State::complete; }
};

/// L with L Lᵀ = A in place of A. Not positive definite is what has a pivot that is not positive and finite.
template <class T>
Factored factor(Triangle<T>& a, Workers& workers, Interrupt& interrupt);

/// ln det A, given L.
template <class T>
double log_determinant(const Triangle<T>& l);

/// L⁻¹ B in place of B (n × any number of columns, any strides). False when interrupted, here and below.
template <class T>
bool solve_forward(const Triangle<T>& l, BasicMatrixView<T> right, Workers& workers, Interrupt& interrupt);

/// L⁻ᵀ B in place of B.
template <class T>
bool solve_backward(const Triangle<T>& l, BasicMatrixView<T> right, Workers& workers, Interrupt& interrupt);

/// A⁻¹ B in place of B.
template <class T>
bool solve(const Triangle<T>& l, BasicMatrixView<T> right, Workers& workers, Interrupt& interrupt);

/// A⁻¹ in place of L, given L. Takes memory for another triangle meanwhile.
template <class T>
bool invert(Triangle<T>& l, Workers& workers, Interrupt& interrupt);

/// diag A⁻¹, given L, at half the cost of the inverse: with A u = r, leaving row i out leaves the error u_i over its
/// i-th entry.
template <class T>
bool inverse_diagonal(const Triangle<T>& l, std::span<T> diagonal, Workers& workers, Interrupt& interrupt);

}  // namespace rfnn::dense
