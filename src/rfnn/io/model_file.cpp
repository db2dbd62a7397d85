#include "rfnn/io/model_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>
#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/closed_form_tensors.hpp"
#include "rfnn/io/draws_tensors.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_decoder.hpp"
#include "rfnn/io/safetensors.hpp"
#include "rfnn/io/source.hpp"
#include "rfnn/io/table_code_json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/io/uncertainty_tensors.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian, and copied as they are");

/// 2 brought logarithms of inputs; 3 lattices, and a checksum that covers the metadata; 4 closed forms; 5 trends;
/// 6 windows and radial laws, and columns that are no plain numbers; 7 a base, and what a model knows of its errors;
/// 8 draws of chains. Files are written as the least from 3 on that says all, so that an older version can read them.
constexpr std::uint64_t schema = 8, schema_without_draws = 7, schema_without_bases = 6, schema_with_trends = 5,
                        schema_without_trends = 4, schema_without_closed_forms = 3, first_with_signed_metadata = 3;

std::uint64_t schema_for(const Model& model) {
  if (!model.draws.empty() || model.options.draws != 0 || (model.base.model && schema_for(*model.base.model) == schema))
    return schema;
  if (!model.base.empty() || model.uncertainty) return schema_without_draws;
  if (has_windows(model) || !model.table.empty()) return schema_without_bases;
  if (has_trend(model)) return schema_with_trends;
  return holds_rows(model) ? schema_without_trends : schema_without_closed_forms;
}

// ---- writing ----------------------------------------------------------------------------------------------------

std::string tensor_name(std::size_t member, std::size_t block, BranchKind kind, std::string_view what) {
  return "member" + std::to_string(member) + ".block" + std::to_string(block) + "." + std::string(name_of(kind)) + "." +
         std::string(what);
}

/// Features, amplitudes, lattice and trend of a branch, or its closed form, which is number `closed_form` of its block.
void add_branch(const Branch& branch, std::size_t member, std::size_t block, std::size_t closed_form,
                std::vector<io::TensorToWrite>& tensors, std::deque<std::vector<double>>& made) {
  if (branch.closed_form) {
    io::add_closed_form(*branch.closed_form, io::closed_form_name(member, block, closed_form), tensors, made);
    return;
  }
  const std::uint64_t features = branch.frequencies.rows();
  tensors.push_back({tensor_name(member, block, branch.kind, "frequencies"),
                     {features, branch.frequencies.cols()},
                     branch.frequencies.data()});
  tensors.push_back({tensor_name(member, block, branch.kind, "amplitudes"),
                     {features, 2, branch.amplitudes.cols()},
                     branch.amplitudes.data()});
  if (!branch.lattice.empty())
    tensors.push_back(
        {tensor_name(member, block, branch.kind, "lattice"), {branch.lattice.size()}, branch.lattice.data()});
  if (!branch.trend.empty())
    tensors.push_back({tensor_name(member, block, branch.kind, "trend"),
                       {branch.trend.rows(), branch.trend.cols()},
                       branch.trend.data()});
}

/// Every tensor of the model, in the order of the file, that of the base last. Refers to the model and to `made`.
std::vector<io::TensorToWrite> tensors_of(const Model& model, std::deque<std::vector<double>>& made) {
  const Scaler& scaler = model.scaler;
  std::vector<io::TensorToWrite> tensors = {
      {"scale.input.mean", {scaler.input_mean.size()}, scaler.input_mean.data()},
      {"scale.input.sd", {scaler.input_sd.size()}, scaler.input_sd.data()},
      {"scale.output.mean", {scaler.output_mean.size()}, scaler.output_mean.data()},
      {"scale.output.sd", {scaler.output_sd.size()}, scaler.output_sd.data()}};
  if (!scaler.input_log_from.empty())
    tensors.push_back({std::string(io::log_from_tensor), {scaler.input_log_from.size()}, scaler.input_log_from.data()});
  for (std::size_t e = 0; e < model.members.size(); ++e) {
    const auto& blocks = model.members[e].blocks;
    for (std::size_t l = 0; l < blocks.size(); ++l) {
      std::size_t closed_forms = 0;
      for (const Branch& branch : blocks[l].branches) {
        if (branch.closed_form) ++closed_forms;
        add_branch(branch, e, l + 1, closed_forms, tensors, made);
      }
    }
  }
  if (model.uncertainty) io::add_uncertainty(*model.uncertainty, tensors, made);
  for (io::TensorToWrite& tensor : io::draws_tensors(model.draws, made)) {
    tensor.name = std::string(io::draws_prefix) + tensor.name;
    tensors.push_back(std::move(tensor));
  }
  if (!model.base.model) return tensors;
  for (io::TensorToWrite& tensor : tensors_of(*model.base.model, made)) {
    tensor.name = std::string(io::base_prefix) + tensor.name;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

using Metadata = std::vector<std::pair<std::string, std::string>>;
Metadata metadata_of(const Model& model);

/// A base model is there whole: its metadata as texts, its tensors among the others.
io::Json json_of_base(const Base& base) {
  io::Json json = {{"inputs", base.inputs}, {"factor", base.factor}};
  if (!base.model) return json;
  io::Json metadata = io::Json::object();
  for (const auto& [name, text] : metadata_of(*base.model)) metadata[name] = text;
  json["model"] = std::move(metadata);
  return json;
}

/// All but the checksum, in the order of the file.
Metadata metadata_of(const Model& model) {
  io::Json members = io::Json::array(), inputs = io::Json::array(), targets = io::Json::array(),
           warnings = io::Json::array(), facts = io::Json::object();
  for (const Network& member : model.members) members.push_back(member.blocks.size());
  for (const Column& column : model.inputs) inputs.push_back(io::to_json(column));
  for (const Column& column : model.targets) targets.push_back(io::to_json(column));
  for (const std::string& warning : model.warnings) warnings.push_back(io::to_utf8(warning));
  for (const auto& [name, value] : model.facts) facts[io::to_utf8(name)] = io::to_utf8(value);
  const io::Json columns = {{"inputs", std::move(inputs)},
                            {"targets", std::move(targets)},
                            {"table_columns", model.table_columns},
                            {"named", model.named_columns}};
  const io::Json rows = {{"train", model.train_rows}, {"validation", model.validation_rows}};
  io::Json scalers = {
      {"inputs", "v = (input - scale.input.mean) / scale.input.sd, for the input columns used, in their order"},
      {"outputs", "output = scale.output.mean + scale.output.sd * z, z the state after the last block"}};
  if (!model.scaler.input_log_from.empty())
    scalers["logarithms"] =
        "where scale.input.log_from > 0, log(max(input, scale.input.log_from)) takes the place of the input";
  Metadata metadata = {{"format", "rfnn"},
                       {"schema", std::to_string(schema_for(model))},
                       {"options", options_to_record(model.options)},
                       {"members", io::json_text(members)},
                       {"scalers", io::json_text(scalers)},
                       {"columns", io::json_text(columns)},
                       {"rows", io::json_text(rows)},
                       {"history", io::json_text(io::to_json(model.history))},
                       {"stop_reason", std::string(name_of(model.stop_reason))},
                       {"stop_text", io::to_utf8(model.stop_text)},
                       {"warnings", io::json_text(warnings)},
                       {"data_fingerprint", io::to_utf8(model.data_fingerprint)},
                       {"seconds", shortest(model.seconds)},
                       {"facts", io::json_text(facts)}};
  if (model.uncertainty)
    metadata.emplace_back(std::string(io::uncertainty_name), io::uncertainty_metadata(*model.uncertainty));
  if (!model.table.empty()) metadata.emplace_back("table", io::json_text(io::to_json(model.table)));
  if (!model.base.empty()) metadata.emplace_back("base", io::json_text(json_of_base(model.base)));
  return metadata;
}

struct FileParts {
  std::string front;
  std::string data;
};

FileParts parts_of(const Model& model) {
  check(model);
  std::deque<std::vector<double>> made;
  const auto tensors = tensors_of(model, made);
  std::size_t bytes = 0;
  for (const io::TensorToWrite& tensor : tensors) bytes += tensor.bytes();
  FileParts parts;
  parts.data.reserve(bytes);
  for (const io::TensorToWrite& tensor : tensors)
    if (tensor.bytes() > 0) parts.data.append(reinterpret_cast<const char*>(tensor.values), tensor.bytes());
  auto metadata = metadata_of(model);
  metadata.emplace_back("checksum", io::file_checksum({metadata.begin(), metadata.end()}, parts.data));
  parts.front = io::tensor_front(metadata, tensors);
  return parts;
}

// ---- reading ----------------------------------------------------------------------------------------------------

/// Exactly so many bytes; memory grows with those that come, not with those that are promised.
std::string take(io::ByteSource& source, std::uint64_t bytes, const std::string& what) {
  std::string out;
  while (out.size() < bytes) {
    const std::size_t have = out.size();
    const std::uint64_t step =
        std::min<std::uint64_t>(bytes - have, std::max<std::size_t>(have, std::size_t{1} << 20U));
    out.resize(have +
               static_cast<std::size_t>(source.size() ? bytes - have : step));  // a known length was compared before
    const std::size_t got = source.read(out.data() + have, out.size() - have);
    if (have + got < out.size()) io::fail_model_file(source.origin(), "it ends in the middle of " + what);
  }
  return out;
}

/// The schema of a model file; refuses other files and schemas we do not know.
std::uint64_t check_schema(const io::TensorHeader& header, const std::string& origin) {
  const auto format = header.metadata.find("format");
  if (format == header.metadata.end() || format->second != "rfnn")
    io::fail_model_file(origin, "its metadata do not say format rfnn");
  const auto found = header.metadata.find("schema");
  const auto number = found == header.metadata.end() ? std::nullopt : number_from<std::uint64_t>(found->second);
  if (!number || *number == 0) io::fail_model_file(origin, "its metadata do not give a schema");
  if (*number > schema)
    throw InputError(origin + " has schema " + std::to_string(*number) + "; this version of rfnn knows schemas up to " +
                         std::to_string(schema) + ".",
                     "Upgrade rfnn to read it.");
  return *number;
}

Model read_model(io::ByteSource& source) {
  const std::string& origin = source.origin();
  const auto size = source.size();
  const std::string field = take(source, 8, "its length field");
  std::uint64_t length = 0;
  std::memcpy(&length, field.data(), 8);
  if (length == 0 || length > io::largest_tensor_header)
    io::fail_model_file(origin, "it does not begin with the length of a header");
  if (size && length > *size - 8) io::fail_model_file(origin, "it ends in the middle of its header");
  const io::TensorHeader header = io::parse_tensor_header(take(source, length, "its header"), origin);
  const std::uint64_t written_as = check_schema(header, origin);
  const std::uint64_t bytes = io::check_layout(header, origin);
  if (size && bytes != *size - 8 - length)
    io::fail_model_file(origin, "it has " + std::to_string(*size - 8 - length) + " bytes of tensors, its header says " +
                                    std::to_string(bytes));
  const std::string data = take(source, bytes, "its tensors");
  if (!source.peek(1).empty()) io::fail_model_file(origin, "it goes on after its tensors");

  const auto checksum = header.metadata.find("checksum");
  if (checksum == header.metadata.end()) io::fail_model_file(origin, "its metadata have no checksum");
  const bool all = written_as >= first_with_signed_metadata;
  if (checksum->second != (all ? io::file_checksum(header.metadata, data) : io::tensor_checksum(data)))
    io::fail_model_file(
        origin, all ? "the checksum of its metadata and tensors is wrong" : "the checksum of its tensors is wrong");
  Model model = io::decode_model(header, data, origin);
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
  io::AtomicFile file(path);
  file.write(parts.front);
  file.write(parts.data);
  file.commit();
}

bool replaces_by_nothing(const Model& model, const std::string& path) {
  if (!cut_short(model) || model.blocks() > 0) return false;
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) > 0 && !error;
}

Model load_model(const std::string& path) { return read_model(*io::open_file(path)); }

std::string model_to_bytes(const Model& model) {
  FileParts parts = parts_of(model);
  return std::move(parts.front) + parts.data;
}

Model model_from_bytes(std::string_view bytes, const std::string& origin) {
  return read_model(*io::open_memory(bytes, origin));
}

}  // namespace rfnn
