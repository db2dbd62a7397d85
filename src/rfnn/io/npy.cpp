#include "rfnn/io/npy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/file_pages.hpp"
#include "rfnn/data/row_blocks.hpp"
#include "rfnn/io/csv.hpp"
#include "rfnn/io/csv_faults.hpp"
#include "rfnn/io/npy_header.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::io {
namespace {

constexpr std::size_t longest_header = std::size_t{1} << 16U;
/// Bytes read at a time.
constexpr std::size_t chunk = std::size_t{1} << 20U;

class NpyReader : public TableReader {
 public:
  NpyReader(std::unique_ptr<ByteSource> source, const TableFormat& format) : source_(std::move(source)) {
    origin_ = source_->origin();
    for (const std::string& word : format.missing_words)
      if (const auto number = number_from<double>(word)) missing_numbers_.push_back(*number);
    header_ = parse_npy_header(read_dictionary(), origin_);
    if (header_.cols == 0)
      throw InputError(origin_ + ": the NPY array has no columns.", "Give a table with at least one.");
    if (header_.cols > most_columns)
      throw InputError(origin_ + ": the NPY array has more than " + std::to_string(most_columns) + " columns.",
                       "Give a table with rows below each other.");
    check_size();
    load_ = loader_of(header_);
    for (std::size_t k = 0; k < header_.cols; ++k) names_.push_back("c" + std::to_string(k + 1));
    selected_.resize(names_.size());
    std::iota(selected_.begin(), selected_.end(), std::size_t{0});
    by_columns_ = header_.fortran_order && header_.cols > 1;
    all_rows_ = header_.rows;
    first_row_ = all_rows_ * format.part / format.parts;
    header_.rows = all_rows_ * (format.part + 1) / format.parts - first_row_;
    if (by_columns_ && !source_->random_access()) read_rest_to_memory();
  }

  std::size_t read(Matrix& batch, std::size_t rows) override {
    if (!kept_columns_.empty()) return read_and_keep(batch, rows);
    check_selection();
    if (batch.cols() != selected_.size()) batch = Matrix(0, selected_.size());
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(rows, header_.rows - next_row_));
    const std::size_t row_bytes = (by_columns_ ? 1 : names_.size()) * header_.item_size;
    const std::size_t rows_at_once = std::max<std::size_t>(1, chunk / row_bytes);
    if (next_row_ == 0 && !by_columns_) pass_over(first_row_ * row_bytes);
    std::size_t have = 0;
    while (have < wanted) {
      const std::size_t now = std::min(rows_at_once, wanted - have);
      batch.resize_rows(have + now);  // step by step: only bytes that came are paid for in memory
      by_columns_ ? read_columns(batch, have, now) : read_rows(batch, have, now, row_bytes);
      have += now;
      next_row_ += now;
    }
    batch.resize_rows(have);
    if (first_row_ + next_row_ == all_rows_ && !source_->size() && !by_columns_ && !source_->peek(1).empty())
      fail_longer();
    return have;
  }

  TableRows read_rows(const std::function<bool()>& go_on) override {
    const bool plain = header_.kind == 'f' && header_.item_size >= 4 && !header_.big_endian;
    // Cells that may have to be filled in, told apart or kept as text are not left where they lie.
    const bool as_they_are =
        !accept_missing_ && !survey_ && missing_numbers_.empty() && !cells_ && kept_columns_.empty();
    const auto file = plain && as_they_are && next_row_ == 0 && header_.rows > 0 ? source_->map() : nullptr;
    if (!file) return TableReader::read_rows(go_on);
    check_selection();
    TableRows rows;
    rows.mapped = true;
    rows.bytes = header_.rows * header_.cols * header_.item_size;
    const auto mapping =
        std::make_shared<const Mapping>(file, data_offset_ + all_rows_ * header_.cols * header_.item_size);
    if (held_at_most_ != std::numeric_limits<std::size_t>::max()) pages_ = &mapping->pages;
    rows.on_disk = pages_ != nullptr;
    rows.columns = mapped_columns(file.get() + data_offset_, header_.rows);
    rows.memory = mapping;
    const std::size_t checked = check_values(rows.columns, go_on);
    rows.cut_short = checked < header_.rows;
    if (rows.cut_short) rows.columns = mapped_columns(file.get() + data_offset_, checked);
    next_row_ = header_.rows;
    return rows;
  }

 private:
  /// A file that is mapped, and its pages.
  struct Mapping {
    Mapping(std::shared_ptr<const char> whole, std::size_t bytes) : file(std::move(whole)), pages(file.get(), bytes) {}
    std::shared_ptr<const char> file;
    FilePages pages;
  };

  /// Columns to keep are read as numbers beside those selected; what is not finite there is an empty text.
  std::size_t read_and_keep(Matrix& batch, std::size_t rows) {
    const std::vector<std::size_t> selected = selected_, kept = std::exchange(kept_columns_, {});
    const bool accepted = std::exchange(accept_missing_, true);
    chosen_ = selected.size();
    selected_.insert(selected_.end(), kept.begin(), kept.end());
    Matrix both;
    const std::size_t first = next_row_, got = read(both, rows);
    chosen_ = std::numeric_limits<std::size_t>::max();
    selected_ = selected;
    kept_columns_ = kept;
    accept_missing_ = accepted;
    batch = Matrix(got, selected.size());
    for (std::size_t i = 0; i < got; ++i) {
      for (std::size_t j = 0; j < selected.size(); ++j) {
        batch(i, j) = both(i, j);
        if (!may_be(batch(i, j))) {
          next_row_ = first;
          fail_value(i, j, batch(i, j));
        }
      }
      for (std::size_t j = 0; j < kept.size(); ++j) {
        const double value = both(i, selected.size() + j);
        kept_.push_back(std::isfinite(value) ? shortest(value) : "");
      }
    }
    return got;
  }

  void check_selection() const {
    for (const std::size_t k : selected_)
      if (k >= names_.size())
        throw UsageError("column " + std::to_string(k + 1) + " was selected, " + origin_ + " has " +
                             std::to_string(names_.size()) + ".",
                         "Select columns of the table.");
  }

  [[nodiscard]] Columns mapped_columns(const char* data, std::size_t rows) const {
    const auto item = header_.item_size, step = by_columns_ ? item : item * names_.size();
    const auto type = item == 8 ? NumberType::float64 : NumberType::float32;
    Columns columns(rows);
    for (const std::size_t k : selected_) {
      const ColumnView column(data + first_row_ * step + k * item * (by_columns_ ? all_rows_ : 1),
                              static_cast<std::ptrdiff_t>(step), type);
      columns.add(pages_ != nullptr ? column.in(*pages_) : column);
    }
    return columns;
  }

  /// Refuses values that are not finite; returns the rows looked at before `go_on` ended it.
  std::size_t check_values(const Columns& columns, const std::function<bool()>& go_on) {
    std::size_t checked = 0, asked = 0;
    for (RowBlocks block(columns); block.next(); checked += block.count()) {
      for (std::size_t i = 0; i < block.count(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j)
          if (!std::isfinite(block.column(j)[i])) fail_value(block.first() + i, j, block.column(j)[i]);
      constexpr std::size_t rows_between = 65536;
      if (go_on && checked / rows_between > asked) {
        asked = checked / rows_between;
        if (!go_on()) return checked + block.count();
      }
    }
    return checked;
  }

  std::string read_dictionary() {
    std::array<char, 8> front{};
    take(front.data(), front.size());
    const auto major = static_cast<unsigned char>(front[6]);
    if (std::string_view(front.data(), 6) != npy_magic || major < 1 || major > 3 || front[7] != 0)
      throw InputError(origin_ + " is not an NPY file of version 1, 2 or 3.", save_npy_again);
    std::array<char, 4> bytes{};
    const std::size_t length_size = major == 1 ? 2 : 4;
    take(bytes.data(), length_size);
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data(), bytes.size());
    if (length > longest_header)
      throw InputError(origin_ + ": the header of this NPY file would have " + std::to_string(length) + " bytes.",
                       save_npy_again);
    std::string dictionary(length, '\0');
    take(dictionary.data(), length);
    data_offset_ = front.size() + length_size + length;
    return dictionary;
  }

  void check_size() {
    const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / 16;
    if (header_.rows > limit / header_.cols)
      throw InputError(
          origin_ + ": the NPY header promises " + std::to_string(header_.rows) + " rows, more than can be.",
          save_npy_again);
    const std::uint64_t bytes = header_.rows * header_.cols * header_.item_size;
    if (!source_->size()) return;
    const std::uint64_t there = *source_->size() - data_offset_;
    if (there < bytes) fail_shorter(there, bytes);
    if (there > bytes) fail_longer();
  }

  void take(char* out, std::size_t bytes) {
    const std::size_t got = source_->read(out, bytes);
    if (got < bytes) fail_shorter(got, bytes);
  }

  /// Bytes of rows that others read.
  void pass_over(std::uint64_t bytes) {
    buffer_.resize(std::max<std::size_t>(buffer_.size(), std::min<std::uint64_t>(bytes, chunk)));
    for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, chunk))
      take(buffer_.data(), static_cast<std::size_t>(std::min<std::uint64_t>(bytes, chunk)));
  }

  [[noreturn]] void fail_shorter(std::uint64_t got, std::uint64_t bytes) const {
    throw InputError(origin_ + " is an NPY file that ends in the middle (" + std::to_string(got) + " bytes where " +
                         std::to_string(bytes) + " should follow).",
                     "Get a complete copy of it.");
  }

  [[noreturn]] void fail_longer() const {
    throw InputError(origin_ + " goes on after the end of its NPY array.", "Give a file with one array.");
  }

  void read_rest_to_memory() {
    const std::uint64_t bytes = all_rows_ * header_.cols * header_.item_size;
    while (rest_.size() < bytes) {
      const std::size_t have = rest_.size();
      rest_.resize(have + static_cast<std::size_t>(std::min<std::uint64_t>(bytes - have, std::max(chunk, have))));
      const std::size_t got = source_->read(rest_.data() + have, rest_.size() - have);
      if (have + got < rest_.size()) fail_shorter(have + got, bytes);
    }
    if (!source_->peek(1).empty()) fail_longer();
    source_ = open_memory({rest_.data(), rest_.size()}, origin_);
    data_offset_ = 0;
  }

  void read_rows(Matrix& batch, std::size_t first, std::size_t count, std::size_t row_bytes) {
    buffer_.resize(std::max(buffer_.size(), count * row_bytes));
    take(buffer_.data(), count * row_bytes);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < selected_.size(); ++j)
        store(batch, first, i, j, buffer_.data() + i * row_bytes + selected_[j] * header_.item_size);
  }

  void read_columns(Matrix& batch, std::size_t first, std::size_t count) {
    buffer_.resize(std::max(buffer_.size(), count * header_.item_size));
    // Row by row is the order in which a bad value is to be reported, so the first one of all columns is looked for.
    std::optional<std::pair<std::size_t, std::size_t>> bad;
    for (std::size_t j = 0; j < selected_.size(); ++j) {
      const std::uint64_t place =
          data_offset_ + (selected_[j] * all_rows_ + first_row_ + next_row_) * header_.item_size;
      source_->read_at(place, buffer_.data(), count * header_.item_size);
      for (std::size_t i = 0; i < count; ++i) {
        double value = cell_of(buffer_.data() + i * header_.item_size, j);
        if (!may_be(value) && survey_) value = surveyed_cell(value, j, next_row_ + i + 1);
        if (!may_be(value) && !survey_ && (!bad || i < bad->first)) bad = {i, j};
        batch(first + i, j) = value;
      }
    }
    if (bad) fail_value(bad->first, bad->second, batch(first + bad->first, bad->second));
  }

  /// A number to keep is as it is written, one that is chosen as its column has it.
  double cell_of(const char* bytes, std::size_t j) {
    const double value = load_(bytes);
    return j < chosen_ ? number_cell(value, j) : value;
  }

  [[nodiscard]] bool may_be(double value) const {
    return std::isfinite(value) || (accept_missing_ && std::isnan(value));
  }

  void store(Matrix& batch, std::size_t first, std::size_t i, std::size_t j, const char* bytes) {
    double value = cell_of(bytes, j);
    if (!may_be(value) && survey_) value = surveyed_cell(value, j, next_row_ + i + 1);
    if (!may_be(value) && !survey_) fail_value(i, j, value);
    batch(first + i, j) = value;
  }

  [[noreturn]] void fail_value(std::size_t i, std::size_t j, double value) const {
    const bool missing = std::isnan(value);
    throw InputError(
        origin_ + ", row " + std::to_string(first_row_ + next_row_ + i + 1) + ", " +
            shown_column(selected_[j], names_[selected_[j]]) + " is " + (missing ? "nan" : "infinite") + ".",
        cell_reason(std::to_string(selected_[j] + 1), "", missing ? CellKind::missing : CellKind::infinite).cure);
  }

  std::unique_ptr<ByteSource> source_;
  NpyHeader header_;
  std::uint64_t data_offset_ = 0;
  std::uint64_t all_rows_ = 0, first_row_ = 0;                    ///< of the file; the first of the part that is read
  std::uint64_t next_row_ = 0;                                    ///< of that part
  std::size_t chosen_ = std::numeric_limits<std::size_t>::max();  ///< columns that follow these are read to be kept
  NumberLoader load_ = nullptr;
  bool by_columns_ = false;
  const FilePages* pages_ = nullptr;  ///< of the mapped file, where they may leave memory
  std::vector<char> buffer_;
  std::vector<char> rest_;  ///< the array in Fortran order, when it came through a pipe
};

}  // namespace

std::unique_ptr<TableReader> open_npy(std::unique_ptr<ByteSource> source, const TableFormat& format) {
  return std::make_unique<NpyReader>(std::move(source), format);
}

std::unique_ptr<TableReader> open_npy_bytes(std::string_view bytes, std::string origin) {
  return open_npy(open_memory(bytes, std::move(origin)));
}

}  // namespace rfnn::io
