#include "rfnn/io/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

#include "rfnn/core/error.hpp"
#include "rfnn/core/scratch_file.hpp"
#include "rfnn/io/cell_readers.hpp"
#include "rfnn/io/csv.hpp"
#include "rfnn/io/csv_faults.hpp"
#include "rfnn/io/joined_table.hpp"
#include "rfnn/io/npy.hpp"
#include "rfnn/io/npy_header.hpp"
#include "rfnn/io/npz.hpp"
#include "rfnn/io/part_source.hpp"
#include "rfnn/io/source.hpp"
#include "rfnn/io/table_survey.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/nearest.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn {

TableReader::TableReader() = default;
TableReader::~TableReader() = default;

TableFormat table_format(const Options& options) {
  TableFormat format;
  format.delimiter = options.delimiter.empty() ? '\0' : options.delimiter[0];
  format.decimal = options.decimal == DecimalMark::comma ? ',' : '.';
  format.comment = options.comment;
  format.header = options.header;
  format.missing_words = split_names(options.missing_values);
  if (format.delimiter == ',' && format.decimal == ',')
    throw UsageError("A comma cannot both separate cells and be the decimal mark.",
                     "Give another --delimiter, or --decimal .");
  return format;
}

std::unique_ptr<TableReader> open_table(const std::string& path, std::size_t threads, const TableFormat& format) {
  auto source = io::unpacked(io::open_file(path));
  if (source->peek(io::npy_magic.size()) == io::npy_magic) return io::open_npy(std::move(source), format);
  if (format.parts > 1) return io::open_part(std::move(source), path, threads, format);
  if (io::is_npz(*source)) return io::open_npz(std::move(source), format);
  return io::open_csv(std::move(source), threads, std::size_t{1} << 19U, format);
}

std::vector<ColumnCode> TableReader::first_kinds(const std::vector<bool>& categorical) {
  std::vector<ColumnCode> kinds;
  for (std::size_t j = 0; j < selected_.size(); ++j) {
    ColumnCode& kind = kinds.emplace_back(ColumnCode{.name = names_[selected_[j]], .position = selected_[j]});
    if (categorical[j]) kind.kind = ColumnKind::category;
  }
  return kinds;
}

bool TableReader::find_kinds(const std::vector<std::size_t>& categorical) {
  std::vector<bool> listed;
  for (const std::size_t place : selected_)
    listed.push_back(std::find(categorical.begin(), categorical.end(), place) != categorical.end());
  cells_ = std::make_shared<io::CellReaders>();
  cells_->counts = true;
  bool numbers = true;
  for (ColumnCode& kind : first_kinds(listed)) {
    numbers = numbers && kind.kind == ColumnKind::number && kind.unit.empty();
    cells_->columns.emplace_back(std::move(kind), true, Unseen::error);
  }
  if (numbers) cells_.reset();
  return numbers;
}

std::vector<ColumnCode> TableReader::kinds() const {
  std::vector<ColumnCode> kinds;
  for (std::size_t j = 0; j < selected_.size(); ++j)
    kinds.push_back(cells_ ? cells_->columns[j].code()
                           : ColumnCode{.name = names_[selected_[j]], .position = selected_[j]});
  return kinds;
}

void TableReader::expect(const std::vector<ColumnCode>& columns, Unseen unseen) {
  cells_ = std::make_shared<io::CellReaders>();
  for (const ColumnCode& column : columns) cells_->columns.emplace_back(column, false, unseen);
}

double TableReader::number_cell(double value, std::size_t j) {
  if (std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end())
    value = std::numeric_limits<double>::quiet_NaN();
  if (!cells_ || cells_->columns[j].kind() == ColumnKind::number || !std::isfinite(value)) return value;
  io::CellReader& reader = cells_->columns[j];
  using Found = io::CellReader::Found;
  double read = 0.0;
  Found found = reader.read_number(value, read);
  if (found == Found::new_level && reader.add_level(value)) found = reader.read_number(value, read);
  if (found == Found::value) return read;
  const io::CellReason reason = reader.reason(shortest(value));
  throw InputError(origin_ + ", " + io::shown_column(selected_[j], names_[selected_[j]]) + ": " + reason.cause,
                   reason.cure);
}

double TableReader::surveyed_cell(double value, std::size_t j, std::size_t row) const {
  const std::string& name = names_[selected_[j]];
  const io::CellKind kind = std::isnan(value) ? io::CellKind::missing : io::CellKind::infinite;
  const io::CellReason reason = io::cell_reason(name, std::isnan(value) ? "nan" : "inf", kind);
  survey_->add(name, io::word_of(kind), row, reason.cause, reason.cure);
  return std::numeric_limits<double>::quiet_NaN();
}

void TableReader::read_like(const TableReader& other) {
  cells_ = other.cells_;
  accept_missing_ = other.accept_missing_;
}

std::unique_ptr<TableReader> open_tables(const std::vector<std::string>& paths, std::size_t threads,
                                         const TableFormat& format) {
  if (paths.empty()) throw UsageError("There is no table to read.", "Name one.");
  if (paths.size() == 1) return open_table(paths[0], threads, format);
  return io::open_joined(paths, threads, format);
}

namespace {

/// Numbers whose count is not known beforehand. realloc moves the pages of large blocks, not the numbers in them, so
/// that a table is never held twice while it grows. Beyond so many bytes they go to a file.
class GrowingNumbers {
 public:
  explicit GrowingNumbers(std::size_t most_bytes) : most_(most_bytes / sizeof(double)) {}

  void add(const double* values, std::size_t count) {
    if (!file_ && size_ + count > most_) {
      file_ = std::make_unique<ScratchFile>();
      file_->append(numbers_.get(), size_ * sizeof(double));
      numbers_.reset();
    }
    if (file_) {
      file_->append(values, count * sizeof(double));
    } else {
      if (size_ + count > capacity_) set_capacity(std::max(size_ + count, capacity_ + capacity_ / 2));
      std::copy_n(values, count, numbers_.get() + size_);
    }
    size_ += count;
  }
  /// All of them as the rows of a table.
  TableRows take(std::size_t rows, std::size_t width) {
    TableRows all;
    all.bytes = size_ * sizeof(double);
    all.on_disk = file_ != nullptr;
    if (file_) {
      const auto map = std::make_shared<const ScratchMap>(std::move(file_));
      all.columns = Columns(rows);
      const auto* const first = static_cast<const double*>(map->data());
      for (std::size_t k = 0; k < width; ++k)
        all.columns.add(ColumnView(first + k, static_cast<std::ptrdiff_t>(width * sizeof(double))).in(map->pages()));
      all.memory = map;
    } else {
      if (size_ > 0) set_capacity(size_);
      const std::shared_ptr<const double> memory = std::move(numbers_);
      all.columns = ConstMatrixView(memory.get(), rows, width);
      all.memory = memory;
    }
    return all;
  }

 private:
  struct Free {
    void operator()(double* place) const { std::free(place); }
  };
  void set_capacity(std::size_t capacity) {
    double* const old = numbers_.release();
    auto* const place = static_cast<double*>(std::realloc(old, capacity * sizeof(double)));
    numbers_.reset(place == nullptr ? old : place);
    if (place == nullptr) throw std::bad_alloc();
    capacity_ = capacity;
  }

  std::unique_ptr<double, Free> numbers_;
  std::unique_ptr<ScratchFile> file_;
  std::size_t most_, size_ = 0, capacity_ = 0;
};

}  // namespace

TableRows TableReader::read_rows(const std::function<bool()>& go_on) {
  constexpr std::size_t batch_numbers = std::size_t{1} << 20U;
  const std::size_t width = selected_.size();
  const std::size_t at_once = std::min(batch_numbers, held_at_most_ / (4 * sizeof(double)));
  const std::size_t batch_rows = std::clamp<std::size_t>(at_once / std::max<std::size_t>(width, 1), 256, 65536);
  GrowingNumbers numbers(held_at_most_);
  std::size_t count = 0;
  bool cut_short = false;
  for (Matrix batch; const std::size_t got = read(batch, batch_rows);) {
    numbers.add(batch.data(), batch.size());
    count += got;
    if (go_on && !go_on()) {
      cut_short = read(batch, 1) > 0;
      break;
    }
  }
  TableRows rows = numbers.take(count, width);
  rows.cut_short = cut_short;
  return rows;
}

Matrix read_all(TableReader& reader) {
  // Readers let the batch grow with the rows they find, so asking for all of them allocates no more than there are.
  Matrix all;
  reader.read(all, std::numeric_limits<std::size_t>::max());
  return all;
}

namespace {

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string list;
  for (std::size_t k = 0; k < names.size() && k < most; ++k) list += (k == 0 ? "" : ", ") + io::shown(names[k]);
  if (names.size() > most) list += ", … (" + std::to_string(names.size()) + " columns)";
  return list;
}

}  // namespace

std::size_t find_column(const std::vector<std::string>& names, std::string_view wanted, std::string_view origin) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), wanted) != names.end())
      throw InputError(std::string(origin) + " has several columns named " + io::shown(wanted) + ".",
                       "Give every column a name of its own.");
    return static_cast<std::size_t>(found - names.begin());
  }
  std::size_t number = 0;
  const auto result = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool is_number = !wanted.empty() && result.ptr == wanted.data() + wanted.size();
  if (is_number && result.ec == std::errc{} && number >= 1 && number <= names.size()) return number - 1;

  const std::string cause = std::string(origin) + " has no column " + io::shown(wanted) + ".";
  if (is_number)
    throw InputError(
        cause, "Columns are counted from 1 to " + std::to_string(names.size()) + ", or named: " + list_of(names) + ".");
  const std::vector<std::string> some(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(names.size(), 1000)));
  for (const std::string& name : some)
    if (io::same_but_case(name, wanted))
      throw InputError(cause, "Did you mean " + io::shown(name) + "? Upper and lower case differ.");
  const std::string_view near = nearest(wanted, some);
  if (!near.empty()) throw InputError(cause, "Did you mean " + io::shown(near) + "?");
  if (!names.empty() && names[0].starts_with('#'))
    throw InputError(cause, "The first line is " + io::shown(names[0]) + (names.size() > 1 ? ", …" : "") +
                                ": if that is a comment, give --comment '#'.");
  if (names.size() == 1)
    throw InputError(cause, "Its only column is " + list_of(names) +
                                ": if the cells are separated by another character, give it with --delimiter.");
  throw InputError(cause, "Its columns are " + list_of(names) + ".");
}

std::vector<std::string> split_names(std::string_view list, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), io::trimmed(list)) != known.end()) return {std::string(io::trimmed(list))};
  std::vector<std::string> names;
  if (io::trimmed(list).empty()) return names;
  std::size_t i = 0;
  while (true) {
    while (i < list.size() && list[i] == ' ') ++i;
    std::string name;
    if (i < list.size() && list[i] == '"') {
      for (++i;; ++i) {
        if (i >= list.size())
          throw UsageError("the list of names " + io::shown(list) + " has an open quote.", "Close the double quotes.");
        if (list[i] == '"') {
          if (i + 1 < list.size() && list[i + 1] == '"')
            ++i;
          else
            break;
        }
        name += list[i];
      }
      for (++i; i < list.size() && list[i] == ' '; ++i) {
      }
      if (i < list.size() && list[i] != ',')
        throw UsageError("the list of names " + io::shown(list) + " goes on after a closing quote.",
                         "Put a comma between names; double a quote that belongs to a name.");
    } else {
      const std::size_t end = std::min(list.find(',', i), list.size());
      name = io::trimmed(list.substr(i, end - i));
      i = end;
    }
    if (name.empty())
      throw UsageError("the list of names " + io::shown(list) + " has an empty name.",
                       "Separate names by single commas.");
    names.push_back(std::move(name));
    if (i >= list.size()) return names;
    ++i;  // the comma
  }
}

}  // namespace rfnn
