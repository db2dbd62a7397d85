#pragma once

// Private header. The numbers of growing blocks that were set by trying, together.
//
// Where they come from: the comparisons of docs/decisions/0008-auto.md, test errors of 32 public tables, signals,
// images and formulas, one split and one seed each. How flat the optimum is was measured for those that say so; the
// others were never varied alone. benchmarks/accuracy compares two builds (`make accuracy`, --compare) and is the way
// to change one.

#include <array>
#include <cstddef>
#include <cstdint>

namespace rfnn::grown::tuning {

/// Share of the energy below which what is left is rounding: (1e-13)². By reasoning, not measured.
inline constexpr double exact = 1e-26;

/// Held-out error must fall below this share of the best to count as a gain of a turn. Never varied alone.
inline constexpr double counts_as_gain = 0.998;
/// A round of refinement that leaves more than this share of the misfit is the last. Never varied alone.
inline constexpr double round_gain = 0.99;
/// Refinement ends where a step gains less than this share of the objective. Never varied alone.
inline constexpr double refined_enough = 1e-3;
/// Levenberg–Marquardt steps after a turn and in a refit (0008: none at all costs factors on formulas).
/// 6 instead of 3: errors × 1.09 ± 0.13 over ten small fits, 0.8 to 1.6 by table, time × 1.06
/// (benchmarks/sensitivity.py).
inline constexpr std::int64_t refinement_steps = 3;

/// Levenberg–Marquardt: damping at first, by how much it grows when a step fails and shrinks when one succeeds, and the
/// limits beyond which it is none, or no step. Usual values, never varied.
inline constexpr double first_damping = 1e-3, more_damping = 5.0, less_damping = 0.2;
inline constexpr double least_damping = 1e-9, largest_damping = 1e6;

/// A turn adds one feature, or this part of the block where that is more; a block takes so many turns at the least.
inline constexpr std::size_t features_a_turn = 5, turns_at_least = 8;
/// Gains of a turn below and above which more features a turn, or one, are added: for time on wide blocks.
inline constexpr double little_gain = 0.01, much_gain = 0.1;

/// A block says which inputs matter once it has so many features and leaves less than this share of the held-out error
/// (set on formulas with irrelevant inputs added).
inline constexpr std::size_t telling_features = 8;
inline constexpr double telling_share = 0.3;
/// From so many inputs on, those that bend the block less than each of these shares are tried without, the largest
/// first; held-out error may rise by 0.3 %.
inline constexpr std::size_t many_inputs = 4;
inline constexpr std::array<double, 3> prune_below = {0.2, 0.05, 0.01};
inline constexpr double not_missed = 1.003;
/// The least chance of an input that bends the block little.
inline constexpr double least_chance = 0.05;

/// Chances that a candidate is on one, on up to two, on up to three inputs; else on many.
inline constexpr double on_one = 0.2, on_two = 0.45, on_three = 0.7;
/// A feature on many inputs has each with this times its chance, at most 1.
inline constexpr double among_many = 3.0;
/// The slowest candidates turn by this part of half a period over the range of an input. Those of a state: the slowest,
/// the fastest, and up to where half of them are spread evenly, in radians per standard deviation of the target.
inline constexpr double slowest = 0.3, slowest_of_state = 0.3, fastest_of_state = 200.0, usual_of_state = 30.0;
/// The extent of a variable at the least, in standard deviations, and gaps between values that count, as a share of it:
/// below, values differ by rounding. Bounds for safety.
inline constexpr double least_range = 1e-9, least_gap = 1e-9;
/// Share of the largest power on a line below which a frequency is never drawn: chances go by the power squared.
inline constexpr double drawn_at_all = 1e-3;
/// From so many inputs on a feature on many of them has so many at the most: its frequencies would else outnumber the
/// rows of a small table, and with 50 rows of 10⁴ columns a Jacobian would take gigabytes. By reasoning, not measured.
inline constexpr std::size_t very_many_inputs = 64, most_inputs_of_a_feature = 24;

/// Multiply-adds of growing a block, N·(2 + v·√m)²·F² times this until F features are grown: a fit to run times on 10³
/// to 10⁵ rows, good to a factor of two.
inline constexpr double growth_cost = 15.0;
inline constexpr double fewest_features = 4.0, most_features = 1024.0;
/// Variables that count for the cost at the most: features on more are rare.
inline constexpr std::size_t costly_variables = 6;
/// Of the option for memory, for the sums over the rows, of which there are so many side by side
/// (rows/threads/growing). By reasoning.
inline constexpr double share_of_memory = 0.3, sums_at_once = 32.0;
/// Part of a network's effort that one block may take.
inline constexpr double blocks_in_effort = 3.0;

/// Candidates per turn, by the row, and their limits. 4 a row instead of 10: errors × 1.004 ± 0.008 over ten small
/// fits, time × 0.85 (benchmarks/sensitivity.py).
inline constexpr std::size_t candidates_per_row = 10, fewest_candidates = 300, most_candidates = 3000;

/// Screening: so few inputs are all looked at; rows a small block is grown on, and features it has; rows per feature;
/// candidates a pair of inputs; what the block must explain to be believed; inputs that bend it so much are kept
/// unasked.
inline constexpr std::size_t unscreened_inputs = 3, screening_rows = 4000, screening_features = 40,
                             rows_per_screening_feature = 10, probes_a_pair = 24;
inline constexpr double explained = 0.3, bends_enough = 0.15;
/// Share of the held-out energy below which fewer features than `telling_features` are believed too: they have nothing
/// left to find. By reasoning, not measured.
inline constexpr double all_explained = 1e-8;
/// Candidates a turn of that block, and rows that weigh them; held-out rows that judge it.
inline constexpr std::size_t screening_candidates = 2000, screening_spectrum_rows = 2000, screening_held_out = 1000;
/// Frequencies of a probe along the input in question, alone and with another, below which it would see what is left of
/// the other; and the power that strikes, over the energy of what is left, beyond the logarithm of the probes made:
/// noise shows one by chance in one screening of e⁸.
inline constexpr double slowest_probe = 0.1, slowest_probe_of_two = 2.0, striking = 8.0;
/// The chance of an input without influence to be looked at again.
inline constexpr double screened_out = 0.003;

}  // namespace rfnn::grown::tuning
