#include "rfnn/finders/sampled/metropolis.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "rfnn/core/random.hpp"

namespace rfnn::sampled {
namespace {

TEST(NegativeRule, HalfSpaceLooksAtTheFirstComponentThatIsNotZero) {
  const auto allowed_half = [](std::vector<double> omega) {
    return allowed(omega.data(), omega.size(), Negative::half_space);
  };
  EXPECT_TRUE(allowed_half({1.0}));
  EXPECT_TRUE(allowed_half({0.0}));
  EXPECT_TRUE(allowed_half({-0.0}));
  EXPECT_FALSE(allowed_half({-1e-300}));
  EXPECT_TRUE(allowed_half({1e-300, -5.0, -5.0}));
  EXPECT_FALSE(allowed_half({-1e-300, 5.0, 5.0}));
  EXPECT_TRUE(allowed_half({0.0, 1.0, -1.0}));
  EXPECT_FALSE(allowed_half({0.0, -1.0, 1.0}));
  EXPECT_FALSE(allowed_half({0.0, -0.0, -1.0}));
  EXPECT_TRUE(allowed_half({0.0, 0.0, 0.0}));
}

TEST(NegativeRule, ComponentForbidsEveryNegativeOne) {
  const auto allowed_each = [](std::vector<double> omega) {
    return allowed(omega.data(), omega.size(), Negative::component);
  };
  EXPECT_TRUE(allowed_each({1.0}));
  EXPECT_FALSE(allowed_each({-1.0}));
  EXPECT_TRUE(allowed_each({0.0, 2.0, 3.0}));
  EXPECT_FALSE(allowed_each({1.0, -2.0, 3.0}));
  EXPECT_FALSE(allowed_each({1.0, 2.0, -3.0}));
}

// ω and −ω are the same feature; half_space keeps exactly one of them.
RC_GTEST_PROP(NegativeRule, HalfSpaceKeepsOneOfEachPair, ()) {
  const auto omega = *rc::gen::nonEmpty<std::vector<double>>();
  std::vector<double> minus = omega;
  bool zero = true;
  for (double& x : minus) {
    RC_PRE(!std::isnan(x));
    zero = zero && x == 0.0;
    x = -x;
  }
  const bool one = allowed(omega.data(), omega.size(), Negative::half_space);
  const bool other = allowed(minus.data(), minus.size(), Negative::half_space);
  const bool as_it_should = zero ? one && other : one != other;
  RC_ASSERT(as_it_should);
}

BranchMoves moves_with(Negative negative, double step = 1.0) {
  BranchMoves moves;
  moves.seed = 5;
  moves.block = 2;
  moves.branch = 1;
  moves.step = step;
  moves.negative = negative;
  return moves;
}

TEST(InitialFrequencies, LieOnTheAllowedSideWithTheSpreadAskedFor) {
  constexpr std::size_t count = 20000;
  for (const Negative negative : {Negative::half_space, Negative::component})
    for (const std::size_t variables : {1U, 3U}) {
      const Matrix omega = initial_frequencies(moves_with(negative), count, variables, 2.5);
      ASSERT_EQ(omega.rows(), count);
      ASSERT_EQ(omega.cols(), variables);
      std::vector<double> squares(variables), sums(variables);
      for (std::size_t j = 0; j < count; ++j) {
        ASSERT_TRUE(allowed(omega.data() + j * variables, variables, negative));
        for (std::size_t k = 0; k < variables; ++k) {
          squares[k] += omega(j, k) * omega(j, k) / count;
          sums[k] += omega(j, k) / count;
        }
      }
      const double half_normal = 2.5 * std::sqrt(2.0 / std::acos(-1.0));
      for (std::size_t k = 0; k < variables; ++k) {
        EXPECT_NEAR(squares[k], 6.25, 6.25 * 4.0 * std::sqrt(2.0 / count));
        // Reflection to one side shows in the first component; the others stay symmetric unless each is turned.
        const bool turned = k == 0 || negative == Negative::component;
        EXPECT_NEAR(sums[k], turned ? half_normal : 0.0, 4.0 * 2.5 / std::sqrt(static_cast<double>(count)));
      }
    }
}

TEST(InitialFrequencies, DependOnSeedBlockAndBranchOnly) {
  const BranchMoves moves = moves_with(Negative::half_space);
  const Matrix omega = initial_frequencies(moves, 4, 2, 1.0);
  BranchMoves same = moves;
  same.gamma = 3.0;
  same.step = 9.0;
  EXPECT_EQ(initial_frequencies(same, 4, 2, 1.0), omega);
  for (auto change :
       {+[](BranchMoves& m) { ++m.seed; }, +[](BranchMoves& m) { ++m.block; }, +[](BranchMoves& m) { ++m.branch; }}) {
    BranchMoves other = moves;
    change(other);
    EXPECT_NE(initial_frequencies(other, 4, 2, 1.0), omega);
  }
}

TEST(Proposals, HaveTheVarianceDeltaAroundTheState) {
  // δ = 2.4² is a variance: steps have standard deviation 2.4.
  constexpr std::size_t features = 4, variables = 3;
  constexpr std::int64_t iterations = 5000;
  const BranchMoves moves = moves_with(Negative::half_space, 2.4);
  Matrix omega(features, variables), proposed;
  for (std::size_t i = 0; i < omega.size(); ++i) omega.data()[i] = 10.0 * static_cast<double>(i);
  double sum = 0.0, squares = 0.0, cross = 0.0;
  for (std::int64_t iteration = 1; iteration <= iterations; ++iteration) {
    propose(moves, iteration, omega, proposed);
    ASSERT_EQ(proposed.rows(), features);
    ASSERT_EQ(proposed.cols(), variables);
    for (std::size_t i = 0; i < omega.size(); ++i) {
      const double step = proposed.data()[i] - omega.data()[i];
      sum += step;
      squares += step * step;
      cross += step * (proposed.data()[(i + 1) % omega.size()] - omega.data()[(i + 1) % omega.size()]);
    }
  }
  const double n = static_cast<double>(iterations) * features * variables, delta = 2.4 * 2.4;
  EXPECT_NEAR(sum / n, 0.0, 4.0 * 2.4 / std::sqrt(n));
  EXPECT_NEAR(squares / n, delta, 4.0 * delta * std::sqrt(2.0 / n));
  EXPECT_NEAR(cross / n, 0.0, 4.0 * delta / std::sqrt(n));
}

TEST(Proposals, NoStepIsUsedTwice) {
  const BranchMoves moves = moves_with(Negative::half_space);
  const Matrix zero(3, 2);
  Matrix proposed;
  std::vector<double> steps;
  for (std::int64_t iteration = 1; iteration <= 100; ++iteration) {
    propose(moves, iteration, zero, proposed);
    steps.insert(steps.end(), proposed.data(), proposed.data() + proposed.size());
  }
  std::sort(steps.begin(), steps.end());
  EXPECT_EQ(std::adjacent_find(steps.begin(), steps.end()), steps.end());
}

TEST(AmplitudeNorm, RunsOverCosineSineAndOutputs) {
  Eigen::MatrixXd amplitudes = Eigen::MatrixXd::Zero(8, 2);
  amplitudes.middleRows(4, 2) << 1.0, 2.0, -4.0, 2.0;
  EXPECT_DOUBLE_EQ(amplitude_norm(amplitudes, 2, 1), 5.0);
  EXPECT_DOUBLE_EQ(amplitude_norm(amplitudes, 0, 2), 5.0);
  EXPECT_EQ(amplitude_norm(amplitudes, 0, 0), 0.0);
}

/// The rule as it stands in the paper, one feature.
bool naive_rule(double new_norm, double old_norm, double gamma, double u) {
  return std::pow(new_norm / old_norm, gamma) > u;
}

Eigen::MatrixXd amplitudes_of(const std::vector<double>& norms, double angle, Eigen::Index first_row) {
  Eigen::MatrixXd amplitudes =
      Eigen::MatrixXd::Constant(first_row + 2 * static_cast<Eigen::Index>(norms.size()), 1, 77.0);
  for (std::size_t j = 0; j < norms.size(); ++j) {
    amplitudes(first_row + 2 * static_cast<Eigen::Index>(j), 0) = norms[j] * std::cos(angle);
    amplitudes(first_row + 2 * static_cast<Eigen::Index>(j) + 1, 0) = norms[j] * std::sin(angle);
  }
  return amplitudes;
}

TEST(Decide, IsThePowerOfTheRatioAgainstAUniformNumber) {
  constexpr std::size_t features = 50;
  const Stream draws(9, Purpose::data);
  for (const double gamma : {0.5, 1.0, 10.0, 20.0, 300.0}) {
    BranchMoves moves = moves_with(Negative::half_space);
    moves.gamma = gamma;
    std::size_t total = 0;
    for (std::int64_t iteration = 1; iteration <= 20; ++iteration) {
      std::vector<double> before(features), after(features);
      Matrix proposed(features, 1);
      for (std::size_t j = 0; j < features; ++j) {
        const auto place = static_cast<std::uint64_t>(iteration) * 1000 + 3 * j;
        before[j] = std::exp(3.0 * draws.normal(place));
        after[j] = before[j] * std::exp(draws.normal(place + 1) / gamma);
        proposed(j, 0) = draws.normal(place + 2) + 1.0;
      }
      std::vector<char> accepted;
      const std::size_t count =
          decide(moves, iteration, proposed, amplitudes_of(after, 0.3, 6), amplitudes_of(before, 2.0, 6), 6, accepted);
      ASSERT_EQ(accepted.size(), features);
      std::size_t expected_count = 0;
      const Stream uniforms(moves.seed, Purpose::acceptance, moves.block, moves.branch);
      for (std::size_t j = 0; j < features; ++j) {
        const double u = uniforms.uniform(static_cast<std::uint64_t>(iteration) * features + j);
        const bool expected = proposed(j, 0) >= 0.0 && naive_rule(after[j], before[j], gamma, u);
        ASSERT_EQ(static_cast<bool>(accepted[j]), expected) << "gamma " << gamma << " feature " << j;
        expected_count += expected;
      }
      EXPECT_EQ(count, expected_count);
      total += count;
    }
    EXPECT_GT(total, 20U);
    EXPECT_LT(total, 20U * features);
  }
}

TEST(Decide, ZeroAmplitudes) {
  BranchMoves moves = moves_with(Negative::half_space);
  Matrix proposed(4, 1, 1.0);
  std::vector<char> accepted;
  //                                                     0/0  x/0  0/x  x/x
  const std::size_t count = decide(moves, 1, proposed, amplitudes_of({0.0, 1e-9, 0.0, 1.0}, 0.1, 0),
                                   amplitudes_of({0.0, 0.0, 1e-9, 1e-30}, 0.1, 0), 0, accepted);
  EXPECT_EQ(accepted, (std::vector<char>{0, 1, 0, 1}));
  EXPECT_EQ(count, 2U);
}

TEST(Decide, HugeExponentsDoNotOverflow) {
  BranchMoves moves = moves_with(Negative::half_space);
  moves.gamma = 1e6;
  Matrix proposed(4, 1, 1.0);
  std::vector<char> accepted;
  decide(moves, 1, proposed, amplitudes_of({2.0, 0.5, 1e100, 1e-100}, 0.0, 0),
         amplitudes_of({1.0, 1.0, 1e-100, 1e100}, 0.0, 0), 0, accepted);
  EXPECT_EQ(accepted, (std::vector<char>{1, 0, 1, 0}));
}

TEST(Decide, AnAmplitudeThatIsNotANumberIsNeverAccepted) {
  BranchMoves moves = moves_with(Negative::half_space);
  Matrix proposed(1, 1, 1.0);
  std::vector<char> accepted;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(decide(moves, 1, proposed, amplitudes_of({nan}, 0.0, 0), amplitudes_of({1.0}, 0.0, 0), 0, accepted), 0U);
}

TEST(Decide, RefusesTheForbiddenSideHoweverLarge) {
  for (const Negative negative : {Negative::half_space, Negative::component}) {
    const BranchMoves moves = moves_with(negative);
    Matrix proposed(3, 3, 1.0);
    proposed(1, 0) = -0.1;  // forbidden by both
    proposed(2, 2) = -0.1;  // forbidden by component
    std::vector<char> accepted;
    decide(moves, 1, proposed, amplitudes_of({1e9, 1e9, 1e9}, 0.0, 0), amplitudes_of({1.0, 1.0, 1.0}, 0.0, 0), 0,
           accepted);
    EXPECT_EQ(accepted, (std::vector<char>{1, 0, negative == Negative::half_space}));
  }
}

// With equal amplitudes every move is accepted; with a ratio q the share accepted is q^γ.
TEST(Decide, AcceptsWithTheProbabilityOfTheRule) {
  BranchMoves moves = moves_with(Negative::half_space);
  moves.gamma = 3.0;
  constexpr std::size_t features = 20000;
  const Matrix proposed(features, 1, 1.0);
  const std::vector<double> one(features, 1.0);
  std::vector<char> accepted;
  EXPECT_EQ(decide(moves, 1, proposed, amplitudes_of(one, 0.0, 0), amplitudes_of(one, 0.0, 0), 0, accepted), features);
  const double p = 0.8 * 0.8 * 0.8;
  const std::size_t count = decide(moves, 2, proposed, amplitudes_of(std::vector<double>(features, 0.8), 0.0, 0),
                                   amplitudes_of(one, 0.0, 0), 0, accepted);
  EXPECT_NEAR(static_cast<double>(count) / features, p, 4.0 * std::sqrt(p * (1.0 - p) / features));
}

}  // namespace
}  // namespace rfnn::sampled
