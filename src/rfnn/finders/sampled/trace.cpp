#include "rfnn/finders/sampled/trace.hpp"

#include <algorithm>
#include <cmath>

#include "rfnn/finders/sampled/gibbs.hpp"

namespace rfnn::sampled {

void LossTrace::add(const TracePoint& point) {
  if (!wants(point.iteration)) return;
  if (points_.size() == limit) {
    stride_ *= 2;
    std::erase_if(points_, [&](const TracePoint& earlier) { return !wants(earlier.iteration); });
    if (!wants(point.iteration)) return;
  }
  points_.push_back(point);
}

bool FlatRule::ends(std::int64_t iteration, double loss) {
  if (window_ == 0) return false;
  if (!started_ || loss < level_ * (1.0 - tolerance_)) {
    started_ = true;
    level_ = loss;
    since_ = iteration;
  }
  return iteration - since_ >= window_;
}

GrowingHistogram::GrowingHistogram(std::string variable, double range, bool symmetric)
    : variable_(std::move(variable)), range_(range), symmetric_(symmetric), counts_(bins, 0) {}

void GrowingHistogram::grow() {
  std::vector<std::uint64_t> merged(bins, 0);
  const std::size_t shift = symmetric_ ? bins / 4 : 0;
  for (std::size_t i = 0; i < bins; ++i) merged[shift + i / 2] += counts_[i];
  counts_ = std::move(merged);
  range_ *= 2.0;
}

void GrowingHistogram::add(double value) {
  if (!std::isfinite(value)) return;
  while (std::abs(value) >= range_) {
    if (range_ > 1e300) return;
    grow();
  }
  const double share = symmetric_ ? 0.5 + 0.5 * value / range_ : std::abs(value) / range_;
  ++counts_[std::min(bins - 1, static_cast<std::size_t>(share * static_cast<double>(bins)))];
}

Histogram GrowingHistogram::histogram() const { return {variable_, symmetric_ ? -range_ : 0.0, range_, counts_}; }

FrequencyCounter::FrequencyCounter(const BranchPlan& plan) : units_(plan.units) {
  // The first range covers the initial frequencies; it doubles as the chain moves away.
  constexpr double first_range = 8.0;
  const bool several = plan.variables > 1;
  for (std::size_t k = 0; k < plan.variables; ++k)
    per_variable_.emplace_back(plan.variable_names[k], first_range * units_[k], several);
  if (several) norm_.emplace_back("norm", first_range * *std::max_element(units_.begin(), units_.end()), false);
}

void FrequencyCounter::add(const double* frequency) {
  double square = 0.0;
  for (std::size_t k = 0; k < units_.size(); ++k) {
    const double value = frequency[k] * units_[k];
    per_variable_[k].add(value);
    square += value * value;
  }
  if (!norm_.empty()) norm_.front().add(std::sqrt(square));
}

std::vector<Histogram> FrequencyCounter::histograms() const {
  std::vector<Histogram> all;
  for (const GrowingHistogram& histogram : per_variable_) all.push_back(histogram.histogram());
  for (const GrowingHistogram& histogram : norm_) all.push_back(histogram.histogram());
  return all;
}

}  // namespace rfnn::sampled
