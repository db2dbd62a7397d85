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

std::optional<double> split_r_hat(const std::vector<std::vector<double>>& chains) {
  std::vector<double> means;
  double within = 0.0;
  for (const std::vector<double>& chain : chains) {
    if (chain.size() < fewest || chain.size() != chains.front().size() || !varies(chain)) return std::nullopt;
    const std::size_t half = chain.size() / 2;
    for (const auto part : {std::span(chain).first(half), std::span(chain).last(half)}) {
      means.push_back(mean_of(part));
      within += variance_of(part);
    }
  }
  if (means.empty()) return std::nullopt;
  within /= static_cast<double>(means.size());
  const auto n = static_cast<double>(chains.front().size() / 2);
  if (!(within > 0.0)) return INFINITY;
  return std::sqrt((within * (n - 1.0) / n + variance_of(means)) / within);
}

std::optional<double> effective_samples(const std::vector<std::vector<double>>& chains) {
  if (chains.size() == 1) return effective_samples(std::span(chains.front()));
  std::vector<double> means;
  std::vector<std::vector<double>> centred = chains;
  double within = 0.0;
  for (std::vector<double>& chain : centred) {
    if (chain.size() < fewest || chain.size() != chains.front().size() || !varies(chain)) return std::nullopt;
    means.push_back(mean_of(chain));
    within += variance_of(chain) / static_cast<double>(chains.size());
    for (double& value : chain) value -= means.back();
  }
  if (means.empty()) return std::nullopt;
  const auto n = static_cast<double>(chains.front().size()), all = n * static_cast<double>(chains.size());
  const double variance = within * (n - 1.0) / n + variance_of(means);
  const auto correlation = [&](std::size_t lag) {
    double mean = 0.0;
    for (const std::vector<double>& chain : centred) mean += covariance(chain, lag);
    return lag == 0 ? 1.0 : 1.0 - (within - mean / static_cast<double>(centred.size())) / variance;
  };
  double sum = 0.0, least = INFINITY;
  for (std::size_t lag = 0; lag + 1 < chains.front().size(); lag += 2) {
    const double pair = correlation(lag) + correlation(lag + 1);
    if (!(pair > 0.0)) break;
    least = std::min(least, pair);
    sum += least;
  }
  return std::clamp(all / std::max(2.0 * sum - 1.0, 1.0 / all), 1.0, all);
}

}  // namespace rfnn
