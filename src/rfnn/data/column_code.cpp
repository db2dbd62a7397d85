#include "rfnn/data/column_code.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw InputError("The description of the table's columns is not sound: " + what + ".",
                   "Get a sound copy of the model, or train it again.");
}

/// What a level is as a number; nothing where it is none, or none that has a place among others.
std::optional<double> number_of(const std::string& level) {
  const auto number = number_from<double>(level);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

void check_fill(const ColumnCode& column) {
  const std::size_t expected = column.kind == ColumnKind::category ? column.levels.size() : 1;
  if (column.fill.size() != expected)
    fail("column " + column.name + " has " + std::to_string(column.fill.size()) + " numbers for a missing cell, not " +
         std::to_string(expected));
  if (!std::all_of(column.fill.begin(), column.fill.end(), [](double v) { return std::isfinite(v); }))
    fail("what stands in for a missing cell of column " + column.name + " is not finite");
}

void check_column(const ColumnCode& column) {
  const bool category = column.kind == ColumnKind::category;
  if (category && (column.levels.empty() || column.levels.size() > most_levels))
    fail("column " + column.name + " has " + std::to_string(column.levels.size()) + " levels");
  if (!category && !column.levels.empty()) fail("column " + column.name + " has levels and is no category");
  for (std::size_t k = 1; k < column.levels.size(); ++k)
    if (!level_before(column.levels[k - 1], column.levels[k]))
      fail("the levels of column " + column.name + " are not in order");
  constexpr std::int64_t farthest = 5'000'000;  // days: years of four digits
  if (column.time.origin < -farthest || column.time.origin > farthest)
    fail("the times of column " + column.name + " begin at no date");
}

}  // namespace

std::string_view name_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::number:
      return "number";
    case ColumnKind::time:
      return "time";
    case ColumnKind::category:
      return "category";
    case ColumnKind::boolean:
      return "boolean";
  }
  return "";
}

std::string_view name_of(TimeForm form) {
  switch (form) {
    case TimeForm::date:
      return "date";
    case TimeForm::date_time:
      return "date-time";
    case TimeForm::time_of_day:
      return "time of day";
  }
  return "";
}

std::size_t inputs_of(const ColumnCode& column) {
  return (column.kind == ColumnKind::category ? column.levels.size() : 1) + (column.indicator ? 1 : 0);
}

std::size_t inputs_of(const TableCode& code) {
  std::size_t count = 0;
  for (const ColumnCode& column : code.inputs) count += inputs_of(column);
  return count;
}

std::vector<std::string> input_names(const ColumnCode& column) {
  std::vector<std::string> names;
  for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
  if (column.kind != ColumnKind::category) names.push_back(column.name);
  if (column.indicator) names.push_back(column.name + " is missing");
  return names;
}

std::vector<std::string> input_names(const TableCode& code) {
  std::vector<std::string> names;
  for (const ColumnCode& column : code.inputs)
    for (std::string& name : input_names(column)) names.push_back(std::move(name));
  return names;
}

const ColumnCode* column_of_input(const TableCode& code, std::size_t input) {
  for (const ColumnCode& column : code.inputs) {
    const std::size_t count = inputs_of(column);
    if (input < count) return &column;
    input -= count;
  }
  return nullptr;
}

std::string describe(const ColumnCode& column) {
  constexpr std::size_t shown = 8;
  switch (column.kind) {
    case ColumnKind::number:
      return column.unit.empty() ? "number" : "number, " + column.unit;
    case ColumnKind::boolean:
      return "boolean, 0 or 1";
    case ColumnKind::time:
      if (column.time.form == TimeForm::time_of_day) return "time of day, in days since midnight";
      return std::string(name_of(column.time.form)) + ", in days since " + date_text(column.time.origin) +
             (column.time.zoned ? " (UTC)" : "");
    case ColumnKind::category: {
      std::string text = std::to_string(column.levels.size()) + (column.levels.size() == 1 ? " level: " : " levels: ");
      for (std::size_t k = 0; k < std::min(shown, column.levels.size()); ++k)
        text += (k == 0 ? "" : ", ") + column.levels[k];
      return "category, " + text + (column.levels.size() > shown ? ", …" : "");
    }
  }
  return {};
}

bool level_before(const std::string& a, const std::string& b) {
  const auto x = number_of(a), y = number_of(b);
  if (x && y && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();  // numbers first, so that it is one order for all
  return a < b;
}

void check(const TableCode& code) {
  for (const ColumnCode& column : code.inputs) {
    check_column(column);
    check_fill(column);
  }
  for (const ColumnCode& column : code.targets) {
    check_column(column);
    if (column.kind != ColumnKind::number && column.kind != ColumnKind::boolean)
      fail("the target " + column.name + " is neither a number nor a boolean");
    if (column.indicator || !column.fill.empty()) fail("the target " + column.name + " is filled where it is missing");
  }
  std::set<std::string> names;
  for (const std::string& name : input_names(code))
    if (!names.insert(name).second)
      throw InputError("Two inputs are named \"" + name + "\".",
                       "Give one of the columns they come from another name.");
}

}  // namespace rfnn
