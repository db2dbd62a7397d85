#pragma once

// Private header: the text of a CSV file as a window of whole lines that moves over it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/io/csv_cells.hpp"
#include "rfnn/io/source.hpp"

namespace rfnn::io {

/// [begin, complete) are whole lines not yet used, [complete, filled) is the start of a line whose end has not been
/// read; decimal_slack more bytes are readable. Text that is no UTF-8 text, a line without an end and a quoted cell
/// that is never closed throw InputError.
class CsvText {
 public:
  /// Reads about `chunk` bytes at a time, and finds out how lines end.
  CsvText(std::unique_ptr<ByteSource> source, std::size_t chunk);

  [[nodiscard]] const std::string& origin() const { return source_->origin(); }
  [[nodiscard]] const char* begin() const { return buffer_.data() + begin_; }
  [[nodiscard]] const char* complete() const { return buffer_.data() + complete_; }
  [[nodiscard]] const char* filled() const { return buffer_.data() + filled_; }
  /// Are there quotes in [begin, filled)? Then [begin, complete) is one line, or none.
  [[nodiscard]] bool quotes() const { return quotes_; }
  /// Has the whole file been read into the buffer?
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] char line_end() const { return line_end_; }
  /// Number, from 1, of the line at begin().
  [[nodiscard]] std::size_t line() const { return line_; }
  /// The number in the whole file of a line that line() has told, where a part of the file is read.
  [[nodiscard]] std::size_t line_in_file(std::size_t line) const { return source_->line_in_file(line); }

  /// Bytes from begin() to the end of the file, where that is known.
  [[nodiscard]] std::optional<std::uint64_t> bytes_left() const;

  /// Makes sure that there is a whole line; false at the end of the file.
  bool fill();
  /// Reads more behind what is there, to look ahead; false at the end of the file or when a few MiB are there already.
  bool look_ahead();
  /// Moves begin() to `place`, `lines` line ends further.
  void advance(const char* place, std::size_t lines);
  /// The characters after which a cell may begin: any delimiter, until the file's own is known.
  void set_delimiter(char delimiter) { delimiters_ = std::string(1, delimiter); }
  [[nodiscard]] const std::string& delimiters() const { return delimiters_; }
  /// Makes one tab of any run of spaces and tabs between cells, and none of those at the ends of a line, from begin()
  /// on.
  void separate_by_spaces();
  /// The line at `place`, whatever is quoted in it.
  [[nodiscard]] CsvLine line_at(const char* place) const { return find_line(place, filled(), delimiters_, line_end_); }
  /// Looks again for whole lines; after advance() through lines with quotes.
  void find_complete();

 private:
  void read_more();
  std::size_t squeeze(const char* from, std::size_t bytes, char* out);
  void end_last_line();
  void refuse_other_encodings(std::string_view start) const;
  void refuse_nul(const char* from, std::size_t bytes) const;
  [[noreturn]] void fail_open_quote() const;
  [[noreturn]] void fail_endless_line() const;

  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;  ///< longer by `spare` than what is read into it
  std::uint64_t bytes_read_ = 0;
  std::size_t begin_ = 0, complete_ = 0, filled_ = 0;
  bool ended_ = false;
  bool quotes_ = false;
  char line_end_ = '\n';
  std::string delimiters_ = "\t;,";
  std::size_t line_ = 1;
  bool spaced_ = false;                                            ///< white space separates
  bool in_cell_ = false, in_quotes_ = false, after_cell_ = false;  ///< where the squeezing of white space stands
};

}  // namespace rfnn::io
