#include "rfnn/uncertainty/error_bars.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/closed_sum.hpp"
#include "rfnn/rows/forward.hpp"
#include "rfnn/rows/stand_ins.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rfnn/uncertainty/calibration.hpp"
#include "rfnn/uncertainty/likely_cells.hpp"
#include "rfnn/uncertainty/missing.hpp"
#include "rfnn/uncertainty/posterior.hpp"
#include "rfnn/uncertainty/scores.hpp"

namespace rfnn {
namespace {

using rows::tile_rows;
using uncertainty::drawn_cells;
using Unknown = uncertainty::LikelyCells::Unknown;

/// One thread's scratch.
struct WidthTile {
  WidthTile(const Model& model)
      : forward(features::kernels()),
        theta(tile_rows, model.used_inputs()),
        state(tile_rows, model.outputs()),
        variables(tile_rows, model.used_inputs() + model.outputs()),
        shape(tile_rows, model.outputs()),
        points(tile_rows, model.used_inputs()),
        spread(tile_rows, model.outputs()) {}

  rows::ForwardTile forward;
  rows::TiledColumns theta, state, variables, shape;
  rows::ClosedSum::Scratch scratch;
  Matrix points, spread;
  std::vector<double> variance = std::vector<double>(tile_rows, 0.0);
};

/// Below the smallest value of an input that is taken as its logarithm predictions do not change; what is known of them
/// does. Logarithms go on down to this.
constexpr double least_logarithm_of = std::numeric_limits<double>::denorm_min();

/// How far below: θ becomes that of the value itself.
enum class Below : std::uint8_t { nowhere, somewhere, no_logarithm };
Below open_logarithms(const Model& model, ConstMatrixView inputs, std::size_t i, const std::vector<double*>& theta) {
  Below below = Below::nowhere;
  std::size_t used = 0;
  for (std::size_t k = 0; k < model.inputs.size(); ++k) {
    if (!model.inputs[k].used) continue;
    Standardised scale = model.scaler.input(used++);
    const double value = inputs(i, k);
    if (!(scale.log_from > 0.0 && value < scale.log_from)) continue;
    scale.log_from = least_logarithm_of;
    if (value > 0.0) theta[used - 1][i] = scale(value);
    below = std::max(below, value > 0.0 ? Below::somewhere : Below::no_logarithm);
  }
  return below;
}

std::vector<double*> columns_of(rows::TiledColumns& tile) {
  std::vector<double*> columns;
  for (std::size_t k = 0; k < tile.columns(); ++k) columns.push_back(tile.column(0, k));
  return columns;
}

const Uncertainty& known_by(const Model& model) {
  if (model.uncertainty) return *model.uncertainty;
  const uncertainty::Missing why = uncertainty::why_missing(model);
  throw UsageError("The model does not know how far off its predictions may be. " + why.cause, why.cure);
}

}  // namespace

struct ErrorBars::Prepared {
  explicit Prepared(const Model& of) : model(of), known(known_by(of)) {
    if (const ClosedForm* const form = reference_form(model)) posterior.emplace(*form, known.noise);
    if (known.shape) shape.emplace(*known.shape);
    if (known.shape && !model.base.empty()) {
      // The shape is over what the model says itself, without its base.
      own = model;
      own.base = {};
      own_part.emplace(own);
    }
    for (std::size_t o = 0; o < model.outputs(); ++o) {
      std::vector<double> scores;
      for (std::size_t k = 0; k < known.scores.rows(); ++k) scores.push_back(known.scores(k, o));
      distributions.emplace_back(std::move(scores));
      spreads = spreads || known.spread[o] > 0.0;
    }
    const std::vector<Network>& networks = model.draws.empty() ? model.members : model.draws.networks;
    if (!(spreads = spreads && networks.size() > 1)) return;
    Workers workers(1);
    Interrupt never;
    for (const Network& network : networks) {
      members.emplace_back();
      for (const Block& block : network.blocks)
        members.back().push_back(*rows::ForwardBlock::prepare(block, workers, never));
    }
  }

  /// The squared standard deviation of the members' states on a tile, or of those drawn from the chains. Of their
  /// distances from the first: they may differ by far less than their size.
  bool find_spread(WidthTile& tile, const std::vector<const double*>& theta, std::size_t count,
                   Interrupt& interrupt) const {
    const std::vector<double*> state = columns_of(tile.state);
    Matrix first(tile_rows, model.outputs()), sum = first, squares = first;
    for (const std::vector<rows::ForwardBlock>& member : members) {
      for (double* column : state) std::fill_n(column, tile_rows, 0.0);
      for (const rows::ForwardBlock& block : member)
        if (!tile.forward.add(block, theta, state, count, interrupt)) return false;
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t o = 0; o < state.size(); ++o) {
          if (&member == &members.front()) first(i, o) = state[o][i];
          const double distance = state[o][i] - first(i, o);
          sum(i, o) += distance;
          squares(i, o) += distance * distance;
        }
    }
    const auto share = 1.0 / static_cast<double>(members.size());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t o = 0; o < state.size(); ++o)
        tile.spread(i, o) = std::max(0.0, share * squares(i, o) - share * share * sum(i, o) * sum(i, o));
    return true;
  }

  bool find_shape(WidthTile& tile, ConstMatrixView predictions, std::size_t count, Interrupt& interrupt) const {
    const std::vector<double*> variables = columns_of(tile.variables), out = columns_of(tile.shape);
    const std::size_t inputs = model.used_inputs();
    for (std::size_t k = 0; k < inputs; ++k) std::copy_n(tile.theta.column(0, k), tile_rows, variables[k]);
    for (std::size_t o = 0; o < out.size(); ++o) {
      const Column& target = model.targets[o];
      const double scale = target.sd > 0.0 ? 1.0 / target.sd : 0.0;
      for (std::size_t i = 0; i < count; ++i) variables[inputs + o][i] = scale * (predictions(i, o) - target.mean);
      std::fill_n(out[o], tile_rows, 0.0);
    }
    return shape->add(features::law_kernels<double>(), {variables.begin(), variables.end()}, count, out, tile.scratch,
                      interrupt);
  }

  bool tile_of(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView widths, bool with_noise, WidthTile& tile,
               Interrupt& interrupt) const {
    const std::size_t count = inputs.rows();
    const std::vector<double*> theta = columns_of(tile.theta);
    rows::scale_inputs(model, inputs, 0, count, theta);
    std::vector<std::size_t> below, without_logarithm;
    for (std::size_t i = 0; i < count; ++i) {
      const Below where = open_logarithms(model, inputs, i, theta);
      if (where != Below::nowhere) below.push_back(i);
      if (where == Below::no_logarithm) without_logarithm.push_back(i);
      for (std::size_t k = 0; k < theta.size(); ++k) tile.points(i, k) = theta[k][i];
    }
    if (posterior) posterior->variances(std::as_const(tile.points).view().rows_from(0, count), tile.variance.data());
    for (const std::size_t i : without_logarithm) tile.variance[i] = posterior ? posterior->prior() : 0.0;
    if (spreads && !find_spread(tile, {theta.begin(), theta.end()}, count, interrupt)) return false;
    if (own_part) {
      Matrix of_own(count, model.outputs());
      if (!own_part->predict(inputs, of_own.view()) ||
          !find_shape(tile, std::as_const(of_own).view(), count, interrupt))
        return false;
    } else if (shape && !find_shape(tile, predictions, count, interrupt)) {
      return false;
    }
    for (std::size_t o = 0; o < model.outputs(); ++o) {
      uncertainty::WidthParts parts = uncertainty::width_parts(known, posterior ? posterior->prior() : 0.0, o);
      if (!with_noise) parts.floor = 0.0;
      for (std::size_t i = 0; i < count; ++i) {
        const double shaped = shape ? std::exp(tile.shape.column(0, o)[i]) : 1.0;
        widths(i, o) =
            model.scaler.output_sd[o] * shaped * std::sqrt(parts.square(tile.variance[i], tile.spread(i, o)));
      }
    }
    for (const std::size_t i : below) add_change_below(inputs, i, widths);
    return add_stand_ins(inputs, predictions, widths, with_noise, tile, interrupt);
  }

  /// What the networks themselves would change the prediction by, did it not stay as it is at the smallest value.
  void add_change_below(ConstMatrixView inputs, std::size_t i, MatrixView widths) const {
    std::call_once(unbounded_made, [&] {
      unbounded = model;
      unbounded.base = {};
      for (double& from : unbounded.scaler.input_log_from) from = from > 0.0 ? least_logarithm_of : 0.0;
      beyond.emplace(unbounded);
    });
    Matrix both(2, inputs.cols()), outputs(2, model.outputs());
    std::size_t used = 0;
    for (std::size_t k = 0; k < inputs.cols(); ++k) {
      const double from = model.inputs[k].used ? model.scaler.input(used++).log_from : 0.0, value = inputs(i, k);
      both(1, k) = from > 0.0 && value < from ? from : value;
      both(0, k) = from > 0.0 && !(value > 0.0) ? both(1, k) : value;
    }
    beyond->predict(std::as_const(both).view(), outputs.view());
    for (std::size_t o = 0; o < model.outputs(); ++o)
      widths(i, o) = std::hypot(widths(i, o), (outputs(0, o) - outputs(1, o)) / distributions[o].deviation());
  }

  /// What is not known of cells that something stands in for: predictions with cells that may have been there, and how
  /// wide they are with some of them.
  bool add_stand_ins(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView widths, bool with_noise,
                     WidthTile& tile, Interrupt& interrupt) const {
    constexpr std::size_t some = uncertainty::cells_for_widths;
    Matrix drawn, outputs, its_widths(some, model.outputs()), of_function;
    std::vector<double> others(drawn_cells);
    for (std::size_t i = 0; i < inputs.rows(); ++i) {
      bool any = false;
      rows::each_stand_in(model, inputs, i, [&](std::size_t, std::size_t, StandIn) { any = true; });
      if (!any) continue;
      std::call_once(cells_made, [&] {
        cells.emplace(model);
        predictor.emplace(model);
      });
      const Unknown unknown = cells->rows_of(inputs, i, drawn);
      if (unknown == Unknown::none) continue;
      if (outputs.empty()) outputs = Matrix(drawn_cells, model.outputs());
      predictor->predict(std::as_const(drawn).view(), outputs.view());
      if (!tile_of(std::as_const(drawn).view().rows_from(0, some), std::as_const(outputs).view().rows_from(0, some),
                   its_widths.view(), true, tile, interrupt))
        return false;
      of_function = its_widths;
      if (!with_noise &&
          !tile_of(std::as_const(drawn).view().rows_from(0, some), std::as_const(outputs).view().rows_from(0, some),
                   of_function.view(), false, tile, interrupt))
        return false;
      for (std::size_t o = 0; o < model.outputs(); ++o) {
        double squares = 0.0, noise = 0.0;
        for (std::size_t j = 0; j < some; ++j) {
          const double square = its_widths(j, o) * its_widths(j, o) / static_cast<double>(some);
          squares += square;
          noise += square - of_function(j, o) * of_function(j, o) / static_cast<double>(some);
        }
        for (std::size_t j = 0; j < drawn_cells; ++j) others[j] = outputs(j, o);
        const bool learnt = unknown == Unknown::learnt;
        double width = uncertainty::width_over(predictions(i, o), std::sqrt(squares), others, distributions[o], learnt);
        if (!with_noise) width = std::sqrt(std::max(0.0, width * width - noise));
        // Where the networks have learnt from rows without the cell, widths may be known to be larger.
        widths(i, o) = learnt ? std::max(width, widths(i, o)) : width;
      }
    }
    return true;
  }

  const Model& model;
  const Uncertainty& known;
  /// Few rows need these, and lattices and many columns take their time.
  mutable std::once_flag cells_made;
  mutable std::optional<uncertainty::LikelyCells> cells;
  mutable std::optional<Predictor> predictor;
  mutable std::once_flag unbounded_made;
  mutable Model unbounded;
  mutable std::optional<Predictor> beyond;
  std::optional<uncertainty::Posterior> posterior;
  std::optional<rows::ClosedSum> shape;
  std::vector<uncertainty::ScoreDistribution> distributions;
  bool spreads = false;
  Model own;
  std::optional<Predictor> own_part;
  std::vector<std::vector<rows::ForwardBlock>> members;
};

ErrorBars::ErrorBars(const Model& model) : prepared_(std::make_unique<Prepared>(model)) {}
ErrorBars::~ErrorBars() = default;
ErrorBars::ErrorBars(ErrorBars&&) noexcept = default;
ErrorBars& ErrorBars::operator=(ErrorBars&&) noexcept = default;

bool ErrorBars::widths(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView widths,
                       const PredictOptions& options) const {
  return this->widths(inputs, predictions, widths, options, true);
}

bool ErrorBars::function_widths(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView widths,
                                const PredictOptions& options) const {
  return this->widths(inputs, predictions, widths, options, false);
}

bool ErrorBars::widths(ConstMatrixView inputs, ConstMatrixView predictions, MatrixView widths,
                       const PredictOptions& options, bool with_noise) const {
  const Model& model = prepared_->model;
  const std::size_t count = inputs.rows(), tiles = rows::TiledColumns::tiles_for(count);
  if (inputs.cols() != model.input_count() || predictions.rows() != count || widths.rows() != count ||
      predictions.cols() != model.outputs() || widths.cols() != model.outputs())
    throw UsageError(
        "Inputs, predictions and the place for widths do not have the same rows, or not the model's "
        "columns.",
        "Give each a row per row: inputs a column per input, the others one per output.");
  if (tiles == 0) return true;
  Workers workers(std::min(thread_count(options.threads), tiles));
  std::vector<std::unique_ptr<WidthTile>> scratch(workers.threads());
  Interrupt interrupt(options.proceed);
  return workers.run(
      tiles, true,
      [&](std::size_t tile, std::size_t worker) {
        if (!interrupt.proceed()) return;
        if (!scratch[worker]) scratch[worker] = std::make_unique<WidthTile>(model);
        const std::size_t first = tile * tile_rows, rows = std::min(tile_rows, count - first);
        prepared_->tile_of(inputs.rows_from(first, rows), predictions.rows_from(first, rows),
                           widths.rows_from(first, rows), with_noise, *scratch[worker], interrupt);
      },
      interrupt);
}

double ErrorBars::quantile(std::size_t output, double p) const { return prepared_->distributions[output].quantile(p); }
double ErrorBars::probability(std::size_t output, double score) const {
  return prepared_->distributions[output].probability(score);
}
double ErrorBars::deviation(std::size_t output) const { return prepared_->distributions[output].deviation(); }
double ErrorBars::crps(std::size_t output, double score) const { return prepared_->distributions[output].crps(score); }
double ErrorBars::log_density(std::size_t output, double score) const {
  return prepared_->distributions[output].log_density(score);
}

}  // namespace rfnn
