#include "rfnn/data/indicators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "rfnn/data/row_hash.hpp"

namespace rfnn {
namespace {

constexpr std::size_t folds = 5, most_inputs = 200, fewest_rows = 20, enough_rows = 500, most_rows = 20'000;
/// Multiplications all fits may take together; fewer rows are looked at where that would not do.
constexpr double most_work = 2e9;

/// Lower triangle of A = Σ w x xᵀ and B = Σ w x yᵀ.
struct Sums {
  Sums(std::size_t columns, std::size_t targets)
      : size(columns), outputs(targets), gram(columns * columns, 0.0), right(columns * targets, 0.0) {}
  void add(const double* x, const double* y, double weight) {
    for (std::size_t i = 0; i < size; ++i) {
      if (x[i] == 0.0) continue;
      const double scaled = weight * x[i];
      for (std::size_t j = 0; j <= i; ++j) gram[i * size + j] += scaled * x[j];
      for (std::size_t o = 0; o < outputs; ++o) right[i * outputs + o] += scaled * y[o];
    }
  }
  std::size_t size, outputs;
  std::vector<double> gram, right;
};

/// Solves (A + shift) C = B by Cholesky's method; inputs are of unit size, and columns that depend on others (the
/// levels of a category sum to one) ask for a little on the diagonal.
std::vector<double> solved(Sums sums) {
  const std::size_t n = sums.size, m = sums.outputs;
  auto at = [&](std::size_t i, std::size_t j) -> double& { return sums.gram[i * n + j]; };
  double trace = 0.0;
  for (std::size_t i = 0; i < n; ++i) trace += at(i, i);
  const double shift = 1e-6 * trace / static_cast<double>(n) + 1e-300;
  for (std::size_t i = 0; i < n; ++i) at(i, i) += shift;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < n; ++i) at(i, j) -= at(i, k) * at(j, k);
    const double root = std::sqrt(std::max(at(j, j), 0.5 * shift));
    for (std::size_t i = j; i < n; ++i) at(i, j) /= root;
    at(j, j) = root;
  }
  for (std::size_t o = 0; o < m; ++o) {
    for (std::size_t i = 0; i < n; ++i) {
      double& value = sums.right[i * m + o];
      for (std::size_t k = 0; k < i; ++k) value -= at(i, k) * sums.right[k * m + o];
      value /= at(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      double& value = sums.right[i * m + o];
      for (std::size_t k = i + 1; k < n; ++k) value -= at(k, i) * sums.right[k * m + o];
      value /= at(i, i);
    }
  }
  return std::move(sums.right);
}

/// Rows as the judge sees them: a constant and columns of mean 0 and size 1.
struct Rows {
  std::size_t size = 0, outputs = 0;
  std::vector<double> x, y, weights;
  std::vector<std::uint8_t> fold;
  [[nodiscard]] std::size_t count() const { return fold.size(); }
};

void standardise(std::vector<double>& values, std::size_t width, std::size_t column, double size_of_constant) {
  const std::size_t rows = values.size() / width;
  double mean = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < rows; ++i) mean += values[i * width + column] / static_cast<double>(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    double& value = values[i * width + column];
    value -= mean;
    squares += value * value / static_cast<double>(rows);
  }
  const double sd = std::sqrt(squares);
  for (std::size_t i = 0; i < rows; ++i) {
    double& value = values[i * width + column];
    value = sd > size_of_constant * std::abs(mean) && std::isfinite(sd) ? value / sd : 0.0;
  }
}

/// Squared errors, per row, of predictions by fits to the other folds; without the candidate (the last column), and
/// with.
std::vector<double> held_out_errors(const Rows& rows, std::size_t columns) {
  std::vector<Sums> parts(folds, Sums(columns, rows.outputs));
  for (std::size_t i = 0; i < rows.count(); ++i)
    parts[rows.fold[i]].add(&rows.x[i * rows.size], &rows.y[i * rows.outputs], rows.weights[i]);
  std::vector<std::vector<double>> fits;
  for (std::size_t f = 0; f < folds; ++f) {
    Sums others(columns, rows.outputs);
    for (std::size_t g = 0; g < folds; ++g) {
      if (g == f) continue;
      for (std::size_t k = 0; k < others.gram.size(); ++k) others.gram[k] += parts[g].gram[k];
      for (std::size_t k = 0; k < others.right.size(); ++k) others.right[k] += parts[g].right[k];
    }
    fits.push_back(solved(std::move(others)));
  }
  std::vector<double> errors(rows.count(), 0.0);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const std::vector<double>& fit = fits[rows.fold[i]];
    for (std::size_t o = 0; o < rows.outputs; ++o) {
      double left = rows.y[i * rows.outputs + o];
      for (std::size_t k = 0; k < columns; ++k) left -= rows.x[i * rows.size + k] * fit[k * rows.outputs + o];
      errors[i] += rows.weights[i] * left * left;
    }
  }
  return errors;
}

/// The rows looked at, in an order of their own, with the folds they belong to.
std::vector<std::pair<std::uint64_t, std::size_t>> chosen_rows(const Columns& inputs, const Columns& targets,
                                                               std::size_t most) {
  std::vector<std::uint64_t> hash(inputs.rows(), 0);
  hash_rows(inputs, hash);
  hash_rows(targets, hash);
  std::vector<std::pair<std::uint64_t, std::size_t>> rows;
  for (std::size_t i = 0; i < hash.size(); ++i) rows.emplace_back(hash[i], i);
  std::sort(rows.begin(), rows.end());
  if (rows.size() > most) rows.resize(most);
  return rows;
}

Rows rows_with(const std::vector<std::pair<std::uint64_t, std::size_t>>& chosen, const Columns& inputs,
               const std::vector<std::size_t>& beside, const ColumnView& candidate, const Columns& targets,
               const std::vector<double>& weights) {
  Rows rows;
  rows.size = beside.size() + 2;
  rows.outputs = targets.size();
  std::size_t group = 0;  // equal rows go to one fold
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::size_t row = chosen[i].second;
    if (i > 0 && chosen[i].first != chosen[i - 1].first) ++group;
    rows.x.push_back(1.0);
    for (const std::size_t k : beside) rows.x.push_back(inputs[k][row]);
    rows.x.push_back(candidate[row]);
    for (std::size_t o = 0; o < targets.size(); ++o) rows.y.push_back(targets[o][row]);
    rows.weights.push_back(weights.empty() ? 1.0 : weights[row]);
    rows.fold.push_back(static_cast<std::uint8_t>(group % folds));
  }
  for (std::size_t k = 1; k < rows.size; ++k) standardise(rows.x, rows.size, k, 1e-12);
  for (std::size_t o = 0; o < rows.outputs; ++o) standardise(rows.y, rows.outputs, o, 0.0);
  return rows;
}

/// Is the fall of the errors more than chance?
bool surely_falls(const std::vector<double>& without, const std::vector<double>& with) {
  const auto count = static_cast<double>(without.size());
  double gain = 0.0, spread = 0.0;
  for (std::size_t i = 0; i < without.size(); ++i) gain += (without[i] - with[i]) / count;
  for (std::size_t i = 0; i < without.size(); ++i) {
    const double off = without[i] - with[i] - gain;
    spread += off * off / count;
  }
  return gain > 2.0 * std::sqrt(spread / count);
}

}  // namespace

std::vector<bool> helpful_indicators(const Columns& inputs, const Columns& candidates,
                                     const std::vector<std::vector<std::size_t>>& own, const Columns& targets,
                                     const std::vector<double>& weights) {
  std::vector<bool> helps(candidates.size(), false);
  if (candidates.size() == 0 || inputs.rows() < fewest_rows) return helps;
  const bool all = inputs.size() <= most_inputs;
  const auto size = static_cast<double>(all ? inputs.size() + 2 : most_inputs);
  const double affordable = most_work / (size * size * static_cast<double>(candidates.size()));
  const auto chosen = chosen_rows(
      inputs, targets, static_cast<std::size_t>(std::clamp(affordable, double{enough_rows}, double{most_rows})));
  std::vector<std::size_t> every(inputs.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  std::vector<double> without;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const Rows rows = rows_with(chosen, inputs, all ? every : own[c], candidates[c], targets, weights);
    if (!all || c == 0) without = held_out_errors(rows, rows.size - 1);
    helps[c] = surely_falls(without, held_out_errors(rows, rows.size));
  }
  return helps;
}

}  // namespace rfnn
