#pragma once

// Private header. The numbers of wide blocks that were set by trying, together. Where they come from, and how to change
// one: see finders/grown/tuning.hpp. Those that do not say how flat the optimum is were never varied alone.

#include <cstddef>

namespace rfnn::wide::tuning {

/// Up to so many rows the dual is solved directly: a Cholesky factor of 4000² takes 0.1 GB and some seconds.
inline constexpr std::size_t most_dual_rows = 4000;

/// Conjugate gradients: rows of the preconditioner's sample; steps at the most, fewer to tell one λ from another and
/// from a start that is nearly the solution; share of the preconditioned residual below which held-out rows see no
/// difference (0008).
inline constexpr std::size_t preconditioner_rows = 1536;
inline constexpr std::size_t most_steps = 30, steps_to_compare = 14, steps_from_start = 5;
inline constexpr double solved_enough = 3e-3;
/// What is added to the diagonal of a sample's dual at the least: for what the other rows add beyond the sample, so
/// many times its median eigenvalue; and against rounding, as the dual's own, a share of its largest entry. Show in the
/// number of steps only, which is bounded; not varied.
inline constexpr double unseen_by_sample = 5.0, rounding_of_sample = 1e-11, rounding_of_dual = 1e-13;

/// Multiply-adds per feature: of the dual N² (the kernel's lower triangle, cosine and sine), of conjugate gradients so
/// many times N. Fits to run times, good to a factor of two.
inline constexpr double cost_of_dual = 1.0, cost_of_iterations = 5500.0;
/// Features at the least, at the most where rows are many, and per row where they are few: more are the same process to
/// the rows, but longer to write down (0008).
inline constexpr double fewest_features = 256.0, most_features = 16384.0;
inline constexpr double features_per_row = 40.0, few_rows_fewest = 2048.0, few_rows_most = 32768.0;
/// Numbers a block's frequencies may have (features × inputs), so that a table of 10⁴ columns takes megabytes.
inline constexpr double most_frequency_numbers = 2.5e6;

/// Frequencies drawn for each that a block of given width takes, and at the most; rows by which they are chosen;
/// projections that estimate their leverage; the least probability that a prior is divided by. What choosing gains is
/// in docs/decisions/0010-closed-forms.md; these numbers were not varied.
inline constexpr std::size_t drawn_per_chosen = 16, most_drawn = 32768, leverage_rows = 800, projections = 64;
inline constexpr double least_share = 1e-3;

/// Rows the law is learnt from: a likelihood of n rows costs n³, some hundred and fifty times in all.
inline constexpr double cost_of_law = 150.0, fewest_law_rows = 200.0, most_law_rows = 1200.0;

/// The error of a kernel approximated by W features is its strength over √W, so a part of a law has as many features as
/// its share of the strengths, but at least this share, so that a weak one is there. Samples of functions
/// (uncertainty/) go by the same. Not varied.
inline constexpr double least_share_of_part = 0.05;

/// From so many features on λ is found with a quarter of them.
inline constexpr std::size_t many_features = 4096, fewer = 4;
/// Held-out error, as a multiple of a rival's, from which on the rest is not worth the time (0008).
inline constexpr double hopeless = 1.7;

/// How much longer than the time left iterations may seem to take, by a small block, and still be begun: they give what
/// they have when cut short, and a small block overstates their time. With 60 s on two cores, 1 against 4: 40 000 × 8
/// rows 0.0221 and 0.0216, 45 730 × 9 rows 0.458 and 0.399 (normalised test errors, one run each). Not varied since.
inline constexpr double hope_of_iterations = 4.0;

/// λ to try, as multiples of the law's noise where leave-one-out chooses; by quarters from the first down to a third of
/// the noise where held-out rows do.
inline constexpr double lambda_factors[] = {100.0, 30.0, 10.0, 3.0, 1.0, 0.3};
inline constexpr double least_noise = 1e-8, first_lambda = 2.0, lambda_step = 4.0, last_lambda = 0.3;
inline constexpr std::size_t most_lambdas = 8;

// Laws of frequencies.

/// Priors of the logarithms of a law's numbers, weak but for the map's, and where the search begins.
inline constexpr double typical_scale = 0.7, sd_of_scale = 2.5, sd_of_strength = 3.0, sd_of_noise = 4.0;
inline constexpr double sd_of_map = 0.3;
inline constexpr double start_of_rough = -2.0, start_of_other = -3.0, start_of_further = -1.5, shorter_waves = 0.7;
inline constexpr double starts_of_noise[] = {0.05, 3e-4};

/// The same where a block is fitted: smooth laws of rows without noise are learnt to the last digits.
inline constexpr double rounding_of_fit = 1e-13;

/// Added to the diagonal of a covariance, as a share of its entries: below it rounding decides.
inline constexpr double rounding = 1e-10;

/// The same for the system of some centres, whose entries are sums over the rows.
inline constexpr double rounding_of_centres = 1e-14;

/// Rows by which it is measured what centres do not see of the others. Resolution; not varied.
inline constexpr std::size_t rows_looked_at = 256;

/// The minimiser: steps at the most, from nothing and from a law that is nearly right; steps it remembers; trials along
/// a line; change of the cost, relative, that counts as none (0.02 of a thousand rows).
/// 30 at first instead of 60: errors × 0.998 ± 0.003 over ten small fits, time × 0.94 (benchmarks/sensitivity.py).
inline constexpr int steps_at_first = 60, steps_later = 30, remembered_steps = 10, most_along_a_line = 12;
inline constexpr double least_gain = 2e-5;

// Closed forms.

/// Rows of a law: at first, and at the most. Of the effort, for learning it; likelihoods that takes, from nothing and
/// from a law that is nearly right.
/// 400 rows later instead of 800: errors × 1.013 ± 0.014 over ten small fits, 1.07 on the one of 1200 × 4 rows, time ×
/// 0.92 (benchmarks/sensitivity.py).
inline constexpr std::size_t law_rows_at_first = 300, law_rows_later = 800;
inline constexpr double fewest_rows_of_law = 1300.0, most_rows_of_law = 2200.0, share_of_law = 0.3, likelihoods = 75.0,
                        likelihoods_later = 35.0;
/// Rows of the first law where there is a clock, which takes some 20 ms; and of the time left, how much the law of
/// `law_rows_at_first` may take then: all, for there is a block. From so few rows 400 × 10 (friedman1) have 1.2 to 1.9
/// times the error.
inline constexpr std::size_t law_rows_in_haste = 80;
inline constexpr double time_to_begin = 1.0;
/// Rows for each entry of a map, and for each scale of a further part, below which neither is looked at.
inline constexpr double rows_per_map_entry = 6.0, rows_per_scale = 15.0;
/// Rows by which richer laws are judged, at least and at the most; the share to which their error must fall.
inline constexpr std::size_t fewest_judging_rows = 400, most_judging_rows = 2000;
/// Any gain instead of 1.5 %: no difference on ten small fits (benchmarks/sensitivity.py).
inline constexpr double gain_of_richer = 0.985;

/// Up to so many rows fits are exact, and up to so many they are so quick that more λ are tried.
inline constexpr std::size_t most_exact_rows = 10000, quick_rows = 1500, quick_centres = 500;
/// Of more rows: some as centres, or all by steps with some beside.
inline constexpr std::size_t centres[] = {3000, 2000, 1000}, centres_beside_all = 2000;
/// Of the option for memory, for a closed form; up to so many rows it is exact all the same: fewer rows serve better
/// than some centres. By reasoning.
inline constexpr double share_of_memory = 0.4, few_exact_rows = 4000.0;
/// What fits take, for plans of memory alone: arrays of centres × centres, without and with steps of all rows; arrays
/// of the rows for each column of these; columns, of λ and outputs for either system, and those that are kept at a
/// time. Counts of the code, checked by tests/training/memory_test.cpp.
inline constexpr double arrays_of_centres = 2.5, arrays_beside_all = 5.5, arrays_of_all = 38.0;
inline constexpr double systems_of_all = 6.0, columns_of_all = 24.0;
/// Steps: at the least, or they are not begun; usually; at the most.
inline constexpr int fewest_steps_of_all = 8, usual_steps = 16, most_steps_of_all = 40;
/// Steps after which the rows held out are looked at first, and again; the gain between looks that is worth going on
/// for; another λ is so if its error is below this multiple of the best and has fallen to this share; steps for which
/// there must be time when one is begun.
inline constexpr std::size_t steps_to_look = 8, steps_between_looks = 4;
inline constexpr double gain_of_steps = 0.005, about_as_good = 1.15, fast_fall = 0.97, steps_in_hand = 1.5;
/// λ of the steps, as multiples of the law's noise; columns there are of them and the outputs at the most. With larger
/// ones the steps converge sooner, and all rows bear more smoothing than the law's some: after 20 steps 0.00361,
/// 0.00245 and 0.00233 of 40 000 × 8 rows by 1, 3 and 10, 0.307, 0.304 and 0.298 of 45 730 × 9, 0.1269, 0.1262 and
/// 0.1355 of 20 433 × 8 (held-out rows, normalised).
inline constexpr double lambdas_of_all[] = {2.0, 8.0, 30.0};
/// λ of the other fits, as multiples of the law's noise, those likelier first: with some rows as centres, of rows so
/// few that more λ take no time, and of other exact fits. Not varied.
inline constexpr double lambdas_of_centres[] = {1.0, 0.3, 0.1, 3.0}, lambdas_of_few[] = {1.0, 0.3, 3.0, 0.1, 10.0},
                        lambdas_of_exact[] = {1.0, 0.3, 3.0};
inline constexpr std::size_t most_columns_of_all = 12;
inline constexpr double least_lambda = 1e-12;
/// Multiply-adds per second that any machine does. A bound for plans; not varied.
inline constexpr double least_rate = 5e9;
/// Of the time left, for one more stage of the law, and for the fit, by how much of it comes again with all rows. Of
/// the effort, where there is no clock.
inline constexpr double time_for_law = 0.25, time_for_exact = 0.55, time_for_all = 0.95, time_for_centres = 0.8,
                        share_of_fit = 1.5;

}  // namespace rfnn::wide::tuning
