#include "rfnn/io/csv_front.hpp"

#include <algorithm>

#include "rfnn/core/error.hpp"
#include "rfnn/io/cell_readers.hpp"
#include "rfnn/io/csv.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

/// A line's text.
struct Span {
  const char *begin, *end, *next;
  [[nodiscard]] std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};

/// The next lines, at most so many of those within a few MiB, without comments and up to a blank one. Nothing is
/// taken.
std::vector<Span> lines_ahead(CsvText& text, const CsvDialect& dialect, std::size_t most) {
  constexpr std::ptrdiff_t farthest = std::ptrdiff_t{1} << 20U;
  std::vector<Span> lines;
  while (true) {
    lines.clear();
    const char* p = text.begin();
    bool more = false;
    while (lines.size() < most && p - text.begin() < farthest) {
      const CsvLine line = p < text.filled() ? text.line_at(p) : CsvLine{};
      if (line.next == nullptr) {
        more = !text.ended();
        break;
      }
      if (is_blank(p, line.end)) break;
      if (!dialect.is_comment(p, line.end)) lines.push_back({p, line.end, line.next});
      p = line.next;
    }
    if (!more || !text.look_ahead()) return lines;
  }
}

std::vector<std::string> cells_of(const Span& line, char delimiter, const std::string& origin) {
  std::vector<std::string> cells;
  for (const char* p = line.begin;; ++p) {
    if (cells.size() == most_columns)
      throw InputError(origin + " has more than " + std::to_string(most_columns) + " columns.",
                       "Give a table with rows below each other.");
    const char* end = find_cell_end(p, line.end, delimiter);
    cells.push_back(cell_text(p, end));
    if (end == line.end) return cells;
    p = end;
  }
}

/// Comments in front of the table.
void skip_comments(CsvText& text, const CsvDialect& dialect) {
  while (!dialect.comment.empty() && text.fill()) {
    const CsvLine line = text.line_at(text.begin());
    if (!dialect.is_comment(text.begin(), line.end)) return;
    text.advance(line.next, 1 + line.breaks);
    text.find_complete();
  }
}

void choose_delimiter(CsvText& text, CsvDialect& dialect, char given, const std::vector<Span>& lines) {
  const std::string_view first = lines[0].text(), second = lines.size() > 1 ? lines[1].text() : "";
  const bool commas = dialect.rules.decimal != ',';
  char& delimiter = dialect.delimiter;
  delimiter = given;
  if (delimiter == '\0') {
    delimiter = detect_delimiter(first, second, commas);
    const char rarer = rarer_delimiter(first, second, commas);
    if (rarer != '\0') delimiter = rarer;
    if (delimiter == '\0') delimiter = ';';
  }
  if (delimiter == ' ') {
    text.separate_by_spaces();
    delimiter = '\t';
  }
  text.set_delimiter(delimiter);
}

[[noreturn]] void fail_blank_start(const CsvText& text) {
  const bool all_blank = text.ended() && std::all_of(text.begin(), text.filled(), [](char c) {
                           return c == ' ' || c == '\n' || c == '\r' || c == '\t';
                         });
  if (all_blank)
    throw InputError(text.origin() + " holds nothing but blank lines.", "Give a table with at least one row.");
  throw InputError(text.origin() + ", line 1 is blank.", "Remove the blank lines in front of the table.");
}

/// Lines in front of a table that nobody said are comments.
void refuse_comments(const std::string& origin, std::string_view first, std::string_view second) {
  const auto marks = [](std::string_view line) {
    return std::count_if(line.begin(), line.end(),
                         [](char c) { return c == ',' || c == ';' || c == '\t' || c == '|'; });
  };
  if (first.starts_with('#') && !second.empty() && (second.starts_with('#') || marks(first) != marks(second)))
    throw InputError(origin + ", line 1 begins with #: is it a comment?",
                     "Pass over such lines with --comment '#'; the names of the columns, where they stand in one, "
                     "belong into a line of their own without the #.");
}

/// Names are text above something else, or above text that has no number or date beside it in both lines.
bool is_header(const std::vector<std::string>& first, const std::vector<std::string>& second, const CellRules& rules) {
  const auto kind_of = [&](const std::string& cell) {
    double ignored = 0.0;
    const CellKind kind = classify_cell(cell, ignored, rules);
    return kind == CellKind::text && parse_moment(cell) ? CellKind::date : kind;
  };
  const auto in_words = [](CellKind kind) {
    return kind == CellKind::text || kind == CellKind::spaced || kind == CellKind::date;
  };
  bool words = false, values = false, differs = false;
  for (std::size_t k = 0; k < first.size(); ++k) {
    const CellKind above = kind_of(first[k]);
    words = words || in_words(above);
    if (k >= second.size()) continue;
    const CellKind below = kind_of(second[k]);
    const bool truth = below == CellKind::text && boolean_of(second[k]) >= 0 && boolean_of(first[k]) < 0;
    differs = differs || (in_words(above) && below != CellKind::missing && (above != below || truth));
    values = values || (above == below && (above == CellKind::number || above == CellKind::date));
  }
  return words && (differs || !values);
}

/// Shows the cells of a line to the finders of the columns wanted; a line of another length says nothing.
void see(const std::vector<std::string>& cells, std::vector<KindFinder>& finders, const std::vector<bool>& wanted,
         const CellRules& rules) {
  for (std::size_t k = 0; k < finders.size() && cells.size() == finders.size(); ++k)
    if (wanted[k]) finders[k].see(cells[k], rules);
}

/// A line below the header that says in words what the columns below it have in numbers is a row of units.
std::vector<std::string> units_in(const std::vector<Span>& lines, const CsvFront& front, const std::string& origin) {
  if (lines.size() < 4) return {};
  const CsvDialect& dialect = front.dialect;
  const std::vector<std::string> words = cells_of(lines[1], dialect.delimiter, origin);
  const std::size_t columns = front.names.size();
  if (words.size() != columns) return {};
  std::vector<KindFinder> below(columns);
  for (std::size_t i = 2; i < lines.size(); ++i)
    see(cells_of(lines[i], dialect.delimiter, origin), below, std::vector<bool>(columns, true), dialect.rules);
  constexpr std::size_t longest = 24;
  bool any = false;
  for (std::size_t k = 0; k < columns; ++k) {
    double ignored = 0.0;
    const CellKind kind = classify_cell(words[k], ignored, dialect.rules);
    if (kind == CellKind::missing || words[k] == "-") continue;
    if (kind != CellKind::text || words[k].size() > longest || boolean_of(words[k]) >= 0 || parse_moment(words[k]) ||
        !below[k].valued())
      return {};
    any = true;
  }
  std::vector<std::string> units;
  for (std::size_t k = 0; any && k < columns; ++k) units.push_back(words[k] == "-" ? "" : to_utf8(words[k]));
  return units;
}

CsvDialect dialect_of(const TableFormat& format) {
  CsvDialect dialect;
  dialect.comment = format.comment;
  CellRules& rules = dialect.rules;
  rules.decimal = format.decimal;
  rules.missing_words = format.missing_words;
  for (const std::string& word : format.missing_words) {
    double value = 0.0;
    CellRules plain;
    plain.decimal = format.decimal;
    if (classify_cell(word, value, plain) == CellKind::number) rules.missing_numbers.push_back(value);
  }
  dialect.slow_numbers = format.decimal == ',' || !rules.missing_numbers.empty();
  return dialect;
}

}  // namespace

bool CsvDialect::is_comment(const char* p, const char* end) const {
  if (comment.empty()) return false;
  while (p < end && *p == ' ') ++p;
  return std::string_view(p, static_cast<std::size_t>(end - p)).starts_with(comment);
}

CsvFront read_front(CsvText& text, const TableFormat& format) {
  CsvFront front;
  CsvDialect& dialect = front.dialect = dialect_of(format);
  skip_comments(text, dialect);
  if (!text.fill()) throw InputError(text.origin() + " is empty.", "Give a table with at least one row.");
  std::vector<Span> lines = lines_ahead(text, dialect, 2);
  if (lines.empty()) fail_blank_start(text);
  choose_delimiter(text, dialect, format.delimiter, lines);
  text.find_complete();  // a quote after the delimiter chosen may make one line of several
  text.fill();
  constexpr std::size_t looked_at = 20;  // lines below the units
  lines = lines_ahead(text, dialect, 2 + looked_at);
  if (lines.empty()) fail_blank_start(text);
  if (dialect.comment.empty()) refuse_comments(text.origin(), lines[0].text(), lines.size() > 1 ? lines[1].text() : "");
  const auto cells = [&](std::size_t line) { return cells_of(lines[line], dialect.delimiter, text.origin()); };
  const std::vector<std::string> first = cells(0);
  front.has_header = format.header == Header::yes ||
                     (format.header == Header::automatic &&
                      is_header(first, lines.size() > 1 ? cells(1) : std::vector<std::string>(), dialect.rules));
  for (std::size_t k = 0; k < first.size(); ++k) {
    const bool named = front.has_header && !trimmed(first[k]).empty();
    front.names.push_back(named ? to_utf8(trimmed(first[k])) : "c" + std::to_string(k + 1));
  }
  if (front.has_header) {
    front.units = units_in(lines, front, text.origin());
    if (!front.units.empty())
      front.units_line =
          text.line() + static_cast<std::size_t>(std::count(text.begin(), lines[1].begin, text.line_end()));
    const char* const rows = lines[front.units.empty() ? 0 : 1].next;
    text.advance(rows, static_cast<std::size_t>(std::count(text.begin(), rows, text.line_end())));
  }
  text.find_complete();
  return front;
}

std::vector<ColumnCode> kinds_ahead(CsvText& text, const CsvFront& front, const std::vector<std::size_t>& selected,
                                    const std::vector<bool>& categorical) {
  // So many lines that a column shows what it is, so few that a wide table costs nothing.
  constexpr std::size_t most_lines = 1000, most_cells = 200'000, fewest_lines = 20;
  const std::size_t columns = front.names.size();
  const std::size_t lines = std::clamp(most_cells / columns, fewest_lines, most_lines);
  std::vector<KindFinder> finders(columns);
  std::vector<bool> wanted(columns, false);
  for (const std::size_t k : selected) wanted[k] = true;
  for (const Span& line : lines_ahead(text, front.dialect, lines))
    see(cells_of(line, front.dialect.delimiter, text.origin()), finders, wanted, front.dialect.rules);
  std::vector<ColumnCode> kinds;
  for (std::size_t j = 0; j < selected.size(); ++j) {
    ColumnCode& kind = kinds.emplace_back(finders[selected[j]].kind(categorical[j]));
    kind.name = front.names[selected[j]];
    kind.position = selected[j];
    if (!front.units.empty()) kind.unit = front.units[selected[j]];
  }
  return kinds;
}

}  // namespace rfnn::io
