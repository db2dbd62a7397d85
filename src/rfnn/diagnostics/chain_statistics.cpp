#include "rfnn/diagnostics/chain_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
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

/// The halves of all chains, and their variances: W within, the mean of theirs, and (n − 1)/n W + B/n altogether, where
/// B/n is that of their means.
struct Halves {
  std::vector<std::span<const double>> values;
  std::vector<double> means;
  std::size_t count = 0;  ///< n, of each
  double within = 0.0, between = 0.0;

  [[nodiscard]] double together() const {
    const auto n = static_cast<double>(count);
    return within * (n - 1.0) / n + between;
  }
  /// The mean over the halves of (1/n) Σ v_i v_{i+lag}, v the differences from the half's mean.
  [[nodiscard]] double covariance(std::size_t lag) const {
    double sum = 0.0;
    for (std::size_t h = 0; h < values.size(); ++h)
      for (std::size_t i = 0; i + lag < count; ++i) sum += (values[h][i] - means[h]) * (values[h][i + lag] - means[h]);
    return sum / static_cast<double>(count * values.size());
  }
};

/// Nothing: there are too few values, or they do not vary.
std::optional<Halves> halves_of(const std::vector<std::vector<double>>& chains) {
  if (chains.empty()) return std::nullopt;
  Halves halves;
  halves.count = chains.front().size() / 2;  // of an odd number the middle one is left out
  for (const std::vector<double>& chain : chains) {
    if (chain.size() < fewest || chain.size() != chains.front().size() || !varies(chain)) return std::nullopt;
    for (const auto half : {std::span(chain).first(halves.count), std::span(chain).last(halves.count)}) {
      halves.values.push_back(half);
      halves.means.push_back(mean_of(half));
      halves.within += variance_of(half);
    }
  }
  halves.within /= static_cast<double>(halves.values.size());
  halves.between = variance_of(halves.means);
  return halves;
}

}  // namespace

std::optional<double> split_r_hat(const std::vector<std::vector<double>>& chains) {
  const std::optional<Halves> halves = halves_of(chains);
  if (!halves) return std::nullopt;
  return halves->within > 0.0 ? std::sqrt(halves->together() / halves->within) : INFINITY;
}

std::optional<double> effective_samples(const std::vector<std::vector<double>>& chains) {
  const std::optional<Halves> halves = halves_of(chains);
  if (!halves) return std::nullopt;
  const double together = halves->together();
  const auto correlation = [&](std::size_t lag) {
    return lag == 0 ? 1.0 : 1.0 - (halves->within - halves->covariance(lag)) / together;
  };
  // Sums of neighbouring pairs are positive and fall for a reversible chain: what breaks the rule is noise, and of a
  // pair that does, as of the last, the even one counts by half.
  double sum = 0.0, least = INFINITY;
  for (std::size_t lag = 0;; lag += 2) {
    const double even = correlation(lag), pair = even + correlation(lag + 1);
    const bool breaks = !(pair > 0.0);
    if (breaks || lag + 5 > halves->count) {
      sum += 0.5 * (breaks ? std::max(even, 0.0) : even);
      break;
    }
    least = std::min(least, pair);
    sum += least;
  }
  const auto all = static_cast<double>(halves->count * halves->values.size());
  return all / std::max(2.0 * sum - 1.0, 1.0 / std::log10(all));
}

}  // namespace rfnn
