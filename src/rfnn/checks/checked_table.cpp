#include "rfnn/checks/checked_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace rfnn::checks {

CheckedTable checked_table(const RawTable& raw) {
  CheckedTable table;
  table.rows = raw.rows;
  table.made = std::make_shared<std::vector<std::vector<double>>>();
  table.made->reserve(raw.inputs.size() + raw.targets.size());
  const auto checked = [&](const RawColumn& column) {
    CheckedColumn result{column.code, column.cells, column.asked};
    if (column.code.kind != ColumnKind::time) return result;
    const double unit = column.code.time.form == TimeForm::date ? 1.0 : 1.0 / static_cast<double>(nanoseconds_per_day);
    std::vector<double>& days = table.made->emplace_back(raw.rows);
    for (std::size_t i = 0; i < raw.rows; ++i) {
      const auto count = std::bit_cast<std::int64_t>(column.cells[i]);
      days[i] = count == missing_time ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(count) * unit;
    }
    result.values = ColumnView(days.data());
    return result;
  };
  for (const RawColumn& column : raw.inputs) table.inputs.push_back(checked(column));
  for (const RawColumn& column : raw.targets) table.targets.push_back(checked(column));
  return table;
}

Distinct distinct_values(const ColumnView& values, std::size_t rows) {
  std::vector<double> known;
  known.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i)
    if (const double value = values[i]; !std::isnan(value)) known.push_back(value);
  std::sort(known.begin(), known.end());
  Distinct result;
  result.known = known.size();
  for (const double value : known) {
    if (result.values.empty() || result.values.back() != value) {
      result.values.push_back(value);
      result.counts.push_back(0);
    }
    ++result.counts.back();
  }
  return result;
}

std::size_t first_row(const ColumnView& values, std::size_t rows, const std::function<bool(double)>& is_so) {
  for (std::size_t i = 0; i < rows; ++i)
    if (is_so(values[i])) return i;
  return rows;
}

TableProblem placed(TableProblem problem, const CheckedTable& table, std::size_t row) {
  if (row >= table.rows) return problem;
  problem.line = table.line_of(row);
  problem.text += table.file_of(row);
  return problem;
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

std::string counted(std::size_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string word(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  });
  if (plain && !name.empty()) return name;
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace rfnn::checks
