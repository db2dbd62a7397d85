#include "rfnn/finders/wide/frequency_law.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numbers>

#include "rfnn/core/random.hpp"
#include "rfnn/least_squares/dense.hpp"

namespace rfnn::wide {
namespace {

/// What the logarithms of the parameters are expected to be, for standardised rows.
struct Expected {
  double mean, sd;
};

/// Places of the parameters: a, s_1…s_d, b, t_1…t_d, σ².
struct Places {
  explicit Places(Eigen::Index inputs) : d(inputs) {}
  Eigen::Index d;
  [[nodiscard]] Eigen::Index rough() const { return d + 1; }
  [[nodiscard]] Eigen::Index noise() const { return 2 * d + 2; }
  [[nodiscard]] Eigen::Index count() const { return 2 * d + 3; }

  [[nodiscard]] Expected expected(Eigen::Index place) const {
    if (place == noise()) return {0.0, 4.0};
    if (place == 0 || place == rough()) return {0.0, 3.0};
    return {std::log(0.7 / std::sqrt(static_cast<double>(d))), 2.5};
  }
};

/// Least value of a smooth function by the limited-memory quasi-Newton method of Broyden, Fletcher, Goldfarb and
/// Shanno, with backtracking.
template <class Function>
double minimise(const Function& function, Eigen::VectorXd& x, int steps, Interrupt& interrupt) {
  struct Pair {
    Eigen::VectorXd step, change;
    double inverse;
  };
  constexpr std::size_t memory = 10;
  std::deque<Pair> pairs;
  Eigen::VectorXd gradient, trial_gradient;
  double value = function(x, gradient);
  for (int step = 0; step < steps && !interrupt.stopped(); ++step) {
    Eigen::VectorXd direction = -gradient;
    std::vector<double> weight(pairs.size());
    for (std::size_t i = pairs.size(); i-- > 0;) {
      weight[i] = pairs[i].inverse * pairs[i].step.dot(direction);
      direction -= weight[i] * pairs[i].change;
    }
    if (!pairs.empty()) direction *= 1.0 / (pairs.back().inverse * pairs.back().change.squaredNorm());
    for (std::size_t i = 0; i < pairs.size(); ++i)
      direction += (weight[i] - pairs[i].inverse * pairs[i].change.dot(direction)) * pairs[i].step;
    double slope = gradient.dot(direction);
    if (!(slope < 0.0)) {
      direction = -gradient;
      slope = -gradient.squaredNorm();
      pairs.clear();
    }
    // No parameter moves by more than a factor e² at once.
    double length = std::min(1.0, 2.0 / std::max(direction.cwiseAbs().maxCoeff(), 1e-300));
    bool found = false;
    double trial = value;
    for (int halving = 0; halving < 12 && !found; ++halving, length *= 0.4) {
      const Eigen::VectorXd there = x + length * direction;
      trial = function(there, trial_gradient);
      if (!(trial <= value + 1e-4 * length * slope)) continue;
      found = true;
      const Eigen::VectorXd moved = there - x, change = trial_gradient - gradient;
      const double product = moved.dot(change);
      if (product > 1e-12 * moved.norm() * change.norm()) {
        pairs.push_back({moved, change, 1.0 / product});
        if (pairs.size() > memory) pairs.pop_front();
      }
      x = there;
    }
    if (!found) break;
    const double gain = value - trial;
    value = trial;
    gradient = trial_gradient;
    if (gain < 0.02) break;  // of a log-likelihood: nothing
  }
  return value;
}

struct Sample {
  Eigen::MatrixXd points, r;
  Eigen::VectorXd weights;  ///< empty: all 1
};

Sample draw_rows(const rows::RowState& rows, std::size_t count, std::uint64_t seed) {
  const rows::RowState some = rows.some(count, Stream(seed, Purpose::proposal_rows, 1));
  const auto n = static_cast<Eigen::Index>(some.count());
  Sample sample{Eigen::MatrixXd(n, static_cast<Eigen::Index>(rows.inputs())),
                Eigen::MatrixXd(n, static_cast<Eigen::Index>(rows.outputs())), Eigen::VectorXd()};
  if (some.weighted()) sample.weights.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (some.weighted()) sample.weights(i) = some.weight(row);
    for (std::size_t k = 0; k < rows.inputs(); ++k)
      sample.points(i, static_cast<Eigen::Index>(k)) = some.variable_of(row, k);
    for (std::size_t o = 0; o < rows.outputs(); ++o) sample.r(i, static_cast<Eigen::Index>(o)) = some.residual(row, o);
  }
  return sample;
}

}  // namespace

double law_cost(const Eigen::MatrixXd& points, const Eigen::MatrixXd& r, const Eigen::VectorXd& logarithms,
                Eigen::VectorXd& gradient, Workers* workers, const Eigen::VectorXd& weights) {
  const Eigen::Index n = points.rows(), d = points.cols();
  const Places places(d);
  const Eigen::VectorXd values = logarithms.array().exp();
  const double a = values(0), b = values(places.rough()), noise = values(places.noise());
  // Panels of columns are tasks of their own; of every matrix only the lower triangle is used.
  constexpr Eigen::Index width = 96;
  const Eigen::Index panels = (n + width - 1) / width;
  const auto first = [&](std::size_t panel) { return static_cast<Eigen::Index>(panel) * width; };
  const auto last = [&](std::size_t panel) { return std::min(n, first(panel) + width); };
  Interrupt never;
  const auto each_panel = [&](FunctionRef<void(std::size_t, std::size_t)> work) {
    if (workers != nullptr) {
      workers->run(static_cast<std::size_t>(panels), true, work, never);
      return;
    }
    for (std::size_t panel = 0; panel < static_cast<std::size_t>(panels); ++panel) work(panel, 0);
  };

  const auto noise_share = [&](Eigen::Index i) { return weights.size() > 0 ? 1.0 / weights(i) : 1.0; };
  Eigen::MatrixXd smooth(n, n), rough(n, n), covariance(n, n);
  each_panel([&](std::size_t panel, std::size_t) {
    for (Eigen::Index j = first(panel); j < last(panel); ++j) {
      const Eigen::Index below = n - j;
      auto of_smooth = smooth.col(j).tail(below).array();
      auto of_rough = rough.col(j).tail(below).array();
      of_smooth.setZero();
      of_rough.setZero();
      for (Eigen::Index k = 0; k < d; ++k) {
        const double s = values(1 + k), t = values(places.rough() + 1 + k);
        const auto difference = points.col(k).tail(below).array() - points(j, k);
        of_smooth += s * s * difference.square();
        of_rough += t * difference.abs();
      }
      of_smooth = a * (-0.5 * of_smooth).exp();
      of_rough = b * (-of_rough).exp();
      covariance.col(j).tail(below) = smooth.col(j).tail(below) + rough.col(j).tail(below);
      covariance(j, j) += noise * noise_share(j) + 1e-10 * (a + b);
    }
  });
  gradient.setZero(places.count());
  const dense::Cholesky factor(covariance);
  if (!factor.positive_definite()) return std::numeric_limits<double>::infinity();
  Eigen::MatrixXd alpha = r;
  factor.solve_in_place(alpha);
  const double outputs = static_cast<double>(r.cols());
  double cost = 0.5 * alpha.cwiseProduct(r).sum();
  for (Eigen::Index i = 0; i < n; ++i) cost += outputs * std::log(factor.lower()(i, i));

  // Q = m·K⁻¹ − ααᵀ; the gradient is ½ Σ Q ∘ ∂K. K⁻¹ = XᵀX with X = L⁻¹, whose columns begin at the diagonal.
  Eigen::MatrixXd inverse_factor(n, n), q(n, n);
  each_panel([&](std::size_t panel, std::size_t) {
    const Eigen::Index from = first(panel), count = last(panel) - from;
    auto own = inverse_factor.block(from, from, n - from, count);
    own.setIdentity();
    dense::solve_triangle(dense::Part::lower, factor.lower().bottomRightCorner(n - from, n - from), own);
  });
  each_panel([&](std::size_t panel, std::size_t) {
    const Eigen::Index from = first(panel), count = last(panel) - from;
    for (Eigen::Index at = from; at < n; at += width) {
      const Eigen::Index high = std::min(width, n - at);
      q.block(at, from, high, count).noalias() = outputs * inverse_factor.block(at, at, n - at, high).transpose() *
                                                 inverse_factor.block(at, from, n - at, count);
      q.block(at, from, high, count).noalias() -=
          alpha.middleRows(at, high) * alpha.middleRows(from, count).transpose();
    }
  });
  for (Eigen::Index i = 0; i < n; ++i) gradient(places.noise()) += 0.5 * noise * noise_share(i) * q(i, i);
  Eigen::MatrixXd parts = Eigen::MatrixXd::Zero(places.count(), panels);
  each_panel([&](std::size_t panel, std::size_t) {
    auto part = parts.col(static_cast<Eigen::Index>(panel));
    for (Eigen::Index j = first(panel); j < last(panel); ++j) {
      const Eigen::Index below = n - j;
      q(j, j) *= 0.5;  // the others stand for two
      auto of_smooth = smooth.col(j).tail(below).array();
      auto of_rough = rough.col(j).tail(below).array();
      of_smooth *= q.col(j).tail(below).array();
      of_rough *= q.col(j).tail(below).array();
      part(0) += of_smooth.sum();
      part(places.rough()) += of_rough.sum();
      for (Eigen::Index k = 0; k < d; ++k) {
        const auto difference = points.col(k).tail(below).array() - points(j, k);
        part(1 + k) -= values(1 + k) * values(1 + k) * (of_smooth * difference.square()).sum();
        part(places.rough() + 1 + k) -= values(places.rough() + 1 + k) * (of_rough * difference.abs()).sum();
      }
    }
  });
  for (Eigen::Index panel = 0; panel < panels; ++panel) gradient += parts.col(panel);
  for (Eigen::Index place = 0; place < places.count(); ++place) {
    const Expected expected = places.expected(place);
    const double off = (logarithms(place) - expected.mean) / expected.sd;
    cost += 0.5 * off * off;
    gradient(place) += off / expected.sd;
  }
  return cost;
}

std::optional<FrequencyLaw> learn_law(const rows::RowState& rows, std::size_t most, std::uint64_t seed,
                                      Workers& workers, Interrupt& interrupt) {
  const Places places(static_cast<Eigen::Index>(rows.inputs()));
  // A likelihood may have two maxima: much noise and little structure, or the reverse. Both are tried on few rows, the
  // better goes on with all.
  constexpr double starts[] = {-3.0, -8.0};
  const Sample few = draw_rows(rows, std::min<std::size_t>(most, 500), seed), all = draw_rows(rows, most, seed);
  Eigen::VectorXd found[2];
  double cost[2];
  const bool done = workers.run_watched(
      2,
      [&](std::size_t start, std::size_t) {
        Eigen::VectorXd x(places.count());
        for (Eigen::Index i = 0; i < x.size(); ++i) x(i) = places.expected(i).mean;
        x(places.rough()) = -2.0;
        x(places.noise()) = starts[start];
        cost[start] = minimise(
            [&](const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
              return law_cost(few.points, few.r, at, gradient, nullptr, few.weights);
            },
            x, 60, interrupt);
        found[start] = x;
      },
      interrupt);
  if (!done) return std::nullopt;
  Eigen::VectorXd x = found[cost[1] < cost[0] ? 1 : 0];
  double value = std::min(cost[0], cost[1]);
  if (all.points.rows() > few.points.rows()) {
    value = minimise(
        [&](const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
          interrupt.proceed();
          return law_cost(all.points, all.r, at, gradient, &workers, all.weights);
        },
        x, 30, interrupt);
    if (interrupt.stopped()) return std::nullopt;
  }
  const Eigen::VectorXd values = x.array().exp();
  FrequencyLaw law;
  law.smooth = values(0);
  law.rough = values(places.rough());
  law.noise = values(places.noise());
  for (Eigen::Index k = 0; k < places.d; ++k) {
    law.smooth_scale.push_back(values(1 + k));
    law.rough_scale.push_back(values(places.rough() + 1 + k));
  }
  law.evidence = -value / static_cast<double>(all.r.size());
  return law;
}

rows::WideFeatures draw_features(const FrequencyLaw& law, std::size_t count, std::uint64_t seed, std::uint64_t member) {
  const std::size_t inputs = law.inputs();
  // Error of a kernel approximated by W features is its strength over √W; rough ones have the longer tails.
  const double rough_weight = 3.0 * law.rough / (3.0 * law.rough + law.smooth);
  const auto rough_count = static_cast<std::size_t>(std::round(rough_weight * static_cast<double>(count)));
  const std::size_t smooth_count = count - rough_count;
  const Stream stream(seed, Purpose::initial, member, 1);
  rows::WideFeatures features{Matrix(count, inputs), std::vector<double>(count)};
  for (std::size_t f = 0; f < count; ++f) {
    const bool rough = f >= smooth_count;
    for (std::size_t k = 0; k < inputs; ++k) {
      const std::uint64_t index = f * inputs + k;
      features.frequencies(f, k) = rough
                                       ? law.rough_scale[k] * std::tan(std::numbers::pi * (stream.uniform(index) - 0.5))
                                       : law.smooth_scale[k] * stream.normal(index);
    }
    features.prior[f] = std::sqrt(rough ? law.rough / static_cast<double>(rough_count)
                                        : law.smooth / static_cast<double>(smooth_count));
  }
  return features;
}

}  // namespace rfnn::wide
