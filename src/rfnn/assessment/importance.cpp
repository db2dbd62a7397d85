#include "rfnn/assessment/importance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rfnn/core/random.hpp"
#include "rfnn/data/statistics.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::assessment {
namespace {

Matrix copy_of(ConstMatrixView view) {
  Matrix copy(view.rows(), view.cols());
  for (std::size_t i = 0; i < view.rows(); ++i)
    for (std::size_t j = 0; j < view.cols(); ++j) copy(i, j) = view(i, j);
  return copy;
}

/// A permutation that depends on seed, group and repeat alone.
std::vector<std::size_t> permuted(std::size_t count, std::uint64_t seed, std::size_t group, std::size_t repeat) {
  const Stream stream({seed, group, repeat, 0}, Purpose::permutation);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {
    const auto other = static_cast<std::size_t>(stream.uniform(i) * static_cast<double>(i));
    std::swap(order[i - 1], order[std::min(other, i - 1)]);
  }
  return order;
}

struct MeanError {
  double mean, standard_error;
};

MeanError mean_error(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, n > 1.0 ? std::sqrt(squares / (n - 1.0) / n) : std::numeric_limits<double>::quiet_NaN()};
}

/// Predicts `rows` rows at a time whose inputs are set by set(matrix, which), and averages them: one line per `which`.
template <class Set>
Matrix mean_predictions(const Model& model, ConstMatrixView rows, std::size_t count, std::size_t threads,
                        const Set& set) {
  const Predictor predictor(model, threads);
  PredictOptions how;
  how.threads = threads;
  Matrix means(count, model.outputs());
  // Many lines at once where rows are few: a call of its own for each would cost more than the work.
  const std::size_t at_once = std::max<std::size_t>(1, 4096 / std::max<std::size_t>(rows.rows(), 1));
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t lines = std::min(at_once, count - first);
    Matrix batch(lines * rows.rows(), rows.cols());
    for (std::size_t line = 0; line < lines; ++line)
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        for (std::size_t j = 0; j < rows.cols(); ++j) batch(line * rows.rows() + i, j) = rows(i, j);
        set(batch, line * rows.rows() + i, first + line);
      }
    Matrix predictions(batch.rows(), model.outputs());
    predictor.predict(batch.view(), predictions.view(), how);
    for (std::size_t line = 0; line < lines; ++line)
      for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::size_t o = 0; o < model.outputs(); ++o)
          means(first + line, o) += predictions(line * rows.rows() + i, o) / static_cast<double>(rows.rows());
  }
  return means;
}

}  // namespace

std::vector<Importance> permutation_importance(const Model& model, ConstMatrixView inputs, ConstMatrixView targets,
                                               const std::vector<std::vector<std::size_t>>& groups,
                                               const ImportanceOptions& options) {
  const std::size_t rows = inputs.rows(), outputs = model.outputs();
  std::vector<double> variance;
  for (const ColumnStatistics& target : column_statistics(targets)) variance.push_back(target.sd * target.sd);
  const Predictor predictor(model, options.threads);
  PredictOptions how;
  how.threads = options.threads;
  Matrix predictions(rows, outputs);
  predictor.predict(inputs, predictions.view(), how);
  Matrix before(rows, outputs);  // squared errors
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t o = 0; o < outputs; ++o) before(i, o) = std::pow(targets(i, o) - predictions(i, o), 2);

  std::vector<Importance> result;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::vector<double> increase(rows, 0.0), share(rows, 0.0);
    Matrix changed = copy_of(inputs);
    for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
      if (options.proceed && !options.proceed()) return result;
      const std::vector<std::size_t> order = permuted(rows, options.seed, group, repeat);
      for (const std::size_t input : groups[group])
        for (std::size_t i = 0; i < rows; ++i) changed(i, input) = inputs(order[i], input);
      predictor.predict(changed.view(), predictions.view(), how);
      const double each = 1.0 / static_cast<double>(options.repeats * outputs);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t o = 0; o < outputs; ++o) {
          const double more = std::pow(targets(i, o) - predictions(i, o), 2) - before(i, o);
          increase[i] += each * more;
          if (variance[o] > 0.0) share[i] += each * more / variance[o];
        }
    }
    const MeanError units = mean_error(increase), relative = mean_error(share);
    result.push_back({units.mean, units.standard_error, relative.mean, relative.standard_error});
  }
  return result;
}

Matrix partial_dependence(const Model& model, ConstMatrixView rows, std::size_t input, std::span<const double> values,
                          std::size_t threads) {
  return mean_predictions(model, rows, values.size(), threads, [&](Matrix& batch, std::size_t row, std::size_t which) {
    batch(row, input) = values[which];
  });
}

Matrix partial_dependence(const Model& model, ConstMatrixView rows, std::size_t first,
                          std::span<const double> first_values, std::size_t second,
                          std::span<const double> second_values, std::size_t threads) {
  const std::size_t width = second_values.size();
  return mean_predictions(model, rows, first_values.size() * width, threads,
                          [&](Matrix& batch, std::size_t row, std::size_t which) {
                            batch(row, first) = first_values[which / width];
                            batch(row, second) = second_values[which % width];
                          });
}

double interaction(const Model& model, ConstMatrixView rows, std::size_t first, std::size_t second, std::size_t output,
                   std::size_t threads) {
  const std::size_t count = rows.rows();
  if (count == 0) return 0.0;
  std::vector<double> a(count), b(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = rows(i, first);
    b[i] = rows(i, second);
  }
  const Matrix of_first = partial_dependence(model, rows, first, a, threads);
  const Matrix of_second = partial_dependence(model, rows, second, b, threads);
  const Matrix of_both =
      mean_predictions(model, rows, count, threads, [&](Matrix& batch, std::size_t row, std::size_t which) {
        batch(row, first) = a[which];
        batch(row, second) = b[which];
      });
  const auto centred = [&](const Matrix& effect) {
    double mean = 0.0;
    for (std::size_t i = 0; i < count; ++i) mean += effect(i, output) / static_cast<double>(count);
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = effect(i, output) - mean;
    return values;
  };
  const auto one = centred(of_first), other = centred(of_second), both = centred(of_both);
  double left = 0.0, total = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    left += std::pow(both[i] - one[i] - other[i], 2);
    total += both[i] * both[i];
  }
  return total > 0.0 ? std::min(std::sqrt(left / total), 1.0) : 0.0;
}

}  // namespace rfnn::assessment
