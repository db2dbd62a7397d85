// Tables of any kind of cells, read as for training and then by the description that this gave: refused with an error
// of ours, or sound, and the same whatever the size of chunks. The first bytes choose the options.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "rfnn/core/error.hpp"
#include "rfnn/io/csv.hpp"
#include "rfnn/io/npz.hpp"
#include "rfnn/io/table_data.hpp"

namespace {

rfnn::TablePlaces last_is_target(const rfnn::TableReader& table) {
  rfnn::TablePlaces places;
  for (std::size_t k = 0; k + 1 < table.names().size(); ++k) places.inputs.emplace_back(k);
  places.targets = {table.names().size() - 1};
  return places;
}

struct Seen {
  rfnn::TableCode code;
  std::string fingerprint;
  bool operator==(const Seen&) const = default;
};

std::optional<Seen> table_of(std::string_view text, const rfnn::Options& options, std::size_t chunk) {
  try {
    const auto reader = rfnn::io::open_csv_text(text, "text", 1, chunk, rfnn::table_format(options));
    const rfnn::TableData data = rfnn::read_training(*reader, last_is_target(*reader), options);
    const auto& view = data.table.view;
    Seen seen{data.table.code, rfnn::fingerprint(view.inputs, view.targets)};
    if (seen.code.empty()) return seen;
    // The same rows by the description: the numbers that training saw.
    const auto again = rfnn::io::open_csv_text(text, "text", 1, chunk, rfnn::table_format(options));
    const rfnn::TableData known = rfnn::read_known(*again, last_is_target(*again), seen.code, options);
    if (rfnn::fingerprint(known.table.view.inputs, known.table.view.targets) != seen.fingerprint) std::abort();
    return seen;
  } catch (const rfnn::Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  rfnn::Options options;
  options.missing = static_cast<rfnn::Missing>(data[0] % 3);
  options.header = static_cast<rfnn::Header>(data[0] / 4 % 3);
  options.decimal = data[0] >= 128 ? rfnn::DecimalMark::comma : rfnn::DecimalMark::point;
  options.delimiter = data[1] % 4 == 1 ? " " : data[1] % 4 == 2 ? "|" : "";
  if (data[1] >= 128) options.comment = "#";
  if (data[1] / 4 % 2 == 1) options.categorical = "1";
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (table_of(text, options, std::size_t{1} << 16U) != table_of(text, options, 16)) std::abort();
  try {
    rfnn::read_all(*rfnn::io::open_npz_bytes(text));
  } catch (const rfnn::InputError&) {
  }
  return 0;
}
