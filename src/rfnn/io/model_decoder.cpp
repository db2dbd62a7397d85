#include "rfnn/io/model_decoder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "rfnn/core/error.hpp"
#include "rfnn/io/closed_form_tensors.hpp"
#include "rfnn/io/draws_tensors.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/table_code_json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/io/uncertainty_tensors.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::io {
namespace {

constexpr std::array<StopReason, 7> stop_reasons = {
    StopReason::all_blocks,  StopReason::tolerance,       StopReason::stalled,  StopReason::out_of_time,
    StopReason::interrupted, StopReason::constant_target, StopReason::no_inputs};

enum class BranchTensor { frequencies, amplitudes, lattice, trend };

/// "member0.block12.state.amplitudes" or "member0.block1.kernel2.law.smooth" taken apart.
struct TensorPlace {
  std::uint64_t member = 0;
  std::uint64_t block = 0;
  BranchKind kind = BranchKind::input;
  BranchTensor tensor = BranchTensor::frequencies;
  std::uint64_t closed_form = 0;        ///< 1 for `kernel`, 2 for `kernel2`, …; 0: of a branch of features
  std::string_view closed_form_tensor;  ///< one of closed_form_tensors
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

/// What follows "kernel": nothing or a number from 2 on, then the name of a tensor.
bool take_closed_form(std::string_view name, TensorPlace& place) {
  place.closed_form = 1;
  if (!name.starts_with('.') && (!take_number(name, place.closed_form) || place.closed_form < 2)) return false;
  if (!take_text(name, ".")) return false;
  const auto found = std::find(closed_form_tensors.begin(), closed_form_tensors.end(), name);
  if (found == closed_form_tensors.end()) return false;
  place.closed_form_tensor = *found;
  return true;
}

std::optional<TensorPlace> parse_name(std::string_view name) {
  TensorPlace place;
  if (!take_text(name, "member") || !take_number(name, place.member)) return std::nullopt;
  if (!take_text(name, ".block") || !take_number(name, place.block) || place.block == 0) return std::nullopt;
  if (!take_text(name, ".")) return std::nullopt;
  if (take_text(name, "kernel")) return take_closed_form(name, place) ? std::optional(place) : std::nullopt;
  for (const BranchKind kind : {BranchKind::input, BranchKind::state, BranchKind::joint}) {
    std::string_view rest = name;
    if (!take_text(rest, name_of(kind))) continue;
    place.kind = kind;
    if (rest == ".amplitudes")
      place.tensor = BranchTensor::amplitudes;
    else if (rest == ".lattice")
      place.tensor = BranchTensor::lattice;
    else if (rest == ".trend")
      place.tensor = BranchTensor::trend;
    else if (rest != ".frequencies")
      continue;
    return place;
  }
  return std::nullopt;
}

/// The parts of a file, once its layout is known to be sound.
class Decoder {
 public:
  /// `depth`: bases around this one.
  Decoder(const TensorHeader& header, std::string_view data, const std::string& origin, int depth)
      : header_(header), data_(data), origin_(origin), depth_(depth) {}

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
    if (header_.metadata.count("table") > 0) model.table = table_code_from_json(json("table"), origin_ + " (table)");
    const Json rows = json("rows");
    model.train_rows = json_value<std::uint64_t>(rows, "train", origin_);
    model.validation_rows = json_value<std::uint64_t>(rows, "validation", origin_);
    model.history = history_from_json(json("history"), origin_ + " (history)");
    model.stop_reason = stop_reason();
    model.stop_text = text("stop_text");
    model.warnings = json_as<std::vector<std::string>>(json("warnings"), "warnings", origin_);
    model.data_fingerprint = text("data_fingerprint");
    const auto seconds = number_from<double>(text("seconds"));
    if (!seconds) fail_model_file(origin_, "the metadata's seconds are not a number");
    model.seconds = *seconds;
    read_facts(model);
    read_tensors(model);
    if (header_.metadata.count("base") > 0) read_base(model);
    return model;
  }

 private:
  /// The tensors of closed forms, by member, block and number.
  using ClosedForms = std::map<std::array<std::uint64_t, 3>, ClosedFormEntries>;

  const std::string& text(const char* name) const {
    const auto found = header_.metadata.find(name);
    if (found == header_.metadata.end()) fail_model_file(origin_, "the metadata have no " + shown(name));
    return found->second;
  }
  Json json(const char* name) const { return parse_json(text(name), origin_ + " (" + name + ")"); }
  const Json& list(const Json& parent, const char* name) const {
    const Json& value = json_field(parent, name, origin_);
    if (!value.is_array()) fail_model_file(origin_, "the metadata's " + shown(name) + " are not a list");
    return value;
  }

  StopReason stop_reason() const {
    for (const StopReason reason : stop_reasons)
      if (text("stop_reason") == name_of(reason)) return reason;
    fail_model_file(origin_, "there is no stop reason " + shown(text("stop_reason")));
  }

  void read_facts(Model& model) const {
    const Json facts = json("facts");
    if (!facts.is_object()) fail_model_file(origin_, "the metadata's facts are not an object");
    for (const auto& [name, value] : facts.items()) {
      if (!value.is_string()) fail_model_file(origin_, "the fact " + shown(name) + " is not a text");
      model.facts[name] = value.get<std::string>();
    }
  }

  /// Block counts of the members. Every block has two tensors at least, which bounds what a hostile file can ask for.
  std::vector<std::uint64_t> block_counts() const {
    const auto counts = json_as<std::vector<std::uint64_t>>(json("members"), "members", origin_);
    std::uint64_t left = header_.tensors.size() / 2;
    for (const std::uint64_t count : counts) {
      if (count > left) fail_model_file(origin_, "there are fewer tensors than the blocks of its members need");
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

  [[nodiscard]] bool is_of_base(const TensorEntry& tensor) const {
    return header_.metadata.count("base") > 0 && tensor.name.starts_with(base_prefix);
  }

  /// What the model was made to add to: a model of its own, or columns.
  void read_base(Model& model) const {
    constexpr int deepest = 16;
    if (depth_ >= deepest) fail_model_file(origin_, "its bases have bases of their own, more than anybody would make");
    const Json base = json("base");
    model.base.inputs = json_value<std::vector<std::uint64_t>>(base, "inputs", origin_);
    model.base.factor = json_value<std::vector<double>>(base, "factor", origin_);
    if (model.base.factor.empty()) fail_model_file(origin_, "its base has no factors");
    TensorHeader its;
    for (const TensorEntry& tensor : header_.tensors) {
      if (!is_of_base(tensor)) continue;
      its.tensors.push_back(tensor);
      its.tensors.back().name.erase(0, base_prefix.size());
    }
    if (!base.contains("model")) {
      if (!its.tensors.empty()) fail_model_file(origin_, "there are tensors of a base model that it has not");
      return;
    }
    const Json& texts = base["model"];
    for (const auto& item : texts.items()) {
      if (!item.value().is_string()) fail_model_file(origin_, "the metadata of its base are not texts");
      its.metadata[item.key()] = item.value().get<std::string>();
    }
    const std::string origin = "the base of " + origin_;
    model.base.model = std::make_shared<const Model>(Decoder(its, data_, origin, depth_ + 1).model());
  }

  void read_tensors(Model& model) const {
    std::map<std::string_view, std::vector<double>*> scales = {{"scale.input.mean", &model.scaler.input_mean},
                                                               {"scale.input.sd", &model.scaler.input_sd},
                                                               {"scale.output.mean", &model.scaler.output_mean},
                                                               {"scale.output.sd", &model.scaler.output_sd},
                                                               {log_from_tensor, &model.scaler.input_log_from}};
    ClosedForms closed_forms;
    UncertaintyEntries of_errors;
    DrawsEntries of_draws;
    for (const std::uint64_t count : block_counts())
      model.members.emplace_back().blocks.resize(static_cast<std::size_t>(count));
    for (const TensorEntry& tensor : header_.tensors) {
      if (is_of_base(tensor)) continue;
      if (const auto scale = scales.find(tensor.name); scale != scales.end()) {
        if (tensor.shape.size() != 1) fail_shape(tensor);
        scale->second->resize((tensor.end - tensor.begin) / sizeof(double));
        copy(tensor, scale->second->data());
        scales.erase(scale);
        continue;
      }
      if (std::string_view rest = tensor.name; take_text(rest, uncertainty_name) && take_text(rest, ".")) {
        of_errors[rest] = &tensor;
        continue;
      }
      if (std::string_view rest = tensor.name; take_text(rest, draws_prefix)) {
        of_draws[rest] = &tensor;
        continue;
      }
      const auto place = parse_name(tensor.name);
      if (!place || place->member >= model.members.size() || place->block > model.members[place->member].blocks.size())
        fail_model_file(origin_, "there is a tensor " + shown(tensor.name) + " that does not belong to the model");
      if (place->closed_form > 0)
        closed_forms[{place->member, place->block, place->closed_form}][place->closed_form_tensor] = &tensor;
      else
        read_branch_tensor(model, *place, tensor);
    }
    scales.erase(log_from_tensor);  // not in every file
    if (!scales.empty()) fail_model_file(origin_, "the tensor " + std::string(scales.begin()->first) + " is missing");
    order_branches(model);
    read_closed_forms(model, closed_forms);
    if (!of_draws.empty()) {
      if (model.members.empty()) fail_model_file(origin_, "there are draws of no network");
      model.draws = draws_of(of_draws, model.members.front(), data_, origin_);
    }
    const bool known = header_.metadata.contains(std::string(uncertainty_name));
    if (known || !of_errors.empty())
      model.uncertainty = uncertainty_of(of_errors, text(uncertainty_name.data()), data_, origin_);
  }

  /// The tensors of a branch may come in any order: the branch is made by the first of them.
  void read_branch_tensor(Model& model, const TensorPlace& place, const TensorEntry& tensor) const {
    auto& branches = model.members[place.member].blocks[place.block - 1].branches;
    auto branch = std::find_if(branches.begin(), branches.end(), [&](const Branch& b) { return b.kind == place.kind; });
    if (branch == branches.end()) branch = branches.insert(branches.end(), Branch{place.kind, {}, {}});
    const std::size_t outputs = model.targets.size();
    if (outputs == 0) fail_model_file(origin_, "it has no targets");
    if (place.tensor == BranchTensor::lattice) {
      if (tensor.shape.size() != 1 || tensor.shape[0] == 0) fail_shape(tensor);
      branch->lattice.resize(static_cast<std::size_t>(tensor.shape[0]));
      copy(tensor, branch->lattice.data());
    } else if (place.tensor == BranchTensor::trend) {
      if (tensor.shape.size() != 2 || tensor.shape[0] == 0 || tensor.shape[1] != outputs) fail_shape(tensor);
      branch->trend = matrix(tensor, tensor.shape[0], outputs);
    } else if (place.tensor == BranchTensor::amplitudes) {
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

  /// After the branches of features, in the order of their numbers, which leave none out.
  void read_closed_forms(Model& model, const ClosedForms& closed_forms) const {
    const std::size_t inputs = model.scaler.input_mean.size(), outputs = model.targets.size();
    std::array<std::uint64_t, 3> last = {};
    for (const auto& [place, entries] : closed_forms) {
      const auto& [member, block, number] = place;
      const std::string name = closed_form_name(member, block, number);
      const bool follows = last == std::array{member, block, number - 1};
      if (number > 1 && !follows)
        fail_model_file(origin_, "there is " + name + " without " + closed_form_name(member, block, number - 1));
      last = place;
      ClosedForm form = closed_form_of(entries, name, data_, origin_);
      const std::size_t variables = form.centres.cols();
      if (variables != inputs && variables != inputs + outputs)
        fail_model_file(origin_, name + " has centres of " + std::to_string(variables) +
                                     " variables, which are neither the " + std::to_string(inputs) +
                                     " inputs used nor these and the " + std::to_string(outputs) + " outputs");
      model.members[member].blocks[block - 1].branches.push_back(
          {.kind = variables == inputs ? BranchKind::input : BranchKind::joint, .closed_form = std::move(form)});
    }
  }

  [[noreturn]] void fail_shape(const TensorEntry& tensor) const { fail_tensor_shape(origin_, tensor.name); }

  const TensorHeader& header_;
  std::string_view data_;
  const std::string& origin_;
  int depth_;
};

}  // namespace

void fail_tensor_shape(const std::string& origin, const std::string& tensor) {
  fail_model_file(origin, "the shape of tensor " + shown(tensor) + " is not what it should be");
}

void fail_model_file(const std::string& origin, const std::string& what) {
  throw InputError(origin + " is damaged or no model file: " + what + ".",
                   "Get a sound copy of the file, or train the model again.");
}

Model decode_model(const TensorHeader& header, std::string_view data, const std::string& origin) {
  return Decoder(header, data, origin, 0).model();
}

}  // namespace rfnn::io
