#include <zlib.h>

#include <cstdint>
#include <limits>
#include <string>

#include "rfnn/core/error.hpp"
#include "rfnn/io/npy_header.hpp"
#include "rfnn/io/npz.hpp"

namespace rfnn::io {
namespace {

/// Little-endian.
std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255U);
  return text;
}

/// An array of any number of dimensions as an NPY file.
std::string npy_of(const TensorToWrite& array) {
  std::string shape;
  for (const std::uint64_t size : array.shape) shape += std::to_string(size) + ", ";
  std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t before = 10, whole = 64;
  dictionary.append(whole - 1 - (before + dictionary.size()) % whole, ' ');
  dictionary += '\n';
  std::string file = std::string(npy_magic) + std::string("\x01\x00", 2) + number(dictionary.size(), 2) + dictionary;
  if (array.bytes() > 0) file.append(reinterpret_cast<const char*>(array.values), array.bytes());
  return file;
}

/// What a local header and the directory say of a file alike: stored, dated 1 January 1980.
std::string facts_of(const std::string& name, const std::string& content) {
  constexpr std::uint64_t version = 20, utf8 = 0x800, first_day = 0x21;
  const auto checksum = ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  return number(version, 2) + number(utf8, 2) + number(0, 2) + number(0, 2) + number(first_day, 2) +
         number(checksum, 4) + number(content.size(), 4) + number(content.size(), 4) + number(name.size(), 2) +
         number(0, 2);
}

}  // namespace

std::string npz_bytes(const std::vector<TensorToWrite>& arrays) {
  std::string archive, directory;
  for (const TensorToWrite& array : arrays) {
    const std::string name = array.name + ".npy", content = npy_of(array), facts = facts_of(name, content);
    if (archive.size() + content.size() > std::numeric_limits<std::int32_t>::max() ||
        arrays.size() >= std::numeric_limits<std::uint16_t>::max())
      throw InputError("The arrays take more than the 2 GB that an archive of this kind can hold.",
                       "Write fewer of them.");
    directory += "PK\x01\x02" + number(20, 2) + facts + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                 number(archive.size(), 4) + name;
    archive += "PK\x03\x04" + facts + name + content;
  }
  const std::string end = "PK\x05\x06" + number(0, 4) + number(arrays.size(), 2) + number(arrays.size(), 2) +
                          number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
  return archive + directory + end;
}

}  // namespace rfnn::io
