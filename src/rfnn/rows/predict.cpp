#include "rfnn/rows/predict.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/forward.hpp"
#include "rfnn/rows/stand_ins.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn {
namespace {

void check_shapes(const Model& model, ConstMatrixView inputs) {
  if (inputs.cols() != model.input_count())
    throw UsageError("The rows to predict have " + std::to_string(inputs.cols()) +
                         " columns, the model was trained on " + std::to_string(model.input_count()) + ".",
                     "Pass the input columns in the order of training.");
}

/// One thread's scratch: a tile of θ and of a member's state.
struct PredictTile {
  explicit PredictTile(const Model& model)
      : forward(features::kernels()),
        theta(rows::tile_rows, model.used_inputs()),
        state(rows::tile_rows, model.outputs()) {
    for (std::size_t k = 0; k < theta.columns(); ++k) theta_out.push_back(theta.column(0, k));
    theta_in.assign(theta_out.begin(), theta_out.end());
    for (std::size_t o = 0; o < state.columns(); ++o) state_columns.push_back(state.column(0, o));
  }
  rows::ForwardTile forward;
  rows::TiledColumns theta, state;
  std::vector<double*> theta_out, state_columns;
  std::vector<const double*> theta_in;
  std::unique_ptr<PredictTile> base;  ///< of the base model; null: not asked yet
  Matrix of_base;
};

/// The inputs of the base model, for rows of the model that has it.
Matrix inputs_of_base(const Base& base, ConstMatrixView inputs, std::size_t first, std::size_t rows) {
  Matrix its(rows, base.inputs.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < base.inputs.size(); ++k) its(i, k) = inputs(first + i, base.inputs[k]);
  return its;
}

/// Adds what the base says, column by column of the outputs.
void add_base(const Base& base, ConstMatrixView its, std::size_t first, MatrixView outputs) {
  for (std::size_t i = 0; i < its.rows(); ++i)
    for (std::size_t o = 0; o < its.cols(); ++o) outputs(first + i, o) += base.factor[o] * its(i, o);
}

}  // namespace

/// The members' blocks, ready for the forward pass; and the base, if there is one.
struct Predictor::Prepared {
  explicit Prepared(const Model& of, std::size_t threads) : model(&of) {
    if (of.base.model) base.emplace(*of.base.model, threads);
  }

  void predict_tile(ConstMatrixView inputs, std::size_t first, std::size_t rows, std::size_t blocks, PredictTile& tile,
                    MatrixView outputs, Interrupt& interrupt) const {
    rows::scale_inputs(*model, inputs, first, rows, tile.theta_out);
    for (std::size_t e = 0; e < members.size(); ++e) {
      for (double* column : tile.state_columns) std::fill_n(column, rows::tile_rows, 0.0);
      const std::size_t depth = std::min(blocks, members[e].size());
      for (std::size_t l = 0; l < depth; ++l)
        if (!tile.forward.add(members[e][l], tile.theta_in, tile.state_columns, rows, interrupt)) return;
      rows::add_member(*model, e, depth, tile.state_columns, first, rows, outputs);
    }
    if (model->base.empty()) return;
    const Matrix its = inputs_of_base(model->base, inputs, first, rows);
    if (!base) return add_base(model->base, its.view(), first, outputs);
    if (!tile.base) tile.base = std::make_unique<PredictTile>(base->model());
    if (tile.of_base.rows() != rows) tile.of_base = Matrix(rows, model->outputs());
    base->prepared_->predict_tile(its.view(), 0, rows, base->model().blocks(), *tile.base, tile.of_base.view(),
                                  interrupt);
    add_base(model->base, std::as_const(tile.of_base).view(), first, outputs);
  }

  const Model* model;
  std::optional<Predictor> base;
  std::vector<std::vector<rows::ForwardBlock>> members;
};

Predictor::Predictor(const Model& model, std::size_t threads) {
  auto made = std::make_unique<Prepared>(model, threads);
  bool lattices = false;
  for (const Network& network : model.members)
    for (const Block& block : network.blocks)
      for (const Branch& branch : block.branches) lattices = lattices || !branch.lattice.empty();
  Workers workers(lattices ? threads : 1);
  Interrupt never;
  for (const Network& network : model.members) {
    made->members.emplace_back();
    for (const Block& block : network.blocks)
      made->members.back().push_back(*rows::ForwardBlock::prepare(block, workers, never));
  }
  prepared_ = std::move(made);
}

Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const Model& Predictor::model() const { return *prepared_->model; }

bool Predictor::predict(ConstMatrixView inputs, MatrixView outputs, const PredictOptions& options) const {
  const Model& model = *prepared_->model;
  check_shapes(model, inputs);
  if (outputs.rows() != inputs.rows() || outputs.cols() != model.outputs())
    throw UsageError("The place for predictions is " + std::to_string(outputs.rows()) + " × " +
                         std::to_string(outputs.cols()) + ", not " + std::to_string(inputs.rows()) + " × " +
                         std::to_string(model.outputs()) + ".",
                     "Give it a row per input row and a column per output.");
  const std::size_t blocks = options.blocks.value_or(model.blocks());
  const std::size_t tiles = rows::TiledColumns::tiles_for(inputs.rows());
  if (tiles == 0) return true;
  Workers workers(std::min(thread_count(options.threads), tiles));
  std::vector<std::unique_ptr<PredictTile>> scratch(workers.threads());
  Interrupt interrupt(options.proceed);
  return workers.run(
      tiles, true,
      [&](std::size_t tile, std::size_t worker) {
        if (!interrupt.proceed()) return;
        if (!scratch[worker]) scratch[worker] = std::make_unique<PredictTile>(model);
        const std::size_t first = tile * rows::tile_rows;
        prepared_->predict_tile(inputs, first, std::min(rows::tile_rows, inputs.rows() - first), blocks,
                                *scratch[worker], outputs, interrupt);
      },
      interrupt);
}

void Predictor::stages(ConstMatrixView inputs,
                       const std::function<void(std::size_t blocks, ConstMatrixView outputs)>& see) const {
  const Model& model = *prepared_->model;
  check_shapes(model, inputs);
  const std::size_t count = inputs.rows(), tiles = rows::TiledColumns::tiles_for(count);
  std::vector<rows::TiledColumns> states(model.members.size(), rows::TiledColumns(count, model.outputs()));
  PredictTile tile(model);
  Interrupt never;
  std::vector<double*> state(model.outputs());
  Matrix outputs(count, model.outputs()), of_base;
  if (!model.base.empty()) of_base = inputs_of_base(model.base, inputs, 0, count);
  if (prepared_->base) {
    const Matrix its = std::move(of_base);
    of_base = Matrix(count, model.outputs());
    prepared_->base->predict(its.view(), of_base.view());
  }
  for (std::size_t depth = 0; depth <= model.blocks(); ++depth) {
    for (std::size_t t = 0; t < tiles; ++t) {
      const std::size_t first = t * rows::tile_rows, rows = std::min(rows::tile_rows, count - first);
      rows::scale_inputs(model, inputs, first, rows, tile.theta_out);
      for (std::size_t e = 0; e < model.members.size(); ++e) {
        const auto& blocks = prepared_->members[e];
        for (std::size_t o = 0; o < state.size(); ++o) state[o] = states[e].column(t, o);
        if (depth > 0 && depth <= blocks.size()) tile.forward.add(blocks[depth - 1], tile.theta_in, state, rows, never);
        rows::add_member(model, e, std::min(depth, blocks.size()), state, first, rows, outputs.view());
      }
    }
    if (!of_base.empty()) add_base(model.base, std::as_const(of_base).view(), 0, outputs.view());
    see(depth, std::as_const(outputs).view());
  }
}

bool predict(const Model& model, ConstMatrixView inputs, MatrixView outputs, const PredictOptions& options) {
  return Predictor(model, options.threads).predict(inputs, outputs, options);
}

Matrix predict(const Model& model, ConstMatrixView inputs, const PredictOptions& options) {
  Matrix outputs(inputs.rows(), model.outputs());
  predict(model, inputs, outputs.view(), {.blocks = options.blocks, .threads = options.threads});
  return outputs;
}

namespace {

/// Is this number none that training rows had between them? Of a column that was constant there, which the networks do
/// not see, any other number; rounding of what stands in for a missing cell is none.
bool is_beyond(const Column& column, double value, double share) {
  if (column.used) {
    const double margin = share * (column.max - column.min);
    return !(value >= column.min - margin && value <= column.max + margin);
  }
  constexpr double rounding = 1e-7;
  const double margin = rounding * std::max(std::abs(column.min), std::abs(column.max));
  return value < column.min - margin || value > column.max + margin;
}

}  // namespace

std::size_t rows_outside_training_range(const Model& model, ConstMatrixView inputs, double margin) {
  check_shapes(model, inputs);
  std::size_t outside = 0;
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    bool beyond = rows::has_new_stand_in(model, inputs, i);
    for (std::size_t k = 0; k < model.inputs.size() && !beyond; ++k)
      beyond = is_beyond(model.inputs[k], inputs(i, k), margin);
    if (!beyond && model.base.model)
      beyond =
          rows_outside_training_range(*model.base.model, inputs_of_base(model.base, inputs, i, 1).view(), margin) > 0;
    if (beyond) ++outside;
  }
  return outside;
}

}  // namespace rfnn
