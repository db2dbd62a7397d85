#include "rfnn/model/law.hpp"

#include <cmath>

namespace rfnn {
namespace {

/// q(x) exp(−x); zero, not ∞ · 0, however far away.
double rough_factor(int order, double x) {
  const double decay = std::exp(-x);
  if (decay == 0.0) return 0.0;
  return decay * (order == 0 ? 1.0 : order == 1 ? 1.0 + x : 1.0 + x + x * x / 3.0);
}

}  // namespace

double kernel_value(const FrequencyLaw& law, const double* difference) {
  const std::size_t variables = law.variables();
  const bool mapped = law.map.rows() > 0;
  double sum = 0.0;
  for (const FrequencyLaw::Part& part : law.parts) {
    double squares = 0.0, phase = 0.0, value = part.strength;
    for (std::size_t j = 0; j < part.smooth.size(); ++j) {
      double u = mapped ? 0.0 : difference[j];
      if (mapped)
        for (std::size_t k = 0; k < variables; ++k) u += law.map(j, k) * difference[k];
      squares += part.smooth[j] * u * part.smooth[j] * u;
    }
    double length = 0.0;
    for (std::size_t k = 0; k < variables && part.radial; ++k)
      length = std::hypot(length, part.rough[k] * difference[k]);
    if (part.radial) value *= rough_factor(part.order, length);
    for (std::size_t k = 0; k < variables; ++k) {
      if (!part.radial) value *= rough_factor(part.order, part.rough[k] * std::abs(difference[k]));
      if (!part.centre.empty()) phase += part.centre[k] * difference[k];
    }
    value *= std::exp(-0.5 * squares);
    if (value > 0.0) sum += value * std::cos(phase);  // the cosine of an infinite phase is no number
  }
  return sum;
}

double window_weight(const Windows& windows, std::size_t window, const double* inputs) {
  double weight = 1.0;
  for (std::size_t k = 0; k < windows.inputs(); ++k) {
    const double low = windows.low(window, k), high = windows.high(window, k);
    const double u = std::abs(2.0 * (inputs[k] - low) / (high - low) - 1.0);
    if (!(u < 1.0)) return 0.0;
    const double square = (1.0 - u) * (1.0 - u);
    weight *= square * square * (4.0 * u + 1.0);
  }
  return weight;
}

}  // namespace rfnn
