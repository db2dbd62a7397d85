#include "rfnn/baselines/adam_steps.hpp"

#include <cmath>
#include <cstddef>

#include "rfnn/baselines/parameters.hpp"

namespace rfnn::baselines {

AdamSteps::AdamSteps(const Network& network, const AdamOptions& options)
    : learning_rate_(options.learning_rate),
      beta1_(options.beta1),
      beta2_(options.beta2),
      epsilon_(options.epsilon),
      first_(zeros_like(network)),
      second_(zeros_like(network)) {}

void AdamSteps::step(Network& network, const Network& gradient) {
  beta1_power_ *= beta1_;
  beta2_power_ *= beta2_;
  const double first_scale = 1.0 / (1.0 - beta1_power_), second_scale = 1.0 / (1.0 - beta2_power_);
  for_each_parameters(
      [&](Matrix& parameters, const Matrix& slopes, Matrix& first, Matrix& second) {
        double* p = parameters.data();
        const double* q = slopes.data();
        double* m = first.data();
        double* v = second.data();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
          m[i] = beta1_ * m[i] + (1.0 - beta1_) * q[i];
          v[i] = beta2_ * v[i] + (1.0 - beta2_) * q[i] * q[i];
          p[i] -= learning_rate_ * (m[i] * first_scale) / (std::sqrt(v[i] * second_scale) + epsilon_);
        }
      },
      network, gradient, first_, second_);
}

}  // namespace rfnn::baselines
