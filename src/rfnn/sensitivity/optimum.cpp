#include "rfnn/sensitivity/optimum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <LBFGSB.h>
#include <Eigen/Core>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/sensitivity/gradients.hpp"
#include "rfnn/sensitivity/sobol_points.hpp"

namespace rfnn {
namespace {

/// Points among which the starts are the best: so many per factor, within bounds.
constexpr std::size_t points_per_factor = 256, fewest_points = 1024, most_points = 8192;
/// Starts are further apart than this in some factor, in its range.
constexpr double least_distance = 0.05;
/// L-BFGS-B: it is begun anew, at the best point, where a line search fails, as long as that gains.
constexpr int most_steps = 200, most_beginnings = 8;
constexpr double least_gain = 1e-12;
/// Steps along the gradient in between, over the box's sides; values are over the spread of the predictions.
constexpr double first_slide = 0.1, least_slide_gain = 1e-9;
constexpr int most_slides = 20, most_halvings = 30;

void check_factors(const Model& model, const std::vector<Factor>& factors, std::size_t output) {
  if (output >= model.outputs())
    throw UsageError("There is no output " + std::to_string(output) + ".",
                     "The model has " + std::to_string(model.outputs()) + ", counted from 0.");
  for (const Factor& factor : factors) {
    const bool sound = factor.continuous()
                           ? std::isfinite(factor.low) && std::isfinite(factor.high) && factor.low <= factor.high
                           : std::accumulate(factor.shares.begin(), factor.shares.end(), 0.0) > 0.0;
    if (!sound)
      throw UsageError("The box has no values of " + factor.name + ".", "Give a finite lower bound and an upper one.");
  }
}

/// A place in the box: numbers and times as shares of their range, levels by their places.
struct Place {
  std::vector<double> shares;  ///< per factor
  double value = std::numeric_limits<double>::infinity();
};

/// The function to be made small, from the box to the sign of the goal times the prediction.
class Goal {
 public:
  Goal(const Model& model, const std::vector<Factor>& factors, const OptimumOptions& options)
      : model_(model),
        factors_(factors),
        options_(options),
        gradients_(model, options.threads),
        sign_(options.maximum ? -1.0 : 1.0) {
    for (std::size_t f = 0; f < factors.size(); ++f)
      if (factors[f].continuous() && factors[f].varies()) moving_.push_back(f);
    for (std::size_t f = 0; f < factors.size(); ++f) {
      // Equal steps of what the network sees: of the logarithm where it sees that.
      const Factor& factor = factors[f];
      std::size_t used = 0;
      for (std::size_t k = 0; k < factor.first; ++k) used += model.inputs[k].used ? 1 : 0;
      logarithmic_.push_back(factor.continuous() && model.inputs[factor.first].used && factor.low > 0.0 &&
                             !model.scaler.input_log_from.empty() && model.scaler.input_log_from[used] > 0.0);
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& moving() const { return moving_; }
  [[nodiscard]] double sign() const { return sign_; }

  [[nodiscard]] double value_of(std::size_t f, double share) const {
    const Factor& factor = factors_[f];
    if (!factor.continuous()) return share;
    const double value = logarithmic_[f] ? factor.low * std::pow(factor.high / factor.low, share)
                                         : factor.low + share * (factor.high - factor.low);
    return std::clamp(value, factor.low, factor.high);
  }

  void put(const Place& place, double* row) const {
    for (std::size_t f = 0; f < factors_.size(); ++f) factors_[f].put(value_of(f, place.shares[f]), row);
  }

  /// Values of many places at once.
  bool evaluate(std::vector<Place>& places, const PredictOptions& options) const {
    Matrix inputs(places.size(), model_.input_count()), outputs(places.size(), model_.outputs());
    for (std::size_t i = 0; i < places.size(); ++i) put(places[i], inputs.data() + i * inputs.cols());
    const bool done = predict(model_, inputs.view(), outputs.view(), options);
    for (std::size_t i = 0; i < places.size() && done; ++i) places[i].value = bounded(outputs(i, options_.output));
    return done;
  }

  /// Value and derivatives by the moving factors' shares.
  double evaluate(const Place& place, Eigen::VectorXd& gradient) const {
    Matrix inputs(1, model_.input_count()), outputs(1, model_.outputs()), jacobian(1, model_.outputs() * inputs.cols());
    put(place, inputs.data());
    gradients_.gradients(inputs.view(), outputs.view(), jacobian.view());
    for (std::size_t j = 0; j < moving_.size(); ++j) {
      const Factor& factor = factors_[moving_[j]];
      const double along = logarithmic_[moving_[j]]
                               ? value_of(moving_[j], place.shares[moving_[j]]) * std::log(factor.high / factor.low)
                               : factor.high - factor.low;
      const double slope = jacobian(0, options_.output * inputs.cols() + factor.first);
      gradient[static_cast<Eigen::Index>(j)] = std::isfinite(slope) ? sign_ * slope * along : 0.0;
    }
    return bounded(outputs(0, options_.output));
  }

 private:
  [[nodiscard]] double bounded(double value) const {
    return std::isfinite(value) ? sign_ * value : std::numeric_limits<double>::max();
  }

  const Model& model_;
  const std::vector<Factor>& factors_;
  const OptimumOptions& options_;
  GradientPredictor gradients_;
  double sign_;
  std::vector<std::size_t> moving_;
  std::vector<bool> logarithmic_;
};

/// The goal for LBFGS++, which remembers the best place it was asked about: values are over `unit`.
struct Watched {
  const Goal& goal;
  Place& best;
  Interrupt& interrupt;
  double unit;

  double operator()(const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
    if (!interrupt.proceed()) throw std::runtime_error("told to end");
    Place place{best.shares};
    for (std::size_t j = 0; j < goal.moving().size(); ++j)
      place.shares[goal.moving()[j]] = std::clamp(x[static_cast<Eigen::Index>(j)], 0.0, 1.0);
    place.value = goal.evaluate(place, gradient);
    if (place.value < best.value) best = place;
    gradient /= unit;
    return place.value / unit;
  }
};

/// A few steps against the gradient, cut off at the box, as long as they gain: where L-BFGS-B is stuck at bounds.
void slide(Watched& watched) {
  const std::vector<std::size_t>& moving = watched.goal.moving();
  Eigen::VectorXd gradient(static_cast<Eigen::Index>(moving.size())), other = gradient;
  double step = first_slide;
  for (int turn = 0; turn < most_slides; ++turn) {
    Eigen::VectorXd x(gradient.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) x[j] = watched.best.shares[moving[static_cast<std::size_t>(j)]];
    const double before = watched(x, gradient);
    double after = before;
    for (int half = 0; half < most_halvings && !(after < before - least_gain); ++half, step *= 0.5)
      after = watched((x - step * gradient).cwiseMax(0.0).cwiseMin(1.0), other);
    if (!(before - after > least_slide_gain)) return;
    step *= 4.0;
  }
}

void descend(const Goal& goal, Place& best, double unit, Interrupt& interrupt) {
  const auto count = static_cast<Eigen::Index>(goal.moving().size());
  if (count == 0) return;
  LBFGSpp::LBFGSBParam<double> settings;
  settings.epsilon = settings.epsilon_rel = 1e-10;
  settings.past = 3;
  settings.delta = 1e-14;
  settings.max_iterations = most_steps;
  settings.max_linesearch = 40;
  const Eigen::VectorXd low = Eigen::VectorXd::Zero(count), high = Eigen::VectorXd::Ones(count);
  for (int beginning = 0; beginning < most_beginnings && !interrupt.stopped(); ++beginning) {
    const double before = best.value;
    Eigen::VectorXd x(count);
    for (Eigen::Index j = 0; j < count; ++j) x[j] = best.shares[goal.moving()[static_cast<std::size_t>(j)]];
    Watched watched{goal, best, interrupt, unit};
    double value = 0.0;
    try {
      LBFGSpp::LBFGSBSolver<double> solver(settings);
      solver.minimize(watched, x, value, low, high);
    } catch (const std::runtime_error&) {  // no better point along a line, or told to end: the best so far it is
    } catch (const std::logic_error&) {
    }
    if (interrupt.stopped()) return;
    try {
      slide(watched);
    } catch (const std::runtime_error&) {
      return;  // told to end
    }
    if (!(before - best.value > least_gain * unit)) break;
  }
}

/// The best other level of any factor with levels; false where none gains.
bool change_level(const Goal& goal, const std::vector<Factor>& factors, Place& best, double unit) {
  std::vector<Place> others;
  for (std::size_t f = 0; f < factors.size(); ++f)
    for (std::size_t level = 0; level < factors[f].shares.size() && factors[f].varies(); ++level) {
      if (!(factors[f].shares[level] > 0.0) || best.shares[f] == static_cast<double>(level)) continue;
      others.push_back(best);
      others.back().shares[f] = static_cast<double>(level);
    }
  if (others.empty() || !goal.evaluate(others, {})) return false;
  const auto least =
      std::min_element(others.begin(), others.end(), [](const Place& a, const Place& b) { return a.value < b.value; });
  if (!(best.value - least->value > least_gain * unit)) return false;
  best = *least;
  return true;
}

/// Places that fill the box.
std::vector<Place> points_in(const std::vector<Factor>& factors, std::uint64_t seed) {
  const std::size_t count = std::clamp(points_per_factor * factors.size(), fewest_points, most_points);
  const Matrix points = sensitivity::SobolPoints(factors.size(), seed).draw(std::bit_ceil(count), 0);
  std::vector<Place> places(points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i)
    for (std::size_t f = 0; f < factors.size(); ++f) {
      const bool continuous = factors[f].continuous();
      places[i].shares.push_back(continuous ? points(i, f) : factors[f].at(points(i, f)));
    }
  return places;
}

/// The best of them that are apart from each other.
std::vector<Place> starts_among(std::vector<Place> places, std::size_t count) {
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.value < b.value; });
  std::vector<Place> starts;
  for (const Place& place : places) {
    if (starts.size() == count) break;
    const bool apart = std::all_of(starts.begin(), starts.end(), [&](const Place& other) {
      double distance = 0.0;
      for (std::size_t f = 0; f < place.shares.size(); ++f)
        distance = std::max(distance, std::abs(place.shares[f] - other.shares[f]));
      return distance > least_distance;
    });
    if (apart) starts.push_back(place);
  }
  return starts;
}

}  // namespace

Optimum find_optimum(const Model& model, const std::vector<Factor>& factors, const OptimumOptions& options) {
  check_factors(model, factors, options.output);
  const Goal goal(model, factors, options);
  std::vector<Place> places = points_in(factors, options.seed);
  Optimum found;
  const std::size_t threads = thread_count(options.threads);
  found.complete = goal.evaluate(places, {.threads = threads, .proceed = options.proceed});
  const auto [least, most] = std::minmax_element(places.begin(), places.end(),
                                                 [](const Place& a, const Place& b) { return a.value < b.value; });
  const double unit =
      most->value > least->value && std::isfinite(most->value - least->value) ? most->value - least->value : 1.0;
  std::vector<Place> starts = starts_among(std::move(places), std::max<std::size_t>(options.starts, 1));
  Interrupt interrupt(options.proceed);
  Workers workers(std::min(threads, starts.size()));
  if (found.complete)
    found.complete = workers.run(
        starts.size(), true,
        [&](std::size_t start, std::size_t) {
          Place& place = starts[start];
          do descend(goal, place, unit, interrupt);
          while (!interrupt.stopped() && change_level(goal, factors, place, unit));
        },
        interrupt);
  const Place& best =
      *std::min_element(starts.begin(), starts.end(), [](const Place& a, const Place& b) { return a.value < b.value; });
  found.starts = starts.size();
  for (const Place& start : starts) found.agreeing += start.value - best.value <= 1e-6 * unit ? 1 : 0;
  found.value = goal.sign() * best.value;
  found.inputs.resize(model.input_count());
  goal.put(best, found.inputs.data());
  for (std::size_t f = 0; f < factors.size(); ++f) found.values.push_back(goal.value_of(f, best.shares[f]));
  return found;
}

}  // namespace rfnn
