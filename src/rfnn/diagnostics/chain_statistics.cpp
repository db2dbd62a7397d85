#include "rfnn/diagnostics/chain_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace rfnn {
namespace {

constexpr std::size_t fewest = 8;

double mean_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

/// Values that are alike but for rounding do not vary.
bool varies(std::span<const double> values) {
  const double mean = mean_of(values);
  return std::isfinite(mean) && std::sqrt(variance_of(values)) > 1e-12 * std::abs(mean);
}

/// (1/n) Σ v_i v_{i+lag} of centred values.
double covariance(const std::vector<double>& centred, std::size_t lag) {
  double sum = 0.0;
  for (std::size_t i = 0; i + lag < centred.size(); ++i) sum += centred[i] * centred[i + lag];
  return sum / static_cast<double>(centred.size());
}

}  // namespace

std::optional<double> split_r_hat(std::span<const double> values) {
  if (values.size() < fewest || !varies(values)) return std::nullopt;
  const std::size_t half = values.size() / 2;
  const auto first = values.first(half), second = values.last(half);  // of an odd number the middle one is left out
  const double within = 0.5 * (variance_of(first) + variance_of(second));
  const double apart = mean_of(first) - mean_of(second);
  const double between_over_n = 0.5 * apart * apart;  // the variance of two means
  const auto n = static_cast<double>(half);
  if (!(within > 0.0)) return INFINITY;
  return std::sqrt((within * (n - 1.0) / n + between_over_n) / within);
}

std::optional<double> effective_samples(std::span<const double> values) {
  if (values.size() < fewest || !varies(values)) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  std::vector<double> centred(values.begin(), values.end());
  const double mean = mean_of(values);
  for (double& value : centred) value -= mean;
  const double variance = covariance(centred, 0);
  // Sums of neighbouring pairs are positive and fall for a reversible chain: what breaks the rule is noise.
  double sum = 0.0, least = INFINITY;
  for (std::size_t lag = 0; lag + 1 < values.size(); lag += 2) {
    const double pair = (covariance(centred, lag) + covariance(centred, lag + 1)) / variance;
    if (!(pair > 0.0)) break;
    least = std::min(least, pair);
    sum += least;
  }
  return std::clamp(n / std::max(2.0 * sum - 1.0, 1.0 / n), 1.0, n);
}

}  // namespace rfnn
