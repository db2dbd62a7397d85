#include "rfnn/export/json_document.hpp"

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/safetensors.hpp"
#include "rfnn/options/number_text.hpp"

namespace rfnn::exporting {
namespace {

bool is_structure(const std::string& text) { return !text.empty() && (text.front() == '{' || text.front() == '['); }

std::string numbers(const double* values, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + shortest(values[i]);
  return text;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

}  // namespace

std::string json_document(const Plan& plan) {
  const std::string bytes = model_to_bytes(plan.model);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const io::TensorHeader header = io::parse_tensor_header(bytes.substr(sizeof length, length), plan.name);
  std::string text = "{\n\"format\": \"rfnn-json\",\n\"metadata\": {";
  const char* between = "\n";
  for (const auto& [key, value] : header.metadata) {
    if (key == "checksum" || key == "format") continue;  // of another file
    text += between + io::json_string(key) + ": " + (is_structure(value) ? value : io::json_string(value));
    between = ",\n";
  }
  text += "\n},\n\"tensors\": {";
  between = "\n";
  for (const io::TensorEntry& tensor : header.tensors) {
    std::vector<double> values((tensor.end - tensor.begin) / sizeof(double));
    if (!values.empty())
      std::memcpy(values.data(), bytes.data() + sizeof length + length + tensor.begin, values.size() * sizeof(double));
    text += between + io::json_string(tensor.name) + ": {\"shape\": [" + shape_text(tensor.shape) + "], \"data\": [" +
            numbers(values.data(), values.size()) + "]}";
    between = ",\n";
  }
  return text + "\n}\n}\n";
}

Model model_of_json(const std::string& text, const std::string& origin) {
  const io::Json document = io::read_json(text);
  if (!document.is_object() || document.value("format", "") != "rfnn-json")
    throw InputError(origin + " is no model as JSON.", "Export it again.");
  std::vector<std::pair<std::string, std::string>> metadata = {{"format", "rfnn"}};
  for (const auto& [key, value] : io::json_field(document, "metadata", origin).items())
    metadata.emplace_back(key, value.is_string() ? value.get<std::string>() : io::json_text(value));
  std::deque<std::vector<double>> lists;
  std::vector<io::TensorToWrite> tensors;
  std::string data;
  for (const auto& [name, tensor] : io::json_field(document, "tensors", origin).items()) {
    const auto& values = lists.emplace_back(io::json_field(tensor, "data", origin).get<std::vector<double>>());
    tensors.push_back({name, io::json_field(tensor, "shape", origin).get<std::vector<std::uint64_t>>(), values.data()});
    if (tensors.back().bytes() != values.size() * sizeof(double))
      throw InputError(origin + ": the tensor " + name + " has not the numbers its shape says.", "Export it again.");
    if (!values.empty()) data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  }
  metadata.emplace_back("checksum", io::file_checksum({metadata.begin(), metadata.end()}, data));
  return model_from_bytes(io::tensor_front(metadata, tensors) + data, origin);
}

}  // namespace rfnn::exporting
