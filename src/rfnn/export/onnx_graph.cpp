#include "rfnn/export/onnx_graph.hpp"

#include <bit>

namespace rfnn::exporting {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian, and copied as they are");

// ---- protocol buffers: a message is a list of fields, each its number and kind, then a number or so many bytes
// ----------

void add_number(std::string& message, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) message += static_cast<char>((value & 0x7fU) | 0x80U);
  message += static_cast<char>(value);
}

void add_field(std::string& message, unsigned field, std::int64_t value) {
  add_number(message, std::uint64_t{field} << 3U);
  add_number(message, static_cast<std::uint64_t>(value));
}

void add_field(std::string& message, unsigned field, std::string_view bytes) {
  add_number(message, (std::uint64_t{field} << 3U) | 2U);
  add_number(message, bytes.size());
  message += bytes;
}

// ---- onnx.proto: numbers of fields and of types
// -------------------------------------------------------------------------

constexpr int type_integer = 7, type_mark = 9, type_double = 11;
constexpr std::int64_t attribute_integer = 2;
/// The least that has all operators as they are used: Shape with `start`.
constexpr std::int64_t intermediate_version = 8, operators_version = 17;

std::string tensor_type(std::int64_t columns) {
  std::string rows, width, shape, tensor, type;
  add_field(rows, 2, "rows");
  add_field(width, 1, columns);
  add_field(shape, 1, rows);
  add_field(shape, 1, width);
  add_field(tensor, 1, type_double);
  add_field(tensor, 2, shape);
  add_field(type, 1, tensor);
  return type;
}

std::string named_value(std::string_view name, std::size_t columns) {
  std::string value;
  add_field(value, 1, name);
  add_field(value, 2, tensor_type(static_cast<std::int64_t>(columns)));
  return value;
}

std::string bytes_of(const void* data, std::size_t bytes) { return {static_cast<const char*>(data), bytes}; }

}  // namespace

std::string OnnxGraph::constant(std::string_view prefix, int type, const Integers& shape, std::string_view bytes) {
  constexpr std::size_t small = 256;
  std::string key = std::to_string(type);
  for (const std::int64_t size : shape) key += "," + std::to_string(size);
  key += ":";
  key += bytes;
  if (bytes.size() <= small)
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  std::string name = std::string(prefix) + std::to_string(++values_), tensor;
  for (const std::int64_t size : shape) add_field(tensor, 1, size);
  add_field(tensor, 2, type);
  add_field(tensor, 8, name);
  add_field(tensor, 9, bytes);
  add_field(initializers_, 5, tensor);
  if (bytes.size() <= small) known_.emplace(std::move(key), name);
  return name;
}

std::string OnnxGraph::scalar(double value) { return constant("number", type_double, {}, bytes_of(&value, 8)); }

std::string OnnxGraph::row(const std::vector<double>& values) {
  return constant("row", type_double, {1, static_cast<std::int64_t>(values.size())},
                  bytes_of(values.data(), values.size() * sizeof(double)));
}

std::string OnnxGraph::list(const std::vector<double>& values) {
  return constant("list", type_double, {static_cast<std::int64_t>(values.size())},
                  bytes_of(values.data(), values.size() * sizeof(double)));
}

std::string OnnxGraph::matrix(const Matrix& values) {
  return constant("table", type_double,
                  {static_cast<std::int64_t>(values.rows()), static_cast<std::int64_t>(values.cols())},
                  bytes_of(values.data(), values.size() * sizeof(double)));
}

std::string OnnxGraph::list(const Integers& values) {
  return constant("places", type_integer, {static_cast<std::int64_t>(values.size())},
                  bytes_of(values.data(), values.size() * sizeof(std::int64_t)));
}

std::string OnnxGraph::marks(const std::vector<bool>& values) {
  std::string bytes;
  for (const bool value : values) bytes += value ? '\1' : '\0';
  return constant("marks", type_mark, {1, static_cast<std::int64_t>(values.size())}, bytes);
}

std::string OnnxGraph::operation(std::string_view type, const std::vector<std::string>& inputs,
                                 const std::vector<Attribute>& attributes) {
  std::string name = "v" + std::to_string(++values_);
  result(type, inputs, name, attributes);
  return name;
}

void OnnxGraph::result(std::string_view type, const std::vector<std::string>& inputs, const std::string& name,
                       const std::vector<Attribute>& attributes) {
  std::string node;
  for (const std::string& input : inputs) add_field(node, 1, input);
  add_field(node, 2, name);
  add_field(node, 3, name);  // nodes are called by what they make: optimisers of older runtimes need names that differ
  add_field(node, 4, type);
  for (const Attribute& attribute : attributes) {
    std::string message;
    add_field(message, 1, attribute.name);
    add_field(message, 3, attribute.value);
    add_field(message, 20, attribute_integer);
    add_field(node, 5, message);
  }
  add_field(nodes_, 1, node);
}

std::string OnnxGraph::file(const About& about) const {
  std::string graph = nodes_;
  add_field(graph, 2, about.name);
  graph += initializers_;
  add_field(graph, 11, named_value(onnx_inputs, about.columns));
  add_field(graph, 12, named_value(onnx_outputs, about.outputs));
  std::string operators, model;
  add_field(operators, 1, "");
  add_field(operators, 2, operators_version);
  add_field(model, 1, intermediate_version);
  add_field(model, 2, "rfnn");
  add_field(model, 3, about.version);
  add_field(model, 6, about.text);
  add_field(model, 7, graph);
  add_field(model, 8, operators);
  for (const auto& [key, value] : about.metadata) {
    std::string entry;
    add_field(entry, 1, key);
    add_field(entry, 2, value);
    add_field(model, 14, entry);
  }
  return model;
}

}  // namespace rfnn::exporting
