#include "rfnn/io/csv.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/csv_text.hpp"
#include "rfnn/io/decimal.hpp"
#include "rfnn/io/foreign_formats.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

/// A name as one word of a command line.
std::string as_word(const std::string& name) {
  static constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+";
  if (!name.empty() && name.find_first_not_of(plain) == std::string::npos) return name;
  std::string word = "'";
  for (const char c : name) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// Less text than this is parsed faster by one thread than handed out.
constexpr std::size_t worth_threads = std::size_t{1} << 17U;

// Parsing says only whether a line is sound. For an unsound one, explain() walks over it again to say what is wrong:
// the fast path carries no messages, and threads that meet one leave their part of the text to be parsed again in
// order, which finds the first.
class CsvReader : public TableReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, std::size_t threads, std::size_t chunk)
      : text_(std::move(source), chunk * threads), threads_(threads) {
    origin_ = text_.origin();
    is_text_ = true;
    read_first_line();
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

 private:
  // ---- the first line -----------------------------------------------------------------------------------------

  void read_first_line() {
    if (!text_.fill()) throw InputError(origin_ + " is empty.", "Give a table with at least one row.");
    CsvLine first = text_.line_at(text_.begin());
    if (is_blank(text_.begin(), first.end)) fail_blank_start();
    CsvLine second = text_.line_at(first.next);
    while (second.next == nullptr && text_.look_ahead()) {
      first = text_.line_at(text_.begin());
      second = text_.line_at(first.next);
    }
    const char* begin = text_.begin();
    const auto between = [](const char* from, const char* to) {
      return std::string_view(from, static_cast<std::size_t>(to - from));
    };
    delimiter_ =
        detect_delimiter(between(begin, first.end), second.next == nullptr ? "" : between(first.next, second.end));
    text_.set_delimiter(delimiter_);
    refuse_other_tables(between(begin, first.end), second.next == nullptr ? "" : between(first.next, second.end));

    std::vector<std::string> cells;
    for (const char* p = begin;; ++p) {
      if (cells.size() == most_columns)
        throw InputError(origin_ + " has more than " + std::to_string(most_columns) + " columns.",
                         "Give a table with rows below each other.");
      const char* end = find_cell_end(p, first.end, delimiter_);
      cells.push_back(cell_text(p, end));
      if (end == first.end) break;
      p = end;
    }
    has_header_ = std::any_of(cells.begin(), cells.end(), [](const std::string& cell) {
      double ignored = 0.0;
      const CellKind kind = classify_cell(cell, ignored);
      return kind == CellKind::text || kind == CellKind::spaced || kind == CellKind::date;
    });
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const bool named = has_header_ && !trimmed(cells[k]).empty();
      names_.push_back(named ? to_utf8(trimmed(cells[k])) : "c" + std::to_string(k + 1));
    }
    if (has_header_) {
      text_.advance(first.next, 1 + first.breaks);
    }
    text_.find_complete();
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
  }

  /// The numbers of one line into `out`; false when anything about it is not as it should be.
  bool parse_line(const char* p, const char* end, double* out) const {
    const char delimiter = delimiter_;
    const std::size_t columns = names_.size();
    for (std::size_t k = 0;; ++p) {
      const char* stop = p;
      if (slot_[k] < 0) {
        stop = find_cell_end(p, end, delimiter);
      } else {
        double value = 0.0;
        const char* start = p;
        while (start < end && *start == ' ') ++start;
        const char* after = parse_decimal(start, value);
        stop = after == nullptr ? start : after;
        while (stop < end && *stop == ' ') ++stop;
        const bool sound = after != nullptr && (stop == end || *stop == delimiter);
        if (!sound) {
          stop = find_cell_end(p, end, delimiter);
          const CellKind kind = classify_cell(cell_text(p, stop), value);
          if (kind == CellKind::missing && accept_missing_)
            value = std::numeric_limits<double>::quiet_NaN();
          else if (kind != CellKind::number)
            return false;
        }
        out[slot_[k]] = value;
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
      if (is_blank(p, line.end) || !parse_line(p, line.end, out)) return false;
      out += selected_.size();
      p = line.next;
    }
    return true;
  }

  /// Parses the line at the front of the text into row `row` and moves past it. Returns the rows that gave: 1, or 0 for
  /// a blank line.
  std::size_t read_line(Matrix& batch, std::size_t row, const CsvLine& line) {
    const char* p = text_.begin();
    const bool blank = is_blank(p, line.end);
    if (blank) {
      if (blank_line_ == 0) blank_line_ = text_.line();
    } else {
      if (blank_line_ != 0) fail_blank_line();
      if (row >= batch.rows()) batch.resize_rows(row + 1);
      if (!parse_line(p, line.end, batch.data() + row * batch.cols())) explain(p, line.end);
      keep_cells(p, line.end);
    }
    text_.advance(line.next, 1 + line.breaks);
    return blank ? 0 : 1;
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
          std::string("Complete or remove the line; a cell with ") +
              (delimiter_ == ','   ? "a comma"
               : delimiter_ == ';' ? "a semicolon"
                                   : "a tab") +
              " in it needs double quotes.");
    std::size_t k = 0;
    for (const char* q = p;; ++q, ++k) {
      const char* stop = find_cell_end(q, end, delimiter_);
      double ignored = 0.0;
      const std::string cell = cell_text(q, stop);
      const CellKind kind = classify_cell(cell, ignored);
      if (slot_[k] >= 0 && kind != CellKind::number && !(kind == CellKind::missing && accept_missing_)) {
        // The cell may stand on a later line of the file than the first cell of its row.
        const auto line = text_.line() + static_cast<std::size_t>(std::count(p, q, text_.line_end()));
        fail_cell(origin_ + ", line " + std::to_string(line) + ", " + shown_column(k, names_[k]), names_[k], cell,
                  kind);
      }
      if (stop == end) break;
      q = stop;
    }
    throw InputError(place + " cannot be understood.", "Correct or remove the line.");
  }

  [[noreturn]] static void fail_cell(const std::string& place, const std::string& name, const std::string& cell,
                                     CellKind kind) {
    const std::string leave_out = "`rfnn fit` leaves the column out with --ignore " + as_word(name) + ".";
    const std::string fill_in = "Give the number or remove the row; " + leave_out;
    switch (kind) {
      case CellKind::missing:
        if (cell.empty()) throw InputError(place + ": the cell is empty.", fill_in);
        throw InputError(place + ": " + shown(cell) + " is a missing value.", fill_in);
      case CellKind::infinite:
        throw InputError(place + ": " + shown(cell) + " is infinite.", fill_in);
      case CellKind::too_large:
        throw InputError(place + ": " + shown(cell) + " is beyond the numbers a double can hold, up to 1.8e308.",
                         fill_in);
      case CellKind::date:
        throw InputError(place + ": " + shown(cell) + " is a date or a time, not a number.",
                         "Give it as a number, in days or seconds since some moment say; " + leave_out);
      case CellKind::decimal_comma:
        throw InputError(place + ": " + shown(cell) + " is not a number.",
                         "Numbers need a decimal point: convert the decimal commas of the file to points.");
      case CellKind::spaced:
        throw InputError(place + ": " + shown(cell) + " is not one number.",
                         "Separate cells by commas, semicolons or tabs, and write numbers without spaces in them.");
      default:
        throw InputError(place + ": " + shown(cell) + " is not a number.", "Correct the cell; " + leave_out);
    }
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

  /// Tables whose separator is not known, and lines in front of a table: with what was meant.
  void refuse_other_tables(std::string_view first, std::string_view second) const {
    const auto cells = [&](std::string_view line) {
      std::size_t count = 1;
      for (const char *p = line.data(), *end = p + line.size(); (p = find_cell_end(p, end, delimiter_)) != end; ++p)
        ++count;
      return count;
    };
    if (first.starts_with('#') && !second.empty() && (second.starts_with('#') || cells(first) != cells(second)))
      throw InputError(origin_ + ", line 1 begins with #: comments are not read.",
                       "Remove the lines in front of the table (sed '/^#/d'); the names of the columns, where they "
                       "stand in one, belong into a line of their own without the #.");
    const char foreign = foreign_delimiter(first, second);
    if (foreign == '|' || foreign == ' ')
      throw InputError(
          origin_ + " has its cells separated by " + (foreign == '|' ? "bars" : "spaces") + ", which is not read.",
          std::string("Separate them by commas: ") + (foreign == '|' ? "tr '|' ','" : "sed 's/^ *//; s/  */,/g'") +
              " < " + (origin_ == "standard input" ? "FILE" : as_word(origin_)) + " > table.csv");
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
  std::size_t blank_line_ = 0;        ///< the first blank line of those just passed
  std::vector<std::ptrdiff_t> slot_;  ///< per column of the file: its place in a row, −1: none
  std::vector<std::pair<std::size_t, std::size_t>> repeats_;  ///< places to copy for columns selected twice
};

}  // namespace

std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteSource> source, std::size_t threads, std::size_t chunk) {
  // Each thread has a chunk of the buffer; more of them than this would wait for memory, and hold a lot of it.
  constexpr std::size_t most = 16;
  refuse_foreign_formats(*source);
  return std::make_unique<CsvReader>(std::move(source), std::min(threads == 0 ? available_threads() : threads, most),
                                     chunk);
}

std::unique_ptr<TableReader> open_csv_text(std::string_view text, std::string origin, std::size_t threads,
                                           std::size_t chunk) {
  return open_csv(open_memory(text, std::move(origin)), threads, chunk);
}

}  // namespace rfnn::io
