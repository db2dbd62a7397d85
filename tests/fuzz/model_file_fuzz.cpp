// Model files of any kind: refused with InputError, or sound and the same after another round trip. The input is tried
// as it is, and as a header in front of tensors with the right length and checksum, which damage seldom gets past.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/safetensors.hpp"

namespace {

void read(std::string_view bytes) {
  try {
    const rfnn::Model model = rfnn::model_from_bytes(bytes, "bytes");
    rfnn::check(model);
    (void)rfnn::io::describe(model).dump();
    const rfnn::Model again = rfnn::model_from_bytes(rfnn::model_to_bytes(model), "round trip");
    if (!(again.members == model.members && again.scaler == model.scaler && again.options == model.options))
      std::abort();
  } catch (const rfnn::InputError&) {
  }
}

/// The checksum of a file with this header: over the metadata as well from schema 3 on.
std::string checksum_of(const std::string& header, const std::string& tensors) {
  try {
    const auto metadata = rfnn::io::parse_tensor_header(header, "header").metadata;
    const auto schema = metadata.find("schema");
    if (schema != metadata.end() && (schema->second == "3" || schema->second == "4"))
      return rfnn::io::file_checksum(metadata, tensors);
  } catch (const rfnn::InputError&) {
  }
  return rfnn::io::tensor_checksum(tensors);
}

/// Puts in the checksum the file should have, where it has the text CHECKSUM, and the length in front.
std::string signed_file(std::string header, const std::string& tensors) {
  const std::string_view mark = "CHECKSUM";
  if (const std::size_t place = header.find(mark); place != std::string::npos)
    header.replace(place, mark.size(), checksum_of(header, tensors));
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + tensors;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  // The first byte says how many numbers 1 follow the header.
  if (size > 1) {
    std::string tensors;
    const double one = 1.0;
    for (unsigned i = 0; i < data[0]; ++i) tensors.append(reinterpret_cast<const char*>(&one), sizeof one);
    read(signed_file(std::string(bytes.substr(1)), tensors));
  }
  return 0;
}
