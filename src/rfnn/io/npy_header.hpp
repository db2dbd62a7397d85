#pragma once

// Private header. The bytes at the front of an NPY file, and how its numbers are read.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rfnn::io {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// What the front of an NPY file says.
struct NpyHeader {
  char kind = 'f';            ///< f float, i integer, u unsigned, b boolean
  std::size_t item_size = 8;  ///< bytes per number
  bool big_endian = false;
  bool fortran_order = false;
  std::uint64_t rows = 0;
  std::uint64_t cols = 1;
};

/// Understands the Python dictionary in the front of an NPY file; InputError for anything but a 1-d or 2-d array of
/// numbers.
NpyHeader parse_npy_header(std::string_view dictionary, const std::string& origin);

/// Bytes of the front of the NPY files we write, whatever the number of rows.
inline constexpr std::size_t npy_front_size = 128;
/// The front of a file of rows × cols doubles, C order, little-endian.
std::string npy_front(std::uint64_t rows, std::uint64_t cols);

/// What to do about a file that is none of ours.
inline constexpr const char* save_npy_again =
    "Save it again, for example with numpy.save(path, array.astype('float64')).";

/// Reads the number in some bytes.
using NumberLoader = double (*)(const char*);
NumberLoader loader_of(const NpyHeader& header);

}  // namespace rfnn::io
