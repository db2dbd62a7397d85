#pragma once

// Private header. The paper's figures, from runs. Predictions and histograms are those of the smallest seed there is;
// errors are over all seeds. A figure whose runs are missing is left out.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rfnn/report/figure.hpp"
#include "rfnn/reproduction/run.hpp"

namespace rfnn::reproduction {

using report::Colour;
using report::ColourScale;
using report::Figure;
using report::FigureSize;
using report::Mark;
using report::Series;
using report::short_number;

/// Predictions after blocks 1 to 3 over the target, a closer look at them, and the accepted frequencies beneath.
std::vector<Figure> multiscale_progress_figures(std::span<const Run> runs);
/// Adam's prediction and loss, for both of the paper's settings.
std::vector<Figure> adam_figures(std::span<const Run> runs);
/// The function itself, predictions of Methods 1 and 2 after blocks 2, 5 and 10, and a closer look at a jump.
std::vector<Figure> stairstep_figures(std::span<const Run> runs);
/// The 3-d function and its approximation on lines and on a plane through the middle.
std::vector<Figure> sine_figures(std::span<const Run> runs);
/// Error against W·L with the 1/(WL) line, median and quartiles over the seeds: one figure, two for the stairstep.
std::vector<Figure> error_figures(std::span<const Run> runs, Target target);

// What they are made with.

/// One method in a figure over all seeds.
struct SeedCurves {
  std::string name;
  Colour colour = Colour::red;
  std::vector<double> x;               ///< common to all seeds
  std::vector<std::vector<double>> y;  ///< per seed
};

/// The median over seeds, and the band between the quartiles behind it (with more than one seed).
void add_over_seeds(std::vector<Series>& series, const SeedCurves& curves, Mark mark);

/// The run of the smallest seed; nullptr when there is none.
const Run* first_run(std::span<const Run> runs, Target target, std::string_view method);

std::vector<double> even_grid(double low, double high, std::size_t points);

/// The function of one input, and a run's network after so many blocks, at the given places.
std::vector<double> target_values(Target target, const std::vector<double>& x);
std::vector<double> predicted_values(const Run& run, const std::vector<double>& x, std::int64_t blocks);

/// "1 block", "3 blocks"
std::string block_label(std::int64_t blocks);

/// The largest distance between two lists of numbers.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace rfnn::reproduction
