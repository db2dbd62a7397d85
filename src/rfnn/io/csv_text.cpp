#include "rfnn/io/csv_text.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "rfnn/core/error.hpp"
#include "rfnn/io/decimal.hpp"

namespace rfnn::io {
namespace {

/// A line longer than this is no table (and would make memory grow with the file).
constexpr std::size_t longest_line = std::size_t{64} << 20U;
constexpr std::size_t farthest_look = std::size_t{4} << 20U;
/// Room in the buffer for the end of a last line that has none in the file, and for readers of eight bytes at a time.
constexpr std::size_t spare = 1 + decimal_slack;

}  // namespace

CsvText::CsvText(std::unique_ptr<ByteSource> source, std::size_t chunk)
    : source_(std::move(source)), buffer_(std::clamp<std::size_t>(chunk, 16, longest_line / 4) + spare) {
  read_more();
  if (std::string_view(begin(), filled_).starts_with("\xEF\xBB\xBF")) begin_ = 3;
  char found = detect_line_end({begin(), filled_ - begin_}, ended_);
  while (found == '\0' && !ended_) {
    read_more();
    found = detect_line_end({begin(), filled_ - begin_}, ended_);
  }
  if (found != '\0') line_end_ = found;
  end_last_line();
  find_complete();
}

void CsvText::end_last_line() {
  // The last line need not have an end in the file; with one, there is a single kind of line to understand.
  if (ended_ && filled_ > begin_ && buffer_[filled_ - 1] != line_end_) buffer_[filled_++] = line_end_;
}

bool CsvText::look_ahead() {
  if (ended_ || filled_ - begin_ > farthest_look) return false;
  read_more();
  end_last_line();
  find_complete();
  return true;
}

void CsvText::read_more() {
  // A tab that stands for white space already taken may have to go in front of what comes.
  const std::size_t gap = spaced_ ? 1 : 0;
  if (filled_ + gap >= buffer_.size() - spare) {
    if (buffer_.size() > longest_line) fail_endless_line();
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t room = buffer_.size() - spare - filled_ - gap;
  char* const place = buffer_.data() + filled_ + gap;
  const std::size_t got = source_->read(place, room);
  const bool first = filled_ == 0 && line_ == 1;
  bytes_read_ += got;
  ended_ = got < room;
  if (first) refuse_other_encodings({place, got});
  refuse_nul(place, got);
  filled_ += spaced_ ? squeeze(place, got, buffer_.data() + filled_) : got;
}

void CsvText::separate_by_spaces() {
  spaced_ = true;
  set_delimiter('\t');
  const std::size_t bytes = filled_ - begin_;
  filled_ = begin_ + squeeze(begin(), bytes, buffer_.data() + begin_);
  find_complete();
}

std::size_t CsvText::squeeze(const char* from, std::size_t bytes, char* out) {
  const char* const begin = out;
  for (const char *c = from, *end = from + bytes; c < end; ++c) {
    if (in_quotes_) {
      in_quotes_ = *c != '"';
    } else if (*c == ' ' || *c == '\t') {
      after_cell_ = after_cell_ || in_cell_;
      in_cell_ = false;
      continue;
    } else if (*c == line_end_ || *c == '\r') {
      in_cell_ = after_cell_ = false;
    } else {
      if (after_cell_) *out++ = '\t';  // there was a space or more in its place
      in_quotes_ = *c == '"' && !in_cell_;
      in_cell_ = true;
      after_cell_ = false;
    }
    *out++ = *c;
  }
  return static_cast<std::size_t>(out - begin);
}

bool CsvText::fill() {
  while (complete_ == begin_) {
    if (ended_) {
      if (begin_ == filled_) return false;
      fail_open_quote();  // every other line has its end by now
    }
    std::memmove(buffer_.data(), begin(), filled_ - begin_);
    filled_ -= begin_;
    begin_ = complete_ = 0;
    read_more();
    end_last_line();
    find_complete();
  }
  return true;
}

void CsvText::find_complete() {
  const std::size_t length = filled_ - begin_;
  quotes_ = length > 0 && std::memchr(begin(), '"', length) != nullptr;
  const char* next = nullptr;
  if (quotes_) {
    next = line_at(begin()).next;
  } else if (length > 0) {
    const auto* last = static_cast<const char*>(::memrchr(begin(), line_end_, length));
    if (last != nullptr) next = last + 1;
  }
  complete_ = next == nullptr ? begin_ : static_cast<std::size_t>(next - buffer_.data());
}

void CsvText::advance(const char* place, std::size_t lines) {
  begin_ = static_cast<std::size_t>(place - buffer_.data());
  complete_ = std::max(complete_, begin_);
  line_ += lines;
}

std::optional<std::uint64_t> CsvText::bytes_left() const {
  const auto size = source_->size();
  if (!size || *size < bytes_read_) return std::nullopt;
  return *size - bytes_read_ + (filled_ - begin_);
}

void CsvText::refuse_other_encodings(std::string_view start) const {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF"))
    throw InputError(origin() + " is encoded in UTF-16.",
                     "Save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8.");
}

void CsvText::refuse_nul(const char* from, std::size_t bytes) const {
  const auto* nul = bytes == 0 ? nullptr : static_cast<const char*>(std::memchr(from, 0, bytes));
  if (nul == nullptr) return;
  const auto line = line_ + static_cast<std::size_t>(std::count(begin(), nul, line_end_));
  throw InputError(
      origin() + ", line " + std::to_string(line_in_file(line)) + " holds a NUL byte: it is not a text file.",
      "Give CSV text in UTF-8 (a UTF-16 export has to be converted), gzipped CSV, or NPY.");
}

void CsvText::fail_open_quote() const {
  throw InputError(origin() + ": a quoted cell in the row that begins at line " + std::to_string(line_in_file(line_)) +
                       " is never closed.",
                   "Close the double quotes, or double a quote that belongs to the text.");
}

void CsvText::fail_endless_line() const {
  throw InputError(origin() + ", line " + std::to_string(line_in_file(line_)) + " is longer than " +
                       std::to_string(longest_line >> 20U) + " MiB" +
                       (quotes_ ? " (a quoted cell may not be closed)." : "."),
                   "Check that the file is a CSV table.");
}

}  // namespace rfnn::io
