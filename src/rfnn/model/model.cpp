#include "rfnn/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "rfnn/core/error.hpp"

namespace rfnn {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw InputError("The model is not sound: " + what + ".", "Get a sound copy of it, or train it again.");
}

bool all_finite(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double v) { return std::isfinite(v); });
}

void check_scale(const std::vector<double>& mean, const std::vector<double>& sd, std::size_t expected,
                 const std::string& name) {
  if (mean.size() != expected || sd.size() != expected)
    fail("the scaler has " + std::to_string(mean.size()) + " means and " + std::to_string(sd.size()) +
         " standard deviations for " + std::to_string(expected) + " " + name);
  if (!all_finite(mean.data(), mean.size())) fail("a mean of the " + name + " is not finite");
  if (!all_finite(sd.data(), sd.size())) fail("a standard deviation of the " + name + " is not finite");
  if (std::any_of(sd.begin(), sd.end(), [](double v) { return v <= 0.0; }))
    fail("a standard deviation of the " + name + " is not positive");
}

void check_logarithms(const std::vector<double>& log_from, std::size_t inputs) {
  if (log_from.empty()) return;
  if (log_from.size() != inputs)
    fail("the scaler has logarithms for " + std::to_string(log_from.size()) + " inputs, " + std::to_string(inputs) +
         " are used");
  if (!all_finite(log_from.data(), inputs) ||
      std::any_of(log_from.begin(), log_from.end(), [](double v) { return v < 0.0; }))
    fail("a logarithm begins at a number that is not finite or is negative");
  if (std::all_of(log_from.begin(), log_from.end(), [](double v) { return v == 0.0; }))
    fail("the scaler has a list of logarithms without any");
}

/// Frequencies that are no multiples of the steps would give other values by the fast transform than by the sum; and
/// what the transform needs grows with the lattice, not with what is in the file.
void check_lattice(const Branch& branch, const std::string& place) {
  if (branch.lattice.empty()) return;
  constexpr std::size_t most_variables = 2;
  constexpr double most_points = 0x1p24, rounding = 1e-9;
  const std::size_t variables = branch.frequencies.cols();
  if (branch.lattice.size() != variables)
    fail(place + " has a lattice of " + std::to_string(branch.lattice.size()) + " steps for " +
         std::to_string(variables) + " variables");
  if (variables > most_variables) fail(place + " has a lattice of more than two variables");
  double points = 1.0;
  for (std::size_t k = 0; k < variables; ++k) {
    const double step = branch.lattice[k];
    if (!std::isfinite(step) || step <= 0.0) fail(place + " has a lattice with a step that is not positive");
    double reach = 0.0;
    for (std::size_t j = 0; j < branch.frequencies.rows(); ++j) {
      const double multiple = branch.frequencies(j, k) / step, whole = std::round(multiple);
      if (!std::isfinite(multiple) || std::abs(multiple - whole) > rounding * std::max(1.0, std::abs(whole)))
        fail(place + " has a frequency that is not on its lattice");
      reach = std::max(reach, std::abs(whole));
    }
    points *= 2.0 * reach + 1.0;
  }
  if (!(points <= most_points)) fail(place + " has a lattice of too many points");
}

bool all_sizes(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v) && v >= 0.0; });
}

void check_part(const FrequencyLaw::Part& part, std::size_t coordinates, std::size_t variables,
                const std::string& place) {
  if (part.smooth.size() != coordinates || part.rough.size() != variables ||
      (!part.centre.empty() && part.centre.size() != variables))
    fail(place + " has " + std::to_string(part.smooth.size()) + " smooth scales, " + std::to_string(part.rough.size()) +
         " rough ones and a centre of " + std::to_string(part.centre.size()) + " for " + std::to_string(coordinates) +
         " coordinates and " + std::to_string(variables) + " variables");
  if (!all_sizes({part.strength})) fail(place + " has a strength that is not finite or is negative");
  if (!all_sizes(part.smooth) || !all_sizes(part.rough)) fail(place + " has a scale that is not finite or is negative");
  if (part.radial && std::any_of(part.smooth.begin(), part.smooth.end(), [](double s) { return s != 0.0; }))
    fail(place + " is radial and has a smooth scale");
  if (part.radial && !part.centre.empty()) fail(place + " is radial and has a centre");
  if (part.order < 0 || part.order > 2) fail(place + " has an order that is not 0, 1 or 2");
  if (!all_finite(part.centre.data(), part.centre.size())) fail(place + " has a centre that is not finite");
}

void check_law(const FrequencyLaw& law, std::size_t variables, const std::string& place) {
  if (law.parts.empty()) fail(place + " has a law without parts");
  if (law.map.rows() > 0 && law.map.cols() != variables)
    fail(place + " has a law whose map is of " + std::to_string(law.map.cols()) + " variables, not " +
         std::to_string(variables));
  if (!all_finite(law.map.data(), law.map.size())) fail(place + " has a law whose map is not finite");
  const std::size_t coordinates = law.map.rows() > 0 ? law.map.rows() : variables;
  for (std::size_t p = 0; p < law.parts.size(); ++p)
    check_part(law.parts[p], coordinates, variables, "part " + std::to_string(p + 1) + " of the law of " + place);
}

void check_windows(const ClosedForm& form, std::size_t inputs, std::size_t variables, const std::string& place) {
  const Windows& windows = form.windows;
  const std::size_t count = windows.count();
  if (windows.low.rows() != count || windows.high.rows() != count || windows.scale.rows() != count ||
      windows.low.cols() != inputs || windows.high.cols() != inputs || windows.scale.cols() != variables)
    fail(place + " has windows whose corners or scales are not " + std::to_string(count) + " of " +
         std::to_string(inputs) + " inputs and " + std::to_string(variables) + " variables");
  std::size_t left = form.centres.rows();
  for (const std::size_t rows : windows.rows) {
    if (rows == 0 || rows > left) fail(place + " has windows whose centres are not those it has");
    left -= rows;
  }
  if (left > 0) fail(place + " has centres that belong to no window");
  for (std::size_t i = 0; i < windows.low.size(); ++i)
    if (!std::isfinite(windows.low.data()[i]) || !std::isfinite(windows.high.data()[i]) ||
        !(windows.low.data()[i] < windows.high.data()[i]))
      fail(place + " has a window without extent");
  for (std::size_t i = 0; i < windows.scale.size(); ++i)
    if (!std::isfinite(windows.scale.data()[i]) || windows.scale.data()[i] < 0.0)
      fail(place + " has a window whose scale is not finite or is negative");
}

void check_closed_form(const Branch& branch, std::size_t inputs, std::size_t outputs, const std::string& place) {
  const std::size_t variables = variables_of(branch.kind, inputs, outputs);
  const ClosedForm& form = *branch.closed_form;
  if (branch.kind == BranchKind::state) fail(place + " is of the state alone, which a closed form cannot be");
  if (!branch.frequencies.empty() || !branch.amplitudes.empty() || !branch.lattice.empty())
    fail(place + " has frequencies beside its closed form");
  if (!branch.trend.empty()) fail(place + " has a trend beside its closed form");
  if (form.centres.cols() != variables)
    fail(place + " has centres of " + std::to_string(form.centres.cols()) + " variables, not " +
         std::to_string(variables));
  if (form.coefficients.rows() != form.centres.rows() || form.coefficients.cols() != outputs)
    fail(place + " has " + std::to_string(form.coefficients.rows()) + " × " + std::to_string(form.coefficients.cols()) +
         " coefficients for " + std::to_string(form.centres.rows()) + " centres and " + std::to_string(outputs) +
         " outputs");
  if (!all_finite(form.centres.data(), form.centres.size())) fail(place + " has a centre that is not finite");
  if (!all_finite(form.coefficients.data(), form.coefficients.size()))
    fail(place + " has a coefficient that is not finite");
  check_law(form.law, variables, place);
  if (!form.windows.empty()) check_windows(form, inputs, variables, place);
}

void check_trend(const Branch& branch, std::size_t variables, std::size_t outputs, const std::string& place) {
  if (branch.trend.empty()) return;
  if ((branch.trend.rows() - 1) % std::max<std::size_t>(variables, 1) != 0 || branch.trend.cols() != outputs)
    fail(place + " has a trend of " + std::to_string(branch.trend.rows()) + " × " +
         std::to_string(branch.trend.cols()) + " numbers for " + std::to_string(variables) + " variables and " +
         std::to_string(outputs) + " outputs");
  if (!all_finite(branch.trend.data(), branch.trend.size())) fail(place + " has a trend that is not finite");
}

void check_branch(const Branch& branch, std::size_t inputs, std::size_t outputs, const std::string& place) {
  const std::size_t variables = variables_of(branch.kind, inputs, outputs);
  if (branch.closed_form) return check_closed_form(branch, inputs, outputs, place);
  if (branch.frequencies.cols() != variables)
    fail(place + " has frequencies of " + std::to_string(branch.frequencies.cols()) + " variables, not " +
         std::to_string(variables));
  if (branch.amplitudes.rows() % 2 != 0 || branch.amplitudes.rows() / 2 != branch.frequencies.rows() ||
      branch.amplitudes.cols() != outputs)
    fail(place + " has " + std::to_string(branch.amplitudes.rows()) + " × " + std::to_string(branch.amplitudes.cols()) +
         " amplitudes for " + std::to_string(branch.frequencies.rows()) + " features and " + std::to_string(outputs) +
         " outputs");
  if (!all_finite(branch.frequencies.data(), branch.frequencies.size()))
    fail(place + " has a frequency that is not finite");
  if (!all_finite(branch.amplitudes.data(), branch.amplitudes.size()))
    fail(place + " has an amplitude that is not finite");
  check_lattice(branch, place);
  check_trend(branch, variables, outputs, place);
}

/// A closed form is a sum of its own, so that there may be several, after the branches of features.
void check_block(const Block& block, std::size_t inputs, std::size_t outputs, const std::string& name) {
  const auto& branches = block.branches;
  if (branches.empty()) fail(name + " has no branches");
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const Branch& branch = branches[b];
    if (b > 0 && !branch.closed_form && (branches[b - 1].closed_form || branch.kind <= branches[b - 1].kind))
      fail(name + " has its branches not in the order input, state, joint, each at most once, closed forms last");
    check_branch(branch, inputs, outputs,
                 "the " + std::string(branch.closed_form ? "closed-form " : "") + std::string(name_of(branch.kind)) +
                     " branch of " + name);
  }
}

/// Does the model have the closed form that its uncertainty refers to, over the inputs?
bool is_place(const Model& model, const Uncertainty::Place& place) {
  if (place.member >= model.members.size()) return false;
  const auto& blocks = model.members[place.member].blocks;
  if (place.block >= blocks.size() || place.branch >= blocks[place.block].branches.size()) return false;
  const Branch& branch = blocks[place.block].branches[place.branch];
  return branch.closed_form && branch.kind == BranchKind::input;
}

void check_uncertainty(const Model& model, std::size_t inputs) {
  if (!model.uncertainty) return;
  const Uncertainty& known = *model.uncertainty;
  const std::size_t outputs = model.targets.size();
  const std::string name = "its uncertainty";
  if (known.place && (known.reference || !is_place(model, *known.place)))
    fail(name + " refers to a closed form that the model does not have");
  if (known.reference)
    check_closed_form({.kind = BranchKind::input, .closed_form = known.reference}, inputs, outputs, name);
  if (known.shape) {
    if (!known.shape->windows.empty()) fail(name + " has a shape with windows");
    check_closed_form({.kind = BranchKind::joint, .closed_form = known.shape}, inputs, outputs, name);
  }
  if (!all_sizes({known.noise})) fail(name + " has a noise that is not finite or is negative");
  if (known.reach && !all_sizes({*known.reach})) fail(name + " has a reach that is not finite or is negative");
  if (known.far && !(all_sizes({*known.far}) && *known.far > 0.0))
    fail(name + " has a variance far from the rows that is not finite and positive");
  for (const auto* numbers : {&known.gain, &known.spread, &known.floor})
    if (numbers->size() != outputs || !all_sizes(*numbers))
      fail(name + " has not a number for each output, finite and not negative");
  if (known.scores.rows() == 0 || known.scores.cols() != outputs) fail(name + " has no scores for each output");
  if (!all_finite(known.scores.data(), known.scores.size())) fail(name + " has a score that is not finite");
  if (!known.judged.empty() && known.judged.cols() != 2 * outputs)
    fail(name + " has rows judged without a width and an error for each output");
  if (!all_finite(known.judged.data(), known.judged.size())) fail(name + " has a width or an error that is not finite");
  for (std::size_t k = 1; k < known.scores.rows(); ++k)
    for (std::size_t o = 0; o < outputs; ++o)
      if (known.scores(k, o) < known.scores(k - 1, o)) fail(name + " has scores that do not ascend");
}

/// Among the inputs, and among the targets: a later table is matched by these names. An array may well be named like
/// one of the columns beside it, so that the two lists are not compared.
void check_names(const std::vector<Column>& columns, const std::string& what) {
  std::set<std::string_view> names;
  for (const Column& column : columns)
    if (!names.insert(column.name).second) fail("two " + what + " are named \"" + column.name + "\"");
}

/// The inputs and targets are those that the columns make.
void check_table(const Model& model) {
  if (model.table.empty()) return;
  check(model.table);
  const std::vector<std::string> names = input_names(model.table);
  if (names.size() != model.inputs.size() || model.table.targets.size() != model.targets.size())
    fail("its columns make " + std::to_string(names.size()) + " inputs and " +
         std::to_string(model.table.targets.size()) + " targets, not " + std::to_string(model.inputs.size()) + " and " +
         std::to_string(model.targets.size()));
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] != model.inputs[k].name)
      fail("its columns make an input \"" + names[k] + "\" in the place of \"" + model.inputs[k].name + "\"");
  for (std::size_t k = 0; k < model.targets.size(); ++k)
    if (model.table.targets[k].name != model.targets[k].name) fail("its targets are not those of its table");
  for (const auto* columns : {&model.table.inputs, &model.table.targets})
    for (const ColumnCode& column : *columns)
      if (model.table_columns > 0 && column.position >= model.table_columns)
        fail("column " + std::to_string(column.position + 1) + " is beyond the " + std::to_string(model.table_columns) +
             " of the training table");
}

}  // namespace

std::vector<Column> columns_of_frequencies(const Model& model) {
  std::vector<Column> columns;
  for (const Column& input : model.inputs) {
    if (!input.used) continue;
    const Standardised scale = model.scaler.input(columns.size());
    Column& column = columns.emplace_back(input);
    if (!(scale.log_from > 0.0)) continue;
    column.name = "log(" + input.name + ")";
    column.mean = scale.mean;
    column.sd = scale.sd;
    column.min = std::log(std::max(input.min, scale.log_from));
    column.max = std::log(std::max(input.max, scale.log_from));
  }
  return columns;
}

TableCode columns_of_table(const Model& model) {
  TableCode code = model.table;
  if (!code.empty()) return code;
  for (const Column& input : model.inputs)
    code.inputs.push_back({.name = input.name, .position = input.position, .fill = {input.mean}});
  for (const Column& target : model.targets) code.targets.push_back({.name = target.name, .position = target.position});
  return code;
}

bool is_needed(const Model& model, std::size_t input) {
  if (model.inputs[input].used) return true;
  const auto& [base, places, factor] = model.base;
  for (std::size_t k = 0; k < places.size(); ++k)
    if (places[k] == input && (base == nullptr || is_needed(*base, k))) return true;
  return false;
}

bool is_kept(const Model& model, const BlockRecord& record) {
  return record.member >= 0 && static_cast<std::uint64_t>(record.member) < model.members.size() && record.block >= 1 &&
         static_cast<std::uint64_t>(record.block) <=
             model.members[static_cast<std::size_t>(record.member)].blocks.size();
}

namespace {

template <class Holds>
bool any_branch(const Model& model, const Holds& holds) {
  for (const Network& member : model.members)
    for (const Block& block : member.blocks)
      if (std::any_of(block.branches.begin(), block.branches.end(), holds)) return true;
  return false;
}

}  // namespace

const ClosedForm* reference_form(const Model& model) {
  if (!model.uncertainty) return nullptr;
  const Uncertainty& known = *model.uncertainty;
  if (!known.place) return known.reference ? &*known.reference : nullptr;
  return &*model.members[known.place->member].blocks[known.place->block].branches[known.place->branch].closed_form;
}

bool holds_rows(const Model& model) {
  if (model.base.model && holds_rows(*model.base.model)) return true;
  return any_branch(model, [](const Branch& branch) { return branch.closed_form.has_value(); });
}

bool has_windows(const Model& model) {
  return any_branch(model, [](const Branch& branch) {
    return branch.closed_form &&
           (!branch.closed_form->windows.empty() ||
            std::any_of(branch.closed_form->law.parts.begin(), branch.closed_form->law.parts.end(),
                        [](const FrequencyLaw::Part& part) { return part.radial; }));
  });
}

bool has_trend(const Model& model) {
  return any_branch(model, [](const Branch& branch) { return !branch.trend.empty(); });
}

ModelErrors final_errors(const Model& model) {
  const History& history = model.history;
  ModelErrors errors{history.final_train_mse, history.final_validation_mse, history.final_validation_se, history.judge};
  if (errors.train || errors.validation) return errors;
  if (model.blocks() == 0) return {history.empty_train_mse, history.empty_validation_mse};
  if (model.members.size() > 1) return errors;  // that of an average is not known from those of its parts
  for (const BlockRecord& record : history.blocks)
    if (record.block == static_cast<std::int64_t>(model.blocks())) {
      errors.train = record.train_mse;
      errors.validation = record.validation_mse;
    }
  return errors;
}

bool cut_short(const Model& model) {
  return model.stop_reason == StopReason::interrupted || model.stop_reason == StopReason::out_of_time;
}

void without_origin(Model& model) {
  for (const char* name : {"host", "system", "folder", "command", "data", "validation"}) model.facts.erase(name);
  if (!model.base.model) return;
  Model base = *model.base.model;
  without_origin(base);
  model.base.model = std::make_shared<const Model>(std::move(base));
}

namespace {

/// The base can be computed from the inputs. One that is itself made on a base is as deep as models are nested.
void check_base(const Model& model) {
  const Base& base = model.base;
  if (base.empty()) {
    if (base.model || !base.inputs.empty()) fail("it has a base without factors");
    return;
  }
  if (base.factor.size() != model.targets.size() || !all_finite(base.factor.data(), base.factor.size()))
    fail("its base has not one finite factor per output");
  const std::size_t wanted = base.model ? base.model->inputs.size() : model.targets.size();
  if (base.inputs.size() != wanted)
    fail("its base is of " + std::to_string(base.inputs.size()) + " inputs, not of " + std::to_string(wanted));
  for (const std::size_t input : base.inputs)
    if (input >= model.inputs.size()) fail("its base has an input that it has not");
  if (!base.model) return;
  check(*base.model);
  if (base.model->targets.size() != model.targets.size()) fail("its base has not as many outputs as it has");
}

}  // namespace

void check(const Model& model) {
  if (model.targets.empty()) fail("it has no targets");
  if (model.members.empty()) fail("it has no members");
  const auto used = static_cast<std::size_t>(
      std::count_if(model.inputs.begin(), model.inputs.end(), [](const Column& column) { return column.used; }));
  check_scale(model.scaler.input_mean, model.scaler.input_sd, used, "inputs used");
  check_logarithms(model.scaler.input_log_from, used);
  if (model.named_columns) {
    check_names(model.inputs, "inputs");
    check_names(model.targets, "targets");
  }
  check_scale(model.scaler.output_mean, model.scaler.output_sd, model.targets.size(), "outputs");
  check_table(model);
  check_base(model);
  if (model.table_columns > 0)
    for (const auto* columns : {&model.inputs, &model.targets})
      for (const Column& column : *columns)
        if (column.position >= model.table_columns)
          fail("column " + std::to_string(column.position + 1) + " is beyond the " +
               std::to_string(model.table_columns) + " of the training table");

  for (std::size_t e = 0; e < model.members.size(); ++e) {
    const auto& blocks = model.members[e].blocks;
    for (std::size_t l = 0; l < blocks.size(); ++l)
      check_block(blocks[l], used, model.targets.size(),
                  "block " + std::to_string(l + 1) + " of member " + std::to_string(e));
  }
  if (const auto wrong = what_is_wrong(model.draws, model.members.front())) fail(*wrong);
  if (!model.draws.empty() && model.members.size() > 1) fail("it has draws of one network, and several members");
  check_uncertainty(model, used);
}

}  // namespace rfnn
