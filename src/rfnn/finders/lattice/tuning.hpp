#pragma once

// Private header. The numbers of lattice blocks that were set by trying, together. Where they come from, and how to
// change one: see finders/grown/tuning.hpp. Those that do not say how flat the optimum is were never varied alone.

#include <array>
#include <cstddef>

namespace rfnn::lattice::tuning {

// Which lattice (lattice_geometry.cpp).

/// Rows, and distinct values of one input or of each of two, below which there is no lattice. By reasoning, not
/// measured.
inline constexpr std::size_t fewest_rows = 30, fewest_values = 30, fewest_values_each = 8;
/// Frequencies reach as far as so many cells for each distinct value of a variable would resolve, and in the plane as
/// far as so many cells for each row. Both are upper bounds, which scattered rows meet and grids do not.
inline constexpr double cells_per_value = 1.5, cells_per_row = 6.0;
/// Period over the extent of the rows: the longest on a line, in the plane (cells_of_period / cells)^power_of_period
/// between the two, so that it is between them from 10⁴ to 3·10⁴ cells.
inline constexpr double longest_period = 1.5, shortest_period = 1.15, cells_of_period = 5e4, power_of_period = 0.25;
/// Factor by which a lattice is narrowed until it has few enough points. Resolution.
inline constexpr double narrowing = 0.98;
/// The most points of a lattice whose width was not given. A bound on time and memory; not varied.
inline constexpr std::size_t most_points = std::size_t{1} << 18;

// Learning the spectrum (lattice_prior.cpp).

/// Steps of conjugate gradients and rounds of learning: what so many grid points in all allow, within limits. Loose
/// solutions do: those of the data and of the simulation are loose in the same way.
inline constexpr double learning_points = 2e7, fewest_steps = 25.0, most_steps = 200.0, learning_tolerance = 1e-5;
inline constexpr double steps_of_learning = 40.0, fewest_rounds = 4.0, most_rounds = 10.0;
/// Lattice steps over which powers are averaged, along a line and in the plane: as many neighbours, about. Those of the
/// simulation, which are known to be smooth, over twice as many.
inline constexpr double width_on_line = 8.0, width_in_plane = 3.0, width_of_simulation = 2.0;
/// Widths at which the bell of the average ends: 0.2 % of its height. Resolution.
inline constexpr double reach_of_bell = 3.5;
/// The noise to begin with, as a share of the variance. The rounds make up for it; not varied.
inline constexpr double first_noise = 1e-2;
/// Limits of what one round may do to the spectrum at a frequency and to the noise, either way, and the least noise as
/// a share of the variance: against rounding, not for accuracy.
inline constexpr double least_change = 1e-10, most_noise_change = 1e3, least_noise = 1e-12;
/// Held-out error must fall below this share of the best to count as a gain of a round, and rounds without one.
inline constexpr double counts_as_gain = 0.999;
inline constexpr int patience = 2;
/// Other noises tried at the end, each as often as held-out rows gain by it, and what counts as a gain there.
inline constexpr std::array<double, 2> other_noises = {0.125, 8.0};
inline constexpr int times_each = 2;
inline constexpr double noise_gain = 0.995;

// The fit (lattice_block.cpp, lattice_finder.cpp).

/// Steps of the last fit: what so many grid points in all allow, within limits; its tolerance.
inline constexpr double fit_points = 1e8, fewest_fit_steps = 100.0, most_fit_steps = 2000.0, fit_tolerance = 1e-7,
                        rough_tolerance = 1e-3;
/// Share of the held-out error that features may have and be left out.
inline constexpr double negligible = 1e-4;
/// Features from which on the sum over a lattice is quicker by a transform, if rows are not very few.
inline constexpr std::size_t worth_a_transform = 256;
/// Time that a row takes in passes over rows and lattice, in units of that of a point of the lattice: measured with 10⁴
/// to 10⁵ rows and 10³ to 10⁵ points in the plane, good to a factor of two.
inline constexpr double cost_of_row = 2.0;
/// With a time budget: parts of the lattice tried first, and points that take no time to speak of.
inline constexpr double first_share = 1.0 / 64.0, second_share = 1.0 / 8.0;
inline constexpr double points_at_once = 1024.0;

}  // namespace rfnn::lattice::tuning
