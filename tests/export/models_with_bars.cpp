// Models that know how far off they may be, in every way there is.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "export/random_models.hpp"
#include "rfnn/core/random.hpp"
#include "rows/naive.hpp"

namespace rfnn::testing {
namespace {

/// One of the random models.
Model named(const std::string& name) {
  const std::vector<NamedModel> models = random_models();
  return std::find_if(models.begin(), models.end(), [&](const NamedModel& of) { return of.name == name; })->model;
}

/// Gains on both sides of 1, so many scores, and where the variance comes from if it is of a block.
Uncertainty bars_of(const Model& model, std::size_t scores, std::optional<Uncertainty::Place> place = {}) {
  Uncertainty bars;
  bars.place = place;
  bars.noise = 0.05;
  bars.scores = normal_matrix(scores, model.outputs(), 901);
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    const auto output = static_cast<double>(o);
    bars.gain.push_back(0.3 + output);
    bars.spread.push_back(0.0);
    bars.floor.push_back(0.01 * output);
    std::vector<double> column;
    for (std::size_t k = 0; k < scores; ++k) column.push_back(bars.scores(k, o));
    std::sort(column.begin(), column.end());
    for (std::size_t k = 0; k < scores; ++k) bars.scores(k, o) = column[k];
  }
  bars.rows = scores;
  return bars;
}

/// A shape over inputs and predictions.
ClosedForm shape_of(const Model& model, std::uint64_t seed) {
  return *random_closed_form(BranchKind::joint, 30, model.used_inputs(), model.outputs(), seed).closed_form;
}

/// Given all of the centres of the first block.
Model given_all() {
  Model model = named("closed_forms");
  model.uncertainty = bars_of(model, 30, Uncertainty::Place{0, 0, 0});
  model.uncertainty->noise = 1e-3;
  return model;
}

/// One input, a grid with more centres than are looked at: on and between them neighbours are equally far.
Model given_nearest() {
  Model model = named("series");
  for (std::size_t block = 0; block < 2; ++block) {
    ClosedForm& form = *model.members[0].blocks[block].branches[0].closed_form;
    form.centres = Matrix(1100, 1);
    for (std::size_t i = 0; i < form.centres.rows(); ++i) form.centres(i, 0) = 0.003 * static_cast<double>(i) - 1.65;
    form.coefficients = normal_matrix(1100, 2, 911 + block, 1e-3);
    for (FrequencyLaw::Part& part : form.law.parts) part.rough[0] *= 3.0;
  }
  model.uncertainty = bars_of(model, 200, Uncertainty::Place{0, 0, 0});
  model.uncertainty->noise = 0.01;
  return model;
}

/// Windows with more centres than are looked at.
Model of_windows() {
  Model model = named("windows");
  Branch& branch = model.members[0].blocks[0].branches[0];
  const Windows windows = branch.closed_form->windows;
  branch = random_closed_form(BranchKind::input, 240, 2, 2, 921);
  branch.closed_form->windows = windows;
  branch.closed_form->windows.rows = {180, 60};
  model.uncertainty = bars_of(model, 1000, Uncertainty::Place{0, 0, 0});
  return model;
}

/// A law of its own with a reach, members that disagree, and a shape; inputs that are logarithms or not used.
Model by_companion() {
  Model model = named("waves");
  model.uncertainty = bars_of(model, 61);
  Uncertainty& bars = *model.uncertainty;
  bars.reference = random_closed_form(BranchKind::input, 25, 2, 2, 931).closed_form;
  bars.reference->coefficients = Matrix(25, 2);
  bars.reach = 0.2;
  bars.spread = {0.7, 0.0};
  bars.shape = shape_of(model, 932);
  return model;
}

/// Networks drawn from chains, and hardly any scores.
Model by_draws() {
  Model model = named("lattice");
  const auto network = [](std::uint64_t seed) {
    return Network{
        {{{random_branch(BranchKind::input, 5, 2, 2, seed)}},
         {{random_branch(BranchKind::input, 5, 2, 2, seed + 1), random_branch(BranchKind::state, 3, 2, 2, seed + 2)}}}};
  };
  model.members = {network(941)};
  for (std::uint64_t k = 0; k < 12; ++k) model.draws.networks.push_back(network(950 + 10 * k));
  model.draws.loss = Matrix(12, 2, 0.5);
  model.uncertainty = bars_of(model, 3);
  model.uncertainty->spread = {1.0, 0.5};
  return model;
}

/// On a base, of which the shape knows nothing; and columns of all kinds, with noise alone.
Model shaped_on_bases() {
  Model model = named("on_bases");
  model.uncertainty = bars_of(model, 45);
  model.uncertainty->reference = random_closed_form(BranchKind::input, 15, 2, 2, 961).closed_form;
  model.uncertainty->shape = shape_of(model, 962);
  return model;
}
Model noise_alone() {
  Model model = named("table");
  model.uncertainty = bars_of(model, 2);
  model.uncertainty->floor = {0.04};
  return model;
}

}  // namespace

std::vector<NamedModel> models_with_bars() {
  return {{"given_all", given_all()},       {"given_nearest", given_nearest()}, {"of_windows", of_windows()},
          {"by_companion", by_companion()}, {"by_draws", by_draws()},           {"shaped_on_bases", shaped_on_bases()},
          {"noise_alone", noise_alone()}};
}

}  // namespace rfnn::testing
