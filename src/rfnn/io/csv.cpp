#include "rfnn/io/csv.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/cell_readers.hpp"
#include "rfnn/io/csv_front.hpp"
#include "rfnn/io/csv_row.hpp"
#include "rfnn/io/csv_text.hpp"
#include "rfnn/io/foreign_formats.hpp"
#include "rfnn/io/table_survey.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

/// Less text than this is parsed faster by one thread than handed out.
constexpr std::size_t worth_threads = std::size_t{1} << 17U;

// Threads that meet an unsound line leave their part of the text to be parsed again in order, which finds the first.
class CsvReader : public TableReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, std::size_t threads, std::size_t chunk, const TableFormat& format)
      : text_(std::move(source), chunk * threads),
        threads_(threads),
        front_(read_front(text_, format)),
        row_(front_, text_.origin(), text_.line_end()) {
    origin_ = text_.origin();
    is_text_ = true;
    names_ = front_.names;
    has_header_ = front_.has_header;
    units_ = front_.units;
    if (!units_.empty()) unit_rows_.push_back(origin_ + ", line " + std::to_string(front_.units_line));
    selected_.resize(names_.size());
    std::iota(selected_.begin(), selected_.end(), std::size_t{0});
  }

  std::size_t read(Matrix& batch, std::size_t rows) override {
    row_.choose(selected_, cells_.get(), accept_missing_);
    row_.no_inputs(no_inputs_);
    if (batch.cols() != selected_.size()) batch = Matrix(0, selected_.size());
    std::size_t have = 0;
    while (have < rows && text_.fill())
      have += text_.quotes() ? read_quoted(batch, have, rows) : read_plain(batch, have, rows);
    batch.resize_rows(have);
    return have;
  }

 protected:
  std::vector<ColumnCode> first_kinds(const std::vector<bool>& categorical) override {
    return kinds_ahead(text_, front_, selected_, categorical);
  }

 private:
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
          row_.keep(line, found.end, kept_columns_, kept_);
          line = found.next;
        }
        for (std::size_t i = 0; survey_ && i < lines; ++i) survey_->add_row(text_.line() + i);
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
      if (is_blank(p, line.end) || front_.dialect.is_comment(p, line.end) || !row_.parse(p, line.end, out))
        return false;
      out += selected_.size();
      p = line.next;
    }
    return true;
  }

  /// Parses the line at the front of the text into row `row` and moves past it. Returns the rows that gave: 1, or 0 for
  /// a blank line and for a comment.
  std::size_t read_line(Matrix& batch, std::size_t row, const CsvLine& line) {
    const char* p = text_.begin();
    std::size_t rows = 0;
    if (front_.dialect.is_comment(p, line.end)) {
      // nothing of it is looked at
    } else if (is_blank(p, line.end)) {
      if (blank_line_ == 0) blank_line_ = text_.line();
    } else {
      if (blank_line_ != 0) pass_blank_line();
      if (row >= batch.rows()) batch.resize_rows(row + 1);
      double* const out = batch.data() + row * batch.cols();
      const bool sound =
          row_.parse(p, line.end, out) || (row_.learn_levels(p, line.end) && row_.parse(p, line.end, out));
      if (!sound && !survey_) row_.explain(p, line.end, text_.line_in_file(text_.line()));
      rows = sound || survey_line(p, line.end, out) ? 1 : 0;
      if (rows > 0) row_.keep(p, line.end, kept_columns_, kept_);
      if (rows > 0 && survey_) survey_->add_row(text_.line());
    }
    text_.advance(line.next, 1 + line.breaks);
    return rows;
  }

  /// Notes what is wrong with a line and makes a row of what can be read; false where that is nothing.
  bool survey_line(const char* p, const char* end, double* out) {
    row_.each_fault(p, end, text_.line(), [&](const CsvFault& fault) {
      const bool line = fault.column == CsvFault::whole_line;
      survey_->add(line ? "" : names_[fault.column], fault.kind, fault.line,
                   line ? "a line " + fault.reason.cause : fault.reason.cause, fault.reason.cure);
    });
    return row_.parse_what_can_be(p, end, out);
  }

  void pass_blank_line() {
    if (survey_) {
      survey_->add("", "blank", blank_line_, "a line is blank, and the table goes on after it.",
                   "Remove the blank line.");
      blank_line_ = 0;
      return;
    }
    const std::string place = origin_ + ", line " + std::to_string(text_.line_in_file(blank_line_));
    if (names_.size() == 1)
      throw InputError(place + ", " + shown_column(0, names_[0]) + ": the cell is empty (a blank line).",
                       "Give the number or remove the line.");
    throw InputError(place + " is blank, and the table goes on after it.", "Remove the blank line.");
  }

  CsvText text_;
  std::size_t threads_;
  CsvFront front_;
  CsvRow row_;
  std::optional<Workers> workers_;  ///< made when first needed
  std::size_t blank_line_ = 0;      ///< the first blank line of those just passed
};

}  // namespace

std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteSource> source, std::size_t threads, std::size_t chunk,
                                      const TableFormat& format) {
  // Each thread has a chunk of the buffer; more of them than this would wait for memory, and hold a lot of it.
  constexpr std::size_t most = 16;
  refuse_foreign_formats(*source);
  return std::make_unique<CsvReader>(std::move(source), std::min(thread_count(threads), most), chunk, format);
}

std::unique_ptr<TableReader> open_csv_text(std::string_view text, std::string origin, std::size_t threads,
                                           std::size_t chunk, const TableFormat& format) {
  return open_csv(open_memory(text, std::move(origin)), threads, chunk, format);
}

}  // namespace rfnn::io
