#include "rfnn/finders/lines/background.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/finders/lines/tuning.hpp"

namespace rfnn::lines {
namespace {

/// The filter of two decaying processes, place by place.
class Filter {
 public:
  explicit Filter(const Background& background)
      : wanders_(background.wanders),
        rate_{std::exp(background.numbers[0]), std::exp(background.numbers[1])},
        variance_{background.wanders ? 1.0 : 0.0, background.wanders ? std::exp(background.numbers[2]) : 0.0},
        noise_(background.wanders ? std::exp(background.numbers[3]) : 1.0) {}

  /// To a place so much later, of this weight; the variance of what it is surprised by.
  double step(double distance, bool first, double weight, double decay[2], double gain[2]) {
    decay[0] = decay[1] = gain[0] = gain[1] = 0.0;
    if (!wanders_) return noise_ / weight;
    for (int k = 0; k < 2; ++k) {
      decay[k] = first ? 0.0 : std::exp(-rate_[k] * distance);
      const double fresh = first ? 1.0 : -std::expm1(-2.0 * rate_[k] * distance);
      own_[k] = decay[k] * decay[k] * own_[k] + variance_[k] * fresh;
    }
    cross_ *= decay[0] * decay[1];
    const double surprise = own_[0] + 2.0 * cross_ + own_[1] + noise_ / weight;
    gain[0] = (own_[0] + cross_) / surprise;
    gain[1] = (own_[1] + cross_) / surprise;
    own_[0] -= gain[0] * gain[0] * surprise;
    own_[1] -= gain[1] * gain[1] * surprise;
    cross_ -= gain[0] * gain[1] * surprise;
    return surprise;
  }

 private:
  bool wanders_;
  double rate_[2], variance_[2], noise_;
  double own_[2] = {}, cross_ = 0.0;  ///< covariance of the two, as far as it is not known yet
};

/// Strength and loss of a background, for what is left.
void judge(const Timeline& timeline, const Eigen::MatrixXd& left, Background& background) {
  Filter filter(background);
  const Eigen::Index outputs = left.cols();
  Eigen::VectorXd state0 = Eigen::VectorXd::Zero(outputs), state1 = state0;
  double decay[2], gain[2], squares = 0.0, determinant = 0.0;
  for (std::size_t i = 0; i < timeline.places(); ++i) {
    const double distance = i > 0 ? timeline.x[i] - timeline.x[i - 1] : 0.0;
    const double variance = filter.step(distance, i == 0, timeline.weight[i], decay, gain);
    determinant += std::log(variance);
    for (Eigen::Index o = 0; o < outputs; ++o) {
      state0(o) *= decay[0];
      state1(o) *= decay[1];
      const double surprise = left(static_cast<Eigen::Index>(i), o) - state0(o) - state1(o);
      squares += surprise * surprise / variance;
      state0(o) += gain[0] * surprise;
      state1(o) += gain[1] * surprise;
    }
  }
  const double count = static_cast<double>(left.size());
  background.strength = std::max(squares / count, std::numeric_limits<double>::min());
  background.loss = 0.5 * (count * std::log(background.strength) + static_cast<double>(outputs) * determinant);
}

struct Limits {
  double slowest, fastest;
};

Background moved(const Background& from, std::size_t number, double by, const Limits& limits) {
  Background to = from;
  to.numbers[number] += by;
  to.numbers[0] = std::clamp(to.numbers[0], limits.slowest, limits.fastest);
  to.numbers[1] = std::clamp(to.numbers[1], to.numbers[0], limits.fastest);
  for (const std::size_t ratio : {2, 3})
    to.numbers[ratio] = std::clamp(to.numbers[ratio], -tuning::largest_log_ratio, tuning::largest_log_ratio);
  return to;
}

/// Downhill, one number at a time. False when interrupted.
bool improve(const Timeline& timeline, const Eigen::MatrixXd& left, const Limits& limits, Background& best,
             Interrupt& interrupt) {
  constexpr double counts_as_gain = 1e-3;
  for (double step = tuning::first_step; step > tuning::last_step; step *= 0.5)
    for (bool moved_on = true; moved_on;) {
      moved_on = false;
      for (std::size_t number = 0; number < best.numbers.size(); ++number)
        for (const double by : {step, -step}) {
          if (!interrupt.proceed()) return false;
          Background next = moved(best, number, by, limits);
          if (next.numbers == best.numbers) continue;
          judge(timeline, left, next);
          if (!(next.loss < best.loss - counts_as_gain)) continue;
          best = next;
          moved_on = true;
          break;
        }
    }
  return true;
}

}  // namespace

FrequencyLaw Background::law() const {
  const auto part = [&](double variance, double log_rate) {
    return FrequencyLaw::Part{strength * variance, {0.0}, {std::exp(log_rate)}, 0, {}};
  };
  return {{part(1.0, numbers[0]), part(std::exp(numbers[2]), numbers[1])}, {}};
}

double Background::noise() const { return wanders ? strength * std::exp(numbers[3]) : strength; }

Whitening::Whitening(const Background& background, const Timeline& timeline) : steps_(timeline.places()) {
  Filter filter(background);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const double distance = i > 0 ? timeline.x[i] - timeline.x[i - 1] : 0.0;
    const double variance = filter.step(distance, i == 0, timeline.weight[i], steps_[i].decay, steps_[i].gain);
    steps_[i].scale = 1.0 / std::sqrt(variance);
    log_determinant_ += std::log(variance);
  }
}

void Whitening::apply(std::size_t first, Eigen::Ref<Eigen::MatrixXd> columns, Eigen::MatrixXd& state) const {
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    double slow = state(0, c), fast = state(1, c);
    for (Eigen::Index i = 0; i < columns.rows(); ++i) {
      const Step& step = steps_[first + static_cast<std::size_t>(i)];
      slow *= step.decay[0];
      fast *= step.decay[1];
      const double surprise = columns(i, c) - slow - fast;
      slow += step.gain[0] * surprise;
      fast += step.gain[1] * surprise;
      columns(i, c) = step.scale * surprise;
    }
    state(0, c) = slow;
    state(1, c) = fast;
  }
}

std::optional<Background> learn_background(const Timeline& timeline, const Eigen::MatrixXd& left,
                                           const Background* hint, Interrupt& interrupt) {
  Background noise;
  judge(timeline, left, noise);
  if (timeline.inputs() > 1) return noise;
  const double slowest = -std::log(tuning::longest_memory * timeline.extent()),
               fastest = -std::log(tuning::shortest_memory * timeline.spacing);
  const Limits limits{std::min(slowest, fastest), fastest};
  std::vector<Background> begin;
  const auto consider = [&](std::array<double, 4> numbers) {
    Background one = moved({numbers, true}, 0, 0.0, limits);
    judge(timeline, left, one);
    begin.push_back(one);
  };
  if (hint != nullptr && hint->wanders) consider(hint->numbers);
  for (const double slow : tuning::first_slow)
    for (const double fast : tuning::first_fast) {
      const double range = limits.fastest - limits.slowest;
      consider({limits.slowest + slow * range, limits.slowest + fast * range, tuning::first_log_fast,
                tuning::first_log_noise});
    }
  const auto less = [](const Background& a, const Background& b) { return a.loss < b.loss; };
  std::stable_sort(begin.begin(), begin.end(), less);
  begin.resize(tuning::beginnings);
  for (Background& one : begin)
    if (!improve(timeline, left, limits, one, interrupt)) return std::nullopt;
  const Background& best = *std::min_element(begin.begin(), begin.end(), less);
  const double wanted = 0.5 * tuning::background_penalty * std::log(static_cast<double>(left.size()));
  return best.loss < noise.loss - wanted ? best : noise;
}

}  // namespace rfnn::lines
