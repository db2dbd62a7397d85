#include "rfnn/rows/scaled_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rfnn/core/file_pages.hpp"

namespace rfnn::rows {

void ScaledRows::read(const Part& part, std::size_t column, std::size_t first, std::size_t count, double* out) const {
  if (rows_.empty())
    part.columns[column].read(first, count, out);
  else
    part.columns[column].read(rows_.subspan(first, count), out);
  const Standardised standardised = part.scales[column];
  for (std::size_t i = 0; i < count; ++i) out[i] = standardised(out[i]);
}

void ScaledRows::passed(std::size_t first, std::size_t count) const {
  if (!rows_.empty()) return;
  for (const Columns* columns : {&inputs_.columns, &targets_.columns}) {
    const std::size_t bytes = columns->paged_row_bytes();
    if (bytes == 0) continue;
    const std::size_t stretch = FilePages::stretch / bytes + 1, end = first + count;
    // What has been read since the last time that a stretch was full.
    if (end / stretch != first / stretch || end == columns->rows())
      columns->let_go((std::max(first / stretch, std::size_t{1}) - 1) * stretch, end);
  }
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
