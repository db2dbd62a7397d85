// What a network has left in its residuals that is no noise.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "rfnn/data/moment.hpp"
#include "rfnn/diagnostics/problems.hpp"
#include "rfnn/diagnostics/residual_spectrum.hpp"
#include "rfnn/diagnostics/spectrum.hpp"

namespace rfnn::diagnosis {
namespace {

constexpr double worth_a_word = 0.01;  ///< of the target's variance
constexpr std::size_t most_queries = 500, most_neighbours = 10000;

std::vector<double> column(const Matrix& matrix, std::size_t k) {
  std::vector<double> values;
  for (std::size_t i = 0; i < matrix.rows(); ++i) values.push_back(matrix(i, k));
  return values;
}

double variance(const std::vector<double>& values) {
  double mean = 0.0, sum = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

double mean_square(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

/// Inputs with a standard deviation of 1; those that do not vary count for nothing.
Matrix standardised(const Matrix& inputs) {
  Matrix result(inputs.rows(), inputs.cols());
  for (std::size_t k = 0; k < inputs.cols(); ++k) {
    const double sd = std::sqrt(variance(column(inputs, k)));
    for (std::size_t i = 0; i < inputs.rows(); ++i) result(i, k) = sd > 0.0 ? inputs(i, k) / sd : 0.0;
  }
  return result;
}

/// Rows spread over all, and the nearest other row of each.
std::vector<std::pair<std::size_t, std::size_t>> neighbours(const Matrix& inputs) {
  const Matrix places = standardised(inputs);
  const std::size_t rows = std::min(places.rows(), most_neighbours), queries = std::min(rows, most_queries);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t q = 0; q < queries; ++q) {
    const std::size_t i = q * rows / queries;
    double least = std::numeric_limits<double>::infinity();
    std::size_t nearest = i;
    for (std::size_t j = 0; j < rows; ++j) {
      double squares = 0.0;
      for (std::size_t k = 0; k < places.cols() && squares < least; ++k)
        squares += (places(i, k) - places(j, k)) * (places(i, k) - places(j, k));
      if (j != i && squares < least) least = squares, nearest = j;
    }
    if (nearest != i) pairs.emplace_back(i, nearest);
  }
  return pairs;
}

/// Half the mean squared difference of a quantity between neighbours: the variance of the noise, and more where
/// neighbours are far apart.
double noise_of(const std::vector<double>& values, const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  double sum = 0.0;
  for (const auto& [i, j] : pairs) sum += (values[i] - values[j]) * (values[i] - values[j]);
  return 0.5 * sum / static_cast<double>(pairs.size());
}

struct Wave {
  double of_target = 0.0;  ///< share of the target's variance
  double of_rest = 0.0;
  std::size_t input = 0;
  double period = 0.0;
};

/// The strongest wave along any input that noise would not make.
std::optional<Wave> strongest_wave(const Evidence& evidence, const std::vector<double>& left, double target) {
  const Model& model = *evidence.model;
  const double rest = variance(left);
  std::optional<Wave> strongest;
  for (std::size_t k = 0; k < model.inputs.size(); ++k) {
    if (!model.inputs[k].used) continue;
    const auto spectrum = residual_spectrum(column(evidence.seen->inputs, k), left);
    if (!spectrum || spectrum->lines.empty()) continue;
    const ResidualLine& line = spectrum->lines.front();
    const double share = line.share * rest / target;
    if (!strongest || share > strongest->of_target)
      strongest = Wave{share, line.share, k, 2.0 * std::numbers::pi / line.frequency};
  }
  return strongest;
}

/// A period along an input, of a time in the unit that fits.
std::string period_along(const Model& model, const Wave& wave) {
  const Column& input = model.inputs[wave.input];
  const std::string period =
      counts_days(model, input.name) ? span_text(wave.period) : fmt::format("{:.3g}", wave.period);
  return fmt::format("{} along {}", period, input.name);
}

std::string larger_network(const Options& options) {
  if (options.preset == Preset::paper)
    return fmt::format("--blocks {} --iterations {}", 2 * options.blocks, 2 * options.iterations);
  const Options usual = preset_options(Preset::automatic);
  if (options.width != usual.width || options.blocks < usual.blocks)
    return fmt::format("--width auto --blocks {}", usual.blocks);
  return "a table with the inputs that are missing, if any are";
}

}  // namespace

std::optional<Problem> residuals(const Evidence& evidence) {
  constexpr std::size_t fewest_rows = 20;
  constexpr double far_apart = 2.0;
  if (!evidence.seen || evidence.model == nullptr || evidence.seen->residuals.rows() < fewest_rows) return std::nullopt;
  const RowsSeen& seen = *evidence.seen;
  const Model& model = *evidence.model;
  const auto pairs = neighbours(seen.inputs);
  const std::string flag = larger_network(evidence.options);
  std::optional<Problem> worst;
  double worst_share = worth_a_word;
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    const std::vector<double> left = column(seen.residuals, o), truth = column(seen.targets, o);
    const double target = variance(truth), rest = mean_square(left);
    if (!(target > 0.0)) continue;
    const std::string of = model.outputs() == 1 ? "" : fmt::format(" of {}", model.targets[o].name);
    if (const auto wave = strongest_wave(evidence, left, target); wave && wave->of_target > worst_share) {
      worst_share = wave->of_target;
      worst = Problem{
          ProblemKind::residuals,
          fmt::format("the residuals{} have structure left: a wave of period {} is {:.0f} % of them, {:.2g} % of "
                      "the target's variance",
                      of, period_along(model, *wave), 100.0 * wave->of_rest, 100.0 * wave->of_target),
          flag};
    }
    if (pairs.size() < fewest_rows) continue;
    const double noise = noise_of(truth, pairs), share = (rest - noise) / target;
    if (rest > far_apart * noise && share > worst_share) {
      worst_share = share;
      worst =
          Problem{ProblemKind::residuals,
                  fmt::format("the residuals{} have structure left: their mean square is {:.3g}, while neighbouring "
                              "rows differ by noise of {:.3g} at most ({:.2g} % of the target's variance apart)",
                              of, rest, noise, 100.0 * share),
                  flag};
    }
  }
  return worst;
}

}  // namespace rfnn::diagnosis
