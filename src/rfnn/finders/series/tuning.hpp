#pragma once

// Private header. The numbers of series blocks that were set by trying, together. Where they come from, and how to
// change one: see finders/grown/tuning.hpp. Those that do not say how flat the optimum is were never varied alone.

#include <cstddef>

namespace rfnn::series::tuning {

/// Places at the least: of fewer, leaving one out says nothing about scales.
inline constexpr std::size_t fewest_places = 5;

/// Laws are compared on pieces of the series, so many of so many places together, and the best is then made better on
/// all places up to so many: a look costs 0.15 µs a place. With half the places to compare, ten signals of 738 to
/// 39 690 rows keep their orders, and errors on test rows change by 0.2 % at the most.
inline constexpr std::size_t pieces = 4, places_to_compare = 8192, most_places_to_improve = 65536;

/// Grid of rough scales t, from one over the extent to one over the spacing, and of smoothing lengths in spacings, by
/// these factors. The search that follows makes up for a coarse grid: with 8 and 6 errors on the ten signals change by
/// 0.6 % at the most, but for one that averages other orders and gains 3 %.
inline constexpr double scale_factor = 5.0, smoothing_factor = 4.0, first_smoothing = 0.7;
/// Ends of the grid: t over one by the spacing, and a piece's places over the longest smoothing length; and the end of
/// t in the search that follows. Beyond, rows cannot tell. Not varied.
inline constexpr double last_scale = 2.0, longest_smoothing = 4.0, most_scale = 4.0;
/// t at the least, over one by the extent: a walk's beyond what rows can tell, so that it goes on level behind the
/// last.
inline constexpr double least_scale = 2.0, least_scale_of_walks = 1e-3;
/// Steps of that search in ln t and ln(smoothing length), halved from the first to the last. Resolution; not varied.
inline constexpr double first_step = 0.8, last_step = 0.1;
/// A better law has an error smaller by this share: a flat optimum is left alone. Not varied.
inline constexpr double better = 1e-4;

/// An order that is worse than the best by the first factor on the grid is left alone; one that is worse by the second,
/// both made better, has no part in an average, nor have shares below the least; an average counts where its gain is so
/// many standard deviations. Two of the ten signals are averages, by which they gain 3 and 15 %; with 3 for `poor` or 1
/// for `sure` all ten are the same.
inline constexpr double hopeless = 3.0, poor = 1.5, least_share = 0.05, sure = 2.0;

/// The noise at the least, as a share of what the process itself does from one place to the next: as good as none, and
/// two places next to each other still make no harm.
inline constexpr double least_noise = 1e-6;
/// What a place is to the places before it, variance over the process's, at the least: below, the sum over centres
/// cancels to fewer digits than the errors that count.
inline constexpr double least_innovation = 1e-11;

}  // namespace rfnn::series::tuning
