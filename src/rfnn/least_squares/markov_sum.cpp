#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rfnn/least_squares/markov.hpp"

namespace rfnn {
namespace {

using State = std::array<double, MarkovProcess::most_dimensions>;
using Square = std::array<double, MarkovProcess::most_dimensions * MarkovProcess::most_dimensions>;

}  // namespace

MarkovSum::MarkovSum(const FrequencyLaw& law, std::span<const double> centres, ConstMatrixView coefficients)
    : process_(law), centres_(centres.begin(), centres.end()), outputs_(coefficients.cols()) {
  accumulate(coefficients, true, before_);
  accumulate(coefficients, false, after_);
}

/// The process is the same in both directions. A centre's own share is in both states; `add` uses it in one of them.
void MarkovSum::accumulate(ConstMatrixView coefficients, bool ascending, std::vector<double>& states) const {
  const auto n = static_cast<std::size_t>(process_.dimension());
  Square covariance{}, a{};
  State h{}, share{};
  process_.noise(std::numeric_limits<double>::infinity(), covariance.data());
  process_.observation(h.data());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) share[i] += covariance[j * n + i] * h[j];
  states.assign(centres_.size() * outputs_ * n, 0.0);
  for (std::size_t step = 0; step < centres_.size(); ++step) {
    const std::size_t at = ascending ? step : centres_.size() - 1 - step, last = ascending ? at - 1 : at + 1;
    if (step > 0) process_.transition(std::abs(centres_[at] - centres_[last]), a.data());
    for (std::size_t o = 0; o < outputs_; ++o) {
      double* state = states.data() + (at * outputs_ + o) * n;
      if (step > 0) {
        const double* old = states.data() + (last * outputs_ + o) * n;
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t i = 0; i < n; ++i) state[i] += a[j * n + i] * old[j];
      }
      for (std::size_t i = 0; i < n; ++i) state[i] += coefficients(at, o) * share[i];
    }
  }
}

void MarkovSum::add(double x, std::span<double> outputs) const {
  const auto n = static_cast<std::size_t>(process_.dimension());
  const auto next = static_cast<std::size_t>(std::upper_bound(centres_.begin(), centres_.end(), x) - centres_.begin());
  Square a{};
  State h{};
  process_.observation(h.data());
  const auto add_side = [&](double distance, const double* states) {
    process_.transition(distance, a.data());
    State seen{};  // hᵀA
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) seen[j] += h[i] * a[j * n + i];
    for (std::size_t o = 0; o < outputs_; ++o)
      for (std::size_t j = 0; j < n; ++j) outputs[o] += seen[j] * states[o * n + j];
  };
  if (next > 0) add_side(x - centres_[next - 1], before_.data() + (next - 1) * outputs_ * n);
  if (next < centres_.size()) add_side(centres_[next] - x, after_.data() + next * outputs_ * n);
}

}  // namespace rfnn
