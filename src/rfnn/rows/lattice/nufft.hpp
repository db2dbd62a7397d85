#pragma once

// Private header.

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/rows/lattice/lattice_transform.hpp"

namespace rfnn::rows {

/// k·x of every row is the phase of lattice point k; the second is 0 with one variable.
using Phases = std::vector<std::array<double, 2>>;

/// Rows to phases: x = (θ − centre)·spacing for one or two variables, so that k·x is the phase of the frequency
/// k·spacing. Phases are taken modulo 2π by whoever uses them.
struct LatticeMap {
  std::vector<double> centre, spacing;

  [[nodiscard]] std::size_t variables() const { return centre.size(); }
  /// Phases of all rows, one pair per row.
  [[nodiscard]] Phases phases(ConstMatrixView theta) const;
};

/// Sums over the lattice at scattered points, and over scattered points at the lattice, to about 1e-12 of the largest:
/// each point is spread by a narrow bump on a grid twice as fine as the lattice needs, the grid is transformed, and the
/// bump's own transform divided out.
///   1. bump φ(z) = exp(β(√(1 − z²) − 1)), z the distance in half-widths, over `width` grid points per variable
///   2. gather: b_k = Σ_n c_n exp(−i k·x_n) = FFT(Σ_n c_n φ(· − x_n))_k / φ̂_k
///   3. evaluate, its adjoint: g(x_n) = Σ_grid φ(· − x_n) · FFT⁻¹(b_k / φ̂_k)
class Nufft {
 public:
  Nufft(HalfLattice lattice, std::size_t variables, Workers& workers);

  /// b_k = Σ_n strengths_n exp(−i k·x_n). Both return false when interrupted.
  bool gather(const Phases& phases, const std::vector<double>& strengths, Coefficients& b, Interrupt& interrupt);
  /// values_n = Σ_k b_k exp(i k·x_n) over the whole lattice.
  bool evaluate(const Coefficients& b, const Phases& phases, std::vector<double>& values, Interrupt& interrupt);

  /// The two halves of evaluate: the grid of a function, once, and its value anywhere, which depends on nothing else.
  bool to_grid(const Coefficients& b, AlignedVector& grid, Interrupt& interrupt);
  [[nodiscard]] double at(const AlignedVector& grid, double phase0, double phase1) const;
  /// The values of several functions at one place.
  void at(const std::vector<AlignedVector>& grids, double phase0, double phase1, double* values) const;

 private:
  struct Bump;
  Bump bump(std::size_t axis, double phase) const;
  [[nodiscard]] double sum(const AlignedVector& grid, const Bump& along, const Bump& across) const;
  /// Where a phase is on the grid along an axis, and the first grid point that it touches there.
  [[nodiscard]] double place_of(std::size_t axis, double phase) const;
  [[nodiscard]] std::size_t first_place(std::size_t axis, double phase) const;
  void divide(const Coefficients& b, Coefficients& out) const;

  Workers* workers_;
  const features::Kernels& kernels_ = features::kernels();
  LatticeTransform transform_;
  std::array<std::vector<double>, 2> inverse_;  ///< 1/φ̂ at k0 = 0..m0 and at k1 = −m1..m1
  AlignedVector grid_;
  Coefficients scaled_;
};

/// Rows as a lattice of frequencies sees them (RowWork::lattice_points). Both return false when interrupted.
class LatticePoints {
 public:
  virtual ~LatticePoints() = default;
  /// b_k = Σ_n strengths_n exp(−i k·x_n).
  virtual bool gather(const std::vector<double>& strengths, Coefficients& b, Interrupt& interrupt) = 0;
  /// values_n = Σ_k b_k exp(i k·x_n) over the whole lattice.
  virtual bool evaluate(const Coefficients& b, std::vector<double>& values, Interrupt& interrupt) = 0;
};

class NufftPoints final : public LatticePoints {
 public:
  NufftPoints(HalfLattice lattice, std::size_t variables, Phases phases, Workers& workers)
      : nufft_(lattice, variables, workers), phases_(std::move(phases)) {}
  bool gather(const std::vector<double>& strengths, Coefficients& b, Interrupt& interrupt) override {
    return nufft_.gather(phases_, strengths, b, interrupt);
  }
  bool evaluate(const Coefficients& b, std::vector<double>& values, Interrupt& interrupt) override {
    return nufft_.evaluate(b, phases_, values, interrupt);
  }

 private:
  Nufft nufft_;
  Phases phases_;
};

}  // namespace rfnn::rows
