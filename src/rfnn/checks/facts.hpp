#pragma once

// Private header: what a table lets one expect of a network trained on it.

#include <cstddef>
#include <optional>
#include <string>

#include "rfnn/checks/checked_table.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::checks {

struct TableFacts {
  std::size_t rows = 0, inputs = 0, targets = 0;  ///< inputs as the network sees them: a category is several
  double rows_per_input = 0.0;
  /// The input column along which rows are samples of something: the only one, the first time, or else the first number
  /// in whose order all rows stand.
  std::optional<std::size_t> sampled;
  /// Along it: the highest frequency that the sampling can show, half a cycle between neighbours at the median
  /// distance; and what this distance is.
  std::optional<double> highest_frequency, spacing;
  double seconds = 0.0;       ///< training may take, roughly
  double memory_bytes = 0.0;  ///< at the peak
  std::size_t threads = 1;
};

/// `data_bytes`: what the numbers take as they were read.
TableFacts table_facts(const CheckedTable& table, const Options& options, double data_bytes);

/// The sampling in words, in the input's own unit: "12 cycles per unit of x (rows 0.042 apart)"; empty where rows are
/// samples along none.
std::string sampling_text(const CheckedTable& table, const TableFacts& facts);

}  // namespace rfnn::checks
