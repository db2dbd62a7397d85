#include "rfnn/diagnostics/rate.hpp"

#include <cmath>

namespace rfnn {

std::optional<double> rate_slope(std::span<const BlockRecord> blocks) {
  // Running means and co-moments, so that the slope is exact for a straight line.
  double count = 0.0, mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0;
  for (const BlockRecord& record : blocks) {
    if (record.member != 0) continue;  // every member begins anew; one of them is enough
    const double size = static_cast<double>(record.width) * static_cast<double>(record.block);
    if (!(size > 0.0) || !(record.train_mse > 0.0) || !std::isfinite(record.train_mse)) continue;
    const double x = std::log(size);
    const double y = std::log(record.train_mse);
    count += 1.0;
    const double from_mean_x = x - mean_x;
    mean_x += from_mean_x / count;
    mean_y += (y - mean_y) / count;
    xx += from_mean_x * (x - mean_x);
    xy += from_mean_x * (y - mean_y);
  }
  if (!(xx > 0.0)) return std::nullopt;
  return xy / xx;
}

}  // namespace rfnn
