#include "cli/odd_columns.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/data/row_blocks.hpp"

namespace rfnn::cli {
namespace {

/// Rows looked at: enough for a median, few enough to cost nothing.
constexpr std::size_t rows_seen = 1000;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Is the first value outside all others, and more than six robust standard deviations from their middle?
bool begins_far_away(const ColumnView& column, std::size_t rows) {
  std::vector<double> rest;
  for (std::size_t i = 1; i < rows; ++i) rest.push_back(column[i]);
  const auto [low, high] = std::minmax_element(rest.begin(), rest.end());
  if (column[0] >= *low && column[0] <= *high) return false;
  const double middle = median_of(rest);
  for (double& value : rest) value = std::abs(value - middle);
  constexpr double normal = 1.4826;  // standard deviations of a normal law per median of |deviations|
  return std::abs(column[0] - middle) > 6.0 * normal * median_of(std::move(rest));
}

bool is_year(double value) { return value == std::floor(value) && value >= 1800.0 && value <= 2200.0; }

/// Years that go up by the same step in the first row, and other things below.
bool begins_with_years(const std::vector<ColumnView>& columns, std::size_t rows) {
  if (columns.size() < 2) return false;
  const double step = columns[1][0] - columns[0][0];
  bool years_below = true;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!is_year(columns[k][0]) || step == 0.0 || (k > 0 && columns[k][0] - columns[k - 1][0] != step)) return false;
    for (std::size_t i = 1; i < rows; ++i) years_below = years_below && is_year(columns[k][i]);
  }
  return !years_below;
}

bool counts_rows(const ColumnView& column, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i)
    if (column[i] != static_cast<double>(i)) return false;
  return true;
}

/// All columns chosen, in the order of the table.
std::vector<ColumnView> in_table_order(const Layout& layout, const DatasetView& data) {
  std::vector<std::pair<std::size_t, ColumnView>> placed;
  for (std::size_t k = 0; k < layout.inputs.size(); ++k) placed.emplace_back(layout.inputs[k].position, data.inputs[k]);
  for (std::size_t k = 0; k < layout.targets.size(); ++k)
    placed.emplace_back(layout.targets[k].position, data.targets[k]);
  std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ColumnView> columns;
  for (auto& [place, column] : placed) columns.push_back(column);
  return columns;
}

}  // namespace

std::optional<TableProblem> header_among_rows(const TableReader& table, const Layout& layout, const EncodedTable& data,
                                              Header header) {
  const std::size_t rows = std::min(data.view.rows(), rows_seen);
  if (table.has_header() || !table.is_text() || rows < 5 || !data.code.empty() || header != Header::automatic)
    return std::nullopt;
  const std::vector<ColumnView> columns = in_table_order(layout, data.view);
  const auto far = static_cast<std::size_t>(std::count_if(
      columns.begin(), columns.end(), [&](const ColumnView& column) { return begins_far_away(column, rows); }));
  // One value in a heavy tail is nothing odd; half of a row there is.
  if (2 * far < columns.size() && !begins_with_years(columns, rows)) return std::nullopt;
  return TableProblem{
      .column = "",
      .kind = "header",
      .count = 1,
      .line = 1,
      .text = fmt::format("The first line of {} holds numbers that look like names of columns; it was read as a row.",
                          table.origin()),
      .cure = "If they are names, give --header yes; if not, --header no ends this warning."};
}

std::vector<std::string> odd_columns(const TableReader& table, const Layout& layout, const TableData& data,
                                     Header header) {
  std::vector<std::string> warnings;
  const std::size_t all = data.table.view.rows(), rows = std::min(all, rows_seen);
  if (const auto problem = header_among_rows(table, layout, data.table, header))
    warnings.push_back(problem->text + " " + problem->cure);
  std::size_t first_input = 0;
  for (std::size_t k = 0; table.has_header() && rows > 1 && k < layout.inputs.size(); ++k) {
    const ColumnView& column = data.table.view.inputs[first_input];
    first_input += data.table.code.empty() ? 1 : inputs_of(data.table.code.inputs[k]);
    const Column& input = layout.inputs[k];
    const bool nameless = input.name == fmt::format("c{}", input.position + 1) || input.name.rfind("Unnamed:", 0) == 0;
    if (nameless && counts_rows(column, all))
      warnings.push_back(
          fmt::format("Column {} of {} has no name and counts the rows from 0, as an index that pandas "
                      "wrote: it is an input all the same. Leave it out with --ignore {}, or write the "
                      "table with index=False.",
                      input.position + 1, table.origin(), input.position + 1));
  }
  return warnings;
}

}  // namespace rfnn::cli
