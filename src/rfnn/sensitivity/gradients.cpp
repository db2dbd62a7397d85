#include "rfnn/sensitivity/gradients.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/forward.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rfnn/sensitivity/gradient_tile.hpp"
#include "rfnn/sensitivity/row_derivatives.hpp"

namespace rfnn {
namespace {

using rows::tile_rows;

void check_shape(const std::string& what, std::size_t rows, std::size_t cols, std::size_t right_rows,
                 std::size_t right_cols) {
  if (rows == right_rows && cols == right_cols) return;
  throw UsageError(what + " is " + std::to_string(rows) + " × " + std::to_string(cols) + ", not " +
                       std::to_string(right_rows) + " × " + std::to_string(right_cols) + ".",
                   "A row per input row; a column per input of the training table, in its order, for each output.");
}

/// One thread's scratch: a tile of θ, of a member's state and of its Jacobian.
struct Tile {
  Tile(std::size_t inputs, std::size_t outputs)
      : theta(tile_rows, inputs), state(tile_rows, outputs), jacobian(tile_rows, outputs * inputs) {
    for (std::size_t k = 0; k < inputs; ++k) theta_out.push_back(theta.column(0, k));
    theta_in.assign(theta_out.begin(), theta_out.end());
    for (std::size_t o = 0; o < outputs; ++o) state_columns.push_back(state.column(0, o));
    for (std::size_t c = 0; c < outputs * inputs; ++c) jacobian_columns.push_back(jacobian.column(0, c));
  }
  sensitivity::GradientTile forward;
  rows::TiledColumns theta, state, jacobian;
  std::vector<double*> theta_out, state_columns, jacobian_columns;
  std::vector<const double*> theta_in;
};

}  // namespace

/// The members' blocks, ready for the pass.
struct GradientPredictor::Prepared {
  const Model* model = nullptr;
  std::vector<std::vector<sensitivity::GradientBlock>> members;
  std::optional<GradientPredictor> base;  ///< of the base model, if there is one

  /// Where a tile's results go: its rows from `first` on.
  struct Place {
    ConstMatrixView inputs;
    MatrixView outputs, jacobian;
    std::size_t first = 0, rows = 0;
  };

  void do_tile(const Place& place, std::size_t blocks, Tile& tile, Interrupt& interrupt) const {
    rows::scale_inputs(*model, place.inputs, place.first, place.rows, tile.theta_out);
    for (std::size_t i = 0; i < place.rows; ++i)
      for (std::size_t c = 0; c < place.jacobian.cols(); ++c) place.jacobian(place.first + i, c) = 0.0;
    for (std::size_t e = 0; e < members.size(); ++e) {
      for (double* column : tile.state_columns) std::fill_n(column, tile_rows, 0.0);
      for (double* column : tile.jacobian_columns) std::fill_n(column, tile_rows, 0.0);
      const std::size_t depth = std::min(blocks, members[e].size());
      for (std::size_t l = 0; l < depth; ++l)
        if (!tile.forward.add(members[e][l], tile.theta_in, tile.state_columns, tile.jacobian_columns, place.rows,
                              interrupt))
          return;
      rows::add_member(*model, e, depth, tile.state_columns, place.first, place.rows, place.outputs);
      add_member(place, tile);
    }
  }

  /// The member's share of the Jacobian, in the units of the data.
  void add_member(const Place& place, const Tile& tile) const {
    const double share = 1.0 / static_cast<double>(members.size());
    const std::size_t inputs = model->input_count(), used_inputs = model->used_inputs();
    std::size_t used = 0;
    for (std::size_t k = 0; k < inputs; ++k) {
      if (!model->inputs[k].used) continue;
      const Standardised standardised = model->scaler.input(used);
      for (std::size_t i = 0; i < place.rows; ++i) {
        const double slope = sensitivity::slope_of(standardised, place.inputs(place.first + i, k));
        for (std::size_t o = 0; o < model->outputs(); ++o)
          place.jacobian(place.first + i, o * inputs + k) +=
              share * model->scaler.output_sd[o] * slope * tile.jacobian_columns[o * used_inputs + used][i];
      }
      ++used;
    }
  }

  /// The inputs of the base model, of these rows.
  [[nodiscard]] Matrix of_base(ConstMatrixView values) const {
    const std::vector<std::size_t>& places = model->base.inputs;
    Matrix its(values.rows(), places.size());
    for (std::size_t i = 0; i < its.rows(); ++i)
      for (std::size_t k = 0; k < places.size(); ++k) its(i, k) = values(i, places[k]);
    return its;
  }

  /// Adds derivatives of the base by its inputs to those by the model's.
  void add_of_base(const Matrix& its, MatrixView all) const {
    const Base& of = model->base;
    const std::size_t inputs = model->input_count(), count = of.inputs.size();
    for (std::size_t i = 0; i < its.rows(); ++i)
      for (std::size_t o = 0; o < of.factor.size(); ++o)
        for (std::size_t k = 0; k < count; ++k)
          all(i, o * inputs + of.inputs[k]) += of.factor[o] * its(i, o * count + k);
  }

  /// Adds what the base says, and its derivatives.
  bool add_base(ConstMatrixView inputs, MatrixView outputs, MatrixView jacobian, const PredictOptions& options) const {
    if (model->base.empty()) return true;
    const std::vector<double>& factor = model->base.factor;
    if (!base) {  // columns among the inputs
      for (std::size_t i = 0; i < inputs.rows(); ++i)
        for (std::size_t o = 0; o < factor.size(); ++o) {
          const std::size_t k = model->base.inputs[o];
          outputs(i, o) += factor[o] * inputs(i, k);
          jacobian(i, o * model->input_count() + k) += factor[o];
        }
      return true;
    }
    const Matrix its = of_base(inputs);
    Matrix said(its.rows(), factor.size()), slopes(its.rows(), factor.size() * its.cols());
    if (!base->gradients(its.view(), said.view(), slopes.view(),
                         {.threads = options.threads, .proceed = options.proceed}))
      return false;
    for (std::size_t i = 0; i < its.rows(); ++i)
      for (std::size_t o = 0; o < factor.size(); ++o) outputs(i, o) += factor[o] * said(i, o);
    add_of_base(slopes, jacobian);
    return true;
  }
};

GradientPredictor::GradientPredictor(const Model& model, std::size_t threads) {
  auto made = std::make_unique<Prepared>();
  made->model = &model;
  if (model.base.model) made->base.emplace(*model.base.model, threads);
  Workers workers(threads);
  Interrupt never;
  for (const Network& network : model.members) {
    made->members.emplace_back();
    for (const Block& block : network.blocks)
      made->members.back().push_back(*sensitivity::GradientBlock::prepare(block, workers, never));
  }
  prepared_ = std::move(made);
}

GradientPredictor::~GradientPredictor() = default;
GradientPredictor::GradientPredictor(GradientPredictor&&) noexcept = default;
GradientPredictor& GradientPredictor::operator=(GradientPredictor&&) noexcept = default;

bool GradientPredictor::gradients(ConstMatrixView inputs, MatrixView outputs, MatrixView jacobian,
                                  const PredictOptions& options) const {
  const Model& model = *prepared_->model;
  const std::size_t count = inputs.rows();
  check_shape("The rows to differentiate at", count, inputs.cols(), count, model.input_count());
  check_shape("The place for predictions", outputs.rows(), outputs.cols(), count, model.outputs());
  check_shape("The place for derivatives", jacobian.rows(), jacobian.cols(), count,
              model.outputs() * model.input_count());
  const std::size_t tiles = rows::TiledColumns::tiles_for(count), blocks = options.blocks.value_or(model.blocks());
  if (tiles == 0) return true;
  Workers workers(std::min(thread_count(options.threads), tiles));
  std::vector<std::unique_ptr<Tile>> scratch(workers.threads());
  Interrupt interrupt(options.proceed);
  const bool done = workers.run(
      tiles, true,
      [&](std::size_t tile, std::size_t worker) {
        if (!interrupt.proceed()) return;
        if (!scratch[worker]) scratch[worker] = std::make_unique<Tile>(model.used_inputs(), model.outputs());
        const std::size_t first = tile * tile_rows;
        prepared_->do_tile({inputs, outputs, jacobian, first, std::min(tile_rows, count - first)}, blocks,
                           *scratch[worker], interrupt);
      },
      interrupt);
  return done && prepared_->add_base(inputs, outputs, jacobian, options);
}

bool GradientPredictor::hessian_products(ConstMatrixView inputs, ConstMatrixView directions, MatrixView products,
                                         const PredictOptions& options) const {
  const Model& model = *prepared_->model;
  const std::size_t count = inputs.rows();
  check_shape("The rows to differentiate at", count, inputs.cols(), count, model.input_count());
  check_shape("The list of directions", directions.rows(), directions.cols(), count, model.input_count());
  check_shape("The place for products", products.rows(), products.cols(), count, model.outputs() * model.input_count());
  const std::size_t blocks = options.blocks.value_or(model.blocks());
  if (count == 0) return true;
  Workers workers(std::min(thread_count(options.threads), count));
  Interrupt interrupt(options.proceed);
  const bool done = workers.run(
      count, true,
      [&](std::size_t row, std::size_t) {
        if (!interrupt.proceed()) return;
        sensitivity::hessian_product(model, blocks, inputs.rows_from(row, 1), directions.rows_from(row, 1),
                                     products.rows_from(row, 1));
      },
      interrupt);
  if (!done || !prepared_->base) return done;
  const Matrix its = prepared_->of_base(inputs), along = prepared_->of_base(directions);
  Matrix bent(its.rows(), model.outputs() * its.cols());
  if (!prepared_->base->hessian_products(its.view(), along.view(), bent.view(),
                                         {.threads = options.threads, .proceed = options.proceed}))
    return false;
  prepared_->add_of_base(bent, products);
  return true;
}

Matrix gradients(const Model& model, ConstMatrixView inputs, const PredictOptions& options) {
  Matrix outputs(inputs.rows(), model.outputs()), jacobian(inputs.rows(), model.outputs() * model.input_count());
  GradientPredictor(model, options.threads)
      .gradients(inputs, outputs.view(), jacobian.view(), {.blocks = options.blocks, .threads = options.threads});
  return jacobian;
}

}  // namespace rfnn
