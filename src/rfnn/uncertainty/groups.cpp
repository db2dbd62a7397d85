#include "rfnn/uncertainty/groups.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rfnn::uncertainty {
namespace {

/// The variable in which the rows at these places lie farthest apart.
std::size_t longest_side(const Matrix& rows, const std::vector<std::size_t>& places, std::size_t begin,
                         std::size_t end) {
  std::size_t longest = 0;
  double most = -1.0;
  for (std::size_t k = 0; k < rows.cols(); ++k) {
    double low = rows(places[begin], k), high = low;
    for (std::size_t i = begin; i < end; ++i) {
      low = std::min(low, rows(places[i], k));
      high = std::max(high, rows(places[i], k));
    }
    if (high - low > most) {
      most = high - low;
      longest = k;
    }
  }
  return longest;
}

}  // namespace

Groups group_rows(const Matrix& rows, std::size_t least) {
  Groups groups;
  groups.of_row.resize(rows.rows());
  if (rows.rows() == 0) return groups;
  std::vector<std::size_t> places(rows.rows());
  std::iota(places.begin(), places.end(), 0);
  std::vector<std::pair<std::size_t, std::size_t>> left = {{0, rows.rows()}};
  while (!left.empty()) {
    const auto [begin, end] = left.back();
    left.pop_back();
    if (end - begin < 2 * std::max<std::size_t>(least, 1)) {
      for (std::size_t i = begin; i < end; ++i) groups.of_row[places[i]] = groups.count;
      ++groups.count;
      continue;
    }
    const std::size_t k = longest_side(rows, places, begin, end), middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return places.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::size_t a, std::size_t b) {
      return rows(a, k) < rows(b, k) || (rows(a, k) == rows(b, k) && a < b);
    });
    left.emplace_back(middle, end);
    left.emplace_back(begin, middle);
  }
  return groups;
}

std::vector<double> Groups::sums(const std::vector<double>& weights) const {
  std::vector<double> sums(count, 0.0);
  for (std::size_t i = 0; i < of_row.size(); ++i) sums[of_row[i]] += weights.empty() ? 1.0 : weights[i];
  return sums;
}

Matrix Groups::means(const Matrix& rows, const std::vector<double>& weights) const {
  const std::vector<double> total = sums(weights);
  Matrix means(count, rows.cols());
  for (std::size_t i = 0; i < of_row.size(); ++i)
    for (std::size_t k = 0; k < rows.cols(); ++k)
      means(of_row[i], k) += (weights.empty() ? 1.0 : weights[i]) / total[of_row[i]] * rows(i, k);
  return means;
}

}  // namespace rfnn::uncertainty
