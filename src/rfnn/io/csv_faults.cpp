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

CellReason cell_reason(const std::string& name, const std::string& cell, CellKind kind, char decimal,
                       std::string_view what) {
  const std::string leave_out = "an input is left out of training with --ignore " + as_word(name) + ".";
  const std::string fill_in = "Give the number or remove the row; " + leave_out;
  switch (kind) {
    case CellKind::missing: {
      const std::string cure =
          "Give the " + std::string(what) + ", leave such rows out with --missing drop, or fill them in with --missing mean (`rfnn check` "
          "counts them); " +
          leave_out;
      if (cell.empty()) return {"the cell is empty.", cure};
      return {shown(cell) + " is a missing value.", cure};
    }
    case CellKind::infinite:
      return {shown(cell) + " is infinite.", fill_in};
    case CellKind::too_large:
      return {shown(cell) + " is beyond the numbers a double can hold, up to 1.8e308.", fill_in};
    case CellKind::date:
      return {shown(cell) + " is a date or a time, not a number.",
              "`rfnn fit` reads columns of ISO 8601 dates and times (2024-05-01, 2024-05-01T12:30:00, 12:30): write "
              "all cells of the column so, as pandas.to_datetime does; " +
                  leave_out};
    case CellKind::decimal_comma:
      return {shown(cell) + " is not a number.",
              "If it has a decimal comma, give --decimal ,; if the comma separates thousands, remove it."};
    case CellKind::thousands:
      return {shown(cell) + " has marks between thousands.",
              decimal == ',' ? "Write numbers without them (1273,5); --decimal , says that the comma is the decimal mark."
                             : "Write numbers without them (1273.5), or tell which is the decimal mark with --decimal."};
    case CellKind::spaced:
      return {shown(cell) + " is not one number.",
              "Separate cells by commas, semicolons or tabs, or give --delimiter space; write numbers without "
              "spaces in them."};
    default:
      if (is_decorated_number(trimmed(cell)) || !unit_behind_number(trimmed(cell)).empty())
        return {
            shown(cell) + " is not a number alone.",
            "Write the number, in one unit for the whole column (5 for 5% or 5 kg, 0.5 or an empty cell for <0.5); " +
                leave_out};
      return {shown(cell) + " is not a number.",
              "Correct the cell; if an input holds categories, give --categorical " + as_word(name) + "; " + leave_out};
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
