#include "rfnn/io/npz.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/io/npy.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::io {
namespace {

constexpr const char* get_copy = "Get a complete copy of it, or save it again with numpy.savez.";

[[noreturn]] void fail(const std::string& origin, const std::string& what) {
  throw InputError(origin + " is a damaged NPZ archive: " + what + ".", get_copy);
}

/// Numbers in an archive are little-endian. Reading beyond its end is refused.
class Bytes {
 public:
  Bytes(std::string_view bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {}
  template <class T>
  [[nodiscard]] T number(std::uint64_t at) const {
    T value = 0;
    std::memcpy(&value, text(at, sizeof(T)).data(), sizeof(T));
    return value;
  }
  [[nodiscard]] std::string_view text(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) fail(origin_, "it ends in the middle");
    return bytes_.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
  }

 private:
  std::string_view bytes_;
  const std::string& origin_;
};

/// One file of the archive, as its directory at the end has it.
struct Member {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0, size = 0, header = 0;
};

/// Sizes and places that do not fit into 32 bits stand in an extra field, in this order, each only where it is needed.
void read_large_sizes(Member& member, const Bytes& bytes, std::uint64_t at, std::uint64_t length) {
  constexpr std::uint32_t elsewhere = 0xFFFFFFFFU;
  const std::uint64_t end = at + length;
  while (end - at >= 4) {
    const auto tag = bytes.number<std::uint16_t>(at), size = bytes.number<std::uint16_t>(at + 2);
    at += 4;
    if (size > end - at) return;
    if (tag == 1) {
      for (std::uint64_t* value : {&member.size, &member.packed, &member.header}) {
        if (*value != elsewhere) continue;
        *value = bytes.number<std::uint64_t>(at);
        at += 8;
      }
      return;
    }
    at += size;
  }
}

std::vector<Member> members_of(std::string_view archive, const Bytes& bytes, const std::string& origin) {
  const std::size_t end = archive.rfind("PK\x05\x06");
  if (end == std::string_view::npos) fail(origin, "it has no directory");
  static_cast<void>(bytes.text(end, 22));  // all of it
  std::uint64_t count = bytes.number<std::uint16_t>(end + 10), at = bytes.number<std::uint32_t>(end + 16);
  if (end >= 20 && bytes.text(end - 20, 4) == "PK\x06\x07") {  // a directory with 64-bit places
    const auto place = bytes.number<std::uint64_t>(end - 12);
    if (bytes.text(place, 4) != "PK\x06\x06") fail(origin, "its directory is not where it should be");
    count = bytes.number<std::uint64_t>(place + 32);
    at = bytes.number<std::uint64_t>(place + 48);
  }
  std::vector<Member> members;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (bytes.text(at, 4) != "PK\x01\x02") fail(origin, "its directory is not where it should be");
    Member& member = members.emplace_back();
    member.flags = bytes.number<std::uint16_t>(at + 8);
    member.method = bytes.number<std::uint16_t>(at + 10);
    member.checksum = bytes.number<std::uint32_t>(at + 16);
    member.packed = bytes.number<std::uint32_t>(at + 20);
    member.size = bytes.number<std::uint32_t>(at + 24);
    const std::uint64_t name = bytes.number<std::uint16_t>(at + 28), extra = bytes.number<std::uint16_t>(at + 30),
                        comment = bytes.number<std::uint16_t>(at + 32);
    member.header = bytes.number<std::uint32_t>(at + 42);
    member.name = bytes.text(at + 46, name);
    read_large_sizes(member, bytes, at + 46 + name, extra);
    at += 46 + name + extra + comment;
  }
  return members;
}

std::string inflated(std::string_view packed, std::uint64_t size, const std::string& origin) {
  z_stream stream{};
  if (::inflateInit2(&stream, -15) != Z_OK) throw std::bad_alloc();
  std::string out;
  int result = Z_OK;
  std::size_t taken = 0;
  constexpr std::size_t step = std::size_t{1} << 20U;
  // Memory grows with what comes, not with what is promised.
  while (result == Z_OK && out.size() < size) {
    const std::size_t have = out.size();
    out.resize(have + static_cast<std::size_t>(std::min<std::uint64_t>(size - have, std::max(step, have))));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size() - have, std::numeric_limits<uInt>::max()));
    const uInt room = stream.avail_out;
    do {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
      stream.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size() - taken, step));
      const uInt given = stream.avail_in;
      result = ::inflate(&stream, Z_NO_FLUSH);
      taken += given - stream.avail_in;
    } while (result == Z_OK && stream.avail_out > 0 && taken < packed.size());
    out.resize(have + (room - stream.avail_out));
    if (stream.avail_out > 0) break;
  }
  ::inflateEnd(&stream);
  if (out.size() != size || (result != Z_OK && result != Z_STREAM_END))
    fail(origin, "an array in it cannot be unpacked");
  return out;
}

std::string unpacked_member(const Member& member, const Bytes& bytes, const std::string& origin) {
  if ((member.flags & 1U) != 0 || (member.method != 0 && member.method != 8))
    throw InputError(origin + ": the array " + shown(member.name) + " is encrypted or compressed in an unknown way.",
                     get_copy);
  if (bytes.text(member.header, 4) != "PK\x03\x04") fail(origin, "an array is not where it should be");
  const std::uint64_t data = member.header + 30 + bytes.number<std::uint16_t>(member.header + 26) +
                             bytes.number<std::uint16_t>(member.header + 28);
  const std::string_view packed = bytes.text(data, member.packed);
  std::string content = member.method == 0 ? std::string(packed) : inflated(packed, member.size, origin);
  if (content.size() != member.size) fail(origin, "the sizes of an array disagree");
  const auto checksum = ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  if (checksum != member.checksum) fail(origin, "the checksum of the array " + shown(member.name) + " is wrong");
  return content;
}

class NpzReader : public TableReader {
 public:
  NpzReader(std::string_view archive, std::string origin, const TableFormat& format) {
    origin_ = std::move(origin);
    for (const std::string& word : format.missing_words)
      if (const auto number = number_from<double>(word)) missing_numbers_.push_back(*number);
    const Bytes bytes(archive, origin_);
    const std::vector<Member> members = members_of(archive, bytes, origin_);
    for (const Member& member : members) add(member, unpacked_member(member, bytes, origin_), members.size() == 1);
    if (names_.empty()) throw InputError(origin_ + " holds no arrays.", "Give an archive with at least one.");
    selected_.resize(names_.size());
    std::iota(selected_.begin(), selected_.end(), std::size_t{0});
  }

  std::size_t read(Matrix& batch, std::size_t rows) override {
    batch = Matrix(0, selected_.size());
    std::size_t got = 0;
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      const std::size_t here = arrays_[a].reader->read(arrays_[a].batch, rows);
      if (a > 0 && here != got)
        throw InputError(origin_ + ": the arrays " + shown(arrays_[0].name) + " and " + shown(arrays_[a].name) +
                             " have different numbers of rows.",
                         "Save arrays of one length.");
      got = here;
    }
    batch.resize_rows(got);
    for (std::size_t j = 0; j < selected_.size(); ++j) {
      if (selected_[j] >= places_.size())
        throw UsageError("column " + std::to_string(selected_[j] + 1) + " was selected, " + origin_ + " has " +
                             std::to_string(places_.size()) + ".",
                         "Select columns of the table.");
      const auto& [array, column] = places_[selected_[j]];
      for (std::size_t i = 0; i < got; ++i) {
        double value = number_cell(arrays_[array].batch(i, column), j);
        if (!std::isfinite(value) && !(accept_missing_ && std::isnan(value))) {
          if (!survey_) fail_value(i, j, value);
          value = surveyed_cell(value, j, row_ + i + 1);
        }
        batch(i, j) = value;
      }
    }
    for (std::size_t i = 0; i < got; ++i)
      for (const std::size_t k : kept_columns_) {
        const double value = arrays_[places_.at(k).first].batch(i, places_[k].second);
        kept_.push_back(std::isfinite(value) ? shortest(value) : "");
      }
    row_ += got;
    return got;
  }

 private:
  struct Array {
    std::string name;
    std::unique_ptr<const std::string> bytes;  ///< which `reader` reads
    std::unique_ptr<TableReader> reader;
    Matrix batch;
  };

  void add(const Member& member, std::string content, bool alone) {
    std::string name = to_utf8(member.name);
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    Array& array = arrays_.emplace_back();
    array.name = name;
    array.bytes = std::make_unique<const std::string>(std::move(content));
    array.reader = open_npy(open_memory(*array.bytes, origin_ + " (" + name + ")"));
    array.reader->accept_missing();
    const std::size_t columns = array.reader->names().size();
    for (std::size_t k = 0; k < columns; ++k) {
      places_.emplace_back(arrays_.size() - 1, k);
      names_.push_back(columns == 1 ? name : alone ? "c" + std::to_string(k + 1) : name + std::to_string(k + 1));
    }
    has_header_ = !alone || columns == 1;
    std::set<std::string> different(names_.begin(), names_.end());
    if (different.size() != names_.size())
      throw InputError(origin_ + ": two columns would be named alike.", "Give the arrays other names.");
  }

  [[noreturn]] void fail_value(std::size_t i, std::size_t j, double value) const {
    throw InputError(origin_ + ", row " + std::to_string(row_ + i + 1) + ", " +
                         shown_column(selected_[j], names_[selected_[j]]) + " is " +
                         (std::isnan(value) ? "nan" : "infinite") + ".",
                     "Give the number, or leave such rows out with --missing drop.");
  }

  std::vector<Array> arrays_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;  ///< per column: array and column in it
  std::size_t row_ = 0;
};

}  // namespace

bool is_npz(ByteSource& source) {
  constexpr std::size_t name_at = 30;
  const std::string_view start = source.peek(256);
  if (!start.starts_with("PK\x03\x04") || start.size() <= name_at) return false;
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(start[26])) +
                      256U * static_cast<std::size_t>(static_cast<unsigned char>(start[27]));
  return start.substr(name_at, length).ends_with(".npy");
}

std::unique_ptr<TableReader> open_npz(std::unique_ptr<ByteSource> source, const TableFormat& format) {
  std::string bytes;
  constexpr std::size_t step = std::size_t{1} << 20U;
  while (true) {
    const std::size_t have = bytes.size();
    bytes.resize(have + std::max(step, have));
    const std::size_t got = source->read(bytes.data() + have, bytes.size() - have);
    const bool ended = have + got < bytes.size();
    bytes.resize(have + got);
    if (ended) break;
  }
  return std::make_unique<NpzReader>(bytes, source->origin(), format);
}

std::unique_ptr<TableReader> open_npz_bytes(std::string_view bytes, std::string origin) {
  return std::make_unique<NpzReader>(bytes, std::move(origin), TableFormat{});
}

}  // namespace rfnn::io
