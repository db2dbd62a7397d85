#pragma once

// Random models of every kind, for what goes through all of them.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rfnn/model/model.hpp"
#include "rows/naive.hpp"

namespace rfnn::testing {

struct NamedModel {
  std::string name;
  Model model;
  double step = 1e-3;  ///< of differences, in standard deviations: short against its waves
};

/// Inputs of which the second is not used and the third may be seen as its logarithm, two outputs; no blocks yet.
inline Model empty_model(std::size_t members, bool logarithm) {
  Model model;
  model.inputs = {{"a", 0, 0.0, 1.0, -3.0, 3.0, true},
                  {"b", 1, 5.0, 0.0, 5.0, 5.0, false},
                  {"c", 2, 3.0, 2.0, 0.5, 9.0, true},
                  {"d", 3, -1.0, 0.5, -3.0, 1.0, true}};
  model.targets = {{"y1", 4, 0.75, 3.0, -5.0, 5.0, true}, {"y2", 5, -2.0, 1.0, -4.0, 0.0, true}};
  model.scaler = {{0.1, 3.0, -1.0}, {1.5, 2.0, 0.5}, {10.0, -20.0}, {3.0, 0.25}};
  if (logarithm) model.scaler.input_log_from = {0.0, 0.5, 0.0};
  model.members.resize(members);
  return model;
}

/// Parts of all orders, plain and radial, without a map.
inline Branch random_radial_form(BranchKind kind, std::size_t centres, std::uint64_t seed) {
  Branch branch = random_closed_form(kind, centres, 3, 2, seed);
  FrequencyLaw& law = branch.closed_form->law;
  law.map = {};
  const std::size_t variables = branch.closed_form->centres.cols();
  for (FrequencyLaw::Part& part : law.parts) {
    part.smooth.assign(variables, 0.4);
    part.centre.clear();
  }
  for (int order = 0; order < 3; ++order) {
    FrequencyLaw::Part radial = law.parts[static_cast<std::size_t>(order)];
    radial.smooth.assign(variables, 0.0);
    radial.radial = true;
    law.parts.push_back(radial);
  }
  return branch;
}

/// Three windows over the inputs that overlap and do not cover everything alike.
inline Branch random_windows(BranchKind kind, bool radial, std::uint64_t seed) {
  Branch branch = radial ? random_radial_form(kind, 60, seed) : random_closed_form(kind, 60, 3, 2, seed);
  ClosedForm& form = *branch.closed_form;
  for (FrequencyLaw::Part& part : form.law.parts) part.centre.clear();
  Windows& windows = form.windows;
  windows.low = normal_matrix(3, 3, seed + 5, 0.1);
  windows.high = normal_matrix(3, 3, seed + 6, 0.1);
  windows.scale = uniform_matrix(3, form.centres.cols(), seed + 7, 0.5, 2.0);
  windows.rows = {20, 15, 25};
  for (std::size_t w = 0; w < 3; ++w)
    for (std::size_t k = 0; k < 3; ++k) {
      windows.low(w, k) -= 5.0 - static_cast<double>(w);
      windows.high(w, k) += 4.0 + static_cast<double>(w);
    }
  return branch;
}

inline Branch random_lattice(std::size_t variables, std::uint64_t seed) {
  const std::size_t features = variables == 1 ? 60 : 80;
  Branch lattice{BranchKind::input, Matrix(features, variables), normal_matrix(2 * features, 2, seed, 0.1), {}};
  lattice.lattice = variables == 1 ? std::vector<double>{0.37} : std::vector<double>{0.3, 0.45};
  for (std::size_t j = 0; j < features; ++j) {
    lattice.frequencies(j, 0) = lattice.lattice[0] * static_cast<double>(j % (variables == 1 ? 60 : 10));
    if (variables == 2) lattice.frequencies(j, 1) = lattice.lattice[1] * (static_cast<double>(j / 10) - 4.0);  // NOLINT
  }
  return lattice;
}

/// Of one or two inputs, for lattices and series.
inline Model narrow_model(std::size_t inputs) {
  Model model;
  model.scaler.output_mean = {0.5, 1.0};
  model.scaler.output_sd = {2.0, 0.1};
  model.targets = {{"y", 2, 0.5, 2.0, -5.0, 5.0, true}, {"z", 3, 1.0, 0.1, 0.5, 1.5, true}};
  for (std::size_t k = 0; k < inputs; ++k) {
    model.inputs.push_back({"x" + std::to_string(k), k, 1.0, 2.0, -4.0, 5.0, true});
    model.scaler.input_mean.push_back(1.0);
    model.scaler.input_sd.push_back(2.0);
  }
  return model;
}

inline Branch random_series(std::uint64_t seed) {
  Branch branch = random_closed_form(BranchKind::input, 120, 1, 2, seed);
  FrequencyLaw& law = branch.closed_form->law;
  law.map = {};
  for (FrequencyLaw::Part& part : law.parts) {
    part.smooth = {0.0};
    part.rough[0] += 0.5;
  }
  law.parts[1].centre = {3.0};
  return branch;
}

inline std::vector<NamedModel> models_of_every_kind(std::uint64_t seed) {
  std::vector<NamedModel> models;
  const auto blocks_of = [](Model model, std::vector<std::vector<Branch>> lists) {
    for (auto& branches : lists) model.members[0].blocks.push_back({std::move(branches)});
    return model;
  };
  const auto input = [&](std::size_t features, std::uint64_t at) {
    return random_branch(BranchKind::input, features, 3, 2, seed + at, 1.0);
  };
  Model sampled =
      blocks_of(empty_model(2, true), {{input(5, 1)},
                                       {input(5, 3), random_branch(BranchKind::state, 3, 3, 2, seed + 5, 1.0)},
                                       {random_branch(BranchKind::joint, 20, 3, 2, seed + 7, 1.0)}});
  sampled.members[1].blocks = {{{input(11, 9)}}};
  models.push_back({"sampled", std::move(sampled)});
  Branch wide = input(300, 20), trend = input(4, 22);
  trend.trend = normal_matrix(1 + 2 * 3, 2, seed + 24, 0.3);
  models.push_back({"wide, trend", blocks_of(empty_model(1, false), {{wide}, {trend}})});
  models.push_back({"closed", blocks_of(empty_model(1, true),
                                        {{random_closed_form(BranchKind::input, 150, 3, 2, seed + 30)},
                                         {input(3, 50), random_closed_form(BranchKind::joint, 33, 3, 2, seed + 40)}})});
  models.push_back(
      {"radial", blocks_of(empty_model(1, true), {{random_radial_form(BranchKind::input, 150, seed + 60)},
                                                  {random_radial_form(BranchKind::joint, 20, seed + 70)}})});
  models.push_back(
      {"windows", blocks_of(empty_model(1, false), {{random_windows(BranchKind::input, true, seed + 80)},
                                                    {random_windows(BranchKind::joint, false, seed + 90)}})});
  for (const std::size_t inputs : {std::size_t{1}, std::size_t{2}}) {
    Model model = narrow_model(inputs);
    model.members = {{{{{random_lattice(inputs, seed + 100)}},
                       {{random_branch(BranchKind::joint, 7, inputs, 2, seed + 102, 1.0)}}}}};
    models.push_back({"lattice", std::move(model)});
  }
  Model series = narrow_model(1);
  series.members = {{{{{random_series(seed + 110)}}, {{random_branch(BranchKind::state, 5, 1, 2, seed + 120, 1.0)}}}}};
  models.push_back({"series", std::move(series)});
  Model on_column = blocks_of(empty_model(1, true), {{input(5, 200)}}), on_model = on_column, base = narrow_model(2);
  on_column.base = {nullptr, {3, 0}, {0.8, -1.5}};
  models.push_back({"base, columns", std::move(on_column)});
  base.members = {{{{{random_branch(BranchKind::input, 9, 2, 2, seed + 202, 1.0)}}}}};
  on_model.base = {std::make_shared<const Model>(std::move(base)), {3, 0}, {0.8, -1.5}};
  models.push_back({"base, a model", std::move(on_model)});
  return models;
}

}  // namespace rfnn::testing
