#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/csv_cells.hpp"
#include "rfnn/io/npy_header.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

/// Checks that all batches have the same columns; the first one decides where no names were given.
class ColumnCount {
 public:
  explicit ColumnCount(std::size_t names) {
    if (names > 0) count_ = names;
  }
  void check(std::size_t columns) {
    if (!count_) count_ = columns;
    if (columns != *count_)
      throw UsageError("rows with " + std::to_string(columns) + " columns were written to a table of " +
                           std::to_string(*count_) + ".",
                       "Write as many columns as there are names.");
  }
  [[nodiscard]] std::size_t value() const { return count_.value_or(0); }

 private:
  std::optional<std::size_t> count_;
};

/// Gzips what goes into a file. The same text gives the same bytes: no name, no time.
class GzipFile {
 public:
  explicit GzipFile(const std::string& path) : file_(path), output_(std::size_t{1} << 16U) {
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;
  ~GzipFile() { ::deflateEnd(&stream_); }

  void write(std::string_view text) { deflate(text, Z_NO_FLUSH); }
  void commit() {
    deflate({}, Z_FINISH);
    file_.commit();
  }

 private:
  void deflate(std::string_view text, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      ::deflate(&stream_, flush);
      file_.write(output_.data(), output_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  AtomicFile file_;
  std::vector<char> output_;
  z_stream stream_{};
};

/// Only a text that could not be read back otherwise is quoted.
std::string text_cell(const std::string& text) {
  if (text.find_first_of(",;\t\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  return cell + "\"";
}

/// Texts in front of each row.
std::size_t texts_per_row(std::span<const std::string> texts, ConstMatrixView rows) {
  return rows.rows() == 0 ? 0 : texts.size() / rows.rows();
}

template <class File>
class CsvWriter : public TableWriter {
 public:
  CsvWriter(const std::string& path, const std::vector<std::string>& names) : file_(path), columns_(names.size()) {
    std::string header;
    for (std::size_t k = 0; k < names.size(); ++k) header += (k == 0 ? "" : ",") + text_cell(names[k]);
    if (!names.empty()) file_.write(header + "\n");
  }

  void write(ConstMatrixView rows) override { write({}, rows); }

  void write(std::span<const std::string> texts, ConstMatrixView rows) override {
    const std::size_t front = texts_per_row(texts, rows);
    columns_.check(front + rows.cols());
    constexpr std::size_t longest_number = 32;
    constexpr std::size_t enough = std::size_t{1} << 16U;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t j = 0; j < front; ++j) text_ += text_cell(texts[i * front + j]) + ",";
      for (std::size_t j = 0; j < rows.cols(); ++j) {
        char number[longest_number];
        char* end = number;
        if (std::isfinite(rows(i, j)))
          end = std::to_chars(number, number + longest_number - 1, rows(i, j)).ptr;
        else if (front + rows.cols() == 1)
          end = std::fill_n(number, 2, '"');  // a blank line would be skipped by those who read the table
        *end = j + 1 == rows.cols() ? '\n' : ',';
        text_.append(number, end + 1);
      }
      if (text_.size() >= enough) pass_on();
    }
    pass_on();
  }

  void commit() override { file_.commit(); }

 private:
  void pass_on() {
    file_.write(text_);
    text_.clear();
  }

  File file_;
  ColumnCount columns_;
  std::string text_;
};

/// What a cell is in a file of numbers.
double number_of(const std::string& text) {
  double value = 0.0;
  const CellKind kind = classify_cell(text, value);
  if (kind == CellKind::number) return value;
  if (kind == CellKind::missing) return std::numeric_limits<double>::quiet_NaN();
  throw InputError(shown(text) + " cannot be written to an NPY file, which holds numbers only.",
                   "Write CSV, or leave the column of text out.");
}

class NpyWriter : public TableWriter {
 public:
  NpyWriter(const std::string& path, std::size_t columns) : file_(path), columns_(columns) {
    if (file_.is_direct())
      throw InputError(path + " is not a regular file: the front of an NPY file can only be written at the end.",
                       "Write to a file, or write CSV.");
    file_.write(npy_front(0, columns));
  }

  void write(ConstMatrixView rows) override { write({}, rows); }

  void write(std::span<const std::string> texts, ConstMatrixView rows) override {
    const std::size_t front = texts_per_row(texts, rows);
    columns_.check(front + rows.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t j = 0; j < front; ++j) {
        const double number = number_of(texts[i * front + j]);
        file_.write(&number, sizeof(double));
      }
      if (rows.col_stride() == 1) {
        file_.write(&rows(i, 0), rows.cols() * sizeof(double));
      } else {
        for (std::size_t j = 0; j < rows.cols(); ++j) file_.write(&rows(i, j), sizeof(double));
      }
    }
    rows_ += rows.rows();
  }

  void commit() override {
    file_.overwrite(0, npy_front(rows_, columns_.value()));
    file_.commit();
  }

 private:
  AtomicFile file_;
  ColumnCount columns_;
  std::uint64_t rows_ = 0;
};

}  // namespace
}  // namespace rfnn::io

namespace rfnn {

using io::shown;

void check_table_place(const std::string& path) {
  for (const char* ending : {".npz", ".parquet", ".feather", ".arrow", ".xlsx", ".xls", ".ods", ".json", ".jsonl",
                             ".h5", ".zip", ".zst", ".bz2", ".xz", ".rfnn"})
    if (path.ends_with(ending))
      throw UsageError("Tables are not written as " + shown(ending) + ", which " + shown(path) + " ends in.",
                       "Give a name that ends in .csv, .csv.gz or .npy.");
}

std::unique_ptr<TableWriter> create_table(const std::string& path, const std::vector<std::string>& names) {
  check_table_place(path);
  if (path.ends_with(".npy")) return std::make_unique<io::NpyWriter>(path, names.size());
  if (path.ends_with(".csv.gz")) return std::make_unique<io::CsvWriter<io::GzipFile>>(path, names);
  return std::make_unique<io::CsvWriter<io::AtomicFile>>(path, names);
}

}  // namespace rfnn
