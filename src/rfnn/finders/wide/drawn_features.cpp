#include "rfnn/finders/wide/drawn_features.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/wide/tuning.hpp"

namespace rfnn::wide {
namespace {

/// Features of each part, by its share of the strengths, but none so few that it is not there.
std::vector<std::size_t> counts_of(const FrequencyLaw& law, std::size_t count) {
  std::vector<double> shares;
  double all = 0.0;
  for (const FrequencyLaw::Part& part : law.parts) {
    shares.push_back(std::max(part.strength / law.variance(), tuning::least_share_of_part));
    all += shares.back();
  }
  std::vector<std::size_t> counts;
  std::size_t left = count;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    const auto wanted = static_cast<std::size_t>(std::round(shares[p] / all * static_cast<double>(count)));
    counts.push_back(p + 1 == shares.size() ? left : std::min(left, wanted));
    left -= counts.back();
  }
  return counts;
}

}  // namespace

rows::WideFeatures draw_features(const FrequencyLaw& law, std::size_t count, std::uint64_t seed, std::uint64_t member) {
  const std::size_t variables = law.variables();
  const std::vector<std::size_t> counts = counts_of(law, count);
  const Stream normals({seed, member}, Purpose::law), uniforms({seed, member}, Purpose::law_tails);
  rows::WideFeatures features{Matrix(count, variables), std::vector<double>(count)};
  std::size_t f = 0;
  for (std::size_t p = 0; p < law.parts.size(); ++p) {
    const FrequencyLaw::Part& part = law.parts[p];
    for (std::size_t i = 0; i < counts[p]; ++i, ++f) {
      std::vector<double> smooth(part.smooth.size());
      for (std::size_t j = 0; j < smooth.size(); ++j)
        smooth[j] = part.smooth[j] * normals.normal(f * smooth.size() + j);
      for (std::size_t k = 0; k < variables; ++k) {
        double frequency = part.rough[k] * std::tan(std::numbers::pi * (uniforms.uniform(f * variables + k) - 0.5));
        if (law.map.rows() == 0)
          frequency += smooth[k];
        else
          for (std::size_t j = 0; j < smooth.size(); ++j) frequency += law.map(j, k) * smooth[j];
        features.frequencies(f, k) = frequency;
      }
      features.prior[f] = std::sqrt(part.strength / static_cast<double>(counts[p]));
    }
  }
  return features;
}

}  // namespace rfnn::wide
