#include "rfnn/io/csv_faults.hpp"

#include <string_view>

#include "rfnn/data/levels.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {

std::string as_word(const std::string& name) {
  static constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+";
  if (!name.empty() && name.find_first_not_of(plain) == std::string::npos) return name;
  std::string word = "'";
  for (const char c : name) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string delimiter_text(char delimiter) {
  switch (delimiter) {
    case ',':
      return "a comma";
    case ';':
      return "a semicolon";
    case '\t':
      return "a tab";
    default:
      return std::string(1, delimiter);
  }
}

namespace {

CellReason missing_reason(const std::string& name, const std::string& cell, const CellRole& role) {
  const std::string what = role.kind == ColumnKind::number     ? "Give the number"
                           : role.kind == ColumnKind::time     ? "Give the date or time"
                           : role.kind == ColumnKind::category ? "Give the level"
                                                               : "Give true or false";
  std::string cure =
      role.input ? what +
                       ", leave such rows out with --missing drop, or fill them in with --missing mean (`rfnn check` "
                       "counts them); an input is left out of training with --ignore " +
                       as_word(name) + "."
                 : what + ", or leave such rows out with --missing drop (`rfnn check` counts them).";
  if (cell.empty()) return {"the cell is empty.", cure};
  if (role.kind == ColumnKind::category) cure += " If it is a level, write another word for it.";
  return {shown(cell) + " is a missing value.", cure};
}

/// 9:30, perhaps behind a date: ISO 8601 has two digits.
bool has_short_hour(std::string_view cell) {
  const std::size_t colon = cell.find(':');
  const auto is_digit = [&](std::size_t place) { return cell[place] >= '0' && cell[place] <= '9'; };
  return colon != std::string_view::npos && colon > 0 && is_digit(colon - 1) && (colon == 1 || !is_digit(colon - 2));
}

}  // namespace

CellReason cell_reason(const std::string& name, const std::string& cell, CellKind kind, const CellRole& role) {
  const std::string leave_out =
      role.input ? "; an input is left out of training with --ignore " + as_word(name) + "." : ".";
  const std::string fill_in = "Give the number or remove the row" + leave_out;
  switch (kind) {
    case CellKind::missing:
      return missing_reason(name, cell, role);
    case CellKind::infinite:
      return {shown(cell) + " is infinite.", fill_in};
    case CellKind::too_large:
      return {shown(cell) + " is beyond the numbers a double can hold, up to 1.8e308.", fill_in};
    case CellKind::date:
      return {shown(cell) + " is a date or a time, not a number.",
              "`rfnn fit` reads columns of ISO 8601 dates and times (2024-05-01, 2024-05-01T12:30:00, 12:30): write "
              "all cells of the column so" +
                  (has_short_hour(cell) ? std::string(", hours with two digits (09:30)") : std::string()) +
                  ", as pandas.to_datetime does" + leave_out};
    case CellKind::decimal_comma:
      return {shown(cell) + " is not a number.",
              "If it has a decimal comma, give --decimal ,; if the comma separates thousands, remove it."};
    case CellKind::thousands:
      return {shown(cell) + " has marks between thousands.",
              role.decimal == ','
                  ? "Write numbers without them (1273,5); --decimal , says that the comma is the decimal mark."
                  : "Write numbers without them (1273.5), or tell which is the decimal mark with --decimal."};
    case CellKind::spaced:
      return {shown(cell) + " is not one number.",
              "Separate cells by commas, semicolons or tabs, or give --delimiter space; write numbers without "
              "spaces in them."};
    default:
      if (is_decorated_number(trimmed(cell)) || !unit_behind_number(trimmed(cell)).empty())
        return {shown(cell) + " is not a number alone.",
                "Write the number, in one unit for the whole column (5 for 5% or 5 kg, 0.5 or an empty cell for <0.5)" +
                    leave_out};
      if (boolean_of(trimmed(cell)) >= 0)
        return {shown(cell) + " is not a number.",
                "Write all cells of the column as 0 and 1, or all of them as true "
                "and false" +
                    leave_out};
      return {shown(cell) + " is not a number.",
              "Correct the cell" +
                  (role.input ? "; if an input holds categories, give --categorical " + as_word(name) : std::string()) +
                  leave_out};
  }
}

std::string word_of(CellKind kind) {
  switch (kind) {
    case CellKind::number:
      return "number";
    case CellKind::missing:
      return "missing";
    case CellKind::infinite:
      return "infinite";
    case CellKind::too_large:
      return "too-large";
    case CellKind::decimal_comma:
      return "decimal-comma";
    case CellKind::thousands:
      return "thousands";
    case CellKind::spaced:
      return "spaced";
    case CellKind::date:
      return "date";
    case CellKind::text:
      break;
  }
  return "text";
}

}  // namespace rfnn::io
