#include "rfnn/uncertainty/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "rfnn/uncertainty/tuning.hpp"

namespace rfnn::uncertainty {
namespace {

/// Bounds of ξ: nearly an exponential, and a variance that just exists.
constexpr double least_index = 0.05, most_index = 0.5;

/// At place `at` of the numbers, from 1 on, along straight lines between them.
double between(const std::vector<double>& numbers, double at) {
  const double place = std::clamp(at - 1.0, 0.0, static_cast<double>(numbers.size() - 1));
  const auto below = std::min(static_cast<std::size_t>(place), numbers.size() - 1);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  const double part = place - static_cast<double>(below);
  return numbers[below] + part * (numbers[above] - numbers[below]);
}

/// The likeliest of so many degrees of freedom, by the iteration that takes it for normal laws of different widths
/// (EM).
Student student_of(const std::vector<double>& scores, double location, double deviation, double freedom) {
  constexpr int turns = 60;
  constexpr double least = 1e-30;
  double square = std::max(deviation * deviation, least);
  for (int turn = 0; turn < turns; ++turn) {
    double weights = 0.0, sum = 0.0, squares = 0.0;
    for (const double score : scores) {
      const double off = score - location, weight = (freedom + 1.0) / (freedom + off * off / square);
      weights += weight;
      sum += weight * score;
      squares += weight * off * off;
    }
    location = sum / weights;
    square = std::max(squares / static_cast<double>(scores.size()), least);
  }
  return {location, std::sqrt(square), freedom};
}

}  // namespace

std::vector<double> kept_scores(std::vector<double> scores, const std::vector<double>& weights) {
  if (weights.empty()) {
    std::sort(scores.begin(), scores.end());
    if (scores.size() <= tuning::most_scores) return scores;
    std::vector<double> kept(tuning::most_scores);
    const double step = static_cast<double>(scores.size() + 1) / static_cast<double>(kept.size() + 1);
    for (std::size_t k = 0; k < kept.size(); ++k) kept[k] = between(scores, step * static_cast<double>(k + 1));
    return kept;
  }
  // Rows with weights count as so many as their effective number: (Σ w)² / Σ w².
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double sum = 0.0, squares = 0.0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  const double effective = std::clamp(sum * sum / squares, 1.0, static_cast<double>(scores.size()));
  std::vector<double> kept(std::min(tuning::most_scores, static_cast<std::size_t>(effective)));
  // Row i stands in the middle of its share of the weight.
  std::vector<double> middle(scores.size());
  double so_far = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    middle[i] = so_far + 0.5 * weights[order[i]];
    so_far += weights[order[i]];
  }
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const double share = static_cast<double>(k + 1) / static_cast<double>(kept.size() + 1);
    // The ends stay where n/(n + 1) of the weight lies between them, as of rows that count alike.
    const double at = sum * std::clamp((share * (effective + 1.0) - 0.5) / effective, 0.0, 1.0);
    const auto found = std::upper_bound(middle.begin(), middle.end(), at);
    const auto above = static_cast<std::size_t>(found - middle.begin());
    if (above == 0 || above == middle.size()) {
      kept[k] = scores[order[above == 0 ? 0 : above - 1]];
      continue;
    }
    const double gap = middle[above] - middle[above - 1], part = gap > 0.0 ? (at - middle[above - 1]) / gap : 1.0;
    kept[k] = scores[order[above - 1]] + part * (scores[order[above]] - scores[order[above - 1]]);
  }
  return kept;
}

double student_cost(double error, double square) {
  return 0.5 * std::log(square) + 3.0 * std::log1p(error * error / (3.0 * square));
}

ScoreDistribution::ScoreDistribution(std::vector<double> scores) : scores_(std::move(scores)) {
  const auto count = static_cast<double>(scores_.size());
  double squares = 0.0, ranks = 0.0;
  sums_.push_back(0.0);
  for (std::size_t k = 0; k < scores_.size(); ++k) {
    sums_.push_back(sums_.back() + scores_[k]);
    squares += scores_[k] * scores_[k];
    ranks += (2.0 * static_cast<double>(k) + 1.0 - count) * scores_[k];
  }
  deviation_ = std::sqrt(squares / count);
  half_spread_ = ranks / (count * count);
  median_ = between(scores_, 0.5 * (count + 1.0));
  lower_index_ = tail_index(false);
  upper_index_ = tail_index(true);
  fit_student();
}

double ScoreDistribution::tail_index(bool upper) const {
  const std::size_t count = scores_.size(), tail = std::max<std::size_t>(2, count / 10);
  if (count < 2 * tail + 1) return most_index;
  const auto distance = [&](std::size_t from_end) {
    return std::abs((upper ? scores_[count - 1 - from_end] : scores_[from_end]) - median_);
  };
  const double threshold = distance(tail);
  if (!(threshold > 0.0)) return most_index;
  double sum = 0.0;
  for (std::size_t k = 0; k < tail; ++k) sum += std::log(distance(k) / threshold);
  return std::clamp(sum / static_cast<double>(tail), least_index, most_index);
}

double ScoreDistribution::quantile(double p) const {
  const auto count = static_cast<double>(scores_.size());
  const double at = p * (count + 1.0);
  if (at < 1.0) return median_ + (scores_.front() - median_) * std::pow(at, -lower_index_);
  if (at > count) return median_ + (scores_.back() - median_) * std::pow(count + 1.0 - at, -upper_index_);
  return between(scores_, at);
}

double ScoreDistribution::probability(double score) const {
  const auto count = static_cast<double>(scores_.size());
  const double outermost = 1.0 / (count + 1.0);
  if (score < scores_.front()) {
    const double ratio = (median_ - score) / (median_ - scores_.front());
    return std::isfinite(ratio) ? outermost * std::pow(ratio, -1.0 / lower_index_) : 0.0;
  }
  if (score > scores_.back()) {
    const double ratio = (score - median_) / (scores_.back() - median_);
    return 1.0 - (std::isfinite(ratio) ? outermost * std::pow(ratio, -1.0 / upper_index_) : 0.0);
  }
  // In the middle of scores that are equal.
  const auto [first, last] = std::equal_range(scores_.begin(), scores_.end(), score);
  const auto below = static_cast<double>(first - scores_.begin()), up_to = static_cast<double>(last - scores_.begin());
  if (first != last) return 0.5 * (below + 1.0 + up_to) * outermost;
  const double low = *(first - 1), high = *first;
  return (below + (score - low) / (high - low)) * outermost;
}

double ScoreDistribution::crps(double score) const {
  const auto count = static_cast<double>(scores_.size());
  const auto place =
      static_cast<std::size_t>(std::lower_bound(scores_.begin(), scores_.end(), score) - scores_.begin());
  const auto below = static_cast<double>(place);
  const double distances = below * score - sums_[place] + (sums_.back() - sums_[place]) - (count - below) * score;
  return distances / count - half_spread_;
}

void ScoreDistribution::fit_student() {
  double best = std::numeric_limits<double>::infinity();
  for (const double freedom : {2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 1000.0}) {
    const Student law = student_of(scores_, median_, deviation_, freedom);
    double cost = 0.0;
    for (const double score : scores_) cost -= law.log_density(score);
    if (cost < best) {
      best = cost;
      student_ = law;
    }
  }
}

double Student::log_density(double score) const {
  const double z = (score - location) / scale;
  return std::lgamma(0.5 * (freedom + 1.0)) - std::lgamma(0.5 * freedom) - 0.5 * std::log(freedom * std::numbers::pi) -
         std::log(scale) - 0.5 * (freedom + 1.0) * std::log1p(z * z / freedom);
}

}  // namespace rfnn::uncertainty
