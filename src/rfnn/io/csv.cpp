#include "rfnn/io/csv.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/cell_readers.hpp"
#include "rfnn/io/csv_faults.hpp"
#include "rfnn/io/csv_text.hpp"
#include "rfnn/io/decimal.hpp"
#include "rfnn/io/foreign_formats.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

/// Less text than this is parsed faster by one thread than handed out.
constexpr std::size_t worth_threads = std::size_t{1} << 17U;

// Parsing says only whether a line is sound. For an unsound one, explain() walks over it again to say what is wrong:
// the fast path carries no messages, and threads that meet one leave their part of the text to be parsed again in
// order, which finds the first.
class CsvReader : public TableReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, std::size_t threads, std::size_t chunk, const TableFormat& format)
      : text_(std::move(source), chunk * threads), threads_(threads), comment_(format.comment) {
    origin_ = text_.origin();
    is_text_ = true;
    rules_.decimal = format.decimal;
    rules_.missing_words = format.missing_words;
    for (const std::string& word : format.missing_words) {
      double value = 0.0;
      CellRules plain;
      plain.decimal = format.decimal;
      if (classify_cell(word, value, plain) == CellKind::number) rules_.missing_numbers.push_back(value);
    }
    slow_numbers_ = format.decimal == ',' || !rules_.missing_numbers.empty();
    read_front(format);
    selected_.resize(names_.size());
    std::iota(selected_.begin(), selected_.end(), std::size_t{0});
  }

  std::size_t read(Matrix& batch, std::size_t rows) override {
    prepare_columns();
    if (batch.cols() != selected_.size()) batch = Matrix(0, selected_.size());
    std::size_t have = 0;
    while (have < rows && text_.fill())
      have += text_.quotes() ? read_quoted(batch, have, rows) : read_plain(batch, have, rows);
    batch.resize_rows(have);
    return have;
  }

 protected:
  std::vector<ColumnCode> first_kinds(const std::vector<bool>& categorical) override {
    // So many lines that a column shows what it is, so few that a wide table costs nothing.
    constexpr std::size_t most_lines = 1000, most_cells = 200'000, fewest_lines = 20;
    const std::size_t lines = std::clamp(most_cells / names_.size(), fewest_lines, most_lines);
    std::vector<KindFinder> finders(names_.size());
    std::vector<bool> wanted(names_.size(), false);
    for (const std::size_t k : selected_) wanted[k] = true;
    for (const CsvSpan& line : lines_ahead(lines)) see_line(line, finders, wanted);
    std::vector<ColumnCode> kinds;
    for (std::size_t j = 0; j < selected_.size(); ++j) {
      ColumnCode& kind = kinds.emplace_back(finders[selected_[j]].kind(categorical[j]));
      kind.name = names_[selected_[j]];
      kind.position = selected_[j];
      if (!units_.empty()) kind.unit = units_[selected_[j]];
    }
    return kinds;
  }

 private:
  // ---- the first lines ----------------------------------------------------------------------------------------

  /// A line's text.
  struct CsvSpan {
    const char *begin, *end, *next;
    std::size_t lines;  ///< of the file
    [[nodiscard]] std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  };

  [[nodiscard]] bool is_comment(const char* p, const char* end) const {
    if (comment_.empty()) return false;
    while (p < end && *p == ' ') ++p;
    return std::string_view(p, static_cast<std::size_t>(end - p)).starts_with(comment_);
  }

  /// The next lines, at most so many of those within a few MiB, without comments and up to a blank one. Nothing is
  /// taken.
  std::vector<CsvSpan> lines_ahead(std::size_t most) {
    constexpr std::ptrdiff_t farthest = std::ptrdiff_t{1} << 20U;
    std::vector<CsvSpan> lines;
    while (true) {
      lines.clear();
      const char* p = text_.begin();
      bool more = false;
      while (lines.size() < most && p - text_.begin() < farthest) {
        const CsvLine line = p < text_.filled() ? text_.line_at(p) : CsvLine{};
        if (line.next == nullptr) {
          more = !text_.ended();
          break;
        }
        if (is_blank(p, line.end)) break;
        if (!is_comment(p, line.end)) lines.push_back({p, line.end, line.next, 1 + line.breaks});
        p = line.next;
      }
      if (!more || !text_.look_ahead()) return lines;
    }
  }

  /// Comments in front of the table.
  void skip_comments() {
    while (!comment_.empty() && text_.fill()) {
      const CsvLine line = text_.line_at(text_.begin());
      if (!is_comment(text_.begin(), line.end)) return;
      text_.advance(line.next, 1 + line.breaks);
      text_.find_complete();
    }
  }

  std::vector<std::string> cells_of(const CsvSpan& line) const {
    std::vector<std::string> cells;
    for (const char* p = line.begin;; ++p) {
      if (cells.size() == most_columns)
        throw InputError(origin_ + " has more than " + std::to_string(most_columns) + " columns.",
                         "Give a table with rows below each other.");
      const char* end = find_cell_end(p, line.end, delimiter_);
      cells.push_back(cell_text(p, end));
      if (end == line.end) return cells;
      p = end;
    }
  }

  /// Shows the cells of a line to the finders of the columns wanted; a line of another length says nothing.
  void see_line(const CsvSpan& line, std::vector<KindFinder>& finders, const std::vector<bool>& wanted) const {
    const std::vector<std::string> cells = cells_of(line);
    for (std::size_t k = 0; k < finders.size() && cells.size() == finders.size(); ++k)
      if (wanted[k]) finders[k].see(cells[k], rules_);
  }

  void choose_delimiter(char given, const std::vector<CsvSpan>& lines) {
    const std::string_view first = lines[0].text(), second = lines.size() > 1 ? lines[1].text() : "";
    const bool commas = rules_.decimal != ',';
    delimiter_ = given;
    if (delimiter_ == '\0') {
      delimiter_ = detect_delimiter(first, second, commas);
      const char rarer = rarer_delimiter(first, second, commas);
      if (rarer != '\0') delimiter_ = rarer;
      if (delimiter_ == '\0') delimiter_ = ';';
    }
    if (delimiter_ == ' ') {
      text_.separate_by_spaces();
      delimiter_ = '\t';
    }
    text_.set_delimiter(delimiter_);
  }

  void read_front(const TableFormat& format) {
    skip_comments();
    if (!text_.fill()) throw InputError(origin_ + " is empty.", "Give a table with at least one row.");
    std::vector<CsvSpan> lines = lines_ahead(2);
    if (lines.empty()) fail_blank_start();
    choose_delimiter(format.delimiter, lines);
    text_.find_complete();  // a quote after the delimiter chosen may make one line of several
    text_.fill();
    constexpr std::size_t looked_at = 20;  // lines below the units
    lines = lines_ahead(2 + looked_at);
    if (lines.empty()) fail_blank_start();
    refuse_comments(lines[0].text(), lines.size() > 1 ? lines[1].text() : "");
    const std::vector<std::string> cells = cells_of(lines[0]);
    has_header_ = format.header == Header::yes ||
                  (format.header == Header::automatic &&
                   is_header(cells, lines.size() > 1 ? cells_of(lines[1]) : std::vector<std::string>()));
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const bool named = has_header_ && !trimmed(cells[k]).empty();
      names_.push_back(named ? to_utf8(trimmed(cells[k])) : "c" + std::to_string(k + 1));
    }
    if (has_header_) {
      find_units(lines);
      pass(lines[units_.empty() ? 0 : 1].next);
    }
    text_.find_complete();
  }

  /// Moves to `place`, the beginning of a line.
  void pass(const char* place) {
    const auto lines = static_cast<std::size_t>(std::count(text_.begin(), place, text_.line_end()));
    text_.advance(place, lines);
  }

  /// Names are text above something else, or above text that has no number or date beside it in both lines.
  [[nodiscard]] bool is_header(const std::vector<std::string>& first, const std::vector<std::string>& second) const {
    const auto kind_of = [&](const std::string& cell) {
      double ignored = 0.0;
      const CellKind kind = classify_cell(cell, ignored, rules_);
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

  /// A line below the header that says in words what the columns below it have in numbers is a row of units.
  void find_units(const std::vector<CsvSpan>& lines) {
    if (lines.size() < 4) return;
    const std::vector<std::string> units = cells_of(lines[1]);
    if (units.size() != names_.size()) return;
    std::vector<KindFinder> below(names_.size());
    for (std::size_t i = 2; i < lines.size(); ++i) see_line(lines[i], below, std::vector<bool>(names_.size(), true));
    constexpr std::size_t longest = 24;
    bool any = false;
    for (std::size_t k = 0; k < units.size(); ++k) {
      double ignored = 0.0;
      const CellKind kind = classify_cell(units[k], ignored, rules_);
      if (kind == CellKind::missing || units[k] == "-") continue;
      if (kind != CellKind::text || units[k].size() > longest || boolean_of(units[k]) >= 0 || parse_moment(units[k]) ||
          !below[k].valued())
        return;
      any = true;
    }
    if (!any) return;
    for (const std::string& unit : units) units_.push_back(unit == "-" ? "" : to_utf8(unit));
  }

  // ---- rows ---------------------------------------------------------------------------------------------------

  void prepare_columns() {
    slot_.assign(names_.size(), -1);
    repeats_.clear();
    for (std::size_t j = 0; j < selected_.size(); ++j) {
      if (selected_[j] >= names_.size())
        throw UsageError("column " + std::to_string(selected_[j] + 1) + " was selected, " + origin_ + " has " +
                             std::to_string(names_.size()) + ".",
                         "Select columns of the table.");
      auto& slot = slot_[selected_[j]];
      if (slot < 0)
        slot = static_cast<std::ptrdiff_t>(j);
      else
        repeats_.push_back({static_cast<std::size_t>(slot), j});
    }
    refuse_duplicate_names();
    others_.assign(names_.size(), nullptr);
    for (std::size_t j = 0; cells_ && j < selected_.size(); ++j)
      if (cells_->columns[j].kind() != ColumnKind::number) others_[selected_[j]] = &cells_->columns[j];
    number_slot_ = slot_;
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (others_[k] != nullptr) number_slot_[k] = -1;
  }

  /// A cell without the spaces and quotes around it; `held` has it where it has to be written anew.
  static std::string_view plain_text(const char* first, const char* last, std::string& held) {
    const std::string_view cell = trimmed({first, static_cast<std::size_t>(last - first)});
    if (cell.empty() || cell[0] != '"') return cell;
    held = cell_text(first, last);
    return trimmed(held);
  }

  /// A cell of a column that holds no numbers; false where it cannot be read as it is.
  bool parse_other(const CellReader& reader, const char* p, const char* stop, double& value) const {
    std::string held;
    switch (reader.read(plain_text(p, stop, held), rules_, value)) {
      case CellReader::Found::value:
        return true;
      case CellReader::Found::missing:
        return accept_missing_;
      default:
        return false;
    }
  }

  /// A number with a decimal comma, or one that may stand for a missing cell; nullptr: to be looked at more closely.
  const char* parse_odd_number(const char* start, const char* end, double& value) const {
    constexpr std::size_t longest = 40;
    std::array<char, longest + 1 + decimal_slack> copy{};
    std::size_t size = 0;
    for (; start + size < end && size < longest && start[size] != delimiter_ && start[size] != ' '; ++size) {
      if (rules_.decimal == ',' && start[size] == '.') return nullptr;
      copy[size] = start[size] == rules_.decimal ? '.' : start[size];
    }
    copy[size] = '\n';
    const char* const after = parse_decimal(copy.data(), value);
    return after == copy.data() + size && !rules_.is_missing(value) ? start + size : nullptr;
  }

  /// The numbers of one line into `out`; false when anything about it is not as it should be.
  bool parse_line(const char* p, const char* end, double* out) const {
    const char delimiter = delimiter_;
    const bool slow = slow_numbers_;
    const std::size_t columns = names_.size();
    for (std::size_t k = 0;; ++p) {
      const char* stop = p;
      if (number_slot_[k] < 0) {
        stop = find_cell_end(p, end, delimiter);
        if (others_[k] != nullptr && !parse_other(*others_[k], p, stop, out[slot_[k]])) return false;
      } else {
        double value = 0.0;
        const char* start = p;
        while (start < end && *start == ' ') ++start;
        const char* after = slow ? parse_odd_number(start, end, value) : parse_decimal(start, value);
        stop = after == nullptr ? start : after;
        while (stop < end && *stop == ' ') ++stop;
        const bool sound = after != nullptr && (stop == end || *stop == delimiter);
        if (!sound) {
          stop = find_cell_end(p, end, delimiter);
          const CellKind kind = classify_cell(cell_text(p, stop), value, rules_);
          if (kind == CellKind::missing && accept_missing_)
            value = std::numeric_limits<double>::quiet_NaN();
          else if (kind != CellKind::number)
            return false;
        }
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

  std::size_t read_quoted(Matrix& batch, std::size_t have, std::size_t rows) {
    std::size_t got = 0;
    while (have + got < rows) {
      const CsvLine line = text_.line_at(text_.begin());
      if (line.next == nullptr) break;
      got += read_line(batch, have + got, line);
    }
    text_.find_complete();
    return got;
  }

  std::size_t read_plain(Matrix& batch, std::size_t have, std::size_t rows) {
    // Find where the rows asked for end, and on the way where each thread's part of them begins.
    struct Part {
      const char* begin;
      std::size_t row;
    };
    const char* p = text_.begin();
    const char* const complete = text_.complete();
    const std::size_t share = static_cast<std::size_t>(complete - p) / threads_ + 1;
    std::vector<Part> parts = {{p, 0}};
    std::size_t lines = 0;
    while (lines < rows - have && p < complete) {
      if (static_cast<std::size_t>(p - parts.back().begin) >= share) parts.push_back({p, lines});
      p = find_plain_line(p, complete, text_.line_end()).next;
      ++lines;
    }
    const char* const end = p;
    make_room(batch, have + lines, rows, lines, static_cast<std::size_t>(end - text_.begin()));

    if (parts.size() > 1 && static_cast<std::size_t>(end - text_.begin()) >= worth_threads && blank_line_ == 0) {
      if (!workers_) workers_.emplace(threads_);
      std::vector<char> sound(parts.size(), 0);
      double* const out = batch.data() + have * batch.cols();
      const auto work = [&](std::size_t task, std::size_t) {
        const char* stop = task + 1 < parts.size() ? parts[task + 1].begin : end;
        sound[task] = parse_part(parts[task].begin, stop, out + parts[task].row * batch.cols());
      };
      Interrupt never;
      workers_->run(parts.size(), true, work, never);
      if (std::all_of(sound.begin(), sound.end(), [](char s) { return s != 0; })) {
        for (const char* line = text_.begin(); !kept_columns_.empty() && line < end;) {
          const CsvLine found = find_plain_line(line, end, text_.line_end());
          keep_cells(line, found.end);
          line = found.next;
        }
        text_.advance(end, lines);
        return lines;
      }
    }
    std::size_t got = 0;
    while (text_.begin() < end)
      got += read_line(batch, have + got, find_plain_line(text_.begin(), end, text_.line_end()));
    return got;
  }

  /// At least `needed` rows. Where the length of the file is known, as many as it will have (but not more than `rows`),
  /// so that a large matrix is not moved again and again while it grows.
  void make_room(Matrix& batch, std::size_t needed, std::size_t rows, std::size_t lines, std::size_t bytes) const {
    if (needed <= batch.rows()) return;
    const auto left = text_.bytes_left();
    const double ahead =
        left ? 1.01 * static_cast<double>(*left) / static_cast<double>(bytes) * static_cast<double>(lines) : 0.0;
    const auto guess = needed - lines + static_cast<std::size_t>(std::min(ahead, 1e15));
    batch.resize_rows(std::max(needed, std::min(rows, guess)));
  }

  bool parse_part(const char* p, const char* stop, double* out) const {
    while (p < stop) {
      const CsvLine line = find_plain_line(p, stop, text_.line_end());
      if (is_blank(p, line.end) || is_comment(p, line.end) || !parse_line(p, line.end, out)) return false;
      out += selected_.size();
      p = line.next;
    }
    return true;
  }

  /// Adds levels that were not seen before; false where there are too many.
  bool learn_levels(const char* p, const char* end) {
    if (!cells_ || !cells_->counts) return false;
    bool learnt = false;
    for (std::size_t k = 0; k < names_.size(); ++k, ++p) {
      const char* stop = find_cell_end(p, end, delimiter_);
      std::string held;
      double ignored = 0.0;
      if (others_[k] != nullptr) {
        const std::string_view text = plain_text(p, stop, held);
        CellReader& reader = cells_->columns[static_cast<std::size_t>(slot_[k])];
        if (reader.read(text, rules_, ignored) == CellReader::Found::new_level) {
          if (!reader.add_level(text)) return false;
          learnt = true;
        }
      }
      if (stop == end) break;
      p = stop;
    }
    return learnt;
  }

  /// Parses the line at the front of the text into row `row` and moves past it. Returns the rows that gave: 1, or 0 for
  /// a blank line and for a comment.
  std::size_t read_line(Matrix& batch, std::size_t row, const CsvLine& line) {
    const char* p = text_.begin();
    const bool comment = is_comment(p, line.end), blank = is_blank(p, line.end);
    if (comment) {
      // nothing of it is looked at
    } else if (blank) {
      if (blank_line_ == 0) blank_line_ = text_.line();
    } else {
      if (blank_line_ != 0) fail_blank_line();
      if (row >= batch.rows()) batch.resize_rows(row + 1);
      double* const out = batch.data() + row * batch.cols();
      if (!parse_line(p, line.end, out) && !(learn_levels(p, line.end) && parse_line(p, line.end, out)))
        explain(p, line.end);
      keep_cells(p, line.end);
    }
    text_.advance(line.next, 1 + line.breaks);
    return blank || comment ? 0 : 1;
  }

  /// The texts of the cells to keep of a sound line.
  void keep_cells(const char* p, const char* end) {
    if (kept_columns_.empty()) return;
    const std::size_t first = kept_.size();
    kept_.resize(first + kept_columns_.size());
    for (std::size_t k = 0;; ++k, ++p) {
      const char* stop = find_cell_end(p, end, delimiter_);
      for (std::size_t j = 0; j < kept_columns_.size(); ++j)
        if (kept_columns_[j] == k) kept_[first + j] = to_utf8(cell_text(p, stop));
      if (stop == end) break;
      p = stop;
    }
  }

  // ---- what can be wrong --------------------------------------------------------------------------------------

  [[noreturn]] void explain(const char* p, const char* end) const {
    const std::string place = origin_ + ", line " + std::to_string(text_.line());
    std::size_t cells = 0;
    for (const char* q = p;; ++q) {
      q = find_cell_end(q, end, delimiter_);
      ++cells;
      if (q == end) break;
    }
    const auto cells_of = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " cell" : " cells"); };
    if (cells != names_.size())
      throw InputError(
          place + " has " + cells_of(cells) + " where the first line has " + std::to_string(names_.size()) + ".",
          "Complete or remove the line; a cell with " + delimiter_text(delimiter_) + " in it needs double quotes.");
    std::size_t k = 0;
    for (const char* q = p;; ++q, ++k) {
      const char* stop = find_cell_end(q, end, delimiter_);
      double ignored = 0.0;
      const std::string cell = cell_text(q, stop);
      // The cell may stand on a later line of the file than the first cell of its row.
      const auto line = text_.line() + static_cast<std::size_t>(std::count(p, q, text_.line_end()));
      const std::string where = origin_ + ", line " + std::to_string(line) + ", " + shown_column(k, names_[k]);
      const CellKind kind = classify_cell(cell, ignored, rules_);
      const bool tolerated = kind == CellKind::missing && accept_missing_;
      if (others_[k] != nullptr) {
        const CellReader::Found found = others_[k]->read(trimmed(cell), rules_, ignored);
        if (found == CellReader::Found::missing && !tolerated) fail_cell(where, names_[k], cell, CellKind::missing);
        if (found == CellReader::Found::refused || found == CellReader::Found::new_level) {
          const CellReader::Reason reason = others_[k]->reason(trimmed(cell));
          throw InputError(where + ": " + reason.cause, reason.cure);
        }
      } else if (slot_[k] >= 0 && kind != CellKind::number && !tolerated) {
        fail_cell(where, names_[k], cell, kind);
      }
      if (stop == end) break;
      q = stop;
    }
    throw InputError(place + " cannot be understood.", "Correct or remove the line.");
  }

  [[noreturn]] void fail_blank_line() const {
    const std::string place = origin_ + ", line " + std::to_string(blank_line_);
    if (names_.size() == 1)
      throw InputError(place + ", " + shown_column(0, names_[0]) + ": the cell is empty (a blank line).",
                       "Give the number or remove the line.");
    throw InputError(place + " is blank, and the table goes on after it.", "Remove the blank line.");
  }

  [[noreturn]] void fail_blank_start() const {
    const bool all_blank = text_.ended() && std::all_of(text_.begin(), text_.filled(), [](char c) {
                             return c == ' ' || c == '\n' || c == '\r' || c == '\t';
                           });
    if (all_blank) throw InputError(origin_ + " holds nothing but blank lines.", "Give a table with at least one row.");
    throw InputError(origin_ + ", line 1 is blank.", "Remove the blank lines in front of the table.");
  }

  /// Lines in front of a table that nobody said are comments.
  void refuse_comments(std::string_view first, std::string_view second) const {
    const auto marks = [](std::string_view line) {
      return std::count_if(line.begin(), line.end(),
                           [](char c) { return c == ',' || c == ';' || c == '\t' || c == '|'; });
    };
    if (comment_.empty() && first.starts_with('#') && !second.empty() &&
        (second.starts_with('#') || marks(first) != marks(second)))
      throw InputError(
          origin_ + ", line 1 begins with #: is it a comment?",
          "Pass over such lines with --comment '#'; the names of the columns, where they stand in one, belong "
          "into a line of their own without the #.");
  }

  /// Names are what columns are chosen and matched by, so that those chosen must differ; others may be called anything.
  void refuse_duplicate_names() const {
    std::unordered_map<std::string_view, std::size_t> seen;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (slot_[k] < 0) continue;
      const auto [first, fresh] = seen.emplace(names_[k], k);
      if (!fresh)
        throw InputError(origin_ + ", line 1: columns " + std::to_string(first->second + 1) + " and " +
                             std::to_string(k + 1) + " are both named " + shown(names_[k]) + ".",
                         "Give every column a name of its own, or leave one out by its number (--ignore " +
                             std::to_string(k + 1) + ").");
    }
  }

  CsvText text_;
  std::size_t threads_;
  std::optional<Workers> workers_;  ///< made when first needed
  char delimiter_ = ',';
  std::string comment_;  ///< begins a line that is passed over
  CellRules rules_;
  bool slow_numbers_ = false;                ///< numbers have a comma, or may stand for missing cells
  std::size_t blank_line_ = 0;               ///< the first blank line of those just passed
  std::vector<std::ptrdiff_t> slot_;         ///< per column of the file: its place in a row, −1: none
  std::vector<std::ptrdiff_t> number_slot_;  ///< the same of the columns of numbers alone
  std::vector<std::pair<std::size_t, std::size_t>> repeats_;  ///< places to copy for columns selected twice
  std::vector<const CellReader*> others_;  ///< per column of the file: who reads its cells; nullptr: they are numbers
};

}  // namespace

std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteSource> source, std::size_t threads, std::size_t chunk,
                                      const TableFormat& format) {
  // Each thread has a chunk of the buffer; more of them than this would wait for memory, and hold a lot of it.
  constexpr std::size_t most = 16;
  refuse_foreign_formats(*source);
  return std::make_unique<CsvReader>(std::move(source), std::min(threads == 0 ? available_threads() : threads, most),
                                     chunk, format);
}

std::unique_ptr<TableReader> open_csv_text(std::string_view text, std::string origin, std::size_t threads,
                                           std::size_t chunk, const TableFormat& format) {
  return open_csv(open_memory(text, std::move(origin)), threads, chunk, format);
}

}  // namespace rfnn::io
