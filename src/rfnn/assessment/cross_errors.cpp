// What cross-validation says: the simple methods, and the errors of all.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "rfnn/assessment/cross_validation.hpp"
#include "rfnn/baselines/linear.hpp"
#include "rfnn/baselines/neighbours.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/data/statistics.hpp"

namespace rfnn::assessment {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The same values for every row.
Matrix repeated(const std::vector<double>& values, std::size_t rows) {
  Matrix result(rows, values.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t o = 0; o < values.size(); ++o) result(i, o) = values[o];
  return result;
}

Matrix predictions_by(const std::string& method, const Dataset& train, ConstMatrixView asked) {
  const ConstMatrixView inputs = train.inputs.view(), targets = train.targets.view();
  if (method == "linear") return baselines::linear_predictions(inputs, targets, train.weights, asked);
  if (method == "neighbours")
    return baselines::neighbour_predictions(inputs, targets, train.weights, asked).predictions;
  std::vector<double> values;
  const auto statistics = column_statistics(targets, {}, train.weights);
  for (std::size_t o = 0; o < targets.cols(); ++o)
    values.push_back(method == "mean" ? statistics[o].mean : targets(targets.rows() - 1, o));
  return repeated(values, asked.rows());
}

double weight_of(const DatasetView& data, std::size_t row) { return data.weights ? (*data.weights)[row] : 1.0; }

}  // namespace

std::vector<Baseline> cross_baselines(const CrossTable& table, const std::vector<FoldRows>& folds, bool along_time,
                                      std::size_t threads, const std::function<bool()>& proceed) {
  std::vector<Baseline> methods;
  for (const char* name : {"mean", "last", "linear", "neighbours"})
    if (along_time || std::string(name) != "last") methods.push_back({name, std::vector<Matrix>(folds.size())});
  Interrupt interrupt(proceed ? proceed : [] { return true; });
  const auto work = [&](std::size_t fold, std::size_t) {
    const FoldTable train = training_rows(table, folds[fold]);
    const Matrix asked = asked_rows(table, folds[fold], train.code).inputs;
    for (Baseline& method : methods) method.predictions[fold] = predictions_by(method.name, train.rows, asked.view());
  };
  Workers workers(std::min(threads, folds.size()));
  workers.run_watched(folds.size(), work, interrupt);
  return methods;
}

CrossErrors cross_errors(const DatasetView& data, const std::vector<FoldRows>& folds,
                         const std::vector<const Matrix*>& predictions, std::span<const std::size_t> clusters) {
  const std::size_t outputs = data.targets.size();
  CrossErrors errors;
  std::vector<double> times(data.rows(), 0.0);
  Matrix squares(data.rows(), outputs);  // sums over the times a row was predicted
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    double sum = 0.0, total = 0.0;
    for (std::size_t i = 0; predictions[fold] != nullptr && i < folds[fold].test.size(); ++i) {
      const std::size_t row = folds[fold].test[i];
      times[row] += 1.0;
      for (std::size_t o = 0; o < outputs; ++o) {
        const double error = data.targets[o][row] - (*predictions[fold])(i, o);
        squares(row, o) += error * error;
        sum += weight_of(data, row) * error * error / static_cast<double>(outputs);
      }
      total += weight_of(data, row);
    }
    errors.fold_mse.push_back(total > 0.0 ? sum / total : unknown);
  }

  double total = 0.0;
  std::vector<std::size_t> predicted;
  std::vector<double> row_weights(data.rows(), 0.0);
  errors.output_mse.assign(outputs, 0.0);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    if (times[row] == 0.0) continue;
    predicted.push_back(row);
    row_weights[row] = weight_of(data, row);
    total += row_weights[row];
    for (std::size_t o = 0; o < outputs; ++o) {
      squares(row, o) /= times[row];
      errors.output_mse[o] += row_weights[row] * squares(row, o);
    }
  }
  errors.rows = predicted.size();
  errors.mse = 0.0;
  for (double& mse : errors.output_mse) {
    mse = total > 0.0 ? mse / total : unknown;
    errors.mse += mse / static_cast<double>(outputs);
  }

  errors.r2 = predicted.empty() ? unknown : 0.0;
  if (!predicted.empty()) {
    const auto statistics = column_statistics(data.targets, predicted, row_weights);
    for (std::size_t o = 0; o < outputs; ++o) {
      const double variance = statistics[o].sd * statistics[o].sd;
      errors.output_r2.push_back(variance > 0.0 ? 1.0 - errors.output_mse[o] / variance : unknown);
      errors.r2 += errors.output_r2[o] / static_cast<double>(outputs);
    }
  }

  // Deviations summed within clusters, which are independent of each other: Var = G/(G − 1) Σ_g (Σ_i w (l − l̄))² / W².
  std::map<std::size_t, double> sums;
  for (const std::size_t row : predicted) {
    double loss = 0.0;
    for (std::size_t o = 0; o < outputs; ++o) loss += squares(row, o) / static_cast<double>(outputs);
    if (row_weights[row] > 0.0) sums[clusters[row]] += row_weights[row] * (loss - errors.mse);
  }
  double variance = 0.0;
  for (const auto& [cluster, sum] : sums) variance += sum * sum;
  const auto count = static_cast<double>(sums.size());
  errors.standard_error = count > 1.0 ? std::sqrt(count / (count - 1.0) * variance) / total : unknown;
  return errors;
}

}  // namespace rfnn::assessment
