#include "rfnn/io/json.hpp"

#include <cmath>
#include <numbers>
#include <optional>
#include <vector>
#include <nlohmann/json.hpp>

#include "rfnn/io/draws_json.hpp"
#include "rfnn/io/table_code_json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/options/table.hpp"

namespace rfnn::io {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

Json texts(const std::vector<std::string>& values) {
  Json list = Json::array();
  for (const std::string& value : values) list.push_back(to_utf8(value));
  return list;
}

template <class T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

Json branch_to_json(const BranchRecord& record) {
  Json histograms = Json::array();
  for (const Histogram& histogram : record.accepted_frequencies)
    histograms.push_back({{"variable", to_utf8(histogram.variable)},
                          {"low", number(histogram.low)},
                          {"high", number(histogram.high)},
                          {"counts", histogram.counts}});
  return {{"branch", name_of(record.kind)},
          {"proposed", record.proposed},
          {"accepted", record.accepted},
          {"acceptance", number(record.acceptance())},
          {"accepted_frequencies", std::move(histograms)}};
}

BranchKind branch_kind(const std::string& name, const std::string& origin) {
  for (const BranchKind kind : {BranchKind::input, BranchKind::state, BranchKind::joint})
    if (name == name_of(kind)) return kind;
  fail_json(origin, "there is no branch " + shown(name));
}

BranchRecord branch_from_json(const Json& json, const std::string& origin) {
  BranchRecord record;
  record.kind = branch_kind(json_value<std::string>(json, "branch", origin), origin);
  record.proposed = json_value<std::uint64_t>(json, "proposed", origin);
  record.accepted = json_value<std::uint64_t>(json, "accepted", origin);
  for (const Json& item : json_list(json, "accepted_frequencies", origin)) {
    Histogram histogram;
    histogram.variable = json_value<std::string>(item, "variable", origin);
    histogram.low = json_value<double>(item, "low", origin);
    histogram.high = json_value<double>(item, "high", origin);
    histogram.counts = json_value<std::vector<std::uint64_t>>(item, "counts", origin);
    record.accepted_frequencies.push_back(std::move(histogram));
  }
  return record;
}

}  // namespace

Json to_json(const BlockRecord& record) {
  Json branches = Json::array();
  for (const BranchRecord& branch : record.branches) branches.push_back(branch_to_json(branch));
  Json iterations = Json::array(), losses = Json::array(), frequencies = Json::array(), amplitudes = Json::array();
  for (const TracePoint& point : record.trace) {
    iterations.push_back(point.iteration);
    losses.push_back(number(point.loss));
    frequencies.push_back(number(point.frequency));
    amplitudes.push_back(number(point.amplitude));
  }
  return {{"member", record.member},
          {"block", record.block},
          {"method", name_of(record.method)},
          {"width", record.width},
          {"rows", record.rows},
          {"proposal_rows", record.proposal_rows},
          {"iterations", record.iterations},
          {"complete", record.complete},
          {"ridge", number(record.ridge)},
          {"train_mse", number(record.train_mse)},
          {"validation_mse", number(record.validation_mse)},
          {"condition", number(record.condition)},
          {"solves", record.solves},
          {"solver_fallbacks", record.solver_fallbacks},
          {"seconds", number(record.seconds)},
          {"branches", std::move(branches)},
          {"trace",
           {{"iteration", std::move(iterations)},
            {"loss", std::move(losses)},
            {"frequency", std::move(frequencies)},
            {"amplitude", std::move(amplitudes)}}}};
}

Json to_json(const History& history) {
  return {{"empty_train_mse", number(history.empty_train_mse)},
          {"empty_validation_mse", number(history.empty_validation_mse)},
          {"blocks", list_of(history.blocks)},
          {"rate_slope", number(history.rate_slope)},
          {"final_train_mse", number(history.final_train_mse)},
          {"final_validation_mse", number(history.final_validation_mse)},
          {"final_validation_se", number(history.final_validation_se)},
          {"judge", name_of(history.judge)}};
}

Json to_json(const Column& column) {
  return {{"name", to_utf8(column.name)}, {"position", column.position}, {"mean", number(column.mean)},
          {"sd", number(column.sd)},      {"min", number(column.min)},   {"max", number(column.max)},
          {"used", column.used}};
}

Json to_json(const SpectralLine& line) {
  return {{"member", line.member},          {"block", line.block},
          {"branch", name_of(line.branch)}, {"frequency", numbers(line.frequency)},
          {"cycles", numbers(line.cycles)}, {"amplitude", numbers(line.amplitude)},
          {"phase", numbers(line.phase)}};
}

Json to_json(const BranchLaw& law) {
  const auto per_variable = [&](const auto& number_of) {
    Json list = Json::array();
    for (std::size_t k = 0; k < law.variables.size(); ++k) list.push_back(number(number_of(k)));
    return list;
  };
  constexpr double turn = 2.0 * std::numbers::pi;
  Json parts = Json::array();
  for (const LawPart& part : law.parts) {
    const std::vector<MarginalLaw>& along = part.marginals;
    parts.push_back({{"share", number(part.share)},
                     {"variance", numbers(part.variance)},
                     {"order", along.empty() ? 0 : along.front().order},
                     {"centre", per_variable([&](std::size_t k) { return along[k].centre; })},
                     {"smooth", per_variable([&](std::size_t k) { return along[k].smooth; })},
                     {"rough", per_variable([&](std::size_t k) { return along[k].rough; })},
                     {"cycles_median", per_variable([&](std::size_t k) { return along[k].quantile(0.5) / turn; })},
                     {"cycles_90", per_variable([&](std::size_t k) { return along[k].quantile(0.9) / turn; })}});
  }
  return {{"member", law.member},
          {"block", law.block},
          {"branch", name_of(law.branch)},
          {"variables", texts(law.variables)},
          {"centres", law.centres},
          {"variance", numbers(law.variance)},
          {"cycles_median", per_variable([&](std::size_t k) { return law_quantile(law, k, 0.5) / turn; })},
          {"cycles_90", per_variable([&](std::size_t k) { return law_quantile(law, k, 0.9) / turn; })},
          {"parts", std::move(parts)}};
}

Json to_json(const TrendTerm& term) {
  return {{"member", term.member},
          {"block", term.block},
          {"branch", name_of(term.branch)},
          {"variable", term.power > 0 ? Json(to_utf8(term.variable)) : Json()},
          {"power", term.power},
          {"about", number(term.about)},
          {"coefficient", numbers(term.coefficient)}};
}

namespace {

/// What the networks add to: the names of its inputs, and of a model what it is.
Json describe_base(const Model& model) {
  Json base = Json::object();
  base["factor"] = numbers(model.base.factor);
  base["inputs"] = Json::array();
  for (const std::size_t input : model.base.inputs) base["inputs"].push_back(to_utf8(model.inputs[input].name));
  base["model"] = model.base.model ? describe(*model.base.model) : Json(nullptr);
  return base;
}

/// Inputs whose logarithms the network sees: frequencies are per unit of these.
Json transforms_of(const Model& model) {
  Json list = Json::array();
  std::size_t used = 0;
  for (const Column& column : model.inputs) {
    if (!column.used) continue;
    if (const double from = model.scaler.input(used++).log_from; from > 0.0)
      list.push_back({{"input", to_utf8(column.name)}, {"transform", "log"}, {"from", from}});
  }
  return list;
}

}  // namespace

Json describe(const Model& model) {
  Json blocks = Json::array();
  for (const BlockRecord& record : model.history.blocks) {
    Json block = to_json(record);
    block["kept"] = is_kept(model, record);
    blocks.push_back(std::move(block));
  }
  Json facts = Json::object();
  for (const auto& [name, value] : model.facts) facts[to_utf8(name)] = to_utf8(value);
  Json out;
  out["options"] = read_json(options_to_json(model.options));
  out["data"] = {{"fingerprint", to_utf8(model.data_fingerprint)},
                 {"rows", model.train_rows},
                 {"validation_rows", model.validation_rows},
                 {"table_columns", model.table_columns},
                 {"named_columns", model.named_columns},
                 {"inputs", list_of(model.inputs)},
                 {"targets", list_of(model.targets)}};
  if (!model.table.empty()) out["data"]["table"] = to_json(model.table);
  if (!model.base.empty()) out["base"] = describe_base(model);
  out["members"] = model.members.size();
  const ModelErrors errors = final_errors(model);
  out["train_mse"] = number(errors.train);
  out["validation_mse"] = number(errors.validation);
  out["validation_mse_se"] = number(errors.validation_se);
  out["judge"] = name_of(errors.judge);
  out["empty_train_mse"] = number(model.history.empty_train_mse);
  out["empty_validation_mse"] = number(model.history.empty_validation_mse);
  out["blocks"] = std::move(blocks);
  out["stop_reason"] = name_of(model.stop_reason);
  out["stop_text"] = to_utf8(model.stop_text);
  out["rate_slope"] = number(model.history.rate_slope);
  out["warnings"] = texts(model.warnings);
  out["seconds"] = number(model.seconds);
  out["facts"] = std::move(facts);
  if (!model.draws.empty()) out["draws"] = draws_json({&model.draws});
  out["transforms"] = transforms_of(model);
  out["scale"] = {{"input", {{"mean", numbers(model.scaler.input_mean)}, {"sd", numbers(model.scaler.input_sd)}}},
                  {"output", {{"mean", numbers(model.scaler.output_mean)}, {"sd", numbers(model.scaler.output_sd)}}}};
  out["spectrum"] = list_of(spectrum(model));
  out["lines"] = list_of(distinguishable_lines(model));
  out["laws"] = list_of(laws(model));
  out["trend"] = list_of(trends(model));
  return out;
}

namespace {

template <class Named>
Named named(const std::string& name, std::initializer_list<Named> all, const std::string& origin) {
  for (const Named one : all)
    if (name_of(one) == name) return one;
  fail_json(origin, "it speaks of \"" + name + "\", which this version does not know");
}

Method method_named(const std::string& name, const std::string& origin) {
  return named(name,
               {Method::sampled, Method::sequential, Method::random, Method::lattice, Method::kernel, Method::series,
                Method::lines, Method::windows},
               origin);
}

Judge judge_named(const std::string& name, const std::string& origin) {
  return named(name, {Judge::held_out, Judge::leave_one_out, Judge::cross_fitting}, origin);
}

}  // namespace

BlockRecord block_record_from_json(const Json& json, const std::string& origin) {
  BlockRecord record;
  // Files of earlier versions have neither of these.
  if (json.contains("member")) record.member = json_value<std::int64_t>(json, "member", origin);
  if (json.contains("method")) record.method = method_named(json_value<std::string>(json, "method", origin), origin);
  record.block = json_value<std::int64_t>(json, "block", origin);
  record.width = json_value<std::int64_t>(json, "width", origin);
  record.rows = record.proposal_rows = json_value<std::uint64_t>(json, "rows", origin);
  if (json.contains("proposal_rows"))  // files of earlier versions have none
    record.proposal_rows = json_value<std::uint64_t>(json, "proposal_rows", origin);
  record.iterations = json_value<std::int64_t>(json, "iterations", origin);
  record.complete = json_value<bool>(json, "complete", origin);
  record.ridge = json_value<double>(json, "ridge", origin);
  record.train_mse = json_value<double>(json, "train_mse", origin);
  record.validation_mse = json_value<std::optional<double>>(json, "validation_mse", origin);
  record.condition = json_value<double>(json, "condition", origin);
  record.solves = json_value<std::uint64_t>(json, "solves", origin);
  record.solver_fallbacks = json_value<std::uint64_t>(json, "solver_fallbacks", origin);
  record.seconds = json_value<double>(json, "seconds", origin);
  for (const Json& branch : json_list(json, "branches", origin))
    record.branches.push_back(branch_from_json(branch, origin));
  const Json& trace = json_field(json, "trace", origin);
  const auto iterations = json_value<std::vector<std::int64_t>>(trace, "iteration", origin);
  const auto losses = json_value<std::vector<double>>(trace, "loss", origin);
  // Files of earlier versions have none of these.
  const auto noted = [&](const char* name) {
    return trace.contains(name) ? json_value<std::vector<double>>(trace, name, origin)
                                : std::vector<double>(iterations.size(), 0.0);
  };
  const std::vector<double> frequencies = noted("frequency"), amplitudes = noted("amplitude");
  if (iterations.size() != losses.size() || iterations.size() != frequencies.size() ||
      iterations.size() != amplitudes.size())
    fail_json(origin, "a trace has lists of different lengths");
  for (std::size_t i = 0; i < iterations.size(); ++i)
    record.trace.push_back({iterations[i], losses[i], frequencies[i], amplitudes[i]});
  return record;
}

History history_from_json(const Json& json, const std::string& origin) {
  History history;
  history.empty_train_mse = json_value<double>(json, "empty_train_mse", origin);
  history.empty_validation_mse = json_value<std::optional<double>>(json, "empty_validation_mse", origin);
  for (const Json& block : json_list(json, "blocks", origin))
    history.blocks.push_back(block_record_from_json(block, origin));
  history.rate_slope = json_value<std::optional<double>>(json, "rate_slope", origin);
  if (json.contains("final_train_mse"))
    history.final_train_mse = json_value<std::optional<double>>(json, "final_train_mse", origin);
  if (json.contains("final_validation_mse"))
    history.final_validation_mse = json_value<std::optional<double>>(json, "final_validation_mse", origin);
  if (json.contains("final_validation_se"))
    history.final_validation_se = json_value<std::optional<double>>(json, "final_validation_se", origin);
  if (json.contains("judge")) history.judge = judge_named(json_value<std::string>(json, "judge", origin), origin);
  return history;
}

Column column_from_json(const Json& json, const std::string& origin) {
  Column column;
  column.name = json_value<std::string>(json, "name", origin);
  column.position = json_value<std::uint64_t>(json, "position", origin);
  column.mean = json_value<double>(json, "mean", origin);
  column.sd = json_value<double>(json, "sd", origin);
  column.min = json_value<double>(json, "min", origin);
  column.max = json_value<double>(json, "max", origin);
  column.used = json_value<bool>(json, "used", origin);
  return column;
}

}  // namespace rfnn::io
