// Where the chain spends its time. All streams are fixed, so the results are; the tolerances are those a fresh stream
// would need, several standard deviations wide. RFNN_LONG_TESTS=1 runs longer chains against tighter ones.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "finders/block_fixture.hpp"

namespace rfnn::sampled {
namespace {

using testing::plan_block;
using testing::sample;
using testing::SampledRows;

bool long_tests() { return std::getenv("RFNN_LONG_TESTS") != nullptr; }

/// Points on a symmetric grid and a function of them.
SampledRows on_grid(std::size_t count, double half_width, double (*f)(double)) {
  Matrix theta(count, 1), target(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    theta(i, 0) = half_width * (2.0 * static_cast<double>(i) / static_cast<double>(count - 1) - 1.0);
    target(i, 0) = f(theta(i, 0));
  }
  return {theta, target};
}

/// |b(ω)| of the single feature ω: two columns, solved by hand.
double amplitude(const SampledRows& rows, double omega, double lambda) {
  double cc = 0.0, cs = 0.0, ss = 0.0, cy = 0.0, sy = 0.0;
  const double n = static_cast<double>(rows.theta.rows());
  for (std::size_t i = 0; i < rows.theta.rows(); ++i) {
    const double c = std::cos(omega * rows.theta(i, 0)), s = -std::sin(omega * rows.theta(i, 0)), y = rows.target(i, 0);
    cc += c * c / n;
    cs += c * s / n;
    ss += s * s / n;
    cy += c * y / n;
    sy += s * y / n;
  }
  cc += lambda;
  ss += lambda;
  const double det = cc * ss - cs * cs;
  return std::hypot((ss * cy - cs * sy) / det, (cc * sy - cs * cy) / det);
}

constexpr std::size_t bins = 30;

/// Probability of each bin of [0, range) under a density ∝ |b(ω)|^γ, by the midpoint rule.
std::vector<double> expected_shares(const SampledRows& rows, double lambda, double gamma, double range) {
  constexpr std::size_t points = 40;
  std::vector<double> shares(bins);
  for (std::size_t i = 0; i < bins * points; ++i)
    shares[i / points] +=
        std::pow(amplitude(rows, (static_cast<double>(i) + 0.5) * range / (bins * points), lambda), gamma);
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= total;
  return shares;
}

double total_variation(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += 0.5 * std::abs(p[i] - q[i]);
  return sum;
}

struct Chain {
  const char* name;
  double (*f)(double);
  double gamma, delta, range;
};
std::ostream& operator<<(std::ostream& out, const Chain& chain) { return out << chain.name; }

class OneFeature : public ::testing::TestWithParam<Chain> {};
INSTANTIATE_TEST_SUITE_P(
    Targets, OneFeature,
    ::testing::Values(
        Chain{"bell", [](double x) { return std::exp(-x * x); }, 4.0, 1.0, 6.0},
        Chain{"packet", [](double x) { return std::cos(4.0 * x) * std::exp(-x * x); }, 6.0, 2.4 * 2.4, 10.0},
        Chain{"two_packets", [](double x) { return (std::cos(3.0 * x) + 1.1 * std::sin(8.0 * x)) * std::exp(-x * x); },
              3.0, 2.4 * 2.4, 14.0}),
    [](const auto& test) { return test.param.name; });

// With one feature the rule is that of a Metropolis chain on [0, ∞) whose stationary density is ∝ |b(ω)|^γ.
TEST_P(OneFeature, VisitsFrequenciesInProportionToTheAmplitudesPower) {
  const Chain& chain = GetParam();
  SampledRows rows = on_grid(61, 3.0, chain.f);
  Options options = preset_options(Preset::paper);
  options.width = 1;
  options.gamma = chain.gamma;
  options.delta = chain.delta;
  options.ridge = {1e-4};
  options.iterations = long_tests() ? 2000000 : 60000;
  options.seed = 3;
  sample(rows, plan_block(1, rows, options), options);

  const auto& path = rows.engine.path[0];
  constexpr std::size_t burn_in = 1000;
  std::vector<double> visits(bins);
  for (std::size_t i = burn_in; i < path.size(); ++i) {
    const double omega = path[i](0, 0);
    ASSERT_GE(omega, 0.0);
    ASSERT_LT(omega, chain.range);
    visits[static_cast<std::size_t>(omega / chain.range * bins)] += 1.0 / static_cast<double>(path.size() - burn_in);
  }
  const double distance = total_variation(visits, expected_shares(rows, 1e-4, chain.gamma, chain.range));
  // Correlated over some ten iterations, n visits to 30 bins are off by about √(30 · 10 / n) / 2.
  EXPECT_LT(distance, long_tests() ? 0.006 : 0.04);
  // The measure can tell another exponent.
  EXPECT_GT(total_variation(visits, expected_shares(rows, 1e-4, 0.5 * chain.gamma, chain.range)), 0.1);
  EXPECT_GT(total_variation(visits, expected_shares(rows, 1e-4, 2.0 * chain.gamma, chain.range)), 0.1);
}

TEST(OneFeatureOnALine, FindsItsFrequency) {
  SampledRows rows = on_grid(200, 1.7, [](double x) { return std::cos(12.0 * x + 0.7); });
  Options options = preset_options(Preset::paper);
  options.width = 1;
  options.iterations = 3000;
  options.burn_in = 1000;
  const SampledBlock sampled = sample(rows, plan_block(1, rows, options), options);
  const Histogram& histogram = sampled.record.branches[0].accepted_frequencies[0];
  const double width = (histogram.high - histogram.low) / static_cast<double>(histogram.counts.size());
  double near = 0.0, all = 0.0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const double middle = histogram.low + width * (static_cast<double>(i) + 0.5);
    all += static_cast<double>(histogram.counts[i]);
    if (std::abs(middle - 12.0) < 1.0) near += static_cast<double>(histogram.counts[i]);
  }
  ASSERT_GT(all, 50.0);
  EXPECT_GT(near / all, 0.95);
  EXPECT_NEAR(sampled.block.branches[0].frequencies(0, 0), 12.0, 1.0);
}

// Steps are drawn with variance δ: of the proposals made from where the chain is, not of those accepted.
TEST(OneFeatureOnALine, WithAFlatTargetIsARandomWalkThatTurnsBackAtZero) {
  // One row: |b(ω)| = |y| / (1 + λ) whatever ω, so every move to the allowed side is accepted.
  Matrix theta(1, 1, 0.3), target(1, 1, 2.0);
  SampledRows rows(theta, target);
  Options options = preset_options(Preset::paper);
  options.width = 1;
  options.delta = 0.25;
  options.iterations = 20000;
  sample(rows, plan_block(1, rows, options), options);
  const auto& path = rows.engine.path[0];
  double squares = 0.0;
  std::size_t far = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i - 1](0, 0) < 3.0) continue;  // six standard deviations from the edge nothing is refused
    squares += std::pow(path[i](0, 0) - path[i - 1](0, 0), 2);
    ++far;
    ASSERT_NE(path[i](0, 0), path[i - 1](0, 0));
  }
  ASSERT_GT(far, 5000U);
  EXPECT_NEAR(squares / static_cast<double>(far), 0.25, 0.25 * 5.0 * std::sqrt(2.0 / static_cast<double>(far)));
}

}  // namespace
}  // namespace rfnn::sampled
