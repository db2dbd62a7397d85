#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/columns.hpp"
#include "rfnn/data/table_problem.hpp"

namespace rfnn::cli {

/// A first row of numbers that look like names (years, or far from all that is below) in a table without a header.
std::optional<TableProblem> header_among_rows(const TableReader& table, const Layout& layout, const EncodedTable& data,
                                              Header header);

/// What looks wrong about the columns of a table though it can be read, each with the cure: such a header, or an input
/// that counts the rows from 0 and has no name, as pandas writes its index.
std::vector<std::string> odd_columns(const TableReader& table, const Layout& layout, const TableData& data,
                                     Header header);

}  // namespace rfnn::cli
