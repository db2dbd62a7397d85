#pragma once

// Private header. What training/prepare.hpp does, for a table of which every rank has a part.

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/core/communicator.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/ranks/piece_holder.hpp"
#include "rfnn/training/fit.hpp"
#include "rfnn/training/memory.hpp"
#include "rfnn/training/ranks/records.hpp"

namespace rfnn::training {

/// Of all ranks at once. Checks parts and extras, and puts all rows in order.
struct OrderedTable {
  OrderedTable(const DatasetView& part, const Options& options, const FitExtras& extras);

  SharedTable table;
  Records records;
  std::size_t rows = 0;                           ///< of all ranks, equal ones merged
  bool weighted = false;                          ///< they do not all count alike
  RunSizes sizes;                                 ///< those rows, and the bytes of this rank's part
  rows::Storage storage = rows::Storage::memory;  ///< of the rows of a rank, within the option for memory
};

/// The rows of a network that is trained on all ranks.
struct PreparedRanks {
  rows::SpreadRows train;        ///< every rank
  std::vector<double> held_out;  ///< records, on rank 0
  RecordShape shape;
  bool weighted = false;
  bool target_varies = false;
};

/// Of all ranks at once, preset paper: fills in the model as prepare() does and places the rows to train on; those held
/// out are gathered on rank 0. The records are gone then.
PreparedRanks prepare_ranks(OrderedTable& ordered, const DatasetView& part, const Options& options,
                            const FitExtras& extras, Model& model);

/// What prepare_ranks begins with, for which ranks tell each other no more than some numbers (all_gather).
struct DescribedRecords {
  Records held_out;  ///< in order; the records have kept the others
  bool target_varies = false;
};
/// Of all ranks at once: takes the rows to hold out from the records, which are `rows` in all, and fills in the model's
/// columns, scaler, row counts and the errors of the mean alone. `part`: names.
DescribedRecords describe_records(Records& records, const SharedTable& table, std::size_t rows, const DatasetView& part,
                                  const Options& options, const FitExtras& extras, Model& model);

/// Rows of the table that the records of all ranks stand for.
std::uint64_t rows_behind(const Records& records, const RecordShape& shape, Communicator& ranks);

/// Of all ranks at once: the fingerprint of the table as it is listed.
std::string fingerprint_of_all(const DatasetView& part, const SharedTable& table, Communicator& ranks);

}  // namespace rfnn::training
