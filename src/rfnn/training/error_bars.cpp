#include "rfnn/training/error_bars.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"
#include "rfnn/training/holdout.hpp"
#include "rfnn/training/tuning.hpp"
#include "rfnn/uncertainty/far_variance.hpp"
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

/// Per number the mean square of the members' distances from their mean.
Matrix squares_about(const Matrix& mean, const std::vector<Matrix>& members) {
  Matrix squares(mean.rows(), mean.cols());
  for (const Matrix& member : members)
    for (std::size_t k = 0; k < squares.size(); ++k) {
      const double distance = member.data()[k] - mean.data()[k];
      squares.data()[k] += distance * distance / static_cast<double>(members.size());
    }
  return squares;
}

/// What members of the model disagree about at rows that were judged by one of them: they have seen these rows by now,
/// and so it is rather too little. Empty when interrupted.
Matrix disagreement(const Model& model, const Matrix& inputs, rows::RowWork& work, Interrupt& interrupt) {
  const Matrix zero(inputs.rows(), model.outputs());
  const rows::RowState rows(rows::ScaledRows(inputs.view(), zero.view(), {}));
  std::vector<Matrix> left;
  Matrix mean(zero);
  for (const Network& network : model.members) {
    rows::RowState of_member = rows;
    for (const Block& block : network.blocks)
      if (!work.advance(block, of_member, interrupt)) return {};
    left.push_back(rows::residual_of(of_member));
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean.data()[k] += left.back().data()[k] / static_cast<double>(model.members.size());
  }
  return squares_about(mean, left);
}

/// Some of the rows of the table, as the networks see them.
rows::RowState some_rows(const Run& run) {
  const std::vector<std::size_t>& order = run.prepared.rows.order;
  std::vector<std::size_t> some;
  for (const std::size_t place : some_places(order.size())) some.push_back(order[place]);
  return rows::RowState(scaled_rows(run.data, run.model, some, run.prepared.rows.weights));
}

/// Has it one block alone, a closed form that has all of so many rows as centres?
bool holds_all(const TrainedNetwork& network, const Network& fitted, std::size_t rows) {
  if (fitted.blocks.size() != 1 || network.blocks.empty()) return false;
  const Method method = network.blocks.front().record.method;
  if (method == Method::series) return true;
  return method == Method::kernel && fitted.blocks[0].branches[0].closed_form->centres.rows() == rows;
}

/// Is there time to leave rows out one by one? Of series it takes none.
bool time_to_leave_out(const Run& run, std::size_t rows, std::size_t kernels) {
  if (kernels == 0) return true;
  if (rows > tuning::rows_left_out) return false;
  if (!run.supervision.budget.limited()) return true;
  const auto n = static_cast<double>(rows);
  const double seconds = static_cast<double>(kernels) * n * n * n / wide::tuning::least_rate;
  return seconds < tuning::time_to_leave_out * run.supervision.budget.left();
}

/// What a network that holds all rows leaves on each of them when it is left out: what it leaves as its sums are really
/// computed, and what leaving the row out adds to it. Nothing when interrupted.
std::optional<rows::TiledColumns> left_out_of(const TrainedNetwork& network, const Network& fitted,
                                              const rows::RowState& rows, rows::RowWork& work, Interrupt& interrupt) {
  const finders::FoundBlock& found = network.blocks.front();
  if (found.record.method == Method::series) return network.first->left_out(found, work, rows, interrupt);
  const ClosedForm& form = *fitted.blocks[0].branches[0].closed_form;
  const auto diagonal_part = [&](std::size_t row) {
    return found.record.ridge / rows.weight(row) + wide::tuning::rounding_of_fit * form.law.variance();
  };
  dense::Triangle<double> matrix;
  std::vector<double> diagonal(rows.count());
  rows::RowState seen = rows;
  if (!work.kernel_matrix(rows, form.law, matrix, interrupt)) return std::nullopt;
  for (std::size_t i = 0; i < rows.count(); ++i) matrix(i, i) += diagonal_part(i);
  if (!dense::factor(matrix, work.workers(), interrupt) ||
      !dense::inverse_diagonal<double>(matrix, diagonal, work.workers(), interrupt) ||
      !work.advance(fitted.blocks[0], seen, interrupt))
    return std::nullopt;
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t o = 0; o < rows.outputs(); ++o)
      seen.residual(i, o) += form.coefficients(i, o) * (1.0 / diagonal[i] - diagonal_part(i));
  return std::move(seen.residual);
}

/// v at these rows, all of which are centres, each without itself. Where several rows are one centre it stays, less
/// one.
std::vector<double> left_out_variances(const uncertainty::Posterior& posterior, const ClosedForm& form,
                                       const rows::RowState& rows, const std::vector<std::size_t>& places,
                                       rows::RowWork& work, Interrupt& interrupt) {
  if (form.centres.rows() == rows.count() && form.centres.cols() > 1) return posterior.left_out(places);
  // Centres of one input may be in its order.
  const std::size_t count = form.centres.rows();
  const double* const centres = form.centres.data();
  std::vector<std::size_t> by_x(count), of_row, shared(count, 0);
  std::iota(by_x.begin(), by_x.end(), std::size_t{0});
  std::sort(by_x.begin(), by_x.end(), [&](std::size_t a, std::size_t b) { return centres[a] < centres[b]; });
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const auto at = std::lower_bound(by_x.begin(), by_x.end(), rows.variable_of(i, 0),
                                     [&](std::size_t centre, double x) { return centres[centre] < x; });
    of_row.push_back(by_x[std::min(static_cast<std::size_t>(at - by_x.begin()), count - 1)]);
    ++shared[of_row.back()];
  }
  std::vector<std::size_t> of_place;
  for (const std::size_t place : places) of_place.push_back(of_row[place]);
  std::vector<double> out = posterior.left_out(of_place);
  if (count == rows.count()) return out;
  const std::vector<double> seen = variances(posterior, rows::theta_of(rows.at(places)), work, interrupt);
  for (std::size_t k = 0; k < out.size() && !seen.empty(); ++k)
    if (shared[of_place[k]] > 1) out[k] = seen[k];
  return out;
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
  const std::size_t count = run.prepared.rows.order.size(), outputs = model.outputs();
  if (networks.empty() || networks.size() != model.members.size()) return std::nullopt;
  std::size_t kernels = 0;
  for (std::size_t e = 0; e < networks.size(); ++e) {
    if (!holds_all(networks[e], model.members[e], count)) return std::nullopt;
    if (networks[e].blocks[0].record.method == Method::kernel) ++kernels;
  }
  if (!time_to_leave_out(run, count, kernels)) return std::nullopt;
  const rows::RowState all(scaled_rows(run.data, model, run.prepared.rows.order, run.prepared.rows.weights));
  const std::vector<std::size_t> places = some_places(count);
  const rows::RowState rows = all.at(places);
  uncertainty::Judged judged;
  judged.left = judged.predicted = Matrix(places.size(), outputs);
  std::vector<Matrix> members;
  for (std::size_t e = 0; e < networks.size(); ++e) {
    const auto left = left_out_of(networks[e], model.members[e], all, work, run.interrupt);
    if (!left) return std::nullopt;
    Matrix& of_member = members.emplace_back(places.size(), outputs);
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t o = 0; o < outputs; ++o) {
        of_member(i, o) = (*left)(places[i], o);
        judged.left(i, o) += of_member(i, o) / static_cast<double>(networks.size());
      }
  }
  if (networks.size() > 1) judged.spread = squares_about(judged.left, members);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) judged.predicted(i, o) = rows.target()(i, o) - judged.left(i, o);
  judged.inputs = rows::theta_of(rows);
  judged.weights = rows.weights();
  const ClosedForm& form = *model.members[0].blocks[0].branches[0].closed_form;
  judged.variance = left_out_variances(uncertainty::Posterior(form, noise_of(networks[0].blocks[0], form)), form, all,
                                       places, work, run.interrupt);
  return judged;
}

void learn_error_bars(Run& run, uncertainty::Judged judged, const std::optional<Reference>& reference, Judge judge,
                      std::size_t stretches, rows::RowWork& work) {
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
  // Widths have it wherever the members were judged together or one by one: scores are to be over the same widths.
  if (model.members.size() > 1 && judged.spread.empty())
    judged.spread = disagreement(model, judged.inputs, work, run.interrupt);
  const bool refers = reference && !judged.variance.empty(), by_member = refers && !reference->law;
  std::optional<uncertainty::Companion> companion;
  if (refers && !by_member)
    companion = uncertainty::companion_of(
        rows::RowState(scaled_rows(run.data, model, run.prepared.rows.order, run.prepared.rows.weights)),
        *reference->law);
  double prior = 0.0;
  std::optional<double> far;
  if (refers) {
    const ClosedForm& form =
        by_member ? reference->form(model.members[reference->member].blocks.front()) : companion->form;
    prior = form.law.variance();
    far = uncertainty::far_variance(form, some_rows(run));
  }
  std::optional<Uncertainty> known = uncertainty::calibrate(judged,
                                                            {.prior = prior,
                                                             .far = far,
                                                             .stranger = companion && !reference->law->along,
                                                             .stretches = stretches,
                                                             .by_groups = !holds_rows(model),
                                                             .seed = run.options.seed},
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
  for (std::size_t k = 0; k < known->judged.size(); ++k)
    known->judged.data()[k] *= model.scaler.output_sd[(k % known->judged.cols()) / 2];
  known->judge = judge;
  model.uncertainty = std::move(known);
}

}  // namespace rfnn::training
