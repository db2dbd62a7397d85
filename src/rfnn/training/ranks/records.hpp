#pragma once

// Private header. Rows on their way between ranks.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "rfnn/core/communicator.hpp"
#include "rfnn/data/dataset.hpp"

namespace rfnn::training {

/// How a row lies in numbers: inputs, targets, its weight, and how many rows of the table it stands for.
struct RecordShape {
  std::size_t inputs = 0, outputs = 0;

  [[nodiscard]] std::size_t columns() const { return inputs + outputs; }
  [[nodiscard]] std::size_t weight() const { return columns(); }
  [[nodiscard]] std::size_t copies() const { return columns() + 1; }
  [[nodiscard]] std::size_t width() const { return columns() + 2; }
  [[nodiscard]] std::size_t rows(const std::vector<double>& records) const { return records.size() / width(); }
  /// The rows as a table, with their weights.
  [[nodiscard]] DatasetView view(const double* records, std::size_t rows) const;
  [[nodiscard]] DatasetView view(const std::vector<double>& records) const {
    return view(records.data(), rows(records));
  }
};

/// Rows of a rank, some at a time, so that they can be handed over without being there twice.
using Records = std::vector<std::vector<double>>;

/// The table as all ranks together have it.
struct SharedTable {
  RecordShape shape;
  std::vector<std::uint64_t> rows;  ///< per rank
  bool weights_given = false;

  [[nodiscard]] std::uint64_t all_rows() const;
  /// Rows before those of this rank.
  [[nodiscard]] std::uint64_t before(std::size_t rank) const;
};

/// Of all ranks at once. UsageError where their parts are no one table.
SharedTable agree_on_table(const DatasetView& part, Communicator& ranks);

/// Of all ranks at once: all rows in the order that follows from their numbers (data/canonical.hpp), equal ones merged,
/// the first of them on rank 0.
Records canonical_records(const DatasetView& part, const SharedTable& table, Communicator& ranks);

/// Some rows of the part as records, with what they are put in order by.
struct HashedRecords {
  std::vector<double> records;
  std::vector<std::uint64_t> hashes;
};
HashedRecords hashed_records(const DatasetView& part, std::size_t first, std::size_t count, const RecordShape& shape,
                             const std::vector<bool>& varies);

/// Puts records in order and merges equal ones.
void put_in_order(std::vector<double>& records, const RecordShape& shape, const std::vector<bool>& varies);

std::size_t count_of(const Records& records, const RecordShape& shape);

/// Of all ranks at once: the first `most` of all rows on rank 0. The records go while they are handed over, so that a
/// rank has little more than its own or, rank 0, those it gathers.
std::vector<double> first_records(Records records, const RecordShape& shape, std::size_t most, Communicator& ranks);

}  // namespace rfnn::training
