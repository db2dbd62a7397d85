#pragma once

// Private header. The numbers of judging and planning that were set by trying, together. Where they come from, and how
// to change one: see finders/grown/tuning.hpp. Those that do not say how flat the optimum is were never varied alone.
// Time and effort have theirs in training/budget.hpp.

#include <cstddef>

namespace rfnn::training::tuning {

/// A first block must gain so many standard errors over the mean on held-out rows, a later one over the network so far:
/// a block is the best of many tried on these rows, and whether there is anything to be learnt is asked strictly.
inline constexpr double sure_first = 3.0, sure_later = 2.0;
/// The same over all rows, each judged by a network that did not see it (few rows): for wide blocks, which nothing was
/// chosen for on these rows, and for others. 40 draws of pure noise (100 × 3 and 200 × 10) and of a weak signal
/// (friedman1 with as much noise, 200 × 10) choose them; see docs/decisions/0009-judgement.md.
/// 3 instead of 2 for wide blocks: no difference on ten small fits with a plain signal (benchmarks/sensitivity.py).
inline constexpr double sure_of_all = 2.0, sure_of_all_grown = 3.5;
/// One way to begin over another that was not chosen by the rows it is judged on.
inline constexpr double sure_choice = 2.0;
/// The same for a network with at most this part of the rows' numbers: few waves are few choices.
inline constexpr double sure_choice_of_small = 0.5, small_part = 0.05;
/// Errors that differ by this factor, without the row that gains most as well, need no statistics. By reasoning: no
/// choice among some dozen turns gains as much, but one row beside a jump may be met by luck and be all of the error.
inline constexpr double far_better = 0.1;
/// Two errors within this factor are as good as equal, and one network is far closer on most rows where the geometric
/// mean of its squared errors is so many times less, squares below `least_of_logarithm` of their mean counting as that.
/// By reasoning: the rows beside a jump are nobody's to foresee, and a factor of 4 is none that noise would make.
inline constexpr double as_good = 1.02, far_closer = 4.0, least_of_logarithm = 1e-12;

/// Errors must fall below this share to count as progress of the blocks. Not varied alone.
inline constexpr double block_gain = 0.998;
/// An average must be better than the best network alone by this factor (0008). 0.999: no
/// difference on ten small fits (benchmarks/sensitivity.py).
inline constexpr double company_gain = 0.97;
/// Members whose error is above this multiple of the best's are no company (0008).
inline constexpr double poor_member = 1.5;
/// Members of an average of grown networks.
inline constexpr std::size_t grown_members = 4;
/// Members with laws of their own. Of 2, 4: errors on rows apart fall by 5 and 9 % (1503 × 5), 1 and 2 % (1030 ×
/// 8), 1.5 and 2 % (1599 × 11), 3 and 4 % (768 × 8), 17 and 22 % (308 × 6), two splits each.
inline constexpr std::size_t members_with_laws = 3;

/// A network ends early where its error after the first block is so many times a rival's, or would be so many times
/// after as many blocks that gain as much as the last. By reasoning; a block has seldom gained more than a factor of
/// 30, and gains fall.
inline constexpr double hopeless_first = 1e4, hopeless_later = 1.5, blocks_hoped_for = 8.0;
/// Of few rows: ways whose error on the first part of the rows is more than so many times the best's are not tried on
/// the others.
inline constexpr double hopeless_way = 2.0;
/// The same where folds are stretches of time: one says little about the next.
inline constexpr double hopeless_beyond = 10.0;
/// On another part of the rows a network may take so many times what it took on the first. By reasoning: it goes on
/// from the law learnt there, and seldom takes longer.
inline constexpr double room_for_another = 1.5;

/// With fewer held-out rows nothing is sure but a fall of the error by this share.
inline constexpr double too_few_rows = 4.0, surely_of_few = 0.75;

/// Error bars: rows judged that they are learnt from, at the most; rows up to which those of closed forms are left out
/// one by one, which takes about as long as another fit, and the share of the time left that this may take.
inline constexpr std::size_t rows_for_error_bars = 2000, rows_left_out = 2000;
inline constexpr double time_to_leave_out = 0.5;
/// What a network leaves on its own rows over what it does on others, from which on the two tell how free it was; and
/// bounds of what a fit to all rows changes. By reasoning.
inline constexpr double least_fitted = 0.5, least_gain_of_refit = 0.5, most_gain_of_refit = 1.25;

/// Share of the energy at which what is left is rounding: (1e-13)². By reasoning.
inline constexpr double exact = 1e-26;

/// Fewer rows than this are judged by cross-fitting: a tenth of them held out would be too few. Of very few rows there
/// are more folds, as every row less to train on tells: friedman1 with 100 rows has reported over true error 1.14 with
/// 4 folds and 1.05 with 6 (40 draws, ± 0.04), linear with 200 rows 1.00 with either; effort grows with the folds.
inline constexpr std::size_t cross_fitted_rows = 1000, very_few_rows = 125, folds = 4, folds_of_very_few = 6;
/// Of more rows than this, so many drawn at random are fitted to: the blocks that the effort affords have some hundred
/// to a thousand features, whose amplitudes more rows would not move by what held-out rows could see. By reasoning (the
/// error of a fit of W amplitudes to N rows exceeds the least by W/N of the noise: below 0.1 %), not measured.
inline constexpr std::size_t most_rows = 2000000;
/// Of these, networks race on so many, and are judged on so many, at the most; the fit to all rows comes at the end.
inline constexpr std::size_t most_race_rows = 500000, most_judging_rows = 100000;
/// Up to so many rows a thread per network is better than a team per pass. Cost only, and the limit of windows below.
inline constexpr std::size_t side_by_side_rows = 4000;
/// Up to so many rows of one and of two inputs a closed form races beside the lattice.
inline constexpr std::size_t rows_for_both[] = {4000, 10500};
/// Inputs at the most, and rows at the least of two and of three of them, for closed forms of windows: of fewer rows
/// all are in one.
inline constexpr std::size_t most_inputs_of_windows = 3, rows_for_windows[] = {side_by_side_rows, 10000};
/// Share of the energy that a first block must leave for another on top of it to be tried. By reasoning: fronts and
/// edges that it has not resolved leave more.
inline constexpr double sharp_enough = 1e-6;
/// The factor of a base: rows and inputs at the most that a trend beside it is fitted to, rows at the least per term of
/// it, and what independent columns leave of a pivot. Measured on pairs of the literature
/// (benchmarks/multi_fidelity.py): Forrester's with 8 dear rows needs the trend, without it the factor is 0.4 in the
/// place of 2.
inline constexpr std::size_t most_rows_for_factor = 2000, most_inputs_of_trend = 50;
inline constexpr long rows_per_trend_term = 2;
inline constexpr double least_pivot = 1e-12;
/// Width from which on wide blocks are worth a try. Not varied.
inline constexpr std::size_t wide = 256;

}  // namespace rfnn::training::tuning
