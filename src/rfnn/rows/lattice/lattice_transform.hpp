#pragma once

// Private header.

#include <array>
#include <cstddef>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/lattice/fft.hpp"

namespace rfnn::rows {

/// The half of an integer lattice that real functions need: k = (k0, k1) with 0 ≤ k0 ≤ m0 and |k1| ≤ m1, b_{−k} being
/// the conjugate of b_k (of k0 = 0 both halves are kept). One variable is the case m1 = 0. The point (k0, k1) has
/// number (k1 + m1)·(m0 + 1) + k0. Coefficients are `2 · points()` numbers: all real parts, then all imaginary parts.
struct HalfLattice {
  std::size_t m0 = 0, m1 = 0;

  [[nodiscard]] std::size_t columns() const { return m0 + 1; }
  [[nodiscard]] std::size_t rows() const { return 2 * m1 + 1; }
  [[nodiscard]] std::size_t points() const { return rows() * columns(); }
  friend bool operator==(const HalfLattice&, const HalfLattice&) = default;
};

using Coefficients = AlignedVector;

/// Real functions g(x) = Σ_k b_k exp(i k·x) on the regular grid x_j = 2π·i_j/size_j, grid values row-major.
/// All threads share the work; results do not depend on their number.
class LatticeTransform {
 public:
  using GridSize = std::array<std::size_t, 2>;

  /// At least the given number of grid points along each variable (the second does not count where there is one).
  static GridSize grid_size(std::size_t variables, std::size_t least0, std::size_t least1);

  /// A size from `grid_size`. With two variables more than 2·m_j points along each; with one more than 4·m0.
  LatticeTransform(HalfLattice lattice, std::size_t variables, GridSize size, Workers& workers);

  [[nodiscard]] const HalfLattice& lattice() const { return lattice_; }
  [[nodiscard]] std::size_t variables() const { return variables_; }
  /// Points along each variable; 1 for the second where there is one.
  [[nodiscard]] GridSize size() const { return variables_ == 1 ? GridSize{2 * n0_, 1} : GridSize{n0_, n1_}; }
  [[nodiscard]] std::size_t grid_points() const { return n0_ * n1_; }

  /// Values of the function on the grid. These three return false when interrupted.
  bool to_grid(const Coefficients& b, AlignedVector& grid, Interrupt& interrupt);
  /// b_k = Σ_grid g(x) exp(−i k·x), without the factor 1/grid_points.
  bool from_grid(const AlignedVector& grid, Coefficients& b, Interrupt& interrupt);
  /// from_grid(weights · to_grid(b)) with the factor 1/grid_points; `out` may be `b`.
  bool multiply(const AlignedVector& weights, const Coefficients& b, Coefficients& out, Interrupt& interrupt);

 private:
  struct Scratch {
    FftColumns x, spare;
  };

  bool synthesise(const Coefficients& b, Interrupt& interrupt);
  bool analyse(Coefficients& b, double factor, Interrupt& interrupt);
  void synthesise_rows(const Coefficients& b, std::size_t chunk, Scratch& scratch);
  void analyse_rows(Coefficients& b, std::size_t chunk, double factor, Scratch& scratch);
  void load_pairs(std::size_t chunk, Scratch& scratch) const;
  void store_pairs(std::size_t chunk, const Scratch& scratch);
  bool for_columns(FunctionRef<void(std::size_t, Scratch&)> work, Interrupt& interrupt);
  bool for_pairs(FunctionRef<void(std::size_t, Scratch&)> work, Interrupt& interrupt);

  // The inner transforms are n0 × n1. With one variable n1 is 2: the even and the odd grid points, which lie half a
  // step further, as two real sequences that share one complex transform.
  HalfLattice lattice_;
  std::size_t variables_, n0_, n1_, batch0_, batch1_;
  Workers* workers_;
  Fft fft0_, fft1_;
  std::vector<double> shift_re_, shift_im_;  ///< exp(iπk0/n0), the half step
  AlignedVector half_re_, half_im_;          ///< transformed along one axis: n1 × (m0 + 1)
  std::vector<Scratch> scratch0_, scratch1_;
};

}  // namespace rfnn::rows
