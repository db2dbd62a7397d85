#include "baseline_fast.hpp"

#include <cmath>

namespace rfnn::baseline {

void fast_columns(const double* values, std::size_t rows, const double* frequency, std::size_t variables,
                  double* phases, double* cosine, double* minus_sine) {
  for (std::size_t i = 0; i < rows; ++i) {
    double phase = 0.0;
    for (std::size_t k = 0; k < variables; ++k) phase += frequency[k] * values[i * variables + k];
    phases[i] = phase;
  }
  // Two loops: the compiler would join cos and sin of one number to a call that has no vector form.
  for (std::size_t i = 0; i < rows; ++i) cosine[i] = std::cos(phases[i]);
  for (std::size_t i = 0; i < rows; ++i) minus_sine[i] = -std::sin(phases[i]);
}

}  // namespace rfnn::baseline
