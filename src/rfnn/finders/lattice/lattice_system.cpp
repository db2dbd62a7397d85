#include "rfnn/finders/lattice/lattice_system.hpp"

#include <numeric>
#include <utility>

#include "rfnn/least_squares/conjugate_gradients.hpp"

namespace rfnn::lattice {
// Differences of lattice points, up to 2·m, must not wrap round to others.
LatticeSystem::LatticeSystem(rows::RowWork& work, rows::HalfLattice lattice, std::size_t variables)
    : lattice_(lattice),
      work_(work),
      transform_(lattice, variables,
                 rows::LatticeTransform::grid_size(variables, 4 * lattice.m0 + 1, 4 * lattice.m1 + 1), work.workers()) {
}

bool LatticeSystem::set_points(rows::Phases phases, std::vector<double> weights, Interrupt& interrupt) {
  count_ = phases.size();
  weights_ = std::move(weights);
  const std::size_t variables = transform_.variables();
  const rows::HalfLattice differences = {2 * lattice_.m0, 2 * lattice_.m1};
  rows::Coefficients sums;
  const std::vector<double> all = weights_.empty() ? std::vector<double>(count_, 1.0) : weights_;
  if (!work_.lattice_points(differences, variables, phases)->gather(all, sums, interrupt)) return false;
  points_ = work_.lattice_points(lattice_, variables, std::move(phases));
  auto size = transform_.size();
  if (variables == 2)
    return rows::LatticeTransform(differences, 2, size, work_.workers()).to_grid(sums, density_, interrupt);
  // With one variable a transform wants twice the grid; every other point of it is ours.
  size[0] *= 2;
  AlignedVector twice;
  if (!rows::LatticeTransform(differences, 1, size, work_.workers()).to_grid(sums, twice, interrupt)) return false;
  density_.resize(twice.size() / 2);
  for (std::size_t i = 0; i < density_.size(); ++i) density_[i] = twice[2 * i];
  return true;
}

bool LatticeSystem::gather(std::vector<double> values, rows::Coefficients& out, Interrupt& interrupt) {
  for (std::size_t n = 0; n < weights_.size(); ++n) values[n] *= weights_[n];
  return points_->gather(values, out, interrupt);
}

bool LatticeSystem::apply(const rows::Coefficients& b, rows::Coefficients& out, Interrupt& interrupt) {
  return transform_.multiply(density_, b, out, interrupt);
}

double LatticeSystem::dot(const rows::Coefficients& a, const rows::Coefficients& b) const {
  // Points with k0 > 0 stand for k and −k.
  const std::size_t columns = lattice_.columns(), rows = 2 * lattice_.rows();
  double once = 0.0, twice = 0.0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double *p = &a[row * columns], *q = &b[row * columns];
    once += p[0] * q[0];
    double sums[4] = {};
    std::size_t k = 1;
    for (; k + 4 <= columns; k += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += p[k + lane] * q[k + lane];
    for (; k < columns; ++k) sums[0] += p[k] * q[k];
    twice += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  return once + 2.0 * twice;
}

std::optional<std::size_t> LatticeSystem::solve(const rows::Coefficients& right, const std::vector<double>& spectrum,
                                                double ridge, std::size_t steps, double tolerance,
                                                rows::Coefficients& b, Interrupt& interrupt) {
  const std::size_t points = lattice_.points(), size = 2 * points;
  double rows = static_cast<double>(count_);
  if (!weights_.empty()) rows = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  penalty_.resize(size);
  inverse_.resize(size);
  for (std::size_t i = 0; i < points; ++i) {
    penalty_[i] = penalty_[points + i] = ridge / spectrum[i];
    inverse_[i] = inverse_[points + i] = 1.0 / (rows + penalty_[i]);
  }
  least_squares::LinearSystem<rows::Coefficients> system;
  system.product = [&](const rows::Coefficients& x, rows::Coefficients& out) {
    if (!apply(x, out, interrupt)) return false;
    for (std::size_t i = 0; i < size; ++i) out[i] += penalty_[i] * x[i];
    return true;
  };
  system.precondition = [&](const rows::Coefficients& x, rows::Coefficients& out) {
    out.resize(size);
    for (std::size_t i = 0; i < size; ++i) out[i] = inverse_[i] * x[i];
    return true;
  };
  system.dots = [&](const rows::Coefficients& x, const rows::Coefficients& y) { return std::vector{dot(x, y)}; };
  const least_squares::Iterations done = least_squares::conjugate_gradients(system, right, {steps, tolerance}, b);
  if (done.interrupted) return std::nullopt;
  return done.made;
}

}  // namespace rfnn::lattice
