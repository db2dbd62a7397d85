#pragma once

// Private header. The numbers of blocks of lines that were set by trying, together. Where they come from, and how to
// change one: see finders/grown/tuning.hpp. Those that do not say how flat the optimum is were never varied alone.

#include <cstddef>

namespace rfnn::lines::tuning {

/// Places at the least: of fewer, nothing is known of a background. A bound for safety; not varied.
inline constexpr std::size_t fewest_places = 16;

/// A line counts where the power of what is left there, over its surroundings', is so many times ½ ln N. With 3, 4 and
/// 6 ten months of tides have 20, 18 and 14 lines, fifty years of CO2 by months 5, 4 and 3, and R² beyond the data is
/// 0.941, 0.943 and 0.955, and 0.959, 0.955 and 0.956.
inline constexpr double line_penalty = 4.0;
/// Turns that a line must have made over the data: fewer are a trend, or a swing of the background.
inline constexpr double fewest_turns = 1.5;
/// A line that refinement has made slower than this part of the slowest there may be is none. Not varied.
inline constexpr double still_a_line = 0.7;
/// Frequencies tried are so many to a turn over the data, and a line's surroundings are so many turns to either
/// side. Resolution; not varied.
inline constexpr std::size_t oversampling = 4, surroundings = 32;
/// Lines at the most. By reasoning: harmonic analyses of a year of tides have up to 68.
inline constexpr std::size_t most_lines = 96;
/// Steps of refinement after each line, and at the end; a step that gains less than this share is the last. Cost only;
/// not varied.
inline constexpr int steps = 3, last_steps = 8;
inline constexpr double refined_enough = 1e-6;
/// A share of the squares at which what is left is rounding. By reasoning.
inline constexpr double exact = 1e-20;

/// ½ ln N per coefficient of the trend and output, times this: what the likelihood must gain by it.
inline constexpr double trend_penalty = 1.0;
/// A background that changes slowly counts where the likelihood gains so many times ½ ln N by it.
inline constexpr double background_penalty = 4.0;

/// The slow part forgets within so many times the data's extent at the most, the fast part within this share of the
/// spacing at the least. By reasoning: beyond, rows cannot tell.
inline constexpr double longest_memory = 3.0, shortest_memory = 0.3;
/// ln of the fast part's and the noise's variance over the slow part's, at the most in size. A bound for safety:
/// beyond, one of them is nothing.
inline constexpr double largest_log_ratio = 14.0;
/// Where that search begins: the slow and the fast part's memory, so far on the way (of logarithms) from the longest to
/// the shortest, each with each; ln of the fast part's and of the noise's variance over the slow part's. The search
/// goes on from so many of these, the likeliest. Not varied: the search makes up for a poor beginning.
inline constexpr double first_slow[] = {0.1, 0.4}, first_fast[] = {0.6, 0.9};
inline constexpr double first_log_fast = -2.0, first_log_noise = -4.0;
inline constexpr std::size_t beginnings = 2;
/// Steps of the search for the background in the logarithms of its four numbers, halved from the first to the last.
/// Resolution; not varied.
inline constexpr double first_step = 1.6, last_step = 0.1;

/// Multiply-adds of a pass over a row with C columns: C²/2 + this · C, a cosine among them. From run times, good to a
/// factor of two.
inline constexpr double cost_of_a_column = 60.0;
/// Passes per line. Plans time only; not varied.
inline constexpr double passes = 8.0;

}  // namespace rfnn::lines::tuning
