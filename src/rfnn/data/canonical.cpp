#include "rfnn/data/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "rfnn/data/row_blocks.hpp"
#include "rfnn/data/row_hash.hpp"

namespace rfnn {
namespace {

/// −1, 0 or 1 as row a comes before row b, equals it or comes after, by the numbers in them.
int compare(const DatasetView& data, std::size_t a, std::size_t b) {
  for (const Columns* columns : {&data.inputs, &data.targets})
    for (const ColumnView& column : *columns) {
      const double left = column[a], right = column[b];
      if (left != right) return left < right ? -1 : 1;
    }
  return 0;
}

struct HashedRow {
  std::uint64_t hash;
  std::size_t row;
};

/// Those of the columns that vary; `first`: the place of the first of them in `varies`.
Columns chosen(const Columns& columns, const std::vector<bool>& varies, std::size_t first) {
  Columns some(columns.rows());
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (varies[first + k]) some.add(columns[k]);
  return some;
}

}  // namespace

std::size_t CanonicalRows::rows_behind(std::span<const std::size_t> rows) const {
  if (copies.empty()) return rows.size();
  std::size_t count = 0;
  for (const std::size_t row : rows) count += copies[row];
  return count;
}

std::vector<Extent> extents_of(const DatasetView& data) {
  std::vector<Extent> extents(data.inputs.size() + data.targets.size());
  std::size_t first = 0;
  for (const Columns* columns : {&data.inputs, &data.targets}) {
    for (RowBlocks block(*columns); block.next();)
      for (std::size_t i = 0; i < block.count(); ++i) {
        if (data.weights && !((*data.weights)[block.first() + i] > 0.0)) continue;
        for (std::size_t k = 0; k < columns->size(); ++k) extents[first + k].take(block.column(k)[i]);
      }
    first += columns->size();
  }
  return extents;
}

std::vector<bool> varying(const std::vector<Extent>& extents) {
  constexpr double rounding = 16.0 * std::numeric_limits<double>::epsilon();
  std::vector<bool> varies;
  for (const auto& [low, high] : extents)
    varies.push_back(high - low > rounding * std::max(std::abs(low), std::abs(high)));
  return varies;
}

std::vector<std::uint64_t> order_hashes(const DatasetView& data, const std::vector<bool>& varies) {
  std::vector<std::uint64_t> hashes(data.rows(), 0);
  hash_rows(chosen(data.inputs, varies, 0), hashes);
  hash_rows(chosen(data.targets, varies, data.inputs.size()), hashes);
  return hashes;
}

CanonicalRows canonical_rows(const DatasetView& data) { return canonical_rows(data, varying(extents_of(data))); }

CanonicalRows canonical_rows(const DatasetView& data, const std::vector<bool>& varies) {
  const auto weight_of = [&](std::size_t row) { return data.weights ? (*data.weights)[row] : 1.0; };
  std::vector<HashedRow> rows;
  rows.reserve(data.rows());
  {
    const std::vector<std::uint64_t> hashes = order_hashes(data, varies);
    for (std::size_t i = 0; i < data.rows(); ++i)
      if (weight_of(i) > 0.0) rows.push_back({hashes[i], i});
  }
  std::sort(rows.begin(), rows.end(),
            [](const HashedRow& a, const HashedRow& b) { return a.hash != b.hash ? a.hash < b.hash : a.row < b.row; });

  CanonicalRows canonical;
  canonical.order.reserve(rows.size());
  if (data.weights) {
    canonical.weights.assign(data.rows(), 0.0);
    for (const HashedRow& each : rows) canonical.weights[each.row] = weight_of(each.row);
  }
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first + 1;
    while (last < rows.size() && rows[last].hash == rows[first].hash) ++last;
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first),
               end = rows.begin() + static_cast<std::ptrdiff_t>(last);
    // Weights are added up in an order of their own, so that the sum does not depend on the order of the rows either.
    if (last - first > 1)
      std::sort(begin, end, [&](const HashedRow& a, const HashedRow& b) {
        if (const int order = compare(data, a.row, b.row); order != 0) return order < 0;
        const double left = weight_of(a.row), right = weight_of(b.row);
        return left != right ? left < right : a.row < b.row;
      });
    for (std::size_t i = first; i < last;) {
      const std::size_t kept = rows[i].row;
      canonical.order.push_back(kept);
      std::size_t next = i + 1;
      for (; next < last && compare(data, kept, rows[next].row) == 0; ++next) {
        if (canonical.weights.empty()) canonical.weights.assign(data.rows(), 1.0);
        if (canonical.copies.empty()) canonical.copies.assign(data.rows(), 1);
        canonical.weights[kept] += weight_of(rows[next].row);
        ++canonical.copies[kept];
      }
      i = next;
    }
    first = last;
  }
  return canonical;
}

CanonicalRows listed_rows(const DatasetView& data) {
  CanonicalRows listed;
  listed.order.resize(data.rows());
  std::iota(listed.order.begin(), listed.order.end(), std::size_t{0});
  if (data.weights) {
    listed.weights.resize(data.rows());
    data.weights->read(0, data.rows(), listed.weights.data());
  }
  return listed;
}

}  // namespace rfnn
