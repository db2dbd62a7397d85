#include "rfnn/diagnostics/scores.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "rfnn/core/error.hpp"

namespace rfnn {

ScoreSum::ScoreSum(std::size_t outputs) : sums_(outputs) {}

void ScoreSum::add(ConstMatrixView targets, ConstMatrixView predictions) {
  if (targets.cols() != sums_.size() || predictions.cols() != sums_.size() || targets.rows() != predictions.rows())
    throw UsageError("Targets of shape " + std::to_string(targets.rows()) + " × " + std::to_string(targets.cols()) +
                         " and predictions of shape " + std::to_string(predictions.rows()) + " × " +
                         std::to_string(predictions.cols()) + " cannot be compared for " +
                         std::to_string(sums_.size()) + " outputs.",
                     "Give both the same rows and one column per output.");
  const std::size_t rows = targets.rows();
  if (rows == 0) return;
  const auto before = static_cast<double>(rows_);
  const auto batch = static_cast<double>(rows);
  const double all = before + batch;

  for (std::size_t o = 0; o < sums_.size(); ++o) {
    Sums& sums = sums_[o];
    // Mean and squared deviations of the batch about it; taken from its first value they are exact where nothing
    // varies.
    const double first = targets(0, o);
    double shift = 0.0;
    for (std::size_t i = 0; i < rows; ++i) shift += targets(i, o) - first;
    const double mean = first + shift / batch;
    double m2 = 0.0, squared_error = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double deviation = targets(i, o) - mean;
      const double error = std::abs(targets(i, o) - predictions(i, o));
      m2 += deviation * deviation;
      squared_error += error * error;
      if (!(error <= sums.max_error) && !std::isnan(sums.max_error)) sums.max_error = error;  // NaN stays
    }
    sums.squared_error += squared_error;
    // Two groups: M₂ = M₂ᵃ + M₂ᵇ + δ²·nᵃnᵇ/n, δ the distance of their means.
    const double delta = mean - sums.mean;
    sums.mean += delta * (batch / all);
    sums.m2 += m2 + (before > 0.0 ? delta * delta * (before * batch / all) : 0.0);
  }
  rows_ += rows;
}

Scores ScoreSum::scores() const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Scores scores;
  scores.rows = rows_;
  for (const Sums& sums : sums_) {
    const double mse = rows_ > 0 ? sums.squared_error / static_cast<double>(rows_) : unknown;
    scores.mse.push_back(mse);
    scores.rmse.push_back(std::sqrt(mse));
    scores.r2.push_back(sums.m2 > 0.0 ? 1.0 - sums.squared_error / sums.m2 : unknown);
    scores.max_error.push_back(rows_ > 0 ? sums.max_error : unknown);
  }
  return scores;
}

}  // namespace rfnn
