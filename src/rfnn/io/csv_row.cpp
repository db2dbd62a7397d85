#include "rfnn/io/csv_row.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "rfnn/core/error.hpp"
#include "rfnn/io/csv_faults.hpp"
#include "rfnn/io/decimal.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

/// A cell without the spaces and quotes around it; `held` has it where it has to be written anew.
std::string_view plain_text(const char* first, const char* last, std::string& held) {
  const std::string_view cell = trimmed({first, static_cast<std::size_t>(last - first)});
  if (cell.empty() || cell[0] != '"') return cell;
  held = cell_text(first, last);
  return trimmed(held);
}

std::string cells_text(std::size_t n) { return std::to_string(n) + (n == 1 ? " cell" : " cells"); }

std::size_t count_cells(const char* p, const char* end, char delimiter) {
  for (std::size_t cells = 1;; ++cells, ++p) {
    p = find_cell_end(p, end, delimiter);
    if (p == end) return cells;
  }
}

}  // namespace

void CsvRow::choose(const std::vector<std::size_t>& selected, CellReaders* cells, bool accept_missing) {
  const std::size_t columns = front_.names.size();
  cells_ = cells;
  accept_missing_ = accept_missing;
  width_ = selected.size();
  slot_.assign(columns, -1);
  repeats_.clear();
  for (std::size_t j = 0; j < selected.size(); ++j) {
    if (selected[j] >= columns)
      throw UsageError("column " + std::to_string(selected[j] + 1) + " was selected, " + origin_ + " has " +
                           std::to_string(columns) + ".",
                       "Select columns of the table.");
    auto& slot = slot_[selected[j]];
    if (slot < 0)
      slot = static_cast<std::ptrdiff_t>(j);
    else
      repeats_.push_back({static_cast<std::size_t>(slot), j});
  }
  refuse_duplicate_names();
  others_.assign(columns, nullptr);
  for (std::size_t j = 0; cells != nullptr && j < selected.size(); ++j)
    if (cells->columns[j].kind() != ColumnKind::number) others_[selected[j]] = &cells->columns[j];
  number_slot_ = slot_;
  for (std::size_t k = 0; k < columns; ++k)
    if (others_[k] != nullptr) number_slot_[k] = -1;
}

/// Names are what columns are chosen and matched by, so that those chosen must differ; others may be called anything.
void CsvRow::refuse_duplicate_names() const {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t k = 0; k < front_.names.size(); ++k) {
    if (slot_[k] < 0) continue;
    const auto [first, fresh] = seen.emplace(front_.names[k], k);
    if (!fresh)
      throw InputError(origin_ + ", line 1: columns " + std::to_string(first->second + 1) + " and " +
                           std::to_string(k + 1) + " are both named " + shown(front_.names[k]) + ".",
                       "Give every column a name of its own, or leave one out by its number (--ignore " +
                           std::to_string(k + 1) + ").");
  }
}

/// A cell of a column that holds no numbers; false where it cannot be read as it is.
bool CsvRow::parse_other(const CellReader& reader, const char* p, const char* stop, double& value) const {
  std::string held;
  switch (reader.read(plain_text(p, stop, held), front_.dialect.rules, value)) {
    case CellReader::Found::value:
      return true;
    case CellReader::Found::missing:
      return accept_missing_;
    default:
      return false;
  }
}

/// A number with a decimal comma, or one that may stand for a missing cell; nullptr: to be looked at more closely.
const char* CsvRow::parse_odd_number(const char* start, const char* end, double& value) const {
  constexpr std::size_t longest = 40;
  const CsvDialect& dialect = front_.dialect;
  std::array<char, longest + 1 + decimal_slack> copy{};
  std::size_t size = 0;
  for (; start + size < end && size < longest && start[size] != dialect.delimiter && start[size] != ' '; ++size) {
    if (dialect.rules.decimal == ',' && start[size] == '.') return nullptr;
    copy[size] = start[size] == dialect.rules.decimal ? '.' : start[size];
  }
  copy[size] = '\n';
  const char* const after = parse_decimal(copy.data(), value);
  return after == copy.data() + size && !dialect.rules.is_missing(value) ? start + size : nullptr;
}

/// A cell of a column of numbers: where it ends, or nullptr where it is none.
const char* CsvRow::parse_number(const char* p, const char* end, double& value) const {
  const char delimiter = front_.dialect.delimiter;
  const char* start = p;
  while (start < end && *start == ' ') ++start;
  const char* after = front_.dialect.slow_numbers ? parse_odd_number(start, end, value) : parse_decimal(start, value);
  const char* stop = after == nullptr ? start : after;
  while (stop < end && *stop == ' ') ++stop;
  if (after != nullptr && (stop == end || *stop == delimiter)) return stop;
  stop = find_cell_end(p, end, delimiter);
  const CellKind kind = classify_cell(cell_text(p, stop), value, front_.dialect.rules);
  if (kind == CellKind::missing && accept_missing_)
    value = std::numeric_limits<double>::quiet_NaN();
  else if (kind != CellKind::number)
    return nullptr;
  return stop;
}

bool CsvRow::parse(const char* p, const char* end, double* out) const {
  const char delimiter = front_.dialect.delimiter;
  const std::size_t columns = front_.names.size();
  for (std::size_t k = 0;; ++p) {
    const char* stop = p;
    if (number_slot_[k] < 0) {
      stop = find_cell_end(p, end, delimiter);
      if (others_[k] != nullptr && !parse_other(*others_[k], p, stop, out[slot_[k]])) return false;
    } else {
      double value = 0.0;
      stop = parse_number(p, end, value);
      if (stop == nullptr) return false;
      out[number_slot_[k]] = value;
    }
    if (++k == columns) {
      if (stop != end) return false;
      for (const auto& [from, to] : repeats_) out[to] = out[from];
      return true;
    }
    if (stop == end) return false;
    p = stop;
  }
}

bool CsvRow::parse_what_can_be(const char* p, const char* end, double* out) const {
  const char delimiter = front_.dialect.delimiter;
  if (count_cells(p, end, delimiter) != front_.names.size()) return false;
  for (std::size_t k = 0; k < front_.names.size(); ++k, ++p) {
    const char* const stop = find_cell_end(p, end, delimiter);
    if (others_[k] != nullptr) {
      double& value = out[slot_[k]];
      if (!parse_other(*others_[k], p, stop, value)) value = others_[k]->missing();
    } else if (number_slot_[k] >= 0) {
      double& value = out[number_slot_[k]];
      if (parse_number(p, end, value) == nullptr) value = std::numeric_limits<double>::quiet_NaN();
    }
    p = stop;
  }
  for (const auto& [from, to] : repeats_) out[to] = out[from];
  return true;
}

bool CsvRow::learn_levels(const char* p, const char* end) const {
  if (cells_ == nullptr || !cells_->counts) return false;
  bool learnt = false;
  for (std::size_t k = 0; k < front_.names.size(); ++k, ++p) {
    const char* stop = find_cell_end(p, end, front_.dialect.delimiter);
    std::string held;
    double ignored = 0.0;
    if (others_[k] != nullptr) {
      const std::string_view text = plain_text(p, stop, held);
      CellReader& reader = cells_->columns[static_cast<std::size_t>(slot_[k])];
      if (reader.read(text, front_.dialect.rules, ignored) == CellReader::Found::new_level) {
        if (!reader.add_level(text)) return false;
        learnt = true;
      }
    }
    if (stop == end) break;
    p = stop;
  }
  return learnt;
}

void CsvRow::keep(const char* p, const char* end, const std::vector<std::size_t>& columns,
                  std::vector<std::string>& texts) const {
  if (columns.empty()) return;
  const std::size_t first = texts.size();
  texts.resize(first + columns.size());
  for (std::size_t k = 0;; ++k, ++p) {
    const char* stop = find_cell_end(p, end, front_.dialect.delimiter);
    for (std::size_t j = 0; j < columns.size(); ++j)
      if (columns[j] == k) texts[first + j] = to_utf8(cell_text(p, stop));
    if (stop == end) break;
    p = stop;
  }
}

void CsvRow::each_fault(const char* p, const char* end, std::size_t first_line, const FaultVisitor& visit) const {
  const char delimiter = front_.dialect.delimiter;
  const std::size_t columns = front_.names.size();
  if (const std::size_t cells = count_cells(p, end, delimiter); cells != columns) {
    visit({.line = first_line,
           .kind = "cells",
           .reason = {"has " + cells_text(cells) + " where the first line has " + std::to_string(columns) + ".",
                      "Complete or remove the line; a cell with " + delimiter_text(delimiter) +
                          " in it needs double quotes."}});
    return;
  }
  bool found_any = false;
  const auto tell = [&](std::size_t k, const char* place, std::string kind, CellReason reason) {
    // The cell may stand on a later line of the file than the first cell of its row.
    const auto line = first_line + static_cast<std::size_t>(std::count(p, place, line_end_));
    visit({.column = k, .line = line, .kind = std::move(kind), .reason = std::move(reason)});
    found_any = true;
  };
  std::size_t k = 0;
  for (const char* q = p;; ++q, ++k) {
    const char* stop = find_cell_end(q, end, delimiter);
    double ignored = 0.0;
    const std::string cell = cell_text(q, stop);
    const CellKind kind = classify_cell(cell, ignored, front_.dialect.rules);
    const CellRole role{.decimal = front_.dialect.rules.decimal,
                        .kind = others_[k] != nullptr ? others_[k]->kind() : ColumnKind::number,
                        .input = std::find(no_inputs_.begin(), no_inputs_.end(), k) == no_inputs_.end()};
    const bool tolerated = kind == CellKind::missing && accept_missing_;
    if (others_[k] != nullptr) {
      const CellReader::Found found = others_[k]->read(trimmed(cell), front_.dialect.rules, ignored);
      if (found == CellReader::Found::missing && !tolerated)
        tell(k, q, word_of(CellKind::missing), cell_reason(front_.names[k], cell, CellKind::missing, role));
      if (found == CellReader::Found::refused || found == CellReader::Found::new_level)
        tell(k, q, found == CellReader::Found::refused ? "unlike" : "levels", others_[k]->reason(trimmed(cell)));
    } else if (slot_[k] >= 0 && kind != CellKind::number && !tolerated) {
      CellReason reason = cell_reason(front_.names[k], cell, kind, role);
      if (k > 0 && k + 1 == columns && cell.empty() && front_.names[k] == "c" + std::to_string(k + 1))
        reason.cure = "The last column has no name and no cells, as " + delimiter_text(delimiter) +
                      " at the ends of the lines makes one: remove it, or leave the column out with --ignore " +
                      std::to_string(k + 1) + ".";
      tell(k, q, word_of(kind), std::move(reason));
    }
    if (stop == end) break;
    q = stop;
  }
  if (!found_any)
    visit({.line = first_line, .kind = "line", .reason = {"cannot be understood.", "Correct or remove the line."}});
}

void CsvRow::explain(const char* p, const char* end, std::size_t line) const {
  each_fault(p, end, line, [&](const CsvFault& fault) {
    const std::string place = origin_ + ", line " + std::to_string(fault.line);
    if (fault.column == CsvFault::whole_line) throw InputError(place + " " + fault.reason.cause, fault.reason.cure);
    throw InputError(place + ", " + shown_column(fault.column, front_.names[fault.column]) + ": " + fault.reason.cause,
                     fault.reason.cure);
  });
  throw InputError(origin_ + ", line " + std::to_string(line) + " cannot be understood.",
                   "Correct or remove the line.");
}

}  // namespace rfnn::io
