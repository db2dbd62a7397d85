#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rfnn/rows/lattice/lattice_block.hpp"

namespace rfnn {
namespace {

/// The step of which all frequencies of a variable are multiples; 0 where there is none, 1 where all are zero.
double common_step(const Matrix& frequencies, std::size_t variable) {
  std::vector<double> sizes = {0.0};
  for (std::size_t f = 0; f < frequencies.rows(); ++f) sizes.push_back(std::abs(frequencies(f, variable)));
  std::sort(sizes.begin(), sizes.end());
  const double most = sizes.back();
  if (most == 0.0) return 1.0;
  if (!std::isfinite(most)) return 0.0;
  // Euclid's algorithm on the frequencies; numbers without a common step end in one too small to be meant.
  double step = most;
  for (std::size_t i = 0; i < sizes.size();) {
    const double left = std::abs(sizes[i] - step * std::round(sizes[i] / step));
    if (left > 1e-6 * step)
      step = left;
    else
      ++i;
    if (step < 1e-8 * most) return 0.0;
  }
  step = most / std::round(most / step);
  for (const double size : sizes)
    if (std::abs(size / step - std::round(size / step)) > 1e-9) return 0.0;
  return step;
}

}  // namespace

bool add_lattice_values(const Matrix& frequencies, const Matrix& amplitudes, ConstMatrixView theta, MatrixView out,
                        std::size_t threads, Interrupt& interrupt) {
  const std::size_t variables = frequencies.cols(), features = frequencies.rows(), outputs = amplitudes.cols();
  if (variables < 1 || variables > 2 || features < 64) return false;
  LatticeMap map;
  std::size_t reach[2] = {0, 0};
  for (std::size_t j = 0; j < variables; ++j) {
    const double step = common_step(frequencies, j);
    if (step == 0.0) return false;
    map.centre.push_back(0.0);
    map.spacing.push_back(step);
    double most = 0.0;
    for (std::size_t f = 0; f < features; ++f) most = std::max(most, std::abs(frequencies(f, j)));
    if (most / step > 1e8) return false;
    reach[j] = static_cast<std::size_t>(std::round(most / step));
  }
  const HalfLattice lattice = {reach[0], reach[1]};
  // Feature by feature costs rows · features; here a transform of some four times the lattice and a bump per row.
  const double rows = static_cast<double>(theta.rows());
  const double transform = 60.0 * static_cast<double>(lattice.points());
  if (rows * static_cast<double>(features) < transform + rows * (variables == 1 ? 50.0 : 200.0)) return false;

  Workers workers(threads);
  Nufft nufft(lattice, variables, workers);
  const Nufft::Phases phases = map.phases(theta);
  std::vector<std::vector<double>> values(outputs);
  const std::size_t points = lattice.points(), zero = lattice.m1 * lattice.columns();
  for (std::size_t o = 0; o < outputs; ++o) {
    Coefficients b(2 * points, 0.0);
    const auto add = [&](std::int64_t k0, std::int64_t k1, double re, double im) {
      const auto at = static_cast<std::size_t>(
          (k1 + static_cast<std::int64_t>(lattice.m1)) * static_cast<std::int64_t>(lattice.columns()) + k0);
      b[at] += 0.5 * re;
      b[points + at] += 0.5 * im;
    };
    for (std::size_t f = 0; f < features; ++f) {
      auto k0 = static_cast<std::int64_t>(std::llround(frequencies(f, 0) / map.spacing[0]));
      auto k1 = variables == 1 ? 0 : static_cast<std::int64_t>(std::llround(frequencies(f, 1) / map.spacing[1]));
      const double re = amplitudes(2 * f, o), im = amplitudes(2 * f + 1, o);
      // Re(b exp(iφ)) is half of b exp(iφ) and half of its conjugate; where k0 = 0 both are on the half lattice.
      if (k0 < 0)
        add(-k0, -k1, re, -im);
      else
        add(k0, k1, re, im);
      if (k0 == 0) add(0, -k1, re, -im);
    }
    b[points + zero] = 0.0;
    if (!nufft.evaluate(b, phases, values[o], interrupt)) return false;
  }
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t n = 0; n < theta.rows(); ++n) out(n, o) += values[o][n];
  return true;
}

bool may_be_lattice(const Block& block) {
  constexpr std::size_t wide = 256;
  if (block.branches.size() != 1) return false;
  const Branch& branch = block.branches.front();
  return branch.kind == BranchKind::input && branch.frequencies.cols() <= 2 && branch.frequencies.rows() >= wide;
}

}  // namespace rfnn
