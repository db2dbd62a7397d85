#pragma once

// Private header. Models beside each other on the same rows.

#include <array>
#include <cstddef>
#include <vector>

#include "rfnn/core/matrix.hpp"

namespace rfnn::assessment {

/// Shares of the rows whose absolute errors are compared: the error that so many rows do not exceed.
inline constexpr std::array<double, 3> compared_quantiles = {0.5, 0.9, 0.95};

/// A difference of errors with the ends of its 95 % confidence interval; NaN where it cannot be told (one row).
struct Interval {
  double difference = 0.0, low = 0.0, high = 0.0;
  /// Does the interval leave out 0?
  [[nodiscard]] bool sure() const { return low > 0.0 || high < 0.0; }
};

/// The errors of one model. With several outputs a row's squared and absolute error are the means over its outputs.
struct ComparedModel {
  double mse = 0.0, mae = 0.0;
  std::array<double, compared_quantiles.size()> quantiles{};
  /// Its errors minus those of the first model; 0 for that itself.
  Interval mse_difference, mae_difference;
  std::array<Interval, compared_quantiles.size()> quantile_differences{};
};

/// Compares predictions of the same rows (rows × outputs each) with their targets. Intervals take rows for independent
/// draws and models as they are (not as they would come out of other training rows):
///   mse, mae    Student's t for the mean of the differences row by row
///   quantiles   the same with the standard deviation of the difference over 400 resamples of the rows (bootstrap),
///   both
///               models on the same resample; `threads` share them, which changes nothing
std::vector<ComparedModel> compare_models(ConstMatrixView targets, const std::vector<ConstMatrixView>& predictions,
                                          std::size_t threads = 1);

/// The number that Student's t with so many degrees of freedom exceeds in absolute value with a probability of 5 %.
double student_95(double degrees);

}  // namespace rfnn::assessment
