#include "rfnn/diagnostics/rate.hpp"

#include <cmath>

namespace rfnn {

std::optional<double> rate_slope(std::span<const BlockRecord> blocks) {
  // Running means and co-moments, so that the slope is exact for a straight line.
  double count = 0.0, mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0;
  double features = 0.0, fewest = 0.0, most = 0.0;
  for (const BlockRecord& record : blocks) {
    if (record.member != 0) continue;  // every member begins anew; one of them is enough
    features += static_cast<double>(record.width);
    if (!(features > 0.0) || !(record.train_mse > 0.0) || !std::isfinite(record.train_mse)) continue;
    if (count == 0.0) fewest = features;
    most = features;
    const double x = std::log(features);
    const double y = std::log(record.train_mse);
    count += 1.0;
    const double from_mean_x = x - mean_x;
    mean_x += from_mean_x / count;
    mean_y += (y - mean_y) / count;
    xx += from_mean_x * (x - mean_x);
    xy += from_mean_x * (y - mean_y);
  }
  if (count < 2.0 || most < 2.0 * fewest) return std::nullopt;
  return xy / xx;
}

}  // namespace rfnn
