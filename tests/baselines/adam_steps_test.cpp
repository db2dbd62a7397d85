#include "rfnn/baselines/adam_steps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "baselines/networks.hpp"

namespace rfnn::baselines {
namespace {

using namespace rfnn::testing;

AdamOptions some_options() {
  AdamOptions options;
  options.learning_rate = 0.02;
  options.beta1 = 0.8;
  options.beta2 = 0.95;
  options.epsilon = 1e-3;
  return options;
}

TEST(AdamSteps, AreThoseOfTheFormula) {
  const AdamOptions options = some_options();
  Network network = random_network(2, 2, 1, 1, 1);
  AdamSteps adam(network, options);
  std::vector<double> p = flat(network), m(p.size(), 0.0), v(p.size(), 0.0);
  for (int t = 1; t <= 3; ++t) {
    const Network gradient = random_network(2, 2, 1, 1, 100 * static_cast<std::uint64_t>(t));
    const std::vector<double> q = flat(gradient);
    adam.step(network, gradient);
    const std::vector<double> got = flat(network);
    for (std::size_t i = 0; i < p.size(); ++i) {
      m[i] = 0.8 * m[i] + 0.2 * q[i];
      v[i] = 0.95 * v[i] + 0.05 * std::pow(q[i], 2);
      const double mean = m[i] / (1.0 - std::pow(0.8, t)), variance = v[i] / (1.0 - std::pow(0.95, t));
      p[i] -= 0.02 * mean / (std::sqrt(variance) + 1e-3);
      EXPECT_NEAR(got[i], p[i], 1e-14) << "step " << t << ", parameter " << i;
    }
  }
}

TEST(AdamSteps, TheFirstStepIsTheLearningRateWhateverTheGradient) {
  AdamOptions options = some_options();
  options.epsilon = 1e-12;
  for (const double size : {1e-4, 1.0, 1e4}) {
    Network network = random_network(1, 3, 2, 1, 2);
    const std::vector<double> before = flat(network);
    Network gradient = zeros_like(network);
    for_each_parameters(
        [&](Matrix& slopes) {
          for (std::size_t i = 0; i < slopes.size(); ++i) slopes.data()[i] = i % 2 == 0 ? size : -size;
        },
        gradient);
    const std::vector<double> q = flat(gradient);
    AdamSteps(network, options).step(network, gradient);
    const std::vector<double> after = flat(network);
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_NEAR(after[i], before[i] - std::copysign(0.02, q[i]), 1e-9) << size;
  }
}

TEST(AdamSteps, WithoutAGradientNothingMoves) {
  Network network = random_network(2, 2, 1, 1, 3);
  const Network before = network;
  AdamSteps(network, some_options()).step(network, zeros_like(network));
  EXPECT_EQ(network, before);
}

}  // namespace
}  // namespace rfnn::baselines
