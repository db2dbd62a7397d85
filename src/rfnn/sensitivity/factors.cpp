#include "rfnn/sensitivity/factors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace rfnn {
namespace {

/// The u-quantile of the standard normal distribution: Acklam's rational approximation, and one step of Halley's.
double normal_quantile(double u) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  constexpr double tail = 0.02425;
  double x = 0.0;
  if (u < tail || u > 1.0 - tail) {
    const double q = std::sqrt(-2.0 * std::log(std::min(u, 1.0 - u)));
    x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
        ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
    if (u > 0.5) x = -x;
  } else {
    const double q = u - 0.5, r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
        (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
  }
  const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - u,
               step = error * std::sqrt(2.0 * std::numbers::pi) * std::exp(0.5 * x * x);
  return x - step / (1.0 + 0.5 * x * step);
}

}  // namespace

bool Factor::varies() const {
  if (!used) return false;
  if (!continuous()) return std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0.0; }) > 1;
  if (spread == Spread::normal) return sd > 0.0;
  return spread == Spread::uniform ? high > low : !values.empty() && values.back() > values.front();
}

double Factor::at(double u) const {
  if (!continuous()) {
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    double below = 0.0;
    std::size_t last = 0;
    for (std::size_t level = 0; level < shares.size(); ++level) {
      if (shares[level] <= 0.0) continue;
      last = level;
      below += shares[level] / all;
      if (u < below) break;
    }
    return static_cast<double>(last);
  }
  if (spread == Spread::normal) return mean + sd * normal_quantile(u);
  if (spread == Spread::uniform || values.empty()) return low + u * (high - low);
  const auto place = static_cast<std::size_t>(u * static_cast<double>(values.size()));
  return values[std::min(place, values.size() - 1)];
}

void Factor::put(double value, double* row) const {
  const std::size_t own = inputs - (indicator ? 1 : 0);
  if (kind == ColumnKind::category) {
    for (std::size_t level = 0; level < own; ++level)
      row[first + level] = level == static_cast<std::size_t>(value) ? 1.0 : 0.0;
  } else {
    row[first] = value;
  }
  if (indicator) row[first + own] = 0.0;
}

std::vector<Factor> factors_of(const Model& model) {
  std::vector<Factor> factors;
  std::size_t input = 0;
  for (const ColumnCode& column : columns_of_table(model).inputs) {
    Factor& factor = factors.emplace_back();
    factor.name = column.name;
    factor.kind = column.kind;
    factor.time = column.time;
    factor.levels = column.levels;
    factor.first = input;
    factor.inputs = inputs_of(column);
    factor.indicator = column.indicator;
    const Column& known = model.inputs[input];
    factor.used = false;
    for (std::size_t k = input; k < input + factor.inputs; ++k)
      factor.used = factor.used || model.inputs[k].used ||
                    std::find(model.base.inputs.begin(), model.base.inputs.end(), k) != model.base.inputs.end();
    factor.low = known.min;
    factor.high = known.max;
    factor.mean = known.mean;
    factor.sd = known.sd;
    if (column.kind == ColumnKind::boolean) factor.shares = {1.0 - known.mean, known.mean};
    for (std::size_t level = 0; level < column.levels.size(); ++level)
      factor.shares.push_back(model.inputs[input + level].mean);
    input += factor.inputs;
  }
  return factors;
}

}  // namespace rfnn
