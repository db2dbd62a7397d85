#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "rfnn/least_squares/markov.hpp"

namespace rfnn::least_squares {
namespace {

using State = std::array<double, MarkovProcess::most_dimensions>;
using Square = std::array<double, MarkovProcess::most_dimensions * MarkovProcess::most_dimensions>;

}  // namespace

MarkovSum::MarkovSum(const ClosedForm& form) : process_(form.law), outputs_(form.coefficients.cols()) {
  std::vector<std::size_t> order(form.centres.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return form.centres(i, 0) < form.centres(j, 0); });
  for (const std::size_t i : order) centres_.push_back(form.centres(i, 0));
  before_ = states(form, order);
  std::reverse(order.begin(), order.end());
  after_ = states(form, order);
}

/// The process is the same in both directions.
std::vector<double> MarkovSum::states(const ClosedForm& form, const std::vector<std::size_t>& order) const {
  const auto n = static_cast<std::size_t>(process_.dimension());
  Square covariance{}, a{};
  State h{}, share{};
  process_.noise(std::numeric_limits<double>::infinity(), covariance.data());
  process_.observation(h.data());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) share[i] += covariance[j * n + i] * h[j];
  std::vector<double> states(order.size() * outputs_ * n, 0.0);
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at > 0) process_.transition(std::abs(form.centres(order[at], 0) - form.centres(order[at - 1], 0)), a.data());
    for (std::size_t o = 0; o < outputs_; ++o) {
      double* state = states.data() + (at * outputs_ + o) * n;
      if (at > 0) {
        const double* last = state - outputs_ * n;
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t i = 0; i < n; ++i) state[i] += a[j * n + i] * last[j];
      }
      for (std::size_t i = 0; i < n; ++i) state[i] += form.coefficients(order[at], o) * share[i];
    }
  }
  return states;
}

void MarkovSum::add(double x, std::span<double> outputs) const {
  const auto n = static_cast<std::size_t>(process_.dimension());
  const auto next = static_cast<std::size_t>(std::upper_bound(centres_.begin(), centres_.end(), x) - centres_.begin());
  Square a{};
  State h{};
  process_.observation(h.data());
  // A centre's own share is in both its states: x sees it in that of the centres before.
  const auto add_side = [&](double distance, const double* states) {
    process_.transition(distance, a.data());
    State seen{};  // hᵀA
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) seen[j] += h[i] * a[j * n + i];
    for (std::size_t o = 0; o < outputs_; ++o)
      for (std::size_t j = 0; j < n; ++j) outputs[o] += seen[j] * states[o * n + j];
  };
  if (next > 0) add_side(x - centres_[next - 1], before_.data() + (next - 1) * outputs_ * n);
  if (next < centres_.size()) add_side(centres_[next] - x, after_.data() + (centres_.size() - 1 - next) * outputs_ * n);
}

void MarkovSum::add_slopes_between(std::size_t next, double x, double share, std::span<double> slopes) const {
  const auto n = static_cast<std::size_t>(process_.dimension());
  State value{}, slope{};
  const auto add_side = [&](double distance, double sign, const double* states) {
    process_.seen(distance, value.data(), slope.data());
    for (std::size_t o = 0; o < outputs_; ++o)
      for (std::size_t j = 0; j < n; ++j) slopes[o] += sign * share * slope[j] * states[o * n + j];
  };
  if (next > 0) add_side(x - centres_[next - 1], 1.0, before_.data() + (next - 1) * outputs_ * n);
  if (next < centres_.size())
    add_side(centres_[next] - x, -1.0, after_.data() + (centres_.size() - 1 - next) * outputs_ * n);
}

void MarkovSum::add_slopes(double x, std::span<double> slopes) const {
  const auto above = std::upper_bound(centres_.begin(), centres_.end(), x),
             at = std::lower_bound(centres_.begin(), above, x);
  const double share = at == above ? 1.0 : 0.5;
  add_slopes_between(static_cast<std::size_t>(above - centres_.begin()), x, share, slopes);
  if (at != above) add_slopes_between(static_cast<std::size_t>(at - centres_.begin()), x, share, slopes);
}

}  // namespace rfnn::least_squares
