// NPY bytes of any kind, also gzipped: read or refused with InputError.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rfnn/core/error.hpp"
#include "rfnn/io/npy.hpp"
#include "rfnn/io/source.hpp"
#include "rfnn/io/table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    rfnn::Matrix batch;
    const auto reader = rfnn::io::open_npy(rfnn::io::unpacked(rfnn::io::open_memory(bytes, "bytes")));
    while (reader->read(batch, 1000) > 0) {
    }
  } catch (const rfnn::InputError&) {
  }
  return 0;
}
