#include "rfnn/io/csv_cells.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "rfnn/data/moment.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_missing_word(std::string_view text) {
  static constexpr std::array<std::string_view, 7> words = {"nan", "na", "n/a", "#n/a", "null", "none", "?"};
  if (text.size() > 5) return false;
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return std::find(words.begin(), words.end(), lower_case(text)) != words.end();
}

bool is_infinity_word(std::string_view text) {
  if (text.size() > 9) return false;
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::string word = lower_case(text);
  return word == "inf" || word == "infinity";
}

/// For digits that denote a number beyond the range of a double: is it one too close to zero?
bool is_tiny(std::string_view text) {
  long long place = 0;  // decimal exponent of the first digit that is not 0
  bool point = false, significant = false;
  std::size_t i = 0;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      point = true;
    } else if (is_digit(text[i])) {
      significant = significant || text[i] != '0';
      if (significant && !point) ++place;
      if (!significant && point) --place;
    }
  }
  if (!significant) return true;
  if (i >= text.size()) return place <= 0;
  const bool negative = i + 1 < text.size() && text[i + 1] == '-';
  long long exponent = 0;
  for (++i; i < text.size(); ++i)
    if (is_digit(text[i])) exponent = std::min<long long>(exponent * 10 + (text[i] - '0'), 1'000'000'000'000'000);
  return place + (negative ? -exponent : exponent) < 0;
}

bool is_plain_number(std::string_view text) {
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size();
}

/// The spaces that do not break a line, narrow ones, and the raised comma, all of which stand between thousands in
/// print, as the marks of ASCII they are like. A text of ASCII stays as it is.
std::string_view with_plain_marks(std::string_view text, std::string& held) {
  static constexpr std::array<std::pair<std::string_view, char>, 4> marks = {
      {{"\u00a0", ' '}, {"\u202f", ' '}, {"\u2009", ' '}, {"\u2019", '\''}}};
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return text;
  for (std::size_t i = 0; i < text.size();) {
    const auto mark = std::find_if(marks.begin(), marks.end(),
                                   [&](const auto& known) { return text.substr(i).starts_with(known.first); });
    held += mark == marks.end() ? text[i] : mark->second;
    i += mark == marks.end() ? 1 : mark->first.size();
  }
  return held;
}

/// Groups of three digits with one kind of mark between them (a comma, point, space or apostrophe), one to three digits
/// in front and perhaps decimals behind another mark. One group after a comma may be decimals as well: `few` says
/// whether that counts.
bool has_thousands(std::string_view text, bool few) {
  const std::size_t start = text.find_first_of(",.' ");
  if (start == std::string_view::npos || start == 0 || start > 3) return false;
  const char mark = text[start];
  std::size_t groups = 0, i = start;
  while (i < text.size() && text[i] == mark) {
    std::size_t digits = 0;
    for (++i; i < text.size() && is_digit(text[i]); ++i) ++digits;
    if (digits != 3) return false;
    ++groups;
  }
  const bool decimals = i < text.size() && (text[i] == '.' || text[i] == ',') && mark != text[i];
  for (i += decimals ? 1 : 0; i < text.size(); ++i)
    if (!is_digit(text[i])) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), is_digit) &&
         (groups > 1 || decimals || mark == ' ' || mark == '\'' || few);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A month by its name or three letters of it, in English.
bool is_month_name(std::string_view word) {
  constexpr std::string_view months[] = {"january", "february", "march",     "april",   "may",      "june",
                                         "july",    "august",   "september", "october", "november", "december"};
  return word.size() >= 3 && std::any_of(std::begin(months), std::end(months), [&](std::string_view month) {
           return word == month || word == month.substr(0, 3);
         });
}

/// Groups of digits with two dashes, slashes or points between them, with a colon, or with the name of a month: a date,
/// a time, or both.
bool is_date(std::string_view text) {
  std::size_t dashes = 0, slashes = 0, points = 0, colons = 0, numbers = 0, months = 0;
  bool digit_before = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool digit = is_digit(c);
    if (is_letter(c)) {
      const std::size_t begin = i;
      while (i + 1 < text.size() && is_letter(text[i + 1])) ++i;
      const std::string word = lower_case(text.substr(begin, i + 1 - begin));
      const bool month = is_month_name(word);
      if (!month && word != "t" && word != "z" && word != "am" && word != "pm") return false;
      months += month ? 1 : 0;
      digit_before = false;
      continue;
    }
    if (!digit && std::string_view("-/.: +").find(c) == std::string_view::npos) return false;
    numbers += digit && !digit_before ? 1 : 0;
    if (digit_before) {
      dashes += c == '-' ? 1 : 0;
      slashes += c == '/' ? 1 : 0;
      points += c == '.' ? 1 : 0;
      colons += c == ':' ? 1 : 0;
    }
    digit_before = digit;
  }
  return dashes >= 2 || slashes >= 2 || points >= 2 || colons >= 1 || (months == 1 && numbers >= 2);
}

}  // namespace

char rarer_delimiter(std::string_view first, std::string_view second, bool commas) {
  const auto cells = [](std::string_view line, std::string_view separators) {
    std::size_t count = 0;
    bool inside = false;
    for (const char c : line) {
      const bool separates = separators.find(c) != std::string_view::npos;
      count += !separates && !inside ? 1 : 0;
      inside = !separates;
    }
    return count;
  };
  if (first.find_first_of(commas ? ",;\t\"" : ";\t\"") != std::string_view::npos) return '\0';
  for (const char candidate : {'|', ' '}) {
    const std::string_view separator = candidate == ' ' ? " \t" : "|";
    const std::size_t count = cells(first, separator);
    if (count > 1 && count == cells(second, separator)) return candidate;
  }
  return '\0';
}

bool CellRules::is_missing(std::string_view cell) const {
  return cell.empty() || is_missing_word(cell) ||
         std::find(missing_words.begin(), missing_words.end(), cell) != missing_words.end();
}

CellKind classify_cell(std::string_view cell, double& value, const CellRules& rules) {
  cell = trimmed(cell);
  if (rules.is_missing(cell)) return CellKind::missing;
  if (is_infinity_word(cell)) return CellKind::infinite;

  std::string ascii;
  cell = with_plain_marks(cell, ascii);
  std::string pointed_cell;
  if (rules.decimal == ',' && cell.find(',') != std::string_view::npos && cell.find('.') == std::string_view::npos) {
    pointed_cell = cell;
    std::replace(pointed_cell.begin(), pointed_cell.end(), ',', '.');
    if (has_thousands(cell, false)) return CellKind::thousands;
  }
  std::string_view digits = pointed_cell.empty() ? cell : pointed_cell;
  if (digits[0] == '+') digits.remove_prefix(1);
  const std::string_view unsigned_digits = digits.substr(digits.starts_with('-') && cell[0] != '+' ? 1 : 0);
  const bool numeric = !unsigned_digits.empty() && (is_digit(unsigned_digits[0]) || unsigned_digits[0] == '.');
  if (numeric) {
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ptr == end && result.ec == std::errc{}) {
      // 1.273 where decimals stand behind a comma is likelier a thousand than a number written the other way.
      if (rules.decimal == ',' && pointed_cell.empty() && has_thousands(unsigned_digits, true))
        return CellKind::thousands;
      if (rules.is_missing(value)) return CellKind::missing;
      return std::isfinite(value) ? CellKind::number : CellKind::too_large;
    }
    if (result.ptr == end && result.ec == std::errc::result_out_of_range) {
      if (!is_tiny(digits)) return CellKind::too_large;
      value = digits[0] == '-' ? -0.0 : 0.0;
      return CellKind::number;
    }
    if (has_thousands(unsigned_digits, false)) return CellKind::thousands;
    const std::size_t comma = digits.find(',');
    if (comma != std::string_view::npos) {
      std::string pointed(digits);
      pointed[comma] = '.';
      if (is_plain_number(pointed)) return CellKind::decimal_comma;
    }
    if (is_date(cell) || parse_moment(cell)) return CellKind::date;
    const std::size_t space = digits.find_first_of(" \t");
    if (space != std::string_view::npos && is_plain_number(digits.substr(0, space)) &&
        is_plain_number(digits.substr(digits.find_last_of(" \t") + 1)))
      return CellKind::spaced;
  }
  return CellKind::text;
}

const char* find_cell_end(const char* p, const char* end, char delimiter) {
  const char* start = p;
  while (start < end && *start == ' ') ++start;
  if (start < end && *start == '"') {
    p = start + 1;
    while (true) {
      const auto* quote = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
      if (quote == nullptr) return end;
      p = quote + 1;
      if (p == end || *p != '"') break;
      ++p;
    }
  }
  const auto* found = static_cast<const char*>(std::memchr(p, delimiter, static_cast<std::size_t>(end - p)));
  return found != nullptr ? found : end;
}

std::string cell_text(const char* first, const char* last) {
  const std::string_view cell = trimmed({first, static_cast<std::size_t>(last - first)});
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(cell);
  std::string out;
  out.reserve(cell.size());
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    out += cell[i];
    if (cell[i] == '"' && cell[i + 1] == '"') ++i;
  }
  return out;
}

CsvLine find_plain_line(const char* p, const char* end, char line_end) {
  const auto* found = static_cast<const char*>(std::memchr(p, line_end, static_cast<std::size_t>(end - p)));
  if (found == nullptr) return {};
  return {found > p && found[-1] == '\r' ? found - 1 : found, found + 1, 0};
}

CsvLine find_line(const char* p, const char* end, std::string_view delimiters, char line_end) {
  std::size_t breaks = 0;
  bool cell_begins = true, quoted = false;
  for (const char* c = p; c < end; ++c) {
    if (quoted) {
      if (*c == line_end) ++breaks;
      if (*c != '"') continue;
      if (c + 1 == end) return {};  // one more byte decides whether the quote is doubled
      if (c[1] == '"')
        ++c;
      else
        quoted = false;
    } else if (*c == line_end) {
      return {c > p && c[-1] == '\r' ? c - 1 : c, c + 1, breaks};
    } else if (*c == '"' && cell_begins) {
      quoted = true;
      cell_begins = false;
    } else if (*c != ' ') {
      cell_begins = delimiters.find(*c) != std::string_view::npos;
    }
  }
  return {};
}

bool is_blank(const char* p, const char* end) {
  return std::all_of(p, end, [](char c) { return c == ' '; });
}

char detect_line_end(std::string_view text, bool all) {
  bool cell_begins = true, quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      quoted = c != '"';  // a doubled quote opens again at once
      cell_begins = !quoted;
    } else if (c == '\n') {
      return '\n';
    } else if (c == '\r') {
      if (i + 1 < text.size()) return text[i + 1] == '\n' ? '\n' : '\r';
      if (all) return '\r';
    } else if (c == '"' && cell_begins) {
      quoted = true;
    } else if (c != ' ') {
      cell_begins = c == ',' || c == ';' || c == '\t';
    }
  }
  return '\0';
}

char detect_delimiter(std::string_view first, std::string_view second, bool commas) {
  const std::string_view candidates = commas ? "\t;," : "\t;";
  const auto count = [](std::string_view line, char wanted) {
    std::size_t n = 0;
    const char *p = line.data(), *end = p + line.size();
    while ((p = find_cell_end(p, end, wanted)) != end) {
      ++n;
      ++p;
    }
    return n;
  };
  char present = commas ? ',' : '\0';
  bool found = false;
  for (const char candidate : candidates) {
    const std::size_t n = count(first, candidate);
    if (n == 0) continue;
    if (second.empty() || n == count(second, candidate)) return candidate;
    if (!found) present = candidate;
    found = true;
  }
  return present;
}

}  // namespace rfnn::io
