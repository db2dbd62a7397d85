#include "rfnn/training/ranks/records.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/core/heap.hpp"
#include "rfnn/data/canonical.hpp"
#include "rfnn/training/ranks/agreement.hpp"

namespace rfnn::training {
namespace {

/// Rows that are read, sent and received at a time.
constexpr std::size_t rows_at_once = 16384;
/// Rows of a bucket, about.
constexpr std::size_t bucket_rows = 131072;

/// Buckets are ranges of hashes, the same number of them on every rank.
struct BucketCut {
  std::size_t ranks, per_rank;

  [[nodiscard]] std::size_t of(std::uint64_t hash) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(hash) * (ranks * per_rank)) >> 64);
  }
};

/// Of columns of all ranks.
std::vector<bool> varying_of_all(const DatasetView& part, Communicator& ranks) {
  std::vector<Extent> extents = extents_of(part);
  for (const auto& others : gather<Extent>(ranks, std::span<const Extent>(extents)))
    for (std::size_t k = 0; k < extents.size(); ++k) {
      extents[k].low = std::min(extents[k].low, others[k].low);
      extents[k].high = std::max(extents[k].high, others[k].high);
    }
  return varying(extents);
}

/// Some rows of the part, each behind its hash, by the rank they belong to.
std::vector<std::string> sorted_out(const DatasetView& part, std::size_t first, std::size_t count,
                                    const RecordShape& shape, const std::vector<bool>& varies, const BucketCut& cut) {
  const HashedRecords rows = hashed_records(part, first, count, shape, varies);
  std::vector<std::string> messages(cut.ranks);
  for (std::size_t i = 0; i < count; ++i) {
    const double* const record = rows.records.data() + i * shape.width();
    if (!(record[shape.weight()] > 0.0)) continue;
    std::string& message = messages[cut.of(rows.hashes[i]) / cut.per_rank];
    message.append(reinterpret_cast<const char*>(&rows.hashes[i]), sizeof(std::uint64_t));
    message.append(reinterpret_cast<const char*>(record), shape.width() * sizeof(double));
  }
  return messages;
}

}  // namespace

DatasetView RecordShape::view(const double* records, std::size_t rows) const {
  const auto stride = static_cast<std::ptrdiff_t>(width() * sizeof(double));
  DatasetView table{Columns(rows), Columns(rows)};
  for (std::size_t k = 0; k < inputs; ++k) table.inputs.add(ColumnView(records + k, stride));
  for (std::size_t o = 0; o < outputs; ++o) table.targets.add(ColumnView(records + inputs + o, stride));
  table.weights = ColumnView(records + weight(), stride);
  return table;
}

std::uint64_t SharedTable::all_rows() const { return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0}); }

std::uint64_t SharedTable::before(std::size_t rank) const {
  return std::accumulate(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rank), std::uint64_t{0});
}

SharedTable agree_on_table(const DatasetView& part, Communicator& ranks) {
  rows::Writer out;
  out.put<std::uint64_t>(part.inputs.size());
  out.put<std::uint64_t>(part.targets.size());
  out.put(part.weights.has_value());
  for (const auto* names : {&part.input_names, &part.target_names})
    for (const std::string& name : *names) out.put_text(name);
  const std::string own = out.take();
  const std::vector<std::string> all = all_gather(ranks, own);
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0])
      throw OfAll<UsageError>(
          "The rows of rank " + std::to_string(r) + " have other columns than those of rank 0.",
          "Give all ranks parts of one table: the same inputs and targets, with weights or without.");
  SharedTable table;
  table.shape = {part.inputs.size(), part.targets.size()};
  table.weights_given = part.weights.has_value();
  table.rows = gather_counts(ranks, part.rows());
  return table;
}

Records canonical_records(const DatasetView& part, const SharedTable& table, Communicator& ranks) {
  const RecordShape shape = table.shape;
  const std::vector<bool> varies = varying_of_all(part, ranks);
  const std::size_t expected = table.all_rows() / ranks.size();
  const BucketCut cut{ranks.size(), std::clamp<std::size_t>(expected / bucket_rows + 1, 1, 4096)};
  Records buckets(cut.per_rank);
  const std::uint64_t most = *std::max_element(table.rows.begin(), table.rows.end());
  for (std::size_t first = 0; first < most; first += rows_at_once) {
    const std::size_t begin = std::min(first, part.rows()), count = std::min(rows_at_once, part.rows() - begin);
    for (const std::string& message : ranks.exchange(sorted_out(part, begin, count, shape, varies, cut))) {
      const std::size_t bytes = sizeof(std::uint64_t) + shape.width() * sizeof(double);
      for (std::size_t at = 0; at < message.size(); at += bytes) {
        std::uint64_t hash = 0;
        std::memcpy(&hash, message.data() + at, sizeof hash);
        std::vector<double>& bucket = buckets[cut.of(hash) - ranks.rank() * cut.per_rank];
        if (bucket.capacity() == 0) bucket.reserve((expected / cut.per_rank * 21 / 20 + 64) * shape.width());
        bucket.resize(bucket.size() + shape.width());
        std::memcpy(bucket.data() + bucket.size() - shape.width(), message.data() + at + sizeof hash,
                    shape.width() * sizeof(double));
      }
    }
  }
  for (std::vector<double>& bucket : buckets) put_in_order(bucket, shape, varies);
  give_back_memory();
  return buckets;
}

HashedRecords hashed_records(const DatasetView& part, std::size_t first, std::size_t count, const RecordShape& shape,
                             const std::vector<bool>& varies) {
  HashedRecords rows;
  rows.records.resize(count * shape.width());
  std::vector<double> column(count);
  const auto place = [&](const ColumnView& values, std::size_t k) {
    values.read(first, count, column.data());
    for (std::size_t i = 0; i < count; ++i) rows.records[i * shape.width() + k] = column[i];
  };
  for (std::size_t k = 0; k < shape.inputs; ++k) place(part.inputs[k], k);
  for (std::size_t o = 0; o < shape.outputs; ++o) place(part.targets[o], shape.inputs + o);
  for (std::size_t i = 0; i < count; ++i)
    rows.records[i * shape.width() + shape.weight()] = rows.records[i * shape.width() + shape.copies()] = 1.0;
  if (part.weights) place(*part.weights, shape.weight());
  part.inputs.let_go(first, first + count);
  part.targets.let_go(first, first + count);
  rows.hashes = order_hashes(shape.view(rows.records), varies);
  return rows;
}

void put_in_order(std::vector<double>& records, const RecordShape& shape, const std::vector<bool>& varies) {
  const std::size_t width = shape.width();
  const CanonicalRows order = canonical_rows(shape.view(records), varies);
  std::vector<double> sorted;
  sorted.reserve(order.order.size() * width);
  for (const std::size_t row : order.order) {
    const auto first = records.begin() + static_cast<std::ptrdiff_t>(row * width);
    sorted.insert(sorted.end(), first, first + static_cast<std::ptrdiff_t>(width));
    double* const record = sorted.data() + sorted.size() - width;
    record[shape.weight()] = order.weights[row];
    record[shape.copies()] = order.copies.empty() ? 1.0 : order.copies[row];
  }
  records = std::move(sorted);
}

std::size_t count_of(const Records& records, const RecordShape& shape) {
  std::size_t count = 0;
  for (const std::vector<double>& some : records) count += shape.rows(some);
  return count;
}

std::vector<double> first_records(Records records, const RecordShape& shape, std::size_t most, Communicator& ranks) {
  const std::vector<std::uint64_t> counts = gather_counts(ranks, count_of(records, shape));
  const auto all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::size_t before = 0;
  for (std::size_t r = 0; r < ranks.rank(); ++r) before += counts[r];
  std::size_t left = most > before ? most - before : 0;
  std::vector<double> gathered;
  if (ranks.rank() == 0) gathered.reserve(std::min(most, all) * shape.width());
  for (std::vector<double>& some : records) {  // each rank its share, rank 0 into its own
    const std::size_t rows = std::min(left, shape.rows(some));
    left -= rows;
    if (rows > 0 && ranks.rank() == 0)
      gathered.insert(gathered.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(rows * shape.width()));
    if (rows > 0 && ranks.rank() != 0)
      ranks.send(0, {reinterpret_cast<const char*>(some.data()), rows * shape.width() * sizeof(double)});
    some = {};
    give_back_memory();
  }
  if (ranks.rank() != 0) {
    ranks.send(0, "");
    return gathered;
  }
  for (std::size_t r = 1; r < ranks.size(); ++r)
    for (std::string message = ranks.receive(r); !message.empty(); message = ranks.receive(r)) {
      const std::size_t numbers = message.size() / sizeof(double);
      gathered.resize(gathered.size() + numbers);
      std::memcpy(gathered.data() + gathered.size() - numbers, message.data(), message.size());
    }
  return gathered;
}

}  // namespace rfnn::training
