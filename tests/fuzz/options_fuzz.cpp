// Option texts from anywhere: JSON of any shape, and NAME=VALUE. Whatever is accepted is valid and survives a round
// trip.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rfnn/core/error.hpp"
#include "rfnn/options/table.hpp"

namespace {

void must_round_trip(const rfnn::Options& options) {
  rfnn::validate(options);
  rfnn::Options again;
  rfnn::options_from_json(again, rfnn::options_to_json(options), "round trip");
  if (!(again == options)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    rfnn::Options options;
    rfnn::options_from_json(options, text, "input");
    must_round_trip(options);
  } catch (const rfnn::InputError&) {
  } catch (const rfnn::UsageError&) {  // preset paper with what only auto takes
  }
  try {
    rfnn::Options options;
    const std::size_t equals = text.find('=');
    rfnn::set_option(options, text.substr(0, equals), equals == std::string_view::npos ? "" : text.substr(equals + 1));
    must_round_trip(options);
  } catch (const rfnn::UsageError&) {
  }
  return 0;
}
