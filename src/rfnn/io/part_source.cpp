#include "rfnn/io/part_source.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/io/csv.hpp"
#include "rfnn/io/npz.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

constexpr std::size_t csv_chunk = std::size_t{1} << 19U;

/// The place behind the first line end at or behind `place`.
std::uint64_t next_line(ByteSource& file, std::uint64_t place, std::uint64_t size) {
  std::array<char, 65536> buffer{};
  while (place < size) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size - place));
    file.read_at(place, buffer.data(), bytes);
    if (const void* found = std::memchr(buffer.data(), '\n', bytes))
      return place + static_cast<std::uint64_t>(static_cast<const char*>(found) - buffer.data()) + 1;
    place += bytes;
  }
  return size;
}

/// Where the rows begin: behind comments, so many lines of names and units.
std::uint64_t front_of(ByteSource& file, std::uint64_t size, std::size_t lines, const std::string& comment) {
  std::uint64_t place = 0;
  while (place < size) {
    std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(comment.size(), size - place)), '\0');
    file.read_at(place, start.data(), start.size());
    const bool is_comment = !comment.empty() && start == comment;
    if (!is_comment && lines == 0) break;
    if (!is_comment) --lines;
    place = next_line(file, place, size);
  }
  return place;
}

/// Line ends in [begin, end).
std::size_t lines_between(ByteSource& file, std::uint64_t begin, std::uint64_t end) {
  std::vector<char> buffer(std::size_t{1} << 20U);
  std::size_t lines = 0;
  while (begin < end) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - begin));
    file.read_at(begin, buffer.data(), bytes);
    lines += static_cast<std::size_t>(std::count(buffer.data(), buffer.data() + bytes, '\n'));
    begin += bytes;
  }
  return lines;
}

/// Two stretches of a file, one behind the other.
class PartSource final : public ByteSource {
 public:
  PartSource(std::unique_ptr<ByteSource> file, std::uint64_t front, std::uint64_t begin, std::uint64_t end)
      : ByteSource(file->origin()), file_(std::move(file)), front_(front), begin_(begin), end_(end) {}

  // Asked where a line is at fault: who reads a sound part does not count the lines before it.
  std::size_t line_in_file(std::size_t line) override {
    return line <= lines_between(*file_, 0, front_) ? line : line + lines_between(*file_, front_, begin_);
  }

 protected:
  std::size_t read_some(char* out, std::size_t bytes) override {
    if (place_ == front_ && front_ <= begin_) place_ = begin_;
    const std::uint64_t limit = place_ < front_ ? front_ : end_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, limit - std::min(place_, limit)));
    if (count > 0) file_->read_at(place_, out, count);
    place_ += count;
    return count;
  }

 private:
  std::unique_ptr<ByteSource> file_;
  std::uint64_t front_, begin_, end_, place_ = 0;
};

/// A part without lines: it has the columns of the table, and no rows of it.
class NoRows final : public TableReader {
 public:
  explicit NoRows(const TableReader& table) {
    origin_ = table.origin();
    names_ = table.names();
    has_header_ = table.has_header();
    units_ = table.units();
    is_text_ = true;
    selected_.resize(names_.size());
    std::iota(selected_.begin(), selected_.end(), std::size_t{0});
  }
  std::size_t read(Matrix& batch, std::size_t /*rows*/) override {
    batch = Matrix(0, selected_.size());
    return 0;
  }
};

}  // namespace

std::unique_ptr<TableReader> open_part(std::unique_ptr<ByteSource> source, const std::string& path, std::size_t threads,
                                       const TableFormat& format) {
  if (!source->random_access() || is_npz(*source))
    throw InputError(shown(path, 200) + " cannot be read in parts.",
                     "Give a CSV file that is not compressed, an NPY file, or a file of its own for every rank "
                     "(part-%r.csv).");
  TableFormat whole = format;
  whole.part = 0;
  whole.parts = 1;
  auto looked_at = open_csv(open_file(path), 1, csv_chunk, whole);
  const std::size_t lines = (looked_at->has_header() ? 1U : 0U) + (looked_at->units().empty() ? 0U : 1U);
  const std::uint64_t size = *source->size(), front = front_of(*source, size, lines, format.comment);
  const auto cut = [&](std::size_t part) {
    if (part == 0) return front;
    return std::max(front, next_line(*source, size / format.parts * part, size));
  };
  const std::uint64_t begin = cut(format.part), end = format.part + 1 == format.parts ? size : cut(format.part + 1);
  if (begin == end) return std::make_unique<NoRows>(*looked_at);
  looked_at.reset();
  whole.header = lines > 0 ? Header::yes : Header::no;
  return open_csv(std::make_unique<PartSource>(std::move(source), lines > 0 ? front : 0, begin, end), threads,
                  csv_chunk, whole);
}

}  // namespace rfnn::io
