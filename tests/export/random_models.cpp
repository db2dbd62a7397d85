#include "export/random_models.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "rfnn/export/export.hpp"
#include "rows/naive.hpp"

namespace rfnn::testing {
namespace {

/// Inputs from −1 to 3, none of them logarithmic; two outputs.
Model model_of(std::size_t inputs, std::size_t outputs) {
  Model model;
  for (std::size_t k = 0; k < inputs; ++k) {
    model.inputs.push_back({"x" + std::to_string(k), k, 1.0, 1.25, -1.0, 3.0, true});
    model.scaler.input_mean.push_back(1.0 + 0.1 * static_cast<double>(k));
    model.scaler.input_sd.push_back(1.25);
  }
  for (std::size_t o = 0; o < outputs; ++o) {
    model.targets.push_back({"y" + std::to_string(o), inputs + o, 2.0, 1.5, -2.0, 6.0, true});
    model.scaler.output_mean.push_back(2.0);
    model.scaler.output_sd.push_back(1.5 + static_cast<double>(o));
  }
  model.table_columns = inputs + outputs;
  model.members.resize(1);
  return model;
}

/// Branches of all kinds, two members, one input that is a logarithm and one that is not used.
Model waves() {
  Model model = model_of(3, 2);
  model.inputs[1].used = false;
  model.inputs[2].min = 0.25;
  model.scaler.input_mean.pop_back();
  model.scaler.input_sd.pop_back();
  model.scaler.input_log_from = {0.0, 0.5};
  const auto branch = [](BranchKind kind, std::size_t features, std::uint64_t seed) {
    return random_branch(kind, features, 2, 2, seed);
  };
  model.members.resize(3);  // the last has no blocks: it is the mean
  model.members[0].blocks = {{{branch(BranchKind::input, 5, 1)}},
                             {{branch(BranchKind::input, 9, 2), branch(BranchKind::state, 3, 3)}},
                             {{branch(BranchKind::state, 2, 4), branch(BranchKind::joint, 11, 5)}}};
  model.members[1].blocks = {{{branch(BranchKind::joint, 70, 6)}}};
  Branch& last = model.members[1].blocks[0].branches[0];
  last.trend = normal_matrix(1 + 2 * 4, 2, 7, 0.1);
  return model;
}

/// Frequencies far out: phases that are left to the standard library.
Model fast_waves() {
  Model model = model_of(1, 1);
  model.members[0].blocks = {{{random_branch(BranchKind::input, 4, 1, 1, 11, 1e3)}},
                             {{random_branch(BranchKind::input, 3, 1, 1, 12, 1e7)}}};
  return model;
}

Model lattice() {
  Model model = model_of(2, 2);
  Branch branch = random_branch(BranchKind::input, 60, 2, 2, 21);
  branch.lattice = {0.3, 0.7};
  for (std::size_t j = 0; j < 60; ++j) {
    branch.frequencies(j, 0) = 0.3 * static_cast<double>(j % 8);
    branch.frequencies(j, 1) = 0.7 * (static_cast<double>(j / 8) - 3.0);
  }
  model.members[0].blocks = {{{branch}}};
  return model;
}

/// Of inputs and of both, over maps, with parts of all orders; and features beside them.
Model closed_forms() {
  Model model = model_of(3, 2);
  model.members[0].blocks = {
      {{random_closed_form(BranchKind::input, 40, 3, 2, 31)}},
      {{random_branch(BranchKind::state, 4, 3, 2, 32), random_closed_form(BranchKind::joint, 30, 3, 2, 33),
        random_closed_form(BranchKind::input, 20, 3, 2, 34)}}};
  return model;
}

/// Radial parts of all orders beside one that is not, without a map.
Model radial() {
  Model model = model_of(3, 1);
  Branch branch = random_closed_form(BranchKind::input, 50, 3, 1, 41);
  FrequencyLaw& law = branch.closed_form->law;
  law.map = {};
  for (FrequencyLaw::Part& part : law.parts) {
    part.smooth.assign(3, 0.0);
    part.centre.clear();
    part.radial = true;
  }
  law.parts.push_back({0.7, {0.5, 0.0, 1.0}, {0.1, 0.2, 0.0}, 0, {}, false});
  model.members[0].blocks = {{{branch}}};
  return model;
}

/// Two overlapping windows of inputs, and the same of inputs and state.
Model windows() {
  Model model = model_of(2, 2);
  for (const BranchKind kind : {BranchKind::input, BranchKind::joint}) {
    Branch branch = random_closed_form(kind, 60, 2, 2, 51);
    ClosedForm& form = *branch.closed_form;
    const std::size_t variables = form.centres.cols();
    form.windows.rows = {25, 35};
    form.windows.low = Matrix(2, 2, -4.5);
    form.windows.high = Matrix(2, 2, 4.5);
    form.windows.low(1, 0) = -0.5;
    form.windows.high(0, 0) = 0.75;
    form.windows.scale = uniform_matrix(2, variables, 52, 0.5, 2.0);
    model.members[0].blocks.push_back({{branch}});
  }
  return model;
}

/// One input: what is summed by states, and what is not, for a smooth factor.
Model series() {
  Model model = model_of(1, 2);
  Branch markov = random_closed_form(BranchKind::input, 40, 1, 2, 61);
  FrequencyLaw& law = markov.closed_form->law;
  law.map = {};
  for (FrequencyLaw::Part& part : law.parts) {
    part.smooth.assign(1, 0.0);
    part.rough[0] += 0.3;
  }
  Branch other = markov;
  other.closed_form->law.parts[0].smooth[0] = 0.4;
  model.members[0].blocks = {{{markov}}, {{other}}};
  return model;
}

/// Columns of all kinds, some of whose cells were missing.
Model table() {
  Model model = model_of(8, 1);
  const std::vector<std::string> names = {"depth",      "depth is missing",  "when", "colour=blue", "colour=green",
                                          "colour=red", "colour is missing", "wet"};
  for (std::size_t k = 0; k < names.size(); ++k) model.inputs[k].name = names[k];
  model.inputs[7].min = 0.0;
  model.inputs[7].max = 1.0;
  model.options.missing = Missing::mean;
  const TimeScale days{.form = TimeForm::date_time, .zoned = true, .origin = 19844};
  model.table.inputs = {{.name = "depth", .position = 0, .unit = "m", .fill = {0.75}, .indicator = true, .missing = 5},
                        {.name = "when", .position = 1, .kind = ColumnKind::time, .time = days, .fill = {1.5}},
                        {.name = "colour",
                         .position = 2,
                         .kind = ColumnKind::category,
                         .levels = {"blue", "green", "red"},
                         .fill = {0.5, 0.25, 0.25},
                         .indicator = true,
                         .missing = 3},
                        {.name = "wet", .position = 3, .kind = ColumnKind::boolean, .fill = {0.5}}};
  model.table.targets = {{.name = "y0", .position = 8}};
  model.members[0].blocks = {{{random_branch(BranchKind::input, 12, 8, 1, 71, 0.5)}}};
  return model;
}

/// On a model of two of its inputs, one of which it does not see itself, which is on two columns.
Model on_bases() {
  Model low = model_of(2, 2);
  low.inputs[1].used = false;
  low.scaler.input_mean.pop_back();
  low.scaler.input_sd.pop_back();
  low.members.resize(2);
  low.members[0].blocks = {{{random_branch(BranchKind::joint, 5, 1, 2, 81)}}};
  low.base = {.inputs = {1, 0}, .factor = {0.5, -2.0}};
  Model model = model_of(3, 2);
  model.inputs[2].used = false;
  model.scaler.input_mean.pop_back();
  model.scaler.input_sd.pop_back();
  model.members[0].blocks = {{{random_branch(BranchKind::input, 6, 2, 2, 82)}}};
  model.base = {std::make_shared<const Model>(std::move(low)), {2, 0}, {1.5, 0.75}};
  return model;
}

Model empty() {
  Model model = model_of(2, 1);
  model.inputs[0].used = model.inputs[1].used = false;
  model.scaler.input_mean.clear();
  model.scaler.input_sd.clear();
  return model;
}

}  // namespace

std::vector<NamedModel> random_models() {
  return {{"waves", waves()},          {"fast_waves", fast_waves(), false},
          {"lattice", lattice()},      {"closed_forms", closed_forms(), false},
          {"radial", radial(), false}, {"windows", windows(), false},
          {"series", series(), false}, {"table", table()},
          {"on_bases", on_bases()},    {"empty", empty()}};
}

Matrix sample_rows_of(const Model& model) {
  Matrix rows = export_sample_rows(model, 150);
  const bool table = !model.table.empty();
  for (std::size_t k = 0; k < rows.cols(); ++k) {
    rows(k, k) = std::numeric_limits<double>::quiet_NaN();
    if (!table) rows(20 + k, k) = 40.0;
    // A fast transform, which is how predict() sums a lattice, is exact near the data only.
    if (!table && model.members[0].blocks.size() > 0 && model.members[0].blocks[0].branches[0].lattice.empty())
      rows(30 + k, k) = -300.0;
  }
  if (table) rows(40, 2) = 17.0;  // a level there is not
  return rows;
}

}  // namespace rfnn::testing
