#pragma once

// Private header.

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/lattice/lattice_transform.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::lattice {

/// The normal equations of Σ_n w_n |g(x_n) − r_n|² + σ² Σ_k |b_k|²/S_k over all b on a lattice. The matrix AᴴWA has
/// entries Σ_n w_n exp(−i(k − l)·x_n), which depend on k − l only: it is multiplication by the density of the points,
/// so after one pass over the rows every product costs two transforms, whatever the number of rows.
class LatticeSystem {
 public:
  LatticeSystem(rows::RowWork& work, rows::HalfLattice lattice, std::size_t variables);

  [[nodiscard]] const rows::HalfLattice& lattice() const { return lattice_; }
  /// Grid points a product works on: what it costs.
  [[nodiscard]] std::size_t grid_points() const { return transform_.grid_points(); }
  [[nodiscard]] rows::LatticePoints& points() { return *points_; }

  /// Takes the rows and their weights (empty: all 1). This and the next return false when interrupted.
  bool set_points(rows::Phases phases, std::vector<double> weights, Interrupt& interrupt);
  [[nodiscard]] double weight(std::size_t point) const { return weights_.empty() ? 1.0 : weights_[point]; }
  /// out = AᴴW v for values v at the points.
  bool gather(std::vector<double> values, rows::Coefficients& out, Interrupt& interrupt);

  /// out = AᴴWA b.
  bool apply(const rows::Coefficients& b, rows::Coefficients& out, Interrupt& interrupt);

  /// (AᴴWA + σ²/S) b = right by conjugate gradients with the diagonal for preconditioner, from the given b on; at most
  /// `steps` of them, ending where the residual is `tolerance` times the right side in the preconditioner's norm.
  /// The number of steps made, or nothing when interrupted.
  std::optional<std::size_t> solve(const rows::Coefficients& right, const std::vector<double>& spectrum, double ridge,
                                   std::size_t steps, double tolerance, rows::Coefficients& b, Interrupt& interrupt);

 private:
  [[nodiscard]] double dot(const rows::Coefficients& a, const rows::Coefficients& b) const;

  rows::HalfLattice lattice_;
  rows::RowWork& work_;
  rows::LatticeTransform transform_;
  std::unique_ptr<rows::LatticePoints> points_;
  std::size_t count_ = 0;  ///< of the points
  std::vector<double> weights_;
  AlignedVector density_;
  std::vector<double> penalty_, inverse_;
};

}  // namespace rfnn::lattice
