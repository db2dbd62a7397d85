#include "rfnn/training/limited/sorted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"
#include "rfnn/core/heap.hpp"
#include "rfnn/data/canonical.hpp"

namespace rfnn::training {
namespace {

/// Rows that are read at a time.
constexpr std::size_t rows_at_once = 4096;

RecordShape shape_of(const DatasetView& data) { return {data.inputs.size(), data.targets.size()}; }

/// Rows by ranges of their hashes: parts that can be put in order one after the other. What is added to a part goes to
/// the file a segment at a time.
class Parts {
 public:
  /// Half of the memory is for segments, half for the part that is put in order.
  Parts(const RecordShape& shape, std::size_t rows, double memory) : record_(shape.width() * sizeof(double)) {
    constexpr double largest_segment = 0x1p18, uneven = 1.2;
    const double row_bytes = 2.0 * static_cast<double>(record_) + 48.0;  // records twice, hashes, row numbers, weights
    const double wanted = std::ceil(uneven * static_cast<double>(rows) * row_bytes / (0.5 * memory));
    parts_.resize(static_cast<std::size_t>(std::clamp(wanted, 1.0, 65536.0)));
    const double segment = std::min(0.5 * memory / static_cast<double>(parts_.size()), largest_segment);
    in_segment_ = std::max<std::size_t>(1, static_cast<std::size_t>(segment) / record_);
    most_ = memory / row_bytes;
  }

  void add(std::uint64_t hash, const double* record) {
    __extension__ using Wide = unsigned __int128;
    Part& part = parts_[static_cast<std::size_t>((static_cast<Wide>(hash) * parts_.size()) >> 64)];
    part.open.insert(part.open.end(), record, record + record_ / sizeof(double));
    ++part.rows;
    if (part.open.size() * sizeof(double) < in_segment_ * record_) return;
    part.segments.push_back(file_.size());
    file_.append(part.open.data(), part.open.size() * sizeof(double));
    part.open.clear();
  }

  [[nodiscard]] std::size_t size() const { return parts_.size(); }

  /// The rows of a part, in the order in which they were added. It is empty then.
  std::vector<double> take(std::size_t number) {
    Part part = std::exchange(parts_[number], {});
    if (static_cast<double>(part.rows) > most_)
      throw UsageError(
          fmt::format("{} rows with the same numbers, or nearly so many, do not fit into the memory given.", part.rows),
          "Give more --memory, or merge equal rows and give their number as --weight.");
    std::vector<double> records(part.rows * record_ / sizeof(double));
    const std::size_t segment = in_segment_ * record_;
    std::size_t place = 0;
    for (const std::uint64_t at : part.segments) {
      file_.read(at, records.data() + place, segment);
      place += segment / sizeof(double);
    }
    std::copy(part.open.begin(), part.open.end(), records.begin() + static_cast<std::ptrdiff_t>(place));
    return records;
  }

 private:
  struct Part {
    std::vector<double> open;
    std::vector<std::uint64_t> segments;  ///< where they begin
    std::size_t rows = 0;
  };
  ScratchFile file_;
  std::size_t record_, in_segment_ = 1;
  double most_ = 0.0;
  std::vector<Part> parts_;
};

/// Calls visit(hash, record) for all rows that count, in their order in the table, until it says false.
template <class Visit>
void for_each_row(const DatasetView& data, const std::vector<bool>& varies, const Visit& visit) {
  const RecordShape shape = shape_of(data);
  for (std::size_t first = 0; first < data.rows(); first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, data.rows() - first);
    const HashedRecords rows = hashed_records(data, first, count, shape, varies);
    for (std::size_t i = 0; i < count; ++i) {
      const double* const record = rows.records.data() + i * shape.width();
      if (record[shape.weight()] > 0.0 && !visit(rows.hashes[i], record)) return;
    }
  }
}

}  // namespace

void StoredRecords::append(const std::vector<double>& records) {
  for (std::size_t row = 0; row < shape_.rows(records); ++row) {
    const double* const record = records.data() + row * shape_.width();
    behind_ += static_cast<std::size_t>(record[shape_.copies()]);
    weighted_ = weighted_ || record[shape_.weight()] != 1.0;
  }
  rows_ += shape_.rows(records);
  file_->append(records.data(), records.size() * sizeof(double));
}

void StoredRecords::close() { map_ = std::make_unique<ScratchMap>(std::move(file_)); }

DatasetView StoredRecords::view() const {
  const DatasetView plain = shape_.view(static_cast<const double*>(map_->data()), rows_);
  DatasetView paged{Columns(rows_), Columns(rows_)};
  for (const ColumnView& column : plain.inputs) paged.inputs.add(column.in(map_->pages()));
  for (const ColumnView& column : plain.targets) paged.targets.add(column.in(map_->pages()));
  return paged;
}

std::vector<double> StoredRecords::weights() const {
  std::vector<double> weights(weighted_ ? rows_ : 0);
  for (std::size_t first = 0; first < weights.size(); first += rows_at_once) {
    const std::vector<double> some = read(first, std::min(rows_at_once, rows_ - first));
    for (std::size_t i = 0; i < shape_.rows(some); ++i) weights[first + i] = some[i * shape_.width() + shape_.weight()];
  }
  return weights;
}

std::vector<double> StoredRecords::read(std::size_t first, std::size_t count) const {
  const auto* const from = static_cast<const double*>(map_->data()) + first * shape_.width();
  std::vector<double> records(from, from + count * shape_.width());
  map_->pages().let_go(from, records.size() * sizeof(double));
  return records;
}

StoredRecords sorted_rows(const DatasetView& data, double memory, const Interrupt& interrupt) {
  const RecordShape shape = shape_of(data);
  const std::vector<bool> varies = varying(extents_of(data));
  Parts parts(shape, data.rows(), memory);
  for_each_row(data, varies, [&](std::uint64_t hash, const double* record) {
    parts.add(hash, record);
    return !interrupt.stopped();
  });
  StoredRecords sorted(shape);
  for (std::size_t part = 0; part < parts.size() && !interrupt.stopped(); ++part) {
    std::vector<double> records = parts.take(part);
    if (records.empty()) continue;
    put_in_order(records, shape, varies);
    sorted.append(records);
  }
  sorted.close();
  give_back_memory();
  return sorted;
}

std::vector<double> first_rows(const DatasetView& data, std::size_t most) {
  const RecordShape shape = shape_of(data);
  const std::vector<bool> varies = varying(extents_of(data));
  constexpr int bits = 16;
  std::vector<std::uint64_t> counts(std::size_t{1} << bits, 0);
  for_each_row(data, varies, [&](std::uint64_t hash, const double*) {
    ++counts[hash >> (64 - bits)];
    return true;
  });
  std::vector<double> first;
  for (std::size_t wanted = most;; wanted += most / 4 + 1) {
    std::size_t end = 0, rows = 0;
    while (end < counts.size() && rows < wanted) rows += counts[end++];
    first.clear();
    first.reserve(rows * shape.width());
    for_each_row(data, varies, [&](std::uint64_t hash, const double* record) {
      if ((hash >> (64 - bits)) < end) first.insert(first.end(), record, record + shape.width());
      return true;
    });
    put_in_order(first, shape, varies);
    if (shape.rows(first) >= most || end == counts.size() || wanted > most + most / 2) break;
  }
  first.resize(std::min(first.size(), most * shape.width()));
  first.shrink_to_fit();
  return first;
}

}  // namespace rfnn::training
