#pragma once

// Private header: the safetensors layout, as far as models need it: tensors of doubles and strings of metadata.
// 8 bytes: length n of the header, little-endian; n bytes: JSON object, padded with spaces; then the tensors' bytes,
// without gaps, little-endian. The header has an entry {"dtype", "shape", "data_offsets": [begin, end)} per tensor,
// offsets counted from the end of the header, and one named __metadata__, an object of strings.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rfnn::io {

/// One tensor of a file to be written; the values are someone else's.
struct TensorToWrite {
  std::string name;
  std::vector<std::uint64_t> shape;
  const double* values;
  [[nodiscard]] std::size_t bytes() const {
    std::size_t n = sizeof(double);
    for (const std::uint64_t size : shape) n *= static_cast<std::size_t>(size);
    return n;
  }
};

/// One tensor of a file: its entry in the header.
struct TensorEntry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct TensorHeader {
  std::map<std::string, std::string> metadata;
  std::vector<TensorEntry> tensors;  ///< in the order of their bytes
};

/// The largest header that is read, as in the format's own library.
inline constexpr std::uint64_t largest_tensor_header = 100'000'000;

/// Length field and header, up to the first byte of the tensors.
std::string tensor_front(const std::vector<std::pair<std::string, std::string>>& metadata,
                         const std::vector<TensorToWrite>& tensors);

/// Understands a header (without its length); InputError unless it has the form above, every name once.
TensorHeader parse_tensor_header(std::string_view json, const std::string& origin);

/// Bytes of all tensors; InputError unless every tensor is of doubles, its offsets fit its shape, and the tensors
/// follow each other without gaps.
std::uint64_t check_layout(const TensorHeader& header, const std::string& origin);

/// "xxh3-128:" and 32 hexadecimal digits: XXH3-128 of the tensors' bytes. Schemas 1 and 2 have this one.
std::string tensor_checksum(std::string_view bytes);

/// The same of the metadata as well, whatever the order and the escapes they are written with: for every key but
/// `checksum`, in the order of their bytes, the length of the key (8 bytes, little-endian), the key, the length of its
/// value, the value, all as UTF-8; then the tensors' bytes.
std::string file_checksum(const std::map<std::string, std::string>& metadata, std::string_view tensors);

}  // namespace rfnn::io
