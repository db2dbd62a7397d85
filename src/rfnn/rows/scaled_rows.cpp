#include "rfnn/rows/scaled_rows.hpp"

#include <cmath>
#include <numeric>

namespace rfnn::rows {

void ScaledRows::read(const Part& part, std::size_t column, std::size_t first, std::size_t count, double* out) const {
  if (rows_.empty())
    part.columns[column].read(first, count, out);
  else
    part.columns[column].read(rows_.subspan(first, count), out);
  const Standardised standardised = part.scales[column];
  for (std::size_t i = 0; i < count; ++i) out[i] = standardised(out[i]);
}

std::vector<double> weight_roots(std::vector<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0.0)) return weights;
  const double mean = sum / static_cast<double>(weights.size());
  for (double& weight : weights) weight = std::sqrt(weight / mean);
  return weights;
}

std::vector<double> ScaledRows::weights() const {
  std::vector<double> listed(weighted() ? count() : 0);
  for (std::size_t i = 0; i < listed.size(); ++i) listed[i] = weights_[rows_.empty() ? i : rows_[i]];
  return listed;
}

}  // namespace rfnn::rows
