// CSV text of any kind: read or refused with InputError, and the same whatever the size of chunks and batches.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "rfnn/core/error.hpp"
#include "rfnn/io/csv.hpp"
#include "rfnn/io/table.hpp"

namespace {

/// The whole table, in batches of `rows`; nothing when it is refused.
std::optional<rfnn::Matrix> table_of(std::string_view text, std::size_t chunk, std::size_t rows) {
  try {
    const auto reader = rfnn::io::open_csv_text(text, "text", 1, chunk);
    rfnn::Matrix all(0, reader->names().size()), batch;
    while (const std::size_t got = reader->read(batch, rows)) {
      const std::size_t have = all.rows();
      all.resize_rows(have + got);
      std::memcpy(all.data() + have * all.cols(), batch.data(), batch.size() * sizeof(double));
    }
    return all;
  } catch (const rfnn::InputError&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (table_of(text, std::size_t{1} << 16U, 1000) != table_of(text, 16, 3)) std::abort();
  return 0;
}
