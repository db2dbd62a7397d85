#pragma once

// Private header. The method of conjugate gradients, preconditioned, for large systems of which only products are
// known. Several right sides run side by side, a column each with step lengths of its own: products, which cost most,
// are made for all of them together. The chain's own solver (solvers.hpp: solve_iteratively) is another: it has no
// preconditioner and has to reach the solution to many digits.

#include <cstddef>
#include <functional>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/journal_place.hpp"
#include "rfnn/core/matrix.hpp"

namespace rfnn::least_squares {

/// M X = R, M symmetric and positive definite. `Vector` holds the columns of unknowns row by row: a Matrix, or an
/// AlignedVector, which is one column. Functions that return false were interrupted.
template <class Vector>
struct LinearSystem {
  std::function<bool(const Vector& v, Vector& out)> product;       ///< out = M v
  std::function<bool(const Vector& v, Vector& out)> precondition;  ///< out = P v; P symmetric, about M⁻¹
  /// The inner product M and P are symmetric in, column by column.
  std::function<std::vector<double>(const Vector& a, const Vector& b)> dots;
};

/// Σ_i a_ik b_ik for every column k.
std::vector<double> column_dots(const Matrix& a, const Matrix& b);

struct Stopping {
  std::size_t steps = 0;   ///< at most
  double tolerance = 0.0;  ///< a column is solved where √(rᵀ P r) is so much of that of its right side
};

struct Iterations {
  std::size_t made = 0;
  bool interrupted = false;  ///< `x` is then the last iterate
};

/// Is told how many steps were made and where they have led; false ends them.
template <class Vector>
using Watch = std::function<bool(std::size_t made, const Vector& x)>;

/// Where iterations stand, in a journal: they go on from a note that is there. What the watch remembers goes with it.
struct Standing {
  JournalPlace journal = {};
  std::function<void(ArchiveWriter&)> save = {};
  std::function<void(ArchiveReader&)> load = {};
};

/// From `x` on, or from zeros where it has another size. Columns that are solved, or along which nothing but rounding
/// is left to gain, stay as they are while others go on.
template <class Vector>
Iterations conjugate_gradients(const LinearSystem<Vector>& system, const Vector& right, const Stopping& stopping,
                               Vector& x, const Watch<Vector>& watch = {}, const Standing& standing = {});

extern template Iterations conjugate_gradients(const LinearSystem<Matrix>&, const Matrix&, const Stopping&, Matrix&,
                                               const Watch<Matrix>&, const Standing&);
extern template Iterations conjugate_gradients(const LinearSystem<AlignedVector>&, const AlignedVector&,
                                               const Stopping&, AlignedVector&, const Watch<AlignedVector>&,
                                               const Standing&);

}  // namespace rfnn::least_squares
