#include "rfnn/rows/lattice/lattice_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace rfnn::rows {
namespace {

/// The numbers k of the frequencies k·spacing, and the lattice they span.
struct Places {
  std::vector<std::array<std::int64_t, 2>> k;
  HalfLattice lattice;
};

Places places_of(const Branch& branch) {
  Places places;
  std::int64_t reach[2] = {0, 0};
  for (std::size_t f = 0; f < branch.frequencies.rows(); ++f) {
    std::array<std::int64_t, 2> k = {0, 0};
    for (std::size_t j = 0; j < branch.lattice.size(); ++j) {
      k[j] = std::llround(branch.frequencies(f, j) / branch.lattice[j]);
      reach[j] = std::max(reach[j], std::abs(k[j]));
    }
    places.k.push_back(k);
  }
  places.lattice = {static_cast<std::size_t>(reach[0]), static_cast<std::size_t>(reach[1])};
  return places;
}

/// The amplitudes of one output on the half lattice, those of its derivative by a variable being iω b. Re(b exp(iφ)) is
/// half of b exp(iφ) and half of its conjugate; where k0 = 0 both are on the half lattice.
Coefficients coefficients_of(const Branch& branch, const Places& places, std::size_t output,
                             std::optional<std::size_t> by = {}) {
  const HalfLattice& lattice = places.lattice;
  const std::size_t points = lattice.points(), zero = lattice.m1 * lattice.columns();
  Coefficients b(2 * points, 0.0);
  const auto add = [&](std::int64_t k0, std::int64_t k1, double re, double im) {
    const auto at = static_cast<std::size_t>(
        (k1 + static_cast<std::int64_t>(lattice.m1)) * static_cast<std::int64_t>(lattice.columns()) + k0);
    b[at] += 0.5 * re;
    b[points + at] += 0.5 * im;
  };
  for (std::size_t f = 0; f < places.k.size(); ++f) {
    const auto [k0, k1] = places.k[f];
    double re = branch.amplitudes(2 * f, output), im = branch.amplitudes(2 * f + 1, output);
    if (by) {
      const double omega = branch.frequencies(f, *by), before = re;
      re = -omega * im;
      im = omega * before;
    }
    if (k0 < 0)
      add(-k0, -k1, re, -im);
    else
      add(k0, k1, re, im);
    if (k0 == 0) add(0, -k1, re, -im);
  }
  b[points + zero] = 0.0;
  return b;
}

}  // namespace

std::unique_ptr<const LatticeSum> LatticeSum::make(const Branch& branch, Workers& workers, Interrupt& interrupt) {
  const Places places = places_of(branch);
  std::unique_ptr<LatticeSum> sum(new LatticeSum(places.lattice, branch, workers));
  sum->grids_.resize(branch.amplitudes.cols());
  for (std::size_t o = 0; o < sum->grids_.size(); ++o)
    if (!sum->nufft_.to_grid(coefficients_of(branch, places, o), sum->grids_[o], interrupt)) return nullptr;
  return sum;
}

std::unique_ptr<const LatticeSum> LatticeSum::with_slopes(const Branch& branch, Workers& workers,
                                                          Interrupt& interrupt) {
  const Places places = places_of(branch);
  std::unique_ptr<LatticeSum> sum(new LatticeSum(places.lattice, branch, workers));
  const std::size_t outputs = branch.amplitudes.cols(), variables = branch.lattice.size();
  sum->grids_.resize(outputs * (1 + variables));
  for (std::size_t o = 0; o < outputs; ++o)
    if (!sum->nufft_.to_grid(coefficients_of(branch, places, o), sum->grids_[o], interrupt)) return nullptr;
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t k = 0; k < variables; ++k)
      if (!sum->nufft_.to_grid(coefficients_of(branch, places, o, k), sum->grids_[outputs + o * variables + k],
                               interrupt))
        return nullptr;
  return sum;
}

void LatticeSum::add_slopes(const std::vector<const double*>& theta, std::size_t rows, const std::vector<double*>& out,
                            const std::vector<double*>& slopes) const {
  std::vector<double> values(grids_.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const double phase0 = theta[0][i] * spacing_[0], phase1 = spacing_.size() > 1 ? theta[1][i] * spacing_[1] : 0.0;
    nufft_.at(grids_, phase0, phase1, values.data());
    for (std::size_t o = 0; o < out.size(); ++o) out[o][i] += values[o];
    for (std::size_t s = 0; s < slopes.size(); ++s) slopes[s][i] += values[out.size() + s];
  }
}

void LatticeSum::add(const std::vector<const double*>& theta, std::size_t rows, const std::vector<double*>& out) const {
  for (std::size_t i = 0; i < rows; ++i) {
    const double phase0 = theta[0][i] * spacing_[0], phase1 = spacing_.size() > 1 ? theta[1][i] * spacing_[1] : 0.0;
    for (std::size_t o = 0; o < out.size(); ++o) out[o][i] += nufft_.at(grids_[o], phase0, phase1);
  }
}

}  // namespace rfnn::rows
