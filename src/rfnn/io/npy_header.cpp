#include "rfnn/io/npy_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers in files are little-endian, and copied as they are");

/// The small part of Python's grammar that the header is written in.
class Literal {
 public:
  Literal(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  void skip_space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip_space();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail();
  }
  std::string_view string() {
    skip_space();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) fail();
    const std::size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) fail();
    const std::string_view value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    if (take("True")) return true;
    expect("False");
    return false;
  }
  std::uint64_t integer() {
    skip_space();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
      const auto digit = static_cast<std::uint64_t>(text_[digits] - '0');
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) fail();
      value = value * 10 + digit;
    }
    if (digits == 0) fail();
    text_.remove_prefix(digits);
    return value;
  }
  [[nodiscard]] bool done() {
    skip_space();
    return text_.empty();
  }
  [[noreturn]] void fail() const {
    throw InputError(origin_ + ": the header of this NPY file is malformed at " + shown(text_) + ".", save_npy_again);
  }

 private:
  std::string_view text_;
  const std::string& origin_;
};

/// What to do about an array that holds no numbers.
std::string cure_of_type(std::string_view descr) {
  const char kind = descr.size() > 1 ? descr[1] : '\0';
  if (kind == 'm') return "Divide lengths of time by a unit: array / numpy.timedelta64(1, 'D').";
  if (kind != 'M' && kind != 'U' && kind != 'S' && kind != 'O' && kind != 'V') return save_npy_again;
  return "Write the table as CSV, of which dates and text are read; an archive so: "
         "pandas.DataFrame(dict(numpy.load('FILE.npz'" +
         std::string(kind == 'O' ? ", allow_pickle=True" : "") + "))).to_csv('FILE.csv', index=False).";
}

void set_type(NpyHeader& header, std::string_view descr, const std::string& origin) {
  const auto fail = [&] {
    throw InputError(origin + ": an NPY array of type " + shown(descr) + " is not a table of real numbers.",
                     cure_of_type(descr));
  };
  if (descr.size() != 3) fail();
  header.big_endian = descr[0] == '>';
  header.kind = descr[1];
  header.item_size = static_cast<std::size_t>(descr[2] - '0');
  if (std::string_view("<>|=").find(descr[0]) == std::string_view::npos) fail();
  const std::string_view sizes = header.kind == 'f'                         ? "248"
                                 : header.kind == 'i' || header.kind == 'u' ? "1248"
                                 : header.kind == 'b'                       ? "1"
                                                                            : "";
  if (sizes.find(descr[2]) == std::string_view::npos) fail();
  if (descr[0] == '|' && header.item_size != 1) fail();
}

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  double value = 0.0;
  if (exponent == 31)
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else
    value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

/// The number in the bytes at `p`; `Swap`: the bytes are in the other order.
template <class T, bool Swap>
double load(const char* p) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), p, sizeof(T));
  if constexpr (Swap) std::reverse(bytes.begin(), bytes.end());
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return static_cast<double>(value);
}
template <bool Swap>
double load_half(const char* p) {
  return half_to_double(static_cast<std::uint16_t>(load<std::uint16_t, Swap>(p)));
}
double load_bool(const char* p) { return *p == 0 ? 0.0 : 1.0; }

template <bool Swap>
NumberLoader loader_of(char kind, std::size_t size) {
  switch (kind) {
    case 'b':
      return load_bool;
    case 'f':
      return size == 2 ? load_half<Swap> : size == 4 ? load<float, Swap> : load<double, Swap>;
    case 'i':
      return size == 1   ? load<std::int8_t, Swap>
             : size == 2 ? load<std::int16_t, Swap>
             : size == 4 ? load<std::int32_t, Swap>
                         : load<std::int64_t, Swap>;
    default:
      return size == 1   ? load<std::uint8_t, Swap>
             : size == 2 ? load<std::uint16_t, Swap>
             : size == 4 ? load<std::uint32_t, Swap>
                         : load<std::uint64_t, Swap>;
  }
}

}  // namespace

NpyHeader parse_npy_header(std::string_view dictionary, const std::string& origin) {
  NpyHeader header;
  Literal in(dictionary, origin);
  bool descr = false, order = false, shape = false;
  in.expect("{");
  while (!in.take("}")) {
    const std::string_view key = in.string();
    in.expect(":");
    if (key == "descr" && !descr) {
      if (in.take("["))
        throw InputError(origin + ": an NPY array of records is not a table of real numbers.",
                         "Write it as CSV, of which text and dates are read: "
                         "pandas.DataFrame(numpy.load('FILE.npy')).to_csv('FILE.csv', index=False).");
      set_type(header, in.string(), origin);
      descr = true;
    } else if (key == "fortran_order" && !order) {
      header.fortran_order = in.boolean();
      order = true;
    } else if (key == "shape" && !shape) {
      std::vector<std::uint64_t> sizes;
      in.expect("(");
      while (!in.take(")")) {
        sizes.push_back(in.integer());
        if (!in.take(",")) {
          in.expect(")");
          break;
        }
      }
      if (sizes.empty() || sizes.size() > 2)
        throw InputError(
            origin + ": the NPY array has " + std::to_string(sizes.size()) + " dimensions, a table has one or two.",
            "Reshape it to rows × columns.");
      header.rows = sizes[0];
      header.cols = sizes.size() == 2 ? sizes[1] : 1;
      shape = true;
    } else {
      in.fail();
    }
    if (!in.take(",")) {
      in.expect("}");
      break;
    }
  }
  if (!descr || !order || !shape || !in.done()) in.fail();
  return header;
}

std::string npy_front(std::uint64_t rows, std::uint64_t cols) {
  std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                           std::to_string(cols) + "), }";
  dictionary.resize(npy_front_size - 10, ' ');
  dictionary.back() = '\n';
  const auto length = static_cast<unsigned>(dictionary.size());
  std::string front(npy_magic);
  front += {'\x01', '\x00', static_cast<char>(length & 255U), static_cast<char>(length >> 8U)};
  return front + dictionary;
}

NumberLoader loader_of(const NpyHeader& header) {
  return header.big_endian ? loader_of<true>(header.kind, header.item_size)
                           : loader_of<false>(header.kind, header.item_size);
}

}  // namespace rfnn::io
