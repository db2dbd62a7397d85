#include "rfnn/training/error_bars.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"
#include "rfnn/training/holdout.hpp"
#include "rfnn/training/tuning.hpp"
#include "rfnn/uncertainty/posterior.hpp"

namespace rfnn::training {
namespace {

/// λ of a first block's closed form, per row as it is a centre. Some of the rows as centres stand for all of them.
double noise_of(const finders::FoundBlock& found, const ClosedForm& form) {
  if (found.record.method != Method::kernel) return found.record.ridge * form.law.variance();
  const auto centres = static_cast<double>(form.centres.rows()), rows = static_cast<double>(found.record.rows);
  return found.record.ridge * std::min(1.0, centres / std::max(rows, 1.0));
}

bool has_form(const TrainedNetwork& network, std::size_t branch) {
  if (network.blocks.empty()) return false;
  const auto& branches = network.blocks.front().block.branches;
  return branch < branches.size() && branches[branch].closed_form && branches[branch].kind == BranchKind::input;
}

/// v of rows, on all threads.
std::vector<double> variances(const uncertainty::Posterior& posterior, const Matrix& points, rows::RowWork& work,
                              Interrupt& interrupt) {
  std::vector<double> variance(points.rows());
  const std::size_t tiles = rows::TiledColumns::tiles_for(points.rows());
  const bool all = work.workers().run(
      tiles, true,
      [&](std::size_t tile, std::size_t) {
        if (!interrupt.proceed()) return;
        const std::size_t first = tile * rows::tile_rows, count = std::min(rows::tile_rows, points.rows() - first);
        posterior.variances(points.view().rows_from(first, count), variance.data() + first);
      },
      interrupt);
  if (!all) variance.clear();
  return variance;
}

/// Rows judged, at the most: every so manieth.
std::vector<std::size_t> some_places(std::size_t rows) {
  const std::size_t count = std::min(rows, tuning::rows_for_error_bars);
  std::vector<std::size_t> places(count);
  for (std::size_t k = 0; k < count; ++k) places[k] = k * rows / count;
  return places;
}

/// Errors of leaving out each row of a closed form with all rows as centres, added to `sum`; false where there is none.
bool add_left_out(const rows::RowState& rows, const ClosedForm& form, double noise, rows::RowWork& work,
                  Interrupt& interrupt, Matrix& sum) {
  dense::Triangle<double> matrix;
  std::vector<double> diagonal(rows.count());
  if (!work.kernel_matrix(rows, form.law, matrix, interrupt)) return false;
  for (std::size_t i = 0; i < rows.count(); ++i)
    matrix(i, i) += noise / rows.weight(i) + wide::tuning::rounding_of_fit * form.law.variance();
  if (!dense::factor(matrix, work.workers(), interrupt) ||
      !dense::inverse_diagonal<double>(matrix, diagonal, work.workers(), interrupt))
    return false;
  for (std::size_t i = 0; i < sum.rows(); ++i)
    for (std::size_t o = 0; o < sum.cols(); ++o) sum(i, o) += form.coefficients(i, o) / diagonal[i];
  return true;
}

/// Is there time to leave rows out one by one?
bool time_to_leave_out(const Run& run, std::size_t rows, std::size_t members) {
  if (rows > tuning::rows_left_out) return false;
  if (!run.supervision.budget.limited()) return true;
  const auto n = static_cast<double>(rows);
  const double seconds = static_cast<double>(members) * n * n * n / wide::tuning::least_rate;
  return seconds < tuning::time_to_leave_out * run.supervision.budget.left();
}

}  // namespace

std::optional<Reference> reference_of(const std::vector<const TrainedNetwork*>& networks) {
  for (std::size_t e = 0; e < networks.size(); ++e) {
    if (networks[e]->blocks.empty()) continue;
    const finders::FoundBlock& first = networks[e]->blocks.front();
    for (std::size_t b = 0; b < first.block.branches.size(); ++b) {
      const Branch& branch = first.block.branches[b];
      if (branch.closed_form && branch.kind == BranchKind::input)
        return Reference{e, b, noise_of(first, *branch.closed_form), std::nullopt};
    }
  }
  return std::nullopt;
}

uncertainty::Judged judged_rows(const NetworkRows& division, const std::vector<const TrainedNetwork*>& networks,
                                const std::optional<Reference>& reference, rows::RowWork& work, Interrupt& interrupt) {
  uncertainty::Judged judged;
  const std::vector<std::size_t> places = some_places(division.held_out.count());
  const rows::RowState rows = division.held_out.at(places);
  const std::size_t count = places.size(), outputs = rows.outputs();
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(networks.size(), 1));
  judged.inputs = rows::theta_of(rows);
  judged.predicted = judged.left = Matrix(count, outputs);
  judged.weights = rows.weights();
  if (networks.size() > 1) judged.spread = Matrix(count, outputs);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = 0.0, squares = 0.0;
      for (const TrainedNetwork* const network : networks) {
        const double left = network->left.left(places[i], o);
        sum += left;
        squares += left * left;
      }
      const double target = rows.target()(i, o);
      judged.left(i, o) = networks.empty() ? target : share * sum;
      judged.predicted(i, o) = target - judged.left(i, o);
      if (networks.size() > 1) judged.spread(i, o) = std::max(0.0, share * squares - share * share * sum * sum);
    }
  if (reference && reference->law) {
    const uncertainty::Companion companion = uncertainty::companion_of(division.train, *reference->law);
    judged.variance =
        variances(uncertainty::Posterior(companion.form, companion.noise), judged.inputs, work, interrupt);
  } else if (reference && has_form(*networks[reference->member], reference->branch)) {
    const finders::FoundBlock& first = networks[reference->member]->blocks.front();
    const ClosedForm& form = reference->form(first.block);
    judged.variance = variances(uncertainty::Posterior(form, noise_of(first, form)), judged.inputs, work, interrupt);
  }
  return judged;
}

std::optional<uncertainty::Judged> left_out_rows(Run& run, const std::vector<TrainedNetwork>& networks,
                                                 rows::RowWork& work) {
  const Model& model = run.model;
  const std::size_t count = run.prepared.rows.order.size();
  if (networks.empty() || networks.size() != model.members.size() || !time_to_leave_out(run, count, networks.size()))
    return std::nullopt;
  for (std::size_t e = 0; e < networks.size(); ++e) {
    const auto& blocks = model.members[e].blocks;
    if (blocks.size() != 1 || networks[e].blocks[0].record.method != Method::kernel ||
        blocks[0].branches[0].closed_form->centres.rows() != count)
      return std::nullopt;
  }
  const rows::RowState rows(scaled_rows(run.data, model, run.prepared.rows.order, run.prepared.rows.weights));
  uncertainty::Judged judged;
  judged.left = Matrix(count, model.outputs());
  for (std::size_t e = 0; e < networks.size(); ++e)
    if (!add_left_out(rows, *model.members[e].blocks[0].branches[0].closed_form, networks[e].blocks[0].record.ridge,
                      work, run.interrupt, judged.left))
      return std::nullopt;
  judged.inputs = rows::theta_of(rows);
  judged.predicted = Matrix(count, model.outputs());
  judged.weights = rows.weights();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t o = 0; o < model.outputs(); ++o) {
      judged.left(i, o) /= static_cast<double>(networks.size());
      judged.predicted(i, o) = rows.target()(i, o) - judged.left(i, o);
    }
  const ClosedForm& form = *model.members[0].blocks[0].branches[0].closed_form;
  judged.variance = uncertainty::Posterior(form, networks[0].blocks[0].record.ridge).left_out();
  return judged;
}

void learn_error_bars(Run& run, uncertainty::Judged judged, const std::optional<Reference>& reference, Judge judge,
                      rows::RowWork& work) {
  Model& model = run.model;
  if (judged.rows() == 0) return;
  // From states to the targets' columns.
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    const Column& target = model.targets[o];
    const double scale = target.sd > 0.0 ? 1.0 / target.sd : 0.0;
    for (std::size_t i = 0; i < judged.rows(); ++i)
      judged.predicted(i, o) =
          scale * (model.scaler.output_mean[o] + model.scaler.output_sd[o] * judged.predicted(i, o) - target.mean);
  }
  const bool refers = reference && !judged.variance.empty(), by_member = refers && !reference->law;
  std::optional<uncertainty::Companion> companion;
  if (refers && !by_member)
    companion = uncertainty::companion_of(
        rows::RowState(scaled_rows(run.data, model, run.prepared.rows.order, run.prepared.rows.weights)),
        *reference->law);
  double prior = 0.0;
  if (companion) prior = companion->form.law.variance();
  if (by_member) prior = reference->form(model.members[reference->member].blocks.front()).law.variance();
  std::optional<Uncertainty> known = uncertainty::calibrate(
      judged,
      {.prior = prior, .least_gain = companion ? 1.0 : 0.0, .by_groups = !holds_rows(model), .seed = run.options.seed},
      work, run.interrupt);
  if (!known) return;
  if (by_member) {
    known->place = Uncertainty::Place{reference->member, 0, reference->branch};
    known->noise = reference->noise;
  }
  if (companion) {
    known->noise = companion->noise;
    known->reference = std::move(companion->form);
  }
  // What members disagree about that were not judged together counts in full.
  if (model.members.size() > 1 && judged.spread.empty()) known->spread.assign(model.outputs(), 1.0);
  for (std::size_t k = 0; k < known->judged.size(); ++k)
    known->judged.data()[k] *= model.scaler.output_sd[(k % known->judged.cols()) / 2];
  known->judge = judge;
  model.uncertainty = std::move(known);
}

}  // namespace rfnn::training
