#include "rfnn/io/table.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <new>

#include "rfnn/core/error.hpp"
#include "rfnn/io/csv.hpp"
#include "rfnn/io/npy.hpp"
#include "rfnn/io/source.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/nearest.hpp"

namespace rfnn {

std::unique_ptr<TableReader> open_table(const std::string& path, std::size_t threads) {
  auto source = io::unpacked(io::open_file(path));
  if (source->peek(io::npy_magic.size()) == io::npy_magic) return io::open_npy(std::move(source));
  return io::open_csv(std::move(source), threads);
}

namespace {

/// Numbers whose count is not known beforehand. realloc moves the pages of large blocks, not the numbers in them, so
/// that a table is never held twice while it grows.
class GrowingNumbers {
 public:
  void add(const double* values, std::size_t count) {
    if (size_ + count > capacity_) set_capacity(std::max(size_ + count, capacity_ + capacity_ / 2));
    std::copy_n(values, count, numbers_.get() + size_);
    size_ += count;
  }
  std::shared_ptr<const double> take() {
    if (size_ > 0) set_capacity(size_);
    return std::move(numbers_);
  }
  [[nodiscard]] std::size_t size() const { return size_; }

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
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace

TableRows TableReader::read_rows(const std::function<bool()>& go_on) {
  constexpr std::size_t batch_numbers = std::size_t{1} << 20U;
  const std::size_t width = selected_.size();
  const std::size_t batch_rows = std::clamp<std::size_t>(batch_numbers / std::max<std::size_t>(width, 1), 256, 65536);
  TableRows rows;
  GrowingNumbers numbers;
  std::size_t count = 0;
  for (Matrix batch; const std::size_t got = read(batch, batch_rows);) {
    numbers.add(batch.data(), batch.size());
    count += got;
    if (go_on && !go_on()) {
      rows.cut_short = read(batch, 1) > 0;
      break;
    }
  }
  rows.bytes = numbers.size() * sizeof(double);
  const std::shared_ptr<const double> memory = numbers.take();
  rows.columns = ConstMatrixView(memory.get(), count, width);
  rows.memory = memory;
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
