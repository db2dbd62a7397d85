#include "rfnn/io/uncertainty_tensors.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <nlohmann/json.hpp>

#include "rfnn/io/closed_form_tensors.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_decoder.hpp"
#include "rfnn/io/text.hpp"

namespace rfnn::io {
namespace {

constexpr std::array judges = {Judge::held_out, Judge::leave_one_out, Judge::cross_fitting, Judge::training};

std::string full(std::string_view name) { return std::string(uncertainty_name) + "." + std::string(name); }

/// Reads the tensors, each once.
class Reader {
 public:
  Reader(const UncertaintyEntries& entries, std::string_view data, const std::string& origin)
      : left_(entries), data_(data), origin_(origin) {}

  std::vector<double> list(std::string_view name) {
    const TensorEntry& from = take(name, 1);
    std::vector<double> values(static_cast<std::size_t>(from.shape[0]));
    copy(from, values.data());
    return values;
  }

  Matrix matrix(std::string_view name) {
    const TensorEntry& from = take(name, 2);
    Matrix values(static_cast<std::size_t>(from.shape[0]), static_cast<std::size_t>(from.shape[1]));
    copy(from, values.data());
    return values;
  }

  /// Nothing where there is no tensor of this name.
  std::optional<ClosedForm> closed_form(const std::string& name) {
    ClosedFormEntries entries;
    for (const std::string_view tensor : closed_form_tensors) {
      const auto found = left_.find(name + "." + std::string(tensor));
      if (found == left_.end()) continue;
      entries[tensor] = found->second;
      left_.erase(found);
    }
    if (entries.empty()) return std::nullopt;
    return closed_form_of(entries, full(name), data_, origin_);
  }

  void end() const {
    if (!left_.empty())
      fail_model_file(origin_,
                      "there is a tensor " + shown(left_.begin()->second->name) + " that does not belong to the model");
  }

 private:
  const TensorEntry& take(std::string_view name, std::size_t dimensions) {
    const auto found = left_.find(name);
    if (found == left_.end()) fail_model_file(origin_, "the tensor " + full(name) + " is missing");
    const TensorEntry& entry = *found->second;
    if (entry.shape.size() != dimensions) fail_tensor_shape(origin_, entry.name);
    left_.erase(found);
    return entry;
  }
  void copy(const TensorEntry& from, double* to) const {
    if (from.end > from.begin) std::memcpy(to, data_.data() + from.begin, from.end - from.begin);
  }

  UncertaintyEntries left_;
  std::string_view data_;
  const std::string& origin_;
};

}  // namespace

void add_uncertainty(const Uncertainty& known, std::vector<TensorToWrite>& tensors,
                     std::deque<std::vector<double>>& made) {
  const auto add = [&](std::string_view name, const std::vector<double>& values) {
    tensors.push_back({full(name), {values.size()}, values.data()});
  };
  add("gain", known.gain);
  add("spread", known.spread);
  add("floor", known.floor);
  tensors.push_back({full("scores"), {known.scores.rows(), known.scores.cols()}, known.scores.data()});
  tensors.push_back({full("judged"), {known.judged.rows(), known.judged.cols()}, known.judged.data()});
  if (known.reference) add_closed_form(*known.reference, full("reference"), tensors, made);
  if (known.shape) add_closed_form(*known.shape, full("shape"), tensors, made);
}

std::string uncertainty_metadata(const Uncertainty& known) {
  Json json = {{"rows", known.rows}, {"judge", std::string(name_of(known.judge))}, {"noise", known.noise}};
  if (known.reach) json["reach"] = *known.reach;
  if (known.far) json["far"] = *known.far;
  if (known.place)
    json["place"] = {
        {"member", known.place->member}, {"block", known.place->block + 1}, {"branch", known.place->branch}};
  return json_text(json);
}

Uncertainty uncertainty_of(const UncertaintyEntries& entries, const std::string& metadata, std::string_view data,
                           const std::string& origin) {
  const std::string where = origin + " (" + std::string(uncertainty_name) + ")";
  const Json json = parse_json(metadata, where);
  Uncertainty known;
  known.rows = json_value<std::uint64_t>(json, "rows", where);
  known.noise = json_value<double>(json, "noise", where);
  if (json.contains("reach")) known.reach = json_value<double>(json, "reach", where);
  if (json.contains("far")) known.far = json_value<double>(json, "far", where);
  const auto judge = json_value<std::string>(json, "judge", where);
  const auto* const found =
      std::find_if(judges.begin(), judges.end(), [&](Judge one) { return name_of(one) == judge; });
  if (found == judges.end()) fail_model_file(origin, "there is no judge " + shown(judge));
  known.judge = *found;
  if (json.contains("place")) {
    const Json& place = json_field(json, "place", where);
    const auto block = json_value<std::uint64_t>(place, "block", where);
    if (block == 0) fail_model_file(origin, "blocks count from 1");
    known.place = Uncertainty::Place{json_value<std::uint64_t>(place, "member", where), block - 1,
                                     json_value<std::uint64_t>(place, "branch", where)};
  }
  Reader reader(entries, data, origin);
  known.gain = reader.list("gain");
  known.spread = reader.list("spread");
  known.floor = reader.list("floor");
  known.scores = reader.matrix("scores");
  known.judged = reader.matrix("judged");
  known.reference = reader.closed_form("reference");
  known.shape = reader.closed_form("shape");
  reader.end();
  return known;
}

}  // namespace rfnn::io
