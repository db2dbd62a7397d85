#include "rfnn/finders/lattice/lattice_block.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <string>

#include "rfnn/core/error.hpp"
#include "rfnn/finders/lattice/lattice_system.hpp"
#include "rfnn/finders/lattice/tuning.hpp"

namespace rfnn::lattice {
namespace {

/// Lattice points that a block keeps: one of each pair k, −k, in the lattice's order.
std::vector<std::size_t> points_to_keep(const LatticePrior& prior, const std::vector<rows::Coefficients>& b,
                                        std::size_t max_features) {
  const rows::HalfLattice& lattice = prior.lattice;
  const std::size_t zero = lattice.m1 * lattice.columns(), points = lattice.points();
  std::vector<std::size_t> order;
  std::vector<double> power(points, 0.0);
  for (std::size_t i = 0; i < points; ++i) {
    if (i % lattice.columns() == 0 && i < zero) continue;
    order.push_back(i);
    for (const rows::Coefficients& of_output : b)
      power[i] += 2.0 * (of_output[i] * of_output[i] + of_output[points + i] * of_output[points + i]);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return i == zero || (j != zero && power[i] > power[j]); });
  const double spare = tuning::negligible * prior.held_out_mse * static_cast<double>(b.size());
  double dropped = 0.0;
  while (order.size() > 1 && (order.size() > max_features || dropped + power[order.back()] <= spare)) {
    dropped += power[order.back()];
    order.pop_back();
  }
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

std::optional<LatticeBlock> fit_lattice(rows::RowWork& work, const LatticePrior& prior, const rows::RowState& rows,
                                        std::size_t max_features, Interrupt& interrupt, FitEffort effort) {
  const bool as_learnt = effort == FitEffort::as_learnt;
  const double tolerance = effort == FitEffort::rough ? tuning::rough_tolerance : tuning::fit_tolerance;
  const std::size_t outputs = prior.spectrum.size(), variables = prior.map.variables();
  if (rows.inputs() != variables || rows.outputs() != outputs)
    throw UsageError("A lattice prior of " + std::to_string(variables) + " inputs and " + std::to_string(outputs) +
                         " outputs was given rows of another shape.",
                     "Fit it to rows like those it was learnt from.");
  LatticeSystem system(work, prior.lattice, variables);
  if (!as_learnt && !system.set_points(prior.map.phases(rows::theta_of(rows).view()), rows.weights(), interrupt))
    return std::nullopt;
  const double affordable = tuning::fit_points / static_cast<double>(system.grid_points());
  const auto steps = static_cast<std::size_t>(std::clamp(affordable, tuning::fewest_fit_steps, tuning::most_fit_steps));

  LatticeBlock block;
  block.held_out_mse = prior.held_out_mse;
  std::vector<rows::Coefficients> b = prior.start;
  for (std::size_t o = 0; o < outputs; ++o) {
    std::vector<double> values(rows.count());
    double energy = 0.0;
    for (std::size_t n = 0; n < values.size(); ++n) {
      values[n] = rows.residual(n, o);
      energy += rows.weight(n) * values[n] * values[n];
    }
    rows::Coefficients right;
    if (as_learnt)
      b[o].resize(2 * prior.lattice.points(), 0.0);
    else if (!system.gather(values, right, interrupt) ||
             !system.solve(right, prior.spectrum[o], prior.ridge[o], steps, tolerance, b[o], interrupt))
      return std::nullopt;
    if (energy > 0.0)
      block.ridge += prior.ridge[o] * static_cast<double>(values.size()) / energy / static_cast<double>(outputs);
  }

  const rows::HalfLattice& lattice = prior.lattice;
  const auto kept = points_to_keep(prior, b, max_features);
  Branch& branch = block.branch;
  branch = {BranchKind::input, Matrix(kept.size(), variables), Matrix(2 * kept.size(), outputs), {}};
  if (kept.size() >= tuning::worth_a_transform) branch.lattice = prior.map.spacing;
  for (std::size_t f = 0; f < kept.size(); ++f) {
    const std::size_t i = kept[f];
    const double k[2] = {static_cast<double>(i % lattice.columns()),
                         static_cast<double>(i / lattice.columns()) - static_cast<double>(lattice.m1)};
    double shift = 0.0;
    for (std::size_t j = 0; j < variables; ++j) {
      branch.frequencies(f, j) = k[j] * prior.map.spacing[j];
      shift -= branch.frequencies(f, j) * prior.map.centre[j];
    }
    const bool is_zero = k[0] == 0.0 && k[1] == 0.0;
    for (std::size_t o = 0; o < outputs; ++o) {
      const std::complex<double> amplitude =
          (is_zero ? 1.0 : 2.0) * std::polar(1.0, shift) * std::complex(b[o][i], b[o][lattice.points() + i]);
      branch.amplitudes(2 * f, o) = amplitude.real();
      branch.amplitudes(2 * f + 1, o) = amplitude.imag();
    }
  }
  return block;
}

}  // namespace rfnn::lattice
