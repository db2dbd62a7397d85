#pragma once

// Private header.

#include <cstddef>
#include <string>
#include <vector>

#include "rfnn/training/fit.hpp"
#include "rfnn/training/ranks/records.hpp"

namespace rfnn::training {

/// Rows in their order, the first of so many, as records.
struct GatheredRows {
  const std::vector<double>& records;
  RecordShape shape;
  std::size_t in_all = 0;
  bool weighted = false;  ///< they do not all count alike
  std::string warning;    ///< for the model, where there is one

  /// Memory is enough for no more than so many: it is that which the model is to say.
  void fewer(std::size_t most, const Options& options);
};

/// How many of so many rows preset auto uses, within the option for memory, which is that of the fit alone: the records
/// are counted by whoever has them. UsageError where that is too little.
std::size_t rows_used(const RecordShape& shape, std::size_t rows, const Options& options);

/// The fit of preset auto to them; `table` names their columns.
Model fit_to_gathered(const GatheredRows& rows, const DatasetView& table, const Options& options,
                      const FitExtras& extras);

}  // namespace rfnn::training
