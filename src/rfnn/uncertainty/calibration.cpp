#include "rfnn/uncertainty/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "rfnn/uncertainty/groups.hpp"
#include "rfnn/uncertainty/scores.hpp"
#include "rfnn/uncertainty/shape.hpp"
#include "rfnn/uncertainty/tuning.hpp"

namespace rfnn::uncertainty {
namespace {

double weight_of(const Judged& judged, std::size_t row) { return judged.weights.empty() ? 1.0 : judged.weights[row]; }

Matrix rows_of(const Matrix& from, const std::vector<std::size_t>& places) {
  if (from.empty()) return {};
  Matrix some(places.size(), from.cols());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = 0; k < from.cols(); ++k) some(i, k) = from(places[i], k);
  return some;
}

std::vector<double> rows_of(const std::vector<double>& from, const std::vector<std::size_t>& places) {
  if (from.empty()) return {};
  std::vector<double> some;
  for (const std::size_t place : places) some.push_back(from[place]);
  return some;
}

/// c, e and b of one output: their logarithms are moved one after the other, by steps that halve.
class WidthFit {
 public:
  WidthFit(const Judged& judged, std::size_t output, const CalibrationOptions& options, std::optional<double> reach)
      : judged_(judged),
        output_(output),
        step_(judged.rows() / tuning::most_fitted + 1),
        parts_{.prior = options.prior, .far = options.far.value_or(options.prior), .reach = reach} {
    for (std::size_t i = 0; i < judged.rows(); i += step_) {
      const double weight = weight_of(judged, i);
      mean_square_ += weight * judged.left(i, output) * judged.left(i, output);
      weights_ += weight;
    }
    mean_square_ = std::max(mean_square_ / weights_, std::numeric_limits<double>::min());
  }

  [[nodiscard]] WidthParts fit() {
    std::array<double, 3> best = {};
    double least = std::numeric_limits<double>::infinity();
    for (const double gain : {0.0, -3.0, 3.0})
      for (const double floor : {0.0, -2.0, -5.0}) {
        std::array<double, 3> at = {gain, 0.0, floor};
        const double cost = improve(at);
        if (cost < least) {
          least = cost;
          best = at;
        }
      }
    return parts(best);
  }

 private:
  /// Of the logarithms; the floor's is of its share of the mean square.
  [[nodiscard]] WidthParts parts(const std::array<double, 3>& at) const {
    WidthParts parts = parts_;
    parts.gain = has_variance() ? std::exp(at[0]) : 0.0;
    parts.spread = has_spread() ? std::exp(at[1]) : 0.0;
    parts.floor = mean_square_ * std::exp(at[2]);
    return parts;
  }
  [[nodiscard]] bool has_variance() const { return !judged_.variance.empty(); }
  [[nodiscard]] bool has_spread() const { return !judged_.spread.empty(); }

  [[nodiscard]] double cost(const std::array<double, 3>& at) const {
    const WidthParts parts = this->parts(at);
    double cost = 0.0;
    for (std::size_t i = 0; i < judged_.rows(); ++i) {
      const double square =
          parts.square(has_variance() ? judged_.variance[i] : 0.0, has_spread() ? judged_.spread(i, output_) : 0.0);
      cost += weight_of(judged_, i) * student_cost(judged_.left(i, output_), square);
    }
    cost *= static_cast<double>(judged_.rows() / step_) / weights_;
    for (const std::size_t k : {0U, 1U}) cost += 0.5 * at[k] * at[k] / (tuning::sd_of_gain * tuning::sd_of_gain);
    return cost;
  }

  double improve(std::array<double, 3>& at) const {
    constexpr double first_step = 1.5, last_step = 0.05, least_floor = -25.0;
    double least = cost(at);
    for (double step = first_step; step > last_step;) {
      bool moved = false;
      for (std::size_t k = 0; k < at.size(); ++k) {
        if ((k == 0 && !has_variance()) || (k == 1 && !has_spread())) continue;
        for (const double by : {step, -step}) {
          std::array<double, 3> to = at;
          to[k] += by;
          if (to[2] < least_floor) continue;
          const double there = cost(to);
          if (!(there < least)) continue;
          least = there;
          at = to;
          moved = true;
          break;
        }
      }
      if (!moved) step *= 0.5;
    }
    return least;
  }

  const Judged& judged_;
  std::size_t output_, step_;  ///< every so manieth row
  WidthParts parts_;           ///< of all that is tried
  double mean_square_ = 0.0, weights_ = 0.0;
};

/// ln of the widths of all rows without a shape.
Matrix log_widths(const Judged& judged, double prior, const Uncertainty& known) {
  Matrix logs(judged.rows(), judged.left.cols());
  for (std::size_t o = 0; o < logs.cols(); ++o) {
    const WidthParts parts = width_parts(known, prior, o);
    for (std::size_t i = 0; i < logs.rows(); ++i)
      logs(i, o) = 0.5 * std::log(parts.square(judged.variance.empty() ? 0.0 : judged.variance[i],
                                               judged.spread.empty() ? 0.0 : judged.spread(i, o)));
  }
  return logs;
}

/// Costs of the rows at the best common factor of their widths, found among some.
std::vector<double> costs(const Judged& judged, const Matrix& logs) {
  std::vector<double> best;
  double least = std::numeric_limits<double>::infinity();
  for (double factor = -1.5; factor <= 1.5; factor += 0.05) {
    std::vector<double> these(judged.rows(), 0.0);
    double sum = 0.0;
    for (std::size_t i = 0; i < these.size(); ++i) {
      for (std::size_t o = 0; o < logs.cols(); ++o)
        these[i] += student_cost(judged.left(i, o), std::exp(2.0 * (logs(i, o) + factor)));
      these[i] *= weight_of(judged, i);
      sum += these[i];
    }
    if (sum < least) {
      least = sum;
      best = std::move(these);
    }
  }
  return best;
}

/// Are errors likelier with these widths than with those?
bool surely_likelier(const Judged& judged, const Matrix& with, const Matrix& without) {
  const std::vector<double> costs_with = costs(judged, with), costs_without = costs(judged, without);
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < costs_with.size(); ++i) {
    const double gain = costs_without[i] - costs_with[i];
    sum += gain;
    squares += gain * gain;
  }
  const auto count = static_cast<double>(costs_with.size());
  return sum > tuning::sure_of_shape * std::sqrt(std::max(squares - sum * sum / count, 0.0));
}

/// Mean over rows and outputs of the continuous ranked probability score with these widths, each output over its mean
/// |error|.
double ranked_score(const Judged& judged, const Matrix& logs) {
  double total = 0.0;
  for (std::size_t o = 0; o < logs.cols(); ++o) {
    std::vector<double> scores(judged.rows());
    double size = 0.0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = judged.left(i, o) * std::exp(-logs(i, o));
      size += weight_of(judged, i) * std::abs(judged.left(i, o));
    }
    const ScoreDistribution law(kept_scores(scores, judged.weights));
    double sum = 0.0;
    for (std::size_t i = 0; i < scores.size(); ++i)
      sum += weight_of(judged, i) * std::exp(logs(i, o)) * law.crps(scores[i]);
    if (size > 0.0) total += sum / size;
  }
  return total;
}

/// Shapes the widths, if that makes errors surely likelier and does not make their distributions worse as a whole:
/// where most errors are rounding and a few are not, likelihood alone would let widths differ by as much as the errors
/// do, and scores besides.
void add_shape(const Judged& judged, const CalibrationOptions& options, rows::RowWork& work, Interrupt& interrupt,
               Uncertainty& known, Matrix& logs) {
  const std::size_t outputs = judged.left.cols(), inputs = judged.inputs.cols();
  if (options.stretches > 0 || judged.rows() < tuning::fewest_shape_rows || interrupt.stopped()) return;
  Matrix variables(judged.rows(), inputs + outputs), targets(judged.rows(), outputs);
  for (std::size_t i = 0; i < judged.rows(); ++i) {
    for (std::size_t k = 0; k < inputs; ++k) variables(i, k) = judged.inputs(i, k);
    for (std::size_t o = 0; o < outputs; ++o) {
      variables(i, inputs + o) = judged.predicted(i, o);
      const double ratio = judged.left(i, o) * std::exp(-logs(i, o));
      targets(i, o) = 0.5 * std::log(ratio * ratio + tuning::least_square);
    }
  }
  // A row without its group is what a row without itself is otherwise.
  const Groups groups = group_rows(variables, options.by_groups ? tuning::least_group : 1);
  std::optional<Shape> shape =
      options.by_groups ? fit_shape(groups.means(variables, judged.weights), groups.means(targets, judged.weights),
                                    groups.sums(judged.weights), options.seed, work, interrupt)
                        : fit_shape(variables, targets, judged.weights, options.seed, work, interrupt);
  if (!shape) return;
  Matrix shaped = logs;
  for (std::size_t i = 0; i < shaped.rows(); ++i)
    for (std::size_t o = 0; o < outputs; ++o)
      shaped(i, o) += shape->left_out(options.by_groups ? groups.of_row[i] : i, o);
  if (!surely_likelier(judged, shaped, logs) || !(ranked_score(judged, shaped) <= ranked_score(judged, logs))) return;
  logs = std::move(shaped);
  known.shape = std::move(shape->form);
}

/// 95 % quantiles of Student's law with 1, 2, … degrees of freedom over that of the normal law.
double widening(std::size_t stretches) {
  constexpr std::array<double, 5> quantiles = {6.314, 2.920, 2.353, 2.132, 2.015};
  constexpr double normal = 1.645;
  return quantiles[std::clamp<std::size_t>(stretches, 1, quantiles.size()) - 1] / normal;
}

/// Scores, and the same with the other sign, so many times as large.
void both_signs(std::vector<double>& scores, std::vector<double>& weights, double times) {
  for (double& score : scores) score *= times;
  const std::size_t count = scores.size();
  for (std::size_t i = 0; i < count; ++i) scores.push_back(-scores[i]);
  if (!weights.empty())
    weights.insert(weights.end(), weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(count));
}

/// Rows of which all is known and that count at all, at the most so many.
std::vector<std::size_t> usable(const Judged& judged) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < judged.rows(); ++i) {
    bool known = weight_of(judged, i) > 0.0 && (judged.variance.empty() || std::isfinite(judged.variance[i]));
    for (std::size_t o = 0; o < judged.left.cols(); ++o) known = known && std::isfinite(judged.left(i, o));
    if (known) places.push_back(i);
  }
  if (places.size() <= tuning::most_judged) return places;
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < tuning::most_judged; ++k) some.push_back(places[k * places.size() / tuning::most_judged]);
  return some;
}

/// u that only few of the rows judged have more of.
std::optional<double> reach_of(const Judged& judged, double prior) {
  if (judged.variance.empty()) return std::nullopt;
  std::vector<double> variance = judged.variance;
  const auto place = static_cast<std::ptrdiff_t>(tuning::share_within_reach * static_cast<double>(variance.size() - 1));
  std::nth_element(variance.begin(), variance.begin() + place, variance.end());
  const double closed = prior - variance[static_cast<std::size_t>(place)];
  return variance[static_cast<std::size_t>(place)] / std::max(closed, tuning::rounding * prior);
}

}  // namespace

Judged Judged::at(const std::vector<std::size_t>& places) const {
  return {rows_of(inputs, places), rows_of(predicted, places), rows_of(left, places),
          rows_of(spread, places), rows_of(variance, places),  rows_of(weights, places)};
}

void append(Judged& all, const Judged& more) {
  if (all.rows() == 0) {
    all = more;
    return;
  }
  const auto join = [](Matrix& to, const Matrix& from) {
    const std::size_t before = to.rows();
    if (from.empty()) return;
    to.resize_rows(before + from.rows());
    std::copy(from.data(), from.data() + from.size(), to.data() + before * to.cols());
  };
  const std::size_t before = all.rows();
  join(all.inputs, more.inputs);
  join(all.predicted, more.predicted);
  join(all.left, more.left);
  join(all.spread, more.spread);
  const bool known = all.variance.size() == before && more.variance.size() == more.rows();
  all.variance.insert(all.variance.end(), more.variance.begin(), more.variance.end());
  if (!known) all.variance.clear();
  if (all.weights.empty() && more.weights.empty()) return;
  all.weights.resize(before, 1.0);
  for (std::size_t i = 0; i < more.rows(); ++i) all.weights.push_back(weight_of(more, i));
}

double WidthParts::square(double variance, double spread_square) const {
  // w/(1 + w) with w a sum of multiples of u = v/(k(0) − v), which may be infinite: both parts times k(0) − v. Where
  // rows were judged by another law, v may be more than k(0).
  const double closed = std::max(prior - variance, 0.0);
  double open = gain * variance;
  if (reach) open += std::max(1.0 - gain, 0.0) * std::max(variance - *reach * closed, 0.0);
  const double of_rows = open > 0.0 ? far * open / (far / prior * closed + open) : 0.0;
  return of_rows + spread * spread_square + floor;
}

WidthParts width_parts(const Uncertainty& known, double prior, std::size_t output) {
  return {prior, known.far.value_or(prior), known.reach, known.gain[output], known.spread[output], known.floor[output]};
}

std::optional<Uncertainty> calibrate(const Judged& all, const CalibrationOptions& options, rows::RowWork& work,
                                     Interrupt& interrupt) {
  const std::vector<std::size_t> places = usable(all);
  if (places.empty()) return std::nullopt;
  const Judged judged = all.at(places);
  const std::size_t outputs = judged.left.cols();
  Uncertainty known;
  known.rows = all.rows();
  known.far = options.far;
  if (options.stranger) known.reach = reach_of(judged, options.prior);
  for (std::size_t o = 0; o < outputs; ++o) {
    const WidthParts parts = WidthFit(judged, o, options, known.reach).fit();
    known.gain.push_back(parts.gain);
    known.spread.push_back(parts.spread);
    known.floor.push_back(parts.floor);
  }
  Matrix logs = log_widths(judged, options.prior, known);
  add_shape(judged, options, work, interrupt, known, logs);
  known.judged = Matrix(std::min(judged.rows(), tuning::most_shown), 2 * outputs);
  for (std::size_t k = 0; k < known.judged.rows(); ++k) {
    const std::size_t i = k * judged.rows() / known.judged.rows();
    for (std::size_t o = 0; o < outputs; ++o) {
      known.judged(k, 2 * o) = std::exp(logs(i, o));
      known.judged(k, 2 * o + 1) = judged.left(i, o);
    }
  }
  std::vector<std::vector<double>> scores(outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    for (std::size_t i = 0; i < judged.rows(); ++i) scores[o].push_back(judged.left(i, o) * std::exp(-logs(i, o)));
    std::vector<double> weights = judged.weights;
    if (options.stretches > 0) both_signs(scores[o], weights, widening(options.stretches));
    scores[o] = kept_scores(std::move(scores[o]), weights);
  }
  known.scores = Matrix(scores[0].size(), outputs);
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t k = 0; k < scores[o].size(); ++k) known.scores(k, o) = scores[o][k];
  return known;
}

}  // namespace rfnn::uncertainty
