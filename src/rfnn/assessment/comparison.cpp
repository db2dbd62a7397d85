#include "rfnn/assessment/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "rfnn/core/parallel.hpp"
#include "rfnn/core/random.hpp"

namespace rfnn::assessment {
namespace {

constexpr std::size_t resamples = 400;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
using Quantiles = std::array<double, compared_quantiles.size()>;

/// A model's errors row by row.
struct RowErrors {
  std::vector<double> squared, absolute;
  std::vector<std::size_t> order;  ///< rows by their absolute error
};

RowErrors row_errors(ConstMatrixView targets, ConstMatrixView predictions) {
  RowErrors errors;
  const auto outputs = static_cast<double>(targets.cols());
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    double squared = 0.0, absolute = 0.0;
    for (std::size_t o = 0; o < targets.cols(); ++o) {
      const double error = targets(i, o) - predictions(i, o);
      squared += error * error / outputs;
      absolute += std::abs(error) / outputs;
    }
    errors.squared.push_back(squared);
    errors.absolute.push_back(absolute);
  }
  errors.order.resize(targets.rows());
  std::iota(errors.order.begin(), errors.order.end(), std::size_t{0});
  std::sort(errors.order.begin(), errors.order.end(), [&](std::size_t a, std::size_t b) {
    return errors.absolute[a] < errors.absolute[b] || (errors.absolute[a] == errors.absolute[b] && a < b);
  });
  return errors;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The interval of a difference with a standard error from `rows` rows.
Interval interval(double difference, double standard_error, std::size_t rows) {
  if (rows < 2) return {difference, unknown, unknown};
  const double reach = student_95(static_cast<double>(rows - 1)) * standard_error;
  return {difference, difference - reach, difference + reach};
}

Interval paired(const std::vector<double>& errors, const std::vector<double>& reference) {
  const std::size_t rows = errors.size();
  std::vector<double> differences(rows);
  for (std::size_t i = 0; i < rows; ++i) differences[i] = errors[i] - reference[i];
  const double mean = mean_of(differences);
  double squares = 0.0;
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  const auto n = static_cast<double>(rows);
  return interval(mean, rows > 1 ? std::sqrt(squares / (n - 1.0) / n) : unknown, rows);
}

/// The quantiles of a model's absolute errors where row i counts count[i] times, `rows` in all.
Quantiles quantiles_of(const RowErrors& errors, const std::vector<std::uint32_t>& count) {
  Quantiles found{};
  const auto rows = static_cast<double>(errors.order.size());
  double below = 0.0;
  std::size_t next = 0;
  for (const std::size_t row : errors.order) {
    below += count[row];
    while (next < found.size() && below >= compared_quantiles[next] * rows * (1.0 - 1e-12))
      found[next++] = errors.absolute[row];
    if (next == found.size()) break;
  }
  return found;
}

/// How often each row is in a resample of as many rows as there are.
std::vector<std::uint32_t> drawn_counts(std::size_t rows, std::size_t resample) {
  const Stream stream({1, resample, 0, 0}, Purpose::resamples);
  std::vector<std::uint32_t> count(rows, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = static_cast<std::size_t>(stream.uniform(i) * static_cast<double>(rows));
    ++count[std::min(row, rows - 1)];
  }
  return count;
}

void add_quantiles(std::vector<ComparedModel>& models, const std::vector<RowErrors>& errors, std::size_t threads) {
  const std::size_t rows = errors[0].order.size();
  const std::vector<std::uint32_t> once(rows, 1);
  for (std::size_t m = 0; m < models.size(); ++m) models[m].quantiles = quantiles_of(errors[m], once);

  std::vector<std::vector<Quantiles>> drawn(resamples, std::vector<Quantiles>(models.size()));
  Workers workers(threads);
  Interrupt never;
  const auto work = [&](std::size_t resample, std::size_t) {
    const std::vector<std::uint32_t> count = drawn_counts(rows, resample);
    for (std::size_t m = 0; m < models.size(); ++m) drawn[resample][m] = quantiles_of(errors[m], count);
  };
  if (models.size() > 1 && rows > 1) workers.run(resamples, rows > 1000, work, never);

  for (std::size_t m = 1; m < models.size(); ++m)
    for (std::size_t q = 0; q < compared_quantiles.size(); ++q) {
      double sum = 0.0, squares = 0.0;
      const auto difference = [&](std::size_t r) { return drawn[r][m][q] - drawn[r][0][q]; };
      for (std::size_t r = 0; r < resamples; ++r) sum += difference(r);
      const double mean = sum / static_cast<double>(resamples);
      for (std::size_t r = 0; r < resamples; ++r) squares += (difference(r) - mean) * (difference(r) - mean);
      models[m].quantile_differences[q] = interval(models[m].quantiles[q] - models[0].quantiles[q],
                                                   std::sqrt(squares / static_cast<double>(resamples - 1)), rows);
    }
}

}  // namespace

double student_95(double degrees) {
  constexpr double z = 1.959963984540054;
  if (degrees < 1.5) return 12.706204736432095;
  if (degrees < 2.5) return 4.302652729696142;
  // Cornish and Fisher's expansion about the normal quantile: within 4e-3 from three degrees on.
  const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z, v = degrees;
  return z + (z3 + z) / (4.0 * v) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v) +
         (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v * v * v) +
         (79.0 * z9 + 776.0 * z7 + 1482.0 * z5 - 1920.0 * z3 - 945.0 * z) / (92160.0 * v * v * v * v);
}

std::vector<ComparedModel> compare_models(ConstMatrixView targets, const std::vector<ConstMatrixView>& predictions,
                                          std::size_t threads) {
  std::vector<ComparedModel> models(predictions.size());
  if (targets.rows() == 0 || models.empty()) return models;
  std::vector<RowErrors> errors;
  for (const ConstMatrixView& each : predictions) errors.push_back(row_errors(targets, each));
  for (std::size_t m = 0; m < models.size(); ++m) {
    models[m].mse = mean_of(errors[m].squared);
    models[m].mae = mean_of(errors[m].absolute);
    if (m == 0) continue;
    models[m].mse_difference = paired(errors[m].squared, errors[0].squared);
    models[m].mae_difference = paired(errors[m].absolute, errors[0].absolute);
  }
  add_quantiles(models, errors, threads);
  return models;
}

}  // namespace rfnn::assessment
