#include "io/model_parts.hpp"

#include <cstring>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "io/support.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/safetensors.hpp"

namespace rfnn::test {

void expect_equal(const Model& a, const Model& b) {
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.table, b.table);
  EXPECT_EQ(a.table_columns, b.table_columns);
  EXPECT_EQ(a.named_columns, b.named_columns);
  EXPECT_EQ(a.scaler, b.scaler);
  EXPECT_EQ(a.members, b.members);
  EXPECT_EQ(a.history, b.history);
  EXPECT_EQ(a.stop_reason, b.stop_reason);
  EXPECT_EQ(a.stop_text, b.stop_text);
  EXPECT_EQ(a.warnings, b.warnings);
  EXPECT_EQ(a.data_fingerprint, b.data_fingerprint);
  EXPECT_EQ(a.train_rows, b.train_rows);
  EXPECT_EQ(a.validation_rows, b.validation_rows);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.facts, b.facts);
}

Model round_trip(const Model& model) { return model_from_bytes(model_to_bytes(model), "bytes"); }

Parts::Parts(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  header = Json::parse(bytes.substr(8, length));
  data = bytes.substr(8 + length);
}

std::string Parts::bytes() const { return joined(header.dump()); }

std::string Parts::joined(const std::string& json) const {
  const std::uint64_t length = json.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + json + data;
}

void Parts::sign() {
  std::map<std::string, std::string> texts;
  for (const auto& [key, value] : metadata().items())
    if (value.is_string()) texts[key] = value.get<std::string>();
  metadata()["checksum"] = io::file_checksum(texts, data);
}

std::string error_of(const std::string& bytes) {
  return input_error([&] { model_from_bytes(bytes, "m.rfnn"); });
}

void set_number(Parts& parts, const std::string& tensor, double value) {
  const std::size_t place = parts.header[tensor]["data_offsets"][0];
  std::memcpy(parts.data.data() + place, &value, 8);
  parts.sign();
}

void rename(Parts& parts, const std::string& from, const std::string& to) {
  Json header = Json::object();
  for (const auto& [name, entry] : parts.header.items()) header[name == from ? to : name] = entry;
  parts.header = header;
}

void resize(Parts& parts, const std::string& tensor, const Json& shape) {
  std::string data;
  for (auto& [name, entry] : parts.header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1], place = data.size();
    if (name == tensor) {
      entry["shape"] = shape;
      std::size_t count = 1;
      for (const auto& size : shape) count *= size.get<std::size_t>();
      const std::vector<double> ones(count, 1.0);
      data.append(reinterpret_cast<const char*>(ones.data()), 8 * count);
    } else {
      data += parts.data.substr(begin, end - begin);
    }
    entry["data_offsets"] = {place, data.size()};
  }
  parts.data = data;
}

}  // namespace rfnn::test
