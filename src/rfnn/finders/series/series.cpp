#include "rfnn/finders/series/series.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace rfnn::series {

Series::Series(const rows::RowState& rows) {
  const std::size_t count = rows.count(), outputs = rows.outputs();
  std::vector<double> at(count);
  for (std::size_t i = 0; i < count; ++i) at[i] = rows.variable_of(i, 0);
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t i, std::size_t j) { return at[i] < at[j]; });
  value_ = Matrix(count, outputs);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = order_[i];
    if (x_.empty() || at[row] > x_.back()) {
      x_.push_back(at[row]);
      weight_.push_back(0.0);
      first_row_.push_back(i);
    }
    row_weight_.push_back(rows.weight(row));
    weight_.back() += row_weight_.back();
    for (std::size_t o = 0; o < outputs; ++o) value_(i, o) = rows.residual(row, o);
  }
  first_row_.push_back(count);
  mean_ = Matrix(places(), outputs);
  for (std::size_t place = 0; place < places(); ++place)
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = 0.0;
      for (std::size_t i = first_row_[place]; i < first_row_[place + 1]; ++i) sum += row_weight_[i] * value_(i, o);
      mean_(place, o) = sum / weight_[place];
    }
  if (places() < 2) return;
  std::vector<double> steps(places() - 1);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = x_[i + 1] - x_[i];
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  spacing_ = steps[steps.size() / 2];
}

double Series::mean_square() const {
  double squares = 0.0, weights = 0.0;
  for (std::size_t i = 0; i < rows(); ++i) {
    weights += row_weight_[i];
    for (std::size_t o = 0; o < outputs(); ++o) squares += row_weight_[i] * value_(i, o) * value_(i, o);
  }
  return weights > 0.0 ? squares / (weights * static_cast<double>(outputs())) : 0.0;
}

bool Series::solve(const FrequencyLaw& law, double noise, std::size_t first, std::size_t count, Interrupt& interrupt,
                   least_squares::MarkovSolution& solution) const {
  return least_squares::solve_markov(least_squares::MarkovProcess(law), noise, std::span(x_).subspan(first, count),
                                     std::span(weight_).subspan(first, count), mean_.view().rows_from(first, count),
                                     interrupt, solution);
}

/// Without its place a row would be m ± V from the others. Rows at its own place, of mean ȳ and weight w, say ȳ ± σ²/w
/// too.
template <class Visit>
void Series::each_left_out(const least_squares::MarkovSolution& solution, double noise, std::size_t first,
                           std::size_t count, const Visit& visit) const {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = first + i;
    const double variance = std::max(1.0 / solution.diagonal[i] - noise / weight_[place], 0.0);
    const std::size_t from = first_row_[place], to = first_row_[place + 1];
    for (std::size_t o = 0; o < outputs(); ++o) {
      const double mean = mean_(place, o), off = solution.coefficients(i, o) / solution.diagonal[i];
      for (std::size_t row = from; row < to; ++row) {
        double error = off;
        if (to - from > 1) {
          const double others = weight_[place] - row_weight_[row];
          const double theirs = (weight_[place] * mean - row_weight_[row] * value_(row, o)) / others;
          error = value_(row, o) - ((mean - off) * noise + theirs * others * variance) / (noise + others * variance);
        }
        visit(row, place, o, error);
      }
    }
  }
}

std::vector<double> Series::left_out(const least_squares::MarkovSolution& solution, double noise, std::size_t first,
                                     std::size_t count) const {
  std::vector<double> errors;
  each_left_out(solution, noise, first, count, [&](std::size_t row, std::size_t, std::size_t, double error) {
    errors.push_back(std::sqrt(row_weight_[row]) * error);
  });
  return errors;
}

void Series::add_leaving_out(const least_squares::MarkovSolution& solution, double noise, double share,
                             rows::TiledColumns& left) const {
  each_left_out(solution, noise, 0, places(), [&](std::size_t row, std::size_t place, std::size_t o, double error) {
    // The solution leaves σ²/w c on the mean of a place.
    const double residual = value_(row, o) - mean_(place, o) + noise / weight_[place] * solution.coefficients(place, o);
    left(order_[row], o) += share * (error - residual);
  });
}

double Series::weight(std::size_t first, std::size_t count) const {
  return std::accumulate(weight_.begin() + static_cast<std::ptrdiff_t>(first),
                         weight_.begin() + static_cast<std::ptrdiff_t>(first + count), 0.0);
}

}  // namespace rfnn::series
