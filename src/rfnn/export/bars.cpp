#include "rfnn/export/bars.hpp"

#include <utility>

#include <fmt/format.h>

#include "rfnn/uncertainty/likely_cells.hpp"
#include "rfnn/uncertainty/missing.hpp"
#include "rfnn/uncertainty/posterior.hpp"
#include "rfnn/uncertainty/scores.hpp"
#include "rfnn/uncertainty/tuning.hpp"

namespace rfnn::exporting {
namespace {

/// Networks drawn from chains may be many: tables of more numbers make a file that compilers take a minute for.
constexpr std::size_t most_drawn_numbers = 1000000;

std::size_t numbers_drawn(const Model& model) {
  std::size_t numbers = 0;
  for (const Network& network : model.draws.networks)
    for (const Block& block : network.blocks)
      for (const Branch& branch : block.branches) numbers += branch.frequencies.size() + branch.amplitudes.size();
  return numbers;
}

PlanBar bar_of(const Model& model, std::size_t output) {
  const Uncertainty& known = *model.uncertainty;
  const Column& target = model.targets[output];
  std::vector<double> scores;
  for (std::size_t k = 0; k < known.scores.rows(); ++k) scores.push_back(known.scores(k, output));
  const uncertainty::ScoreDistribution distribution(scores);
  return {known.gain[output],
          known.spread[output],
          known.floor[output],
          model.scaler.output_sd[output],
          target.mean,
          target.sd > 0.0 ? 1.0 / target.sd : 0.0,
          distribution.median(),
          distribution.deviation(),
          distribution.lower_index(),
          distribution.upper_index(),
          std::move(scores)};
}

void add_posterior(PlanBars& bars, const ClosedForm& form, double noise) {
  const uncertainty::Posterior posterior(form, noise);
  bars.prior = posterior.prior();
  bars.noise = noise;
  for (const std::size_t centre : posterior.given()) bars.given.push_back(static_cast<int>(centre));
  if (bars.given.empty() && form.windows.empty()) return;  // v is k(0)
  bars.reference = &form;
  bars.nearest = posterior.nearest();
  const auto size = static_cast<Eigen::Index>(bars.given.size());
  for (Eigen::Index j = 0; j < size; ++j)
    for (Eigen::Index i = j; i < size; ++i) bars.factor.push_back(posterior.given_factor()(i, j));
}

std::vector<PlanCell> cells_of(const Plan& plan) {
  const TableCode code = columns_of_table(plan.model);
  std::optional<uncertainty::LikelyCells> likely;
  std::vector<PlanCell> cells;
  bool any = false;
  for (std::size_t k = 0; k < code.inputs.size(); ++k) {
    const ColumnCode& column = code.inputs[k];
    PlanCell& cell = cells.emplace_back();
    cell.missing = !plan.fills ? 0 : column.indicator ? 2 : 1;
    cell.levels = column.kind == ColumnKind::category ? column.levels.size() : 0;
    if (cell.missing == 0 && cell.levels == 0) continue;
    if (!likely) likely.emplace(plan.model);
    cell.likely = likely->of(k);
    any = any || !cell.likely.empty();
  }
  if (!any) cells.clear();
  return cells;
}

}  // namespace

std::string why_no_bars(const Model& model) {
  if (!model.uncertainty) {
    const uncertainty::Missing why = uncertainty::why_missing(model);
    return "the model has no error bars. " + why.cause + " " + why.cure.substr(0, why.cure.size() - 1);
  }
  if (const std::size_t numbers = numbers_drawn(model); numbers > most_drawn_numbers)
    return fmt::format(
        "the draws of the chains are {} numbers, too many for a file. `rfnn predict` has it; train with fewer --draws",
        numbers);
  return {};
}

std::optional<PlanBars> bars_of(const Plan& plan) {
  if (!why_no_bars(plan.model).empty()) return std::nullopt;
  const Model& model = plan.model;
  const Uncertainty& known = *model.uncertainty;
  PlanBars bars;
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    bars.outputs.push_back(bar_of(model, o));
    bars.spreads = bars.spreads || known.spread[o] > 0.0;
  }
  bars.reach = known.reach;
  if (const ClosedForm* const form = reference_form(model)) add_posterior(bars, *form, known.noise);
  bars.far = known.far.value_or(bars.prior);
  if (known.shape) bars.shape = &*known.shape;
  bars.own = model.members.size();
  const std::vector<Network>& networks = model.draws.empty() ? model.members : model.draws.networks;
  bars.spreads = bars.spreads && networks.size() > 1;
  if (bars.spreads && !model.draws.empty())
    for (const Network& network : networks) bars.drawn.push_back({0, &network, {}, {}});
  bars.cells = cells_of(plan);
  return bars;
}

CellNumbers cell_numbers() {
  return {uncertainty::share_held, uncertainty::drawn_cells, uncertainty::cells_for_widths};
}

PosteriorNumbers posterior_numbers() {
  return {uncertainty::tuning::rounding, uncertainty::tuning::most_rounding, uncertainty::tuning::ranks};
}

}  // namespace rfnn::exporting
