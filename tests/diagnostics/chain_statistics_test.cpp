#include "rfnn/diagnostics/chain_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace rfnn {
namespace {

/// x_t = ρ x_{t−1} + noise: its effective number of samples is n (1 − ρ) / (1 + ρ).
std::vector<double> autoregressive(std::size_t n, double rho, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double x = 0.0;
  for (std::size_t i = 0; i < n; ++i) values.push_back(x = rho * x + std::sqrt(1.0 - rho * rho) * normal(generator));
  return values;
}

TEST(SplitRHat, IsOneForNoiseAndLargeForADriftOrChainsApart) {
  const std::vector<double> noise = autoregressive(2000, 0.0, 1);
  std::vector<double> other = autoregressive(2000, 0.0, 2);
  EXPECT_NEAR(*split_r_hat({noise}), 1.0, 0.01);
  EXPECT_NEAR(*split_r_hat({noise, other}), 1.0, 0.01);
  for (double& value : other) value += 2.0;
  EXPECT_GT(*split_r_hat({noise, other}), 1.3);
  for (std::size_t i = 0; i < other.size(); ++i) other[i] += 4.0 * static_cast<double>(i) / 2000.0;
  EXPECT_GT(*split_r_hat({other}), 1.5);
}

TEST(SplitRHat, IsWhatTheFormulaGives) {
  // Halves 0 1 0 1 and 2 3 2 3: W = 1/3, means 2 apart, so that B/n = 2.
  EXPECT_NEAR(*split_r_hat({{0, 1, 0, 1, 2, 3, 2, 3}}), std::sqrt((0.75 / 3.0 + 2.0) * 3.0), 1e-12);
}

TEST(EffectiveSamples, FollowsTheAutocorrelation) {
  for (const double rho : {0.0, 0.5, 0.9}) {
    const double expected = 20000.0 * (1.0 - rho) / (1.0 + rho);
    EXPECT_NEAR(*effective_samples({autoregressive(20000, rho, 3)}), expected, 0.2 * expected) << rho;
    EXPECT_NEAR(*effective_samples({autoregressive(20000, rho, 3), autoregressive(20000, rho, 4)}), 2.0 * expected,
                0.4 * expected)
        << rho;
  }
}

TEST(EffectiveSamples, AreMoreThanTheValuesOfAChainThatTurnsBack) {
  const double expected = 20000.0 * 1.5 / 0.5;
  EXPECT_NEAR(*effective_samples({autoregressive(20000, -0.5, 5)}), expected, 0.2 * expected);
}

TEST(EffectiveSamples, IsFewForATrend) {
  std::vector<double> line;
  for (int i = 0; i < 500; ++i) line.push_back(i);
  EXPECT_LT(*effective_samples({line}), 5.0);
  EXPECT_GE(*effective_samples({line}), 1.0);
}

TEST(ChainStatistics, KnowNothingOfTooFewOrEqualValuesOrChainsOfOtherLengths) {
  const std::vector<double> equal(50, 0.1), noise = autoregressive(50, 0.0, 1);
  for (const std::vector<std::vector<double>>& chains :
       std::vector<std::vector<std::vector<double>>>{{}, {{1, 2, 3}}, {equal}, {noise, equal}, {noise, {1, 2, 3}}}) {
    EXPECT_FALSE(split_r_hat(chains));
    EXPECT_FALSE(effective_samples(chains));
  }
}

}  // namespace
}  // namespace rfnn
