#pragma once

// Private header. The order of all rows (data/canonical.hpp) where they are more than memory is to hold.

#include <cstddef>
#include <memory>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/core/scratch_file.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/training/ranks/records.hpp"

namespace rfnn::training {

/// Rows in a temporary file, as records one after the other.
class StoredRecords {
 public:
  explicit StoredRecords(RecordShape shape) : shape_(shape), file_(std::make_unique<ScratchFile>()) {}

  void append(const std::vector<double>& records);
  /// To be called once, when all are there.
  void close();

  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// Rows of the table that they stand for.
  [[nodiscard]] std::size_t rows_behind() const { return behind_; }
  /// They do not all count alike.
  [[nodiscard]] bool weighted() const { return weighted_; }
  /// The weights, where they do not; in memory.
  [[nodiscard]] std::vector<double> weights() const;
  /// Inputs and targets; without names and weights.
  [[nodiscard]] DatasetView view() const;
  /// Some of them.
  [[nodiscard]] std::vector<double> read(std::size_t first, std::size_t count) const;

 private:
  RecordShape shape_;
  std::unique_ptr<ScratchFile> file_;
  std::unique_ptr<ScratchMap> map_;
  std::size_t rows_ = 0, behind_ = 0;
  bool weighted_ = false;
};

/// All rows of the data in their order, equal ones merged; numbers and weights must be sound. `memory`: bytes to do it
/// with; UsageError where too many rows are equal for them. Where it is interrupted, some of the rows.
StoredRecords sorted_rows(const DatasetView& data, double memory, const Interrupt& interrupt);

/// The first `most` of the rows in their order, equal ones merged, as records; about half as many more are looked at
/// where many are equal.
std::vector<double> first_rows(const DatasetView& data, std::size_t most);

}  // namespace rfnn::training
