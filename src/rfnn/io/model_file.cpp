#include "rfnn/io/model_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/safetensors.hpp"
#include "rfnn/io/source.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian, and copied as they are");

/// Files say the least schema that reads them: 2 has logarithms of inputs.
constexpr std::uint64_t plain_schema = 1, schema = 2;
constexpr std::string_view log_from_tensor = "scale.input.log_from";
constexpr std::array<StopReason, 7> stop_reasons = {
    StopReason::all_blocks,  StopReason::tolerance,       StopReason::stalled,  StopReason::out_of_time,
    StopReason::interrupted, StopReason::constant_target, StopReason::no_inputs};

[[noreturn]] void fail(const std::string& origin, const std::string& what) {
  throw InputError(origin + " is damaged or no model file: " + what + ".",
                   "Get a sound copy of the file, or train the model again.");
}

// ---- writing ----------------------------------------------------------------------------------------------------

std::string tensor_name(std::size_t member, std::size_t block, BranchKind kind, std::string_view what) {
  return "member" + std::to_string(member) + ".block" + std::to_string(block) + "." + std::string(name_of(kind)) + "." +
         std::string(what);
}

/// Every tensor of the model, in the order of the file.
std::vector<TensorToWrite> tensors_of(const Model& model) {
  const Scaler& scaler = model.scaler;
  std::vector<TensorToWrite> tensors = {{"scale.input.mean", {scaler.input_mean.size()}, scaler.input_mean.data()},
                                        {"scale.input.sd", {scaler.input_sd.size()}, scaler.input_sd.data()},
                                        {"scale.output.mean", {scaler.output_mean.size()}, scaler.output_mean.data()},
                                        {"scale.output.sd", {scaler.output_sd.size()}, scaler.output_sd.data()}};
  if (!scaler.input_log_from.empty())
    tensors.push_back({std::string(log_from_tensor), {scaler.input_log_from.size()}, scaler.input_log_from.data()});
  for (std::size_t e = 0; e < model.members.size(); ++e) {
    const auto& blocks = model.members[e].blocks;
    for (std::size_t l = 0; l < blocks.size(); ++l) {
      for (const Branch& branch : blocks[l].branches) {
        const std::uint64_t features = branch.frequencies.rows();
        tensors.push_back({tensor_name(e, l + 1, branch.kind, "frequencies"),
                           {features, branch.frequencies.cols()},
                           branch.frequencies.data()});
        tensors.push_back({tensor_name(e, l + 1, branch.kind, "amplitudes"),
                           {features, 2, branch.amplitudes.cols()},
                           branch.amplitudes.data()});
      }
    }
  }
  return tensors;
}

std::vector<std::pair<std::string, std::string>> metadata_of(const Model& model, std::string checksum) {
  Json members = Json::array(), inputs = Json::array(), targets = Json::array(), warnings = Json::array(),
       facts = Json::object();
  for (const Network& member : model.members) members.push_back(member.blocks.size());
  for (const Column& column : model.inputs) inputs.push_back(to_json(column));
  for (const Column& column : model.targets) targets.push_back(to_json(column));
  for (const std::string& warning : model.warnings) warnings.push_back(to_utf8(warning));
  for (const auto& [name, value] : model.facts) facts[to_utf8(name)] = to_utf8(value);
  const Json columns = {{"inputs", std::move(inputs)},
                        {"targets", std::move(targets)},
                        {"table_columns", model.table_columns},
                        {"named", model.named_columns}};
  const Json rows = {{"train", model.train_rows}, {"validation", model.validation_rows}};
  const bool logarithms = !model.scaler.input_log_from.empty();
  Json scalers = {
      {"inputs", "v = (input - scale.input.mean) / scale.input.sd, for the input columns used, in their order"},
      {"outputs", "output = scale.output.mean + scale.output.sd * z, z the state after the last block"}};
  if (logarithms)
    scalers["logarithms"] =
        "where scale.input.log_from > 0, log(max(input, scale.input.log_from)) takes the place of the input";
  return {{"format", "rfnn"},
          {"schema", std::to_string(logarithms ? schema : plain_schema)},
          {"options", options_to_json(model.options)},
          {"members", members.dump()},
          {"scalers", scalers.dump()},
          {"columns", columns.dump()},
          {"rows", rows.dump()},
          {"history", to_json(model.history).dump()},
          {"stop_reason", std::string(name_of(model.stop_reason))},
          {"stop_text", model.stop_text},
          {"warnings", warnings.dump()},
          {"data_fingerprint", model.data_fingerprint},
          {"seconds", shortest(model.seconds)},
          {"facts", facts.dump()},
          {"checksum", std::move(checksum)}};
}

struct FileParts {
  std::string front;
  std::string data;
};

FileParts parts_of(const Model& model) {
  check(model);
  const auto tensors = tensors_of(model);
  std::size_t bytes = 0;
  for (const TensorToWrite& tensor : tensors) bytes += tensor.bytes();
  FileParts parts;
  parts.data.reserve(bytes);
  for (const TensorToWrite& tensor : tensors)
    if (tensor.bytes() > 0) parts.data.append(reinterpret_cast<const char*>(tensor.values), tensor.bytes());
  parts.front = tensor_front(metadata_of(model, tensor_checksum(parts.data)), tensors);
  return parts;
}

// ---- reading ----------------------------------------------------------------------------------------------------

/// Exactly so many bytes; memory grows with those that come, not with those that are promised.
std::string take(ByteSource& source, std::uint64_t bytes, const std::string& what) {
  std::string out;
  while (out.size() < bytes) {
    const std::size_t have = out.size();
    const std::uint64_t step =
        std::min<std::uint64_t>(bytes - have, std::max<std::size_t>(have, std::size_t{1} << 20U));
    out.resize(have +
               static_cast<std::size_t>(source.size() ? bytes - have : step));  // a known length was compared before
    const std::size_t got = source.read(out.data() + have, out.size() - have);
    if (have + got < out.size()) fail(source.origin(), "it ends in the middle of " + what);
  }
  return out;
}

/// "member0.block12.state.amplitudes" taken apart.
struct TensorPlace {
  std::uint64_t member = 0;
  std::uint64_t block = 0;
  BranchKind kind = BranchKind::input;
  bool amplitudes = false;
};

bool take_text(std::string_view& name, std::string_view text) {
  if (!name.starts_with(text)) return false;
  name.remove_prefix(text.size());
  return true;
}

/// A number without leading zeros, so that no two names mean the same.
bool take_number(std::string_view& name, std::uint64_t& value) {
  const auto result = std::from_chars(name.data(), name.data() + name.size(), value);
  const auto digits = static_cast<std::size_t>(result.ptr - name.data());
  if (result.ec != std::errc{} || digits == 0 || (digits > 1 && name[0] == '0')) return false;
  name.remove_prefix(digits);
  return true;
}

std::optional<TensorPlace> parse_name(std::string_view name) {
  TensorPlace place;
  if (!take_text(name, "member") || !take_number(name, place.member)) return std::nullopt;
  if (!take_text(name, ".block") || !take_number(name, place.block) || place.block == 0) return std::nullopt;
  if (!take_text(name, ".")) return std::nullopt;
  for (const BranchKind kind : {BranchKind::input, BranchKind::state, BranchKind::joint}) {
    std::string_view rest = name;
    if (!take_text(rest, name_of(kind)) || (rest != ".frequencies" && rest != ".amplitudes")) continue;
    place.kind = kind;
    place.amplitudes = rest == ".amplitudes";
    return place;
  }
  return std::nullopt;
}

/// The parts of a file, once its layout is known to be sound.
class Decoder {
 public:
  Decoder(const TensorHeader& header, std::string_view data, const std::string& origin)
      : header_(header), data_(data), origin_(origin) {}

  Model model() const {
    Model model;
    model.options = recorded_options(text("options"), origin_ + " (options)");
    const Json columns = json("columns");
    for (const Json& column : list(columns, "inputs"))
      model.inputs.push_back(column_from_json(column, origin_ + " (columns)"));
    for (const Json& column : list(columns, "targets"))
      model.targets.push_back(column_from_json(column, origin_ + " (columns)"));
    model.table_columns = json_value<std::uint64_t>(columns, "table_columns", origin_);
    model.named_columns = json_value<bool>(columns, "named", origin_);
    const Json rows = json("rows");
    model.train_rows = json_value<std::uint64_t>(rows, "train", origin_);
    model.validation_rows = json_value<std::uint64_t>(rows, "validation", origin_);
    model.history = history_from_json(json("history"), origin_ + " (history)");
    model.stop_reason = stop_reason();
    model.stop_text = text("stop_text");
    model.warnings = json_as<std::vector<std::string>>(json("warnings"), "warnings", origin_);
    model.data_fingerprint = text("data_fingerprint");
    const auto seconds = number_from<double>(text("seconds"));
    if (!seconds) fail(origin_, "the metadata's seconds are not a number");
    model.seconds = *seconds;
    read_facts(model);
    read_tensors(model);
    return model;
  }

 private:
  const std::string& text(const char* name) const {
    const auto found = header_.metadata.find(name);
    if (found == header_.metadata.end()) fail(origin_, "the metadata have no " + shown(name));
    return found->second;
  }
  Json json(const char* name) const { return parse_json(text(name), origin_ + " (" + name + ")"); }
  const Json& list(const Json& parent, const char* name) const {
    const Json& value = json_field(parent, name, origin_);
    if (!value.is_array()) fail(origin_, "the metadata's " + shown(name) + " are not a list");
    return value;
  }

  StopReason stop_reason() const {
    for (const StopReason reason : stop_reasons)
      if (text("stop_reason") == name_of(reason)) return reason;
    fail(origin_, "there is no stop reason " + shown(text("stop_reason")));
  }

  void read_facts(Model& model) const {
    const Json facts = json("facts");
    if (!facts.is_object()) fail(origin_, "the metadata's facts are not an object");
    for (const auto& [name, value] : facts.items()) {
      if (!value.is_string()) fail(origin_, "the fact " + shown(name) + " is not a text");
      model.facts[name] = value.get<std::string>();
    }
  }

  /// Block counts of the members. Every block has two tensors at least, which bounds what a hostile file can ask for.
  std::vector<std::uint64_t> block_counts() const {
    const auto counts = json_as<std::vector<std::uint64_t>>(json("members"), "members", origin_);
    std::uint64_t left = header_.tensors.size() / 2;
    for (const std::uint64_t count : counts) {
      if (count > left) fail(origin_, "there are fewer tensors than the blocks of its members need");
      left -= count;
    }
    return counts;
  }

  void copy(const TensorEntry& tensor, double* to) const {
    if (tensor.end > tensor.begin) std::memcpy(to, data_.data() + tensor.begin, tensor.end - tensor.begin);
  }

  Matrix matrix(const TensorEntry& tensor, std::uint64_t rows, std::uint64_t cols) const {
    Matrix values(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
    copy(tensor, values.data());
    return values;
  }

  void read_tensors(Model& model) const {
    std::map<std::string_view, std::vector<double>*> scales = {{"scale.input.mean", &model.scaler.input_mean},
                                                               {"scale.input.sd", &model.scaler.input_sd},
                                                               {"scale.output.mean", &model.scaler.output_mean},
                                                               {"scale.output.sd", &model.scaler.output_sd},
                                                               {log_from_tensor, &model.scaler.input_log_from}};
    for (const std::uint64_t count : block_counts())
      model.members.emplace_back().blocks.resize(static_cast<std::size_t>(count));
    for (const TensorEntry& tensor : header_.tensors) {
      if (const auto scale = scales.find(tensor.name); scale != scales.end()) {
        if (tensor.shape.size() != 1) fail_shape(tensor);
        scale->second->resize((tensor.end - tensor.begin) / sizeof(double));
        copy(tensor, scale->second->data());
        scales.erase(scale);
        continue;
      }
      const auto place = parse_name(tensor.name);
      if (!place || place->member >= model.members.size() || place->block > model.members[place->member].blocks.size())
        fail(origin_, "there is a tensor " + shown(tensor.name) + " that does not belong to the model");
      read_branch_tensor(model, *place, tensor);
    }
    scales.erase(log_from_tensor);  // not in every file
    if (!scales.empty()) fail(origin_, "the tensor " + std::string(scales.begin()->first) + " is missing");
    order_branches(model);
  }

  /// Frequencies and amplitudes may come in either order: the branch is made by the first of them.
  void read_branch_tensor(Model& model, const TensorPlace& place, const TensorEntry& tensor) const {
    auto& branches = model.members[place.member].blocks[place.block - 1].branches;
    auto branch = std::find_if(branches.begin(), branches.end(), [&](const Branch& b) { return b.kind == place.kind; });
    if (branch == branches.end()) branch = branches.insert(branches.end(), Branch{place.kind, {}, {}});
    const std::size_t outputs = model.targets.size();
    if (outputs == 0) fail(origin_, "it has no targets");
    if (place.amplitudes) {
      // Bytes are there for every number of the amplitudes, as there are outputs; so features × 2 cannot overflow.
      if (tensor.shape.size() != 3 || tensor.shape[1] != 2 || tensor.shape[2] != outputs) fail_shape(tensor);
      branch->amplitudes = matrix(tensor, 2 * tensor.shape[0], outputs);
    } else {
      if (tensor.shape.size() != 2) fail_shape(tensor);
      branch->frequencies = matrix(tensor, tensor.shape[0], tensor.shape[1]);
    }
  }

  void order_branches(Model& model) const {
    for (Network& member : model.members)
      for (Block& block : member.blocks)
        std::sort(block.branches.begin(), block.branches.end(),
                  [](const Branch& a, const Branch& b) { return a.kind < b.kind; });
  }

  [[noreturn]] void fail_shape(const TensorEntry& tensor) const {
    fail(origin_, "the shape of tensor " + shown(tensor.name) + " is not what it should be");
  }

  const TensorHeader& header_;
  std::string_view data_;
  const std::string& origin_;
};

/// Is this a model file, and one of a schema we know?
void check_schema(const TensorHeader& header, const std::string& origin) {
  const auto format = header.metadata.find("format");
  if (format == header.metadata.end() || format->second != "rfnn") fail(origin, "its metadata do not say format rfnn");
  const auto found = header.metadata.find("schema");
  const auto number = found == header.metadata.end() ? std::nullopt : number_from<std::uint64_t>(found->second);
  if (!number || *number == 0) fail(origin, "its metadata do not give a schema");
  if (*number > schema)
    throw InputError(origin + " has schema " + std::to_string(*number) + "; this version of rfnn knows schemas up to " +
                         std::to_string(schema) + ".",
                     "Upgrade rfnn to read it.");
}

Model read_model(ByteSource& source) {
  const std::string& origin = source.origin();
  const auto size = source.size();
  const std::string field = take(source, 8, "its length field");
  std::uint64_t length = 0;
  std::memcpy(&length, field.data(), 8);
  if (length == 0 || length > largest_tensor_header) fail(origin, "it does not begin with the length of a header");
  if (size && length > *size - 8) fail(origin, "it ends in the middle of its header");
  const TensorHeader header = parse_tensor_header(take(source, length, "its header"), origin);
  check_schema(header, origin);
  const std::uint64_t bytes = check_layout(header, origin);
  if (size && bytes != *size - 8 - length)
    fail(origin, "it has " + std::to_string(*size - 8 - length) + " bytes of tensors, its header says " +
                     std::to_string(bytes));
  const std::string data = take(source, bytes, "its tensors");
  if (!source.peek(1).empty()) fail(origin, "it goes on after its tensors");

  const auto checksum = header.metadata.find("checksum");
  if (checksum == header.metadata.end()) fail(origin, "its metadata have no checksum");
  if (checksum->second != tensor_checksum(data)) fail(origin, "the checksum of its tensors is wrong");
  Model model = Decoder(header, data, origin).model();
  try {
    check(model);
  } catch (const InputError& error) {
    throw InputError(origin + ": " + error.cause(), error.cure());
  }
  return model;
}

}  // namespace

void save_model(const Model& model, const std::string& path) {
  const FileParts parts = parts_of(model);
  AtomicFile file(path);
  file.write(parts.front);
  file.write(parts.data);
  file.commit();
}

Model load_model(const std::string& path) { return read_model(*open_file(path)); }

std::string model_to_bytes(const Model& model) {
  FileParts parts = parts_of(model);
  return std::move(parts.front) + parts.data;
}

Model model_from_bytes(std::string_view bytes, const std::string& origin) {
  return read_model(*open_memory(bytes, origin));
}

}  // namespace rfnn
