#pragma once

// Private header. The numbers of blocks of windows that were set by trying, together. Where they come from, and how to
// change one: see finders/grown/tuning.hpp and docs/decisions/0013-windows.md. Those that do not say how flat the
// optimum is were never varied alone.

#include <cstddef>

namespace rfnn::windows::tuning {

/// Rows that a window has as its own at the most, fewer where there is no time for more, and in all, in these; to each
/// side of its own it reaches by so many sides. Cost grows with the cube of the rows in one; not varied alone.
inline constexpr std::size_t own_rows[] = {100, 50, 25}, rows_in_all = 7;
inline constexpr double margin = 0.45;

/// Windows that laws are compared on. Cost only; not varied.
inline constexpr std::size_t windows_to_compare = 24;

/// Where the search for a law begins: scale over half a window, scale of the state, and noise, as a share of the
/// variance, each order with each.
inline constexpr double first_scale = 1.0, first_state_scale = 1.0;
inline constexpr double first_noises[] = {1e-8, 1e-3, 0.3};
/// The same, and in this order, where the search may be cut short: the first law must be one that can be used, which of
/// rows with noise an interpolant is not.
inline constexpr double first_noises_in_haste[] = {0.3, 1e-3, 1e-8};
/// Steps of the search in the logarithms of scales, of the sides' ratios and of the noise, halved so many times; a gain
/// that counts, relative. Resolution; not varied.
inline constexpr double step_of_scale = 1.4, step_of_aspect = 1.4, step_of_noise = 3.5;
inline constexpr int halvings = 2;
inline constexpr double counts_as_gain = 2e-3;
/// Bounds for safety.
inline constexpr double least_noise = 1e-12, most_noise = 1e4;

/// What a window may have of its own: noise and scale of the inputs over the law's, one after the other, each from the
/// best until then; its error by leave-one-out must fall to this share. Not varied alone.
struct Move {
  double noise, scale;
};
inline constexpr Move moves[] = {{30.0, 1.0}, {1.0 / 30.0, 1.0}, {1.0, 3.0}, {1.0, 1.0 / 3.0}};
inline constexpr double gain_of_own = 0.9;

/// The share of a block on top of others below which it is not worth having. Not varied.
inline constexpr double least_share = 0.1;

/// With a time budget: windows that are solved to see how long all of them take; the time of the pass over the rows
/// that follows, over that; and of the time left what two fits and passes, this one and that to all rows, may take.
inline constexpr std::size_t windows_to_time = 16;
inline constexpr double time_of_pass = 0.7, time_for_fits = 0.7;
/// Of what they leave, how much the search for a law may take. Not varied.
inline constexpr double time_for_search = 0.25;

}  // namespace rfnn::windows::tuning
