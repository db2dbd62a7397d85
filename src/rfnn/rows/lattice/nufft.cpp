#include "rfnn/rows/lattice/nufft.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace rfnn::rows {
namespace {

constexpr std::size_t width = 14;
constexpr double beta = 2.30 * static_cast<double>(width);
constexpr std::size_t points_per_task = 2048;

std::size_t fine_size(std::size_t m) { return std::max(4 * m + 2, 2 * width); }

/// 1/φ̂ at the frequencies 0..m on a grid of n points, by the trapezoidal rule: φ vanishes at the ends but for e^{−β}.
std::vector<double> inverse_transform(std::size_t m, std::size_t n) {
  constexpr std::size_t steps = 64;
  const double half = 0.5 * static_cast<double>(width);
  std::array<double, steps> z, value;
  for (std::size_t i = 0; i < steps; ++i) {
    z[i] = static_cast<double>(i) / static_cast<double>(steps);
    value[i] = (i == 0 ? 1.0 : 2.0) * std::exp(beta * (std::sqrt(1.0 - z[i] * z[i]) - 1.0));
  }
  std::vector<double> inverse(m + 1);
  for (std::size_t k = 0; k <= m; ++k) {
    const double phase = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n) * half;
    double sum = 0.0;
    for (std::size_t i = 0; i < steps; ++i) sum += value[i] * std::cos(phase * z[i]);
    inverse[k] = static_cast<double>(steps) / (half * sum);
  }
  return inverse;
}

}  // namespace

Phases LatticeMap::phases(ConstMatrixView theta) const {
  Phases phases(theta.rows(), {0.0, 0.0});
  for (std::size_t n = 0; n < theta.rows(); ++n)
    for (std::size_t j = 0; j < variables(); ++j) phases[n][j] = (theta(n, j) - centre[j]) * spacing[j];
  return phases;
}

/// The grid points a row touches along one axis, and how much.
struct Nufft::Bump {
  std::size_t count = 1;
  std::array<std::size_t, width> place = {};
  std::array<double, width> value = {1.0};
};

Nufft::Nufft(HalfLattice lattice, std::size_t variables, Workers& workers)
    : workers_(&workers),
      transform_(lattice, variables,
                 LatticeTransform::grid_size(variables, fine_size(lattice.m0), fine_size(lattice.m1)), workers) {
  inverse_[0] = inverse_transform(lattice.m0, transform_.size()[0]);
  const auto across = variables == 1 ? std::vector{1.0} : inverse_transform(lattice.m1, transform_.size()[1]);
  inverse_[1].resize(lattice.rows());
  for (std::size_t k = 0; k <= lattice.m1; ++k) inverse_[1][lattice.m1 + k] = inverse_[1][lattice.m1 - k] = across[k];
}

Nufft::Bump Nufft::bump(std::size_t axis, double phase) const {
  Bump bump;
  if (axis >= transform_.variables()) return bump;
  const std::size_t n = transform_.size()[axis];
  const double turns = phase / (2.0 * std::numbers::pi);
  const double at = (turns - std::floor(turns)) * static_cast<double>(n);
  const double first = std::ceil(at - 0.5 * static_cast<double>(width));
  const auto cells = static_cast<std::int64_t>(n);
  auto place = (static_cast<std::int64_t>(first) + cells) % cells;
  bump.count = width;
  for (std::size_t i = 0; i < width; ++i) {
    const double z = (first + static_cast<double>(i) - at) * (2.0 / static_cast<double>(width));
    bump.value[i] = std::exp(beta * (std::sqrt(std::max(0.0, 1.0 - z * z)) - 1.0));
    bump.place[i] = static_cast<std::size_t>(place);
    if (++place == cells) place = 0;
  }
  return bump;
}

void Nufft::divide(const Coefficients& b, Coefficients& out) const {
  const HalfLattice& lattice = transform_.lattice();
  out.resize(b.size());
  std::size_t at = 0;
  for (std::size_t part = 0; part < 2; ++part)
    for (std::size_t row = 0; row < lattice.rows(); ++row)
      for (std::size_t k = 0; k < lattice.columns(); ++k, ++at) out[at] = b[at] * inverse_[0][k] * inverse_[1][row];
}

bool Nufft::gather(const Phases& phases, const std::vector<double>& strengths, Coefficients& b, Interrupt& interrupt) {
  const std::size_t n1 = transform_.size()[1];
  grid_.assign(transform_.grid_points(), 0.0);
  for (std::size_t n = 0; n < phases.size(); ++n) {
    if (n % points_per_task == 0 && !interrupt.proceed()) return false;
    const Bump along = bump(0, phases[n][0]), across = bump(1, phases[n][1]);
    for (std::size_t i = 0; i < along.count; ++i) {
      const double strength = strengths[n] * along.value[i];
      double* row = &grid_[along.place[i] * n1];
      for (std::size_t j = 0; j < across.count; ++j) row[across.place[j]] += strength * across.value[j];
    }
  }
  if (!transform_.from_grid(grid_, b, interrupt)) return false;
  divide(b, b);
  return true;
}

bool Nufft::to_grid(const Coefficients& b, AlignedVector& grid, Interrupt& interrupt) {
  divide(b, scaled_);
  return transform_.to_grid(scaled_, grid, interrupt);
}

double Nufft::at(const AlignedVector& grid, double phase0, double phase1) const {
  const std::size_t n1 = transform_.size()[1];
  const Bump along = bump(0, phase0), across = bump(1, phase1);
  double value = 0.0;
  for (std::size_t i = 0; i < along.count; ++i) {
    const double* row = &grid[along.place[i] * n1];
    double sum = 0.0;
    for (std::size_t j = 0; j < across.count; ++j) sum += row[across.place[j]] * across.value[j];
    value += along.value[i] * sum;
  }
  return value;
}

bool Nufft::evaluate(const Coefficients& b, const Phases& phases, std::vector<double>& values, Interrupt& interrupt) {
  if (!to_grid(b, grid_, interrupt)) return false;
  values.resize(phases.size());
  const std::size_t tasks = (phases.size() + points_per_task - 1) / points_per_task;
  return workers_->run(
      tasks, tasks > 1,
      [&](std::size_t task, std::size_t) {
        interrupt.proceed();
        const std::size_t end = std::min(phases.size(), (task + 1) * points_per_task);
        for (std::size_t n = task * points_per_task; n < end; ++n) values[n] = at(grid_, phases[n][0], phases[n][1]);
      },
      interrupt);
}

}  // namespace rfnn::rows
