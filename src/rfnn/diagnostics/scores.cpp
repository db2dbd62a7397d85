#include "rfnn/diagnostics/scores.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "rfnn/core/error.hpp"

namespace rfnn {

ScoreSum::ScoreSum(std::size_t outputs) : sums_(outputs) {}

void ScoreSum::add(ConstMatrixView targets, ConstMatrixView predictions, ConstMatrixView weights) {
  if (targets.cols() != sums_.size() || predictions.cols() != sums_.size() || targets.rows() != predictions.rows())
    throw UsageError("Targets of shape " + std::to_string(targets.rows()) + " × " + std::to_string(targets.cols()) +
                         " and predictions of shape " + std::to_string(predictions.rows()) + " × " +
                         std::to_string(predictions.cols()) + " cannot be compared for " +
                         std::to_string(sums_.size()) + " outputs.",
                     "Give both the same rows and one column per output.");
  const bool weighted = weights.rows() > 0;
  if (weighted && (weights.rows() != targets.rows() || weights.cols() != 1))
    throw UsageError(
        "There are " + std::to_string(weights.rows()) + " weights for " + std::to_string(targets.rows()) + " rows.",
        "Give one weight per row, or none.");
  const std::size_t rows = targets.rows();
  const auto weight_of = [&](std::size_t i) { return weighted ? weights(i, 0) : 1.0; };
  rows_ += rows;
  double batch = 0.0;
  for (std::size_t i = 0; i < rows; ++i) batch += weight_of(i);
  if (!(batch > 0.0)) return;
  const double before = weight_;
  const double all = before + batch;

  for (std::size_t o = 0; o < sums_.size(); ++o) {
    Sums& sums = sums_[o];
    // Mean and squared deviations of the batch about it; taken from its first value they are exact where nothing
    // varies.
    const double first = targets(0, o);
    double shift = 0.0;
    for (std::size_t i = 0; i < rows; ++i) shift += weight_of(i) * (targets(i, o) - first);
    const double mean = first + shift / batch;
    double m2 = 0.0, squared_error = 0.0, absolute_error = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double deviation = targets(i, o) - mean;
      const double error = std::abs(targets(i, o) - predictions(i, o));
      if (weight_of(i) == 0.0) continue;
      m2 += weight_of(i) * (deviation * deviation);
      squared_error += weight_of(i) * (error * error);
      absolute_error += weight_of(i) * error;
      if (!(error <= sums.max_error) && !std::isnan(sums.max_error)) sums.max_error = error;  // NaN stays
    }
    sums.squared_error += squared_error;
    sums.absolute_error += absolute_error;
    // Two groups: M₂ = M₂ᵃ + M₂ᵇ + δ²·nᵃnᵇ/n, δ the distance of their means.
    const double delta = mean - sums.mean;
    sums.mean += delta * (batch / all);
    sums.m2 += m2 + (before > 0.0 ? delta * delta * (before * batch / all) : 0.0);
  }
  weight_ = all;
}

Scores ScoreSum::scores() const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Scores scores;
  scores.rows = rows_;
  for (const Sums& sums : sums_) {
    const double mse = weight_ > 0.0 ? sums.squared_error / weight_ : unknown;
    scores.mse.push_back(mse);
    scores.rmse.push_back(std::sqrt(mse));
    scores.r2.push_back(sums.m2 > 0.0 ? 1.0 - sums.squared_error / sums.m2 : unknown);
    scores.mae.push_back(weight_ > 0.0 ? sums.absolute_error / weight_ : unknown);
    scores.max_error.push_back(weight_ > 0.0 ? sums.max_error : unknown);
  }
  return scores;
}

}  // namespace rfnn
