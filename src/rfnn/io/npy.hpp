#pragma once

// Private header: the NPY reader and the bytes at the front of an NPY file.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rfnn/io/source.hpp"
#include "rfnn/io/table.hpp"

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

std::unique_ptr<TableReader> open_npy(std::unique_ptr<ByteSource> source, const TableFormat& format = {});
/// The same from bytes owned by someone who outlives the reader.
std::unique_ptr<TableReader> open_npy_bytes(std::string_view bytes, std::string origin = "bytes");

}  // namespace rfnn::io
