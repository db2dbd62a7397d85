#pragma once

// Private header. What the paper says in words, as numbers: pure functions of runs, models and histograms.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/model/history.hpp"
#include "rfnn/reproduction/run.hpp"

namespace rfnn::reproduction {

/// Frequencies of the multiscale function.
inline constexpr std::array multiscale_lines = {4.0, 70.0, 150.0};
/// Its mean squared error with only the first of them right, and with the first two (exact integrals).
inline constexpr double error_with_4 = 4.64e-2;
inline constexpr double error_with_4_and_70 = 1.25e-3;

/// Where the stairstep jumps, each time by this much.
inline constexpr std::array stairstep_jumps = {-0.5, 0.0, 0.5};
inline constexpr double stairstep_jump = 1.0 / 3.0;

/// The range around a line that counts as near it, to either side.
inline constexpr double near_line = 5.0;

/// Histogram of the input frequencies a block accepted after burn-in; nullptr when there is none.
const Histogram* accepted_input_frequencies(const Run& run, std::int64_t block);

/// Share of a histogram's counts in the bins whose centres are near the line; NaN for an empty histogram. `more` counts
/// are added to those near it.
double share_near(const Histogram& histogram, double line, double more = 0.0);

/// The share near a line in one block over the mean of the shares in `earlier` blocks; one count is added everywhere,
/// so that it is defined. NaN when a histogram is missing or empty.
double rise_near(const Run& run, double line, std::int64_t block, std::span<const std::int64_t> earlier);

/// How much a line stands out from its surroundings: density of accepted frequencies near it, over that on the denser
/// of its two sides, 10 to 25 away. One count is added everywhere, so that empty sides give a large number and not an
/// infinite one. NaN for an empty histogram.
double visibility(const Histogram& histogram, double line);

/// The same over the mean density between the lines (from 0 to the last, more than near_line away from each): a
/// stricter reading of "visible", and the one claims are measured by, since it holds the tails of the large peaks
/// against the small one.
double visibility_between_lines(const Histogram& histogram, double line);

/// The largest distance of a line of the multiscale function to the nearest of the model's six largest input lines,
/// twins closer than 0.5 merged.
double farthest_line(const Model& model);

/// Distance of a line from the densest bin within 15 of it, in the one of blocks 1 to 3 that has most accepted
/// frequencies there: where the histogram's peak is. NaN where fewer than 1 % of each block's are there: no chain came
/// by.
double peak_distance(const Run& run, double line);

/// Slope of log(test error) against log(W·ℓ) over the blocks; NaN with fewer than two.
double error_slope(const Run& run);

/// Test error after a block; NaN when it is not there.
double test_error(const Run& run, std::int64_t block);

/// Accepted over proposed frequencies, all blocks and branches that move.
double acceptance_of(const Run& run);

/// Adam's training error after the last epoch noted that is not beyond `epoch`; NaN when there is none.
double adam_error_at(const Run& run, std::int64_t epoch);

/// Adam's training error after as many seconds as another run took for its first blocks, over that run's training error
/// there. By the clock, so that it differs a little from machine to machine.
double adam_behind(const Run& adam, const Run& other, std::int64_t blocks);

/// Test error after the first block whose training error is at most `tolerance` (else after the last), over it.
double error_at_tolerance(const Run& run, double tolerance);

/// Share of the squared error on the test rows, after the last block, that lies within 0.05 of a jump of the stairstep.
double error_near_jumps(const Run& run);

/// Share of the variance over the training rows that the branches over the state have, of that of all branches of the
/// blocks from the second on. NaN with fewer than two blocks.
double state_share(const Run& run);

/// How far a function leaves the range of the two plateaus beside a jump, in units of the jump; median over the three
/// jumps of the stairstep. Looked at within 0.1 of the jump, but not between the two training rows that enclose it:
/// nobody can know where between them the jump is. Gibbs' phenomenon is 0.09.
double overshoot(const std::function<Matrix(const Matrix& inputs)>& function, std::span<const double> training_inputs);

/// The same of a run's network after its last block.
double overshoot(const Run& run);

}  // namespace rfnn::reproduction
