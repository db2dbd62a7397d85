#pragma once

// Private header: all that is found in a table before anything is trained on it, whoever read it.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/checks/checked_table.hpp"
#include "rfnn/checks/facts.hpp"
#include "rfnn/data/dataset.hpp"
#include "rfnn/data/encoding.hpp"
#include "rfnn/data/table_problem.hpp"
#include "rfnn/options/options.hpp"

namespace rfnn::checks {

struct Findings {
  TableFacts facts;
  std::string sampling;
  std::vector<TableProblem> problems;  ///< what training refuses first
  [[nodiscard]] std::size_t refused() const;
};

/// A table that was read to its end, whatever is wrong with it.
struct ReadTable {
  const RawTable& raw;               ///< cells that cannot be read are missing
  const CheckedTable& checked;       ///< the same, with the lines of its rows
  std::vector<TableProblem> unread;  ///< cells and lines that cannot be read
  std::string origin;
  double bytes = 0.0;  ///< what the numbers take
};

/// `encoded_problem`: what the reader's format lets one suspect of a table in which nothing else is refused.
Findings table_findings(const ReadTable& table, const Options& options,
                        const std::function<std::optional<TableProblem>(const EncodedTable&)>& encoded_problem = {});

/// Throws NumericalError where a target varies so little that its squared errors are beyond the smallest double.
void refuse_tiny_targets(const DatasetView& data);

}  // namespace rfnn::checks
