#pragma once

// Private header. The numbers of error bars that were set by reasoning or by trying, together. What they are
// tried on is in docs/decisions/0014-error-bars.md and docs/uncertainty.md; those that do not say more were not varied
// alone.

#include <cstddef>

namespace rfnn::uncertainty::tuning {

/// Up to so many centres the posterior variance is that of all of them; of more, of some spread over all (as many as
/// keep a table of some × all below so many numbers, 32 MB) and, given these, of those nearest to the point.
inline constexpr std::size_t exact_centres = 1024, fewest_global = 64, most_global = 512, table_numbers = 4000000;
inline constexpr std::size_t nearest = 32, nearest_of_window = 64;
/// Added to the diagonal as a share of the law's variance, at first and at the most; below it rounding decides.
inline constexpr double rounding = 1e-12, most_rounding = 1e-4;
/// Kernels are told apart by so many steps, when the nearest centres are looked for: rounding is less. A
/// bound for safety.
inline constexpr double ranks = 1e10;

/// Rows judged that are looked at, of these fewer than twice the next number for c, e and b; and those that the shape
/// of the width is learnt from: its centres, and the rows of its law. Fewer than the last number have no shape to tell.
inline constexpr std::size_t most_judged = 2000, most_fitted = 1000, shape_centres = 1000, shape_law_rows = 300,
                             fewest_shape_rows = 60;
/// Share of the squared error that is added before the logarithm is taken: an error that happens to be tiny says little
/// about the width.
inline constexpr double least_square = 0.03;
/// Less where rows have far less than their widths: of so many times what the tenth of neighbourhoods with the least
/// has. Of errors that follow the widths that is 1 and more.
inline constexpr double times_low = 4.0;
/// A shape must make the errors likelier by so many standard errors of the mean over the rows.
inline constexpr double sure_of_shape = 1.0;

/// Standard deviation of the prior of ln c and ln e around 0: what the closed form and the members say themselves.
inline constexpr double sd_of_gain = 1.5;

/// Of rows judged, those that tell how errors grow with the distance where it is that of a law of another kind than the
/// model. By reasoning: nearly all, but not the farthest.
inline constexpr double share_within_reach = 0.95;

/// Rows of which only the mean is kept, where no row of the table is to be part of the model.
inline constexpr std::size_t least_group = 5;
/// Of closed forms that only say how far the rows are: rows their law is learnt from, centres, fewer than twice.
inline constexpr std::size_t companion_law_rows = 200, companion_centres = 500;

/// How far rows reach beyond themselves, in their extents: those of a wanderer and of what has a slope. At a sixth of
/// the extent, which is what stretches held out have, both leave about as much open. And the noise of centres, next to
/// none. By reasoning.
inline constexpr double reach_of_wanderer = 10.0, reach_of_slope = 1.0, noise_beyond = 1e-6;

/// A law that expects more than so many times the variance that the rows have is not believed far from them. By
/// reasoning: one series of rows may well have half the variance of its law by chance; laws found by likelihood rarely
/// come near to it. And what is looked at of centres: of all together, and of a window at the least.
inline constexpr double times_seen = 2.0;
inline constexpr std::size_t centres_of_far = 300, fewest_of_window = 10;

/// Numbers that scores are kept as, at the most. Resolution of quantiles.
inline constexpr std::size_t most_scores = 1000;
/// Rows judged that are kept to be shown. Resolution.
inline constexpr std::size_t most_shown = 500;

/// Samples of functions: features of one, and the least noise of the rows it is brought near to, as a share of the
/// law's variance, below which rounding would be seen in the deviation from the prediction.
inline constexpr std::size_t features_of_draws = 1024;
inline constexpr double rounding_of_draws = 1e-10;

}  // namespace rfnn::uncertainty::tuning
