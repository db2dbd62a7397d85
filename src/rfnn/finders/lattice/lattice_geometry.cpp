#include "rfnn/finders/lattice/lattice_geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "rfnn/finders/lattice/tuning.hpp"

namespace rfnn::lattice {
namespace {

struct Axis {
  double low, high, cells;
  std::size_t distinct;
};

/// Extent of one variable and the number of sampling cells in it.
Axis measure(ConstMatrixView theta, std::size_t column) {
  std::vector<double> values(theta.rows());
  for (std::size_t n = 0; n < theta.rows(); ++n) values[n] = theta(n, column);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Axis axis = {values.front(), values.back(), 1.0, values.size()};
  if (values.size() < 2) return axis;
  std::vector<double> gaps(values.size() - 1);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) gaps[i] = values[i + 1] - values[i];
  // Of a regular grid with values left out, the lower quartile is still the grid's own step; of scattered values it is
  // smaller than what they resolve on the whole, hence the limit.
  const auto quartile = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 4);
  std::nth_element(gaps.begin(), quartile, gaps.end());
  axis.cells =
      std::min((axis.high - axis.low) / *quartile + 1.0, tuning::cells_per_value * static_cast<double>(values.size()));
  return axis;
}

}  // namespace

std::optional<LatticeGeometry> lattice_for(ConstMatrixView theta, ConstMatrixView held_theta,
                                           std::size_t max_features) {
  const std::size_t variables = theta.cols();
  if (variables < 1 || variables > 2 || theta.rows() < tuning::fewest_rows) return std::nullopt;
  std::vector<Axis> axes;
  for (std::size_t j = 0; j < variables; ++j) {
    axes.push_back(measure(theta, j));
    Axis& axis = axes.back();
    if (axis.distinct < (variables == 1 ? tuning::fewest_values : tuning::fewest_values_each)) return std::nullopt;
    for (std::size_t n = 0; n < held_theta.rows(); ++n) {
      axis.low = std::min(axis.low, held_theta(n, j));
      axis.high = std::max(axis.high, held_theta(n, j));
    }
    if (!std::isfinite(axis.low) || !std::isfinite(axis.high)) return std::nullopt;
  }
  if (variables == 2) {
    const double rows = static_cast<double>(theta.rows());
    const double shrink = std::sqrt(std::min(1.0, tuning::cells_per_row * rows / (axes[0].cells * axes[1].cells)));
    for (Axis& axis : axes) axis.cells *= shrink;
  }
  // The share of the period beyond the rows costs resolution and conditioning; without it the two borders would be
  // neighbours. In the plane it costs twice, so there it is small where the lattice is large.
  double period = tuning::longest_period;
  if (variables == 2)
    period = std::clamp(std::pow(tuning::cells_of_period / (axes[0].cells * axes[1].cells), tuning::power_of_period),
                        tuning::shortest_period, tuning::longest_period);
  LatticeGeometry geometry;
  std::array<double, 2> reach = {0.0, 0.0};
  for (std::size_t j = 0; j < variables; ++j) {
    geometry.map.centre.push_back(0.5 * (axes[j].low + axes[j].high));
    geometry.map.spacing.push_back(2.0 * std::numbers::pi / (period * (axes[j].high - axes[j].low)));
    reach[j] = 0.5 * period * axes[j].cells;
  }
  const auto lattice = [&](double share) {
    return rows::HalfLattice{static_cast<std::size_t>(share * reach[0]), static_cast<std::size_t>(share * reach[1])};
  };
  double share = 1.0;
  while (lattice(share).points() > max_features && lattice(share).points() > 1) share *= tuning::narrowing;
  geometry.lattice = lattice(share);
  geometry.cut = share < 1.0;
  if (geometry.lattice.m0 < 1 || (variables == 2 && geometry.lattice.m1 < 1)) return std::nullopt;
  return geometry;
}

}  // namespace rfnn::lattice
