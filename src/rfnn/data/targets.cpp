#include "rfnn/data/targets.hpp"

#include <array>
#include <cmath>
#include <string>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/data/sine_integral.hpp"

namespace rfnn {
namespace {

constexpr std::array<std::string_view, 3> names = {"multiscale", "stairstep", "sine"};

/// Three lines of falling strength, far apart.
double multiscale(double x) { return std::cos(4.0 * x) + 0.3 * std::cos(70.0 * x) + 0.05 * std::cos(150.0 * x); }

/// Four steps; a step's left end belongs to it.
double stairstep(double x) {
  if (x < -0.5) return 0.0;
  if (x < 0.0) return 1.0 / 3.0;
  if (x < 0.5) return 2.0 / 3.0;
  return 1.0;
}

/// A regularised jump across the plane θ₁ = ½ under a Gaussian envelope.
double sine(std::span<const double> theta) {
  double square = 0.0;
  for (const double t : theta) square += (t - 0.5) * (t - 0.5);
  return std::exp(-square / 2.0) * sine_integral((theta[0] - 0.5) / 0.1);
}

}  // namespace

std::span<const std::string_view> target_names() { return names; }

std::size_t target_inputs(Target target) { return target == Target::sine ? 3 : 1; }

double evaluate(Target target, std::span<const double> theta) {
  if (theta.size() != target_inputs(target))
    throw UsageError("Function " + std::string(names[static_cast<std::size_t>(target)]) + " takes " +
                         std::to_string(target_inputs(target)) + " inputs, not " + std::to_string(theta.size()) + ".",
                     "Give one number per input.");
  switch (target) {
    case Target::multiscale:
      return multiscale(theta[0]);
    case Target::stairstep:
      return stairstep(theta[0]);
    case Target::sine:
      return sine(theta);
  }
  return 0.0;
}

Dataset generate(Target target, std::size_t rows, std::uint64_t seed, double noise) {
  if (!std::isfinite(noise) || noise < 0.0)
    throw UsageError("The noise's standard deviation is " + std::to_string(noise) + ".",
                     "Give a number of at least 0.");
  const std::size_t d = target_inputs(target);
  const double low = target == Target::sine ? 0.0 : -1.0;
  const Stream points(seed, Purpose::data);
  const Stream errors(seed, Purpose::noise);

  Dataset data;
  data.inputs = Matrix(rows, d);
  data.targets = Matrix(rows, 1);
  for (std::size_t k = 0; k < d; ++k) data.input_names.push_back(d == 1 ? "x" : "x" + std::to_string(k + 1));
  data.target_names = {"y"};
  for (std::size_t i = 0; i < rows; ++i) {
    double* theta = data.inputs.data() + i * d;
    for (std::size_t k = 0; k < d; ++k) theta[k] = low + (1.0 - low) * points.uniform(i * d + k);
    data.targets(i, 0) = evaluate(target, {theta, d});
    if (noise > 0.0) data.targets(i, 0) += noise * errors.normal(i);
  }
  return data;
}

}  // namespace rfnn
