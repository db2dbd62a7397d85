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
/// Bands that the grid is cut into to be filled: rows of a plane or cells of a line at the least, and how many at the
/// most. By reasoning: a point reaches over `width` of them.
constexpr std::size_t rows_of_band = 64, cells_of_band = 1024, most_bands = 64;

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

/// φ at the `width` grid points that a place touches, as polynomials of where it lies between two of them: quicker than
/// so many exponentials, and as exact as φ is small beyond its ends.
class BumpTable {
 public:
  BumpTable() : coefficients_(terms * lanes, 0.0) {
    // The polynomials through Chebyshev's points, and then by powers.
    constexpr double pi = std::numbers::pi;
    std::array<std::array<double, terms>, width> by_chebyshev = {};
    for (std::size_t m = 0; m < terms; ++m) {
      const double angle = pi * (static_cast<double>(m) + 0.5) / static_cast<double>(terms), x = std::cos(angle);
      for (std::size_t i = 0; i < width; ++i) {
        const double z = (static_cast<double>(i) + 0.5 * (1.0 + x)) * (2.0 / static_cast<double>(width)) - 1.0;
        const double value = std::exp(beta * (std::sqrt(std::max(0.0, 1.0 - z * z)) - 1.0));
        for (std::size_t t = 0; t < terms; ++t)
          by_chebyshev[i][t] +=
              (t == 0 ? 1.0 : 2.0) / static_cast<double>(terms) * value * std::cos(static_cast<double>(t) * angle);
      }
    }
    // T_0 = 1, T_1 = x, T_t = 2x T_{t−1} − T_{t−2}.
    std::array<double, terms> before = {1.0}, now = {0.0, 1.0};
    for (std::size_t t = 0; t < terms; ++t) {
      const std::array<double, terms>& powers = t == 0 ? before : now;
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t q = 0; q < terms; ++q) coefficients_[q * lanes + i] += by_chebyshev[i][t] * powers[q];
      if (t == 0) continue;
      std::array<double, terms> next = {};
      for (std::size_t q = 0; q < terms; ++q) next[q] = (q > 0 ? 2.0 * now[q - 1] : 0.0) - before[q];
      before = now;
      now = next;
    }
  }

  /// `above`: from the lower end of φ's reach to the first grid point in it, in grid points, from 0 to 1.
  void values(const features::Kernels& kernels, double above, double* out) const {
    kernels.polynomials(coefficients_.data(), terms, 2.0 * above - 1.0, out);
  }

 private:
  static constexpr std::size_t lanes = features::polynomials_together, terms = 17;
  static_assert(lanes >= width);
  AlignedVector coefficients_;
};

const BumpTable& bump_table() {
  static const BumpTable table;
  return table;
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
  alignas(64) std::array<double, features::polynomials_together> value = {1.0};  ///< the first `count` of them
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

double Nufft::place_of(std::size_t axis, double phase) const {
  const double turns = phase / (2.0 * std::numbers::pi);
  return (turns - std::floor(turns)) * static_cast<double>(transform_.size()[axis]);
}

std::size_t Nufft::first_place(std::size_t axis, double phase) const {
  const double first = std::ceil(place_of(axis, phase) - 0.5 * static_cast<double>(width));
  const auto cells = static_cast<std::int64_t>(transform_.size()[axis]);
  return static_cast<std::size_t>((static_cast<std::int64_t>(first) + cells) % cells);
}

Nufft::Bump Nufft::bump(std::size_t axis, double phase) const {
  Bump bump;
  if (axis >= transform_.variables()) return bump;
  const double at = place_of(axis, phase), first = std::ceil(at - 0.5 * static_cast<double>(width));
  const std::size_t cells = transform_.size()[axis];
  std::size_t place = first_place(axis, phase);
  bump.count = width;
  bump_table().values(kernels_, first - (at - 0.5 * static_cast<double>(width)), bump.value.data());
  for (std::size_t i = 0; i < width; ++i) {
    bump.place[i] = place;
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

// The grid is cut into bands of rows, and a band takes its share of every point that reaches into it, in the points'
// order: so it does not matter who fills which band.
bool Nufft::gather(const Phases& phases, const std::vector<double>& strengths, Coefficients& b, Interrupt& interrupt) {
  const std::size_t n0 = transform_.size()[0], n1 = transform_.size()[1];
  const std::size_t band = std::max(n1 == 1 ? cells_of_band : rows_of_band, (n0 + most_bands - 1) / most_bands),
                    bands = (n0 + band - 1) / band;
  std::vector<std::vector<std::uint32_t>> points(bands);
  for (std::size_t n = 0; n < phases.size(); ++n) {
    const std::size_t first = first_place(0, phases[n][0]), last = first + width - 1;
    for (std::size_t reached = first / band; reached <= std::min(last, n0 - 1) / band; ++reached)
      points[reached].push_back(static_cast<std::uint32_t>(n));
    // Beyond the end the grid begins again; a band that has it already does not take it twice.
    for (std::size_t reached = 0; last >= n0 && reached <= (last - n0) / band; ++reached)
      if (points[reached].empty() || points[reached].back() != n)
        points[reached].push_back(static_cast<std::uint32_t>(n));
  }
  grid_.assign(transform_.grid_points(), 0.0);
  const auto fill = [&](std::size_t task, std::size_t) {
    for (std::size_t p = 0; p < points[task].size(); ++p) {
      if (p % points_per_task == 0 && !interrupt.proceed()) return;
      const std::size_t n = points[task][p];
      const Bump along = bump(0, phases[n][0]), across = bump(1, phases[n][1]);
      for (std::size_t i = 0; i < along.count; ++i) {
        if (along.place[i] / band != task) continue;
        const double strength = strengths[n] * along.value[i];
        double* row = &grid_[along.place[i] * n1];
        for (std::size_t j = 0; j < across.count; ++j) row[across.place[j]] += strength * across.value[j];
      }
    }
  };
  if (!workers_->run(bands, phases.size() > points_per_task, fill, interrupt)) return false;
  if (!transform_.from_grid(grid_, b, interrupt)) return false;
  divide(b, b);
  return true;
}

bool Nufft::to_grid(const Coefficients& b, AlignedVector& grid, Interrupt& interrupt) {
  divide(b, scaled_);
  return transform_.to_grid(scaled_, grid, interrupt);
}

double Nufft::at(const AlignedVector& grid, double phase0, double phase1) const {
  return sum(grid, bump(0, phase0), bump(1, phase1));
}

void Nufft::at(const std::vector<AlignedVector>& grids, double phase0, double phase1, double* values) const {
  const Bump along = bump(0, phase0), across = bump(1, phase1);
  for (std::size_t g = 0; g < grids.size(); ++g) values[g] = sum(grids[g], along, across);
}

double Nufft::sum(const AlignedVector& grid, const Bump& along, const Bump& across) const {
  const std::size_t n1 = transform_.size()[1];
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
