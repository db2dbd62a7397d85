#include "rfnn/rows/predict.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/rows/forward.hpp"
#include "rfnn/rows/lattice/lattice_block.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn {
namespace {

void check_shapes(const Model& model, ConstMatrixView inputs) {
  if (inputs.cols() != model.input_count())
    throw UsageError("The rows to predict have " + std::to_string(inputs.cols()) +
                         " columns, the model was trained on " + std::to_string(model.input_count()) + ".",
                     "Pass the input columns in the order of training.");
}

/// One thread's scratch: a tile of θ, of a member's state and of the sum over members.
struct PredictTile {
  PredictTile(const Model& model, const Kernels& level)
      : forward(level), theta(tile_rows, model.used_inputs()), state(tile_rows, model.outputs()) {
    for (std::size_t k = 0; k < theta.columns(); ++k) theta_out.push_back(theta.column(0, k));
    theta_in.assign(theta_out.begin(), theta_out.end());
    for (std::size_t o = 0; o < state.columns(); ++o) state_columns.push_back(state.column(0, o));
  }
  ForwardTile forward;
  TiledColumns theta, state;
  std::vector<double*> theta_out, state_columns;
  std::vector<const double*> theta_in;
};

/// Values at all rows of those blocks that are lattices of frequencies, had together; empty for other blocks.
using LatticeValues = std::vector<std::vector<Matrix>>;  // per member, per block

LatticeValues lattice_values(const Model& model, ConstMatrixView inputs, std::size_t blocks, std::size_t threads) {
  LatticeValues values(model.members.size());
  Matrix theta;
  Interrupt never;
  for (std::size_t e = 0; e < model.members.size(); ++e) {
    values[e].resize(std::min(blocks, model.members[e].blocks.size()));
    for (std::size_t l = 0; l < values[e].size(); ++l) {
      const Block& block = model.members[e].blocks[l];
      if (!may_be_lattice(block)) continue;
      if (theta.empty()) {
        theta = Matrix(inputs.rows(), model.used_inputs());
        std::size_t used = 0;
        for (std::size_t k = 0; k < model.inputs.size(); ++k) {
          if (!model.inputs[k].used) continue;
          const Standardised standardised = model.scaler.input(used);
          for (std::size_t i = 0; i < inputs.rows(); ++i) theta(i, used) = standardised(inputs(i, k));
          ++used;
        }
      }
      Matrix sum(inputs.rows(), model.outputs());
      const Branch& branch = block.branches.front();
      if (add_lattice_values(branch.frequencies, branch.amplitudes, theta.view(), sum.view(), threads, never))
        values[e][l] = std::move(sum);
    }
  }
  return values;
}

void predict_tile(const Model& model, ConstMatrixView inputs, std::size_t first, std::size_t rows, std::size_t blocks,
                  const LatticeValues& lattices, PredictTile& tile, MatrixView outputs) {
  scale_inputs(model, inputs, first, rows, tile.theta_out);
  const auto share = 1.0 / static_cast<double>(model.members.size());
  for (std::size_t e = 0; e < model.members.size(); ++e) {
    const Network& network = model.members[e];
    for (double* column : tile.state_columns) std::fill_n(column, tile_rows, 0.0);
    const std::size_t depth = std::min(blocks, network.blocks.size());
    for (std::size_t l = 0; l < depth; ++l) {
      const Matrix& values = lattices[e][l];
      if (values.empty()) tile.forward.add(network.blocks[l], tile.theta_in, tile.state_columns, rows);
      for (std::size_t i = 0; i < rows && !values.empty(); ++i)
        for (std::size_t o = 0; o < model.outputs(); ++o) tile.state_columns[o][i] += values(first + i, o);
    }
    for (std::size_t o = 0; o < model.outputs(); ++o) {
      // A network without blocks is the mean, also where the output is not centred.
      const double mean = depth == 0 ? model.targets[o].mean : model.scaler.output_mean[o];
      for (std::size_t i = 0; i < rows; ++i) {
        const double value = mean + model.scaler.output_sd[o] * tile.state_columns[o][i];
        double& out = outputs(first + i, o);
        if (model.members.size() == 1)
          out = value;
        else
          out = (e == 0 ? 0.0 : out) + share * value;
      }
    }
  }
}

}  // namespace

void predict(const Model& model, ConstMatrixView inputs, MatrixView outputs, const PredictOptions& options) {
  check_shapes(model, inputs);
  if (outputs.rows() != inputs.rows() || outputs.cols() != model.outputs())
    throw UsageError("The place for predictions is " + std::to_string(outputs.rows()) + " × " +
                         std::to_string(outputs.cols()) + ", not " + std::to_string(inputs.rows()) + " × " +
                         std::to_string(model.outputs()) + ".",
                     "Give it a row per input row and a column per output.");
  const std::size_t blocks = options.blocks.value_or(model.blocks());
  const std::size_t tiles = TiledColumns::tiles_for(inputs.rows());
  if (tiles == 0) return;
  Workers workers(std::min(options.threads == 0 ? available_threads() : options.threads, tiles));
  std::vector<std::unique_ptr<PredictTile>> scratch(workers.threads());
  const LatticeValues lattices = lattice_values(model, inputs, blocks, workers.threads());
  Interrupt never;
  workers.run(
      tiles, true,
      [&](std::size_t tile, std::size_t worker) {
        if (!scratch[worker]) scratch[worker] = std::make_unique<PredictTile>(model, kernels());
        const std::size_t first = tile * tile_rows;
        predict_tile(model, inputs, first, std::min(tile_rows, inputs.rows() - first), blocks, lattices,
                     *scratch[worker], outputs);
      },
      never);
}

Matrix predict(const Model& model, ConstMatrixView inputs, const PredictOptions& options) {
  Matrix outputs(inputs.rows(), model.outputs());
  predict(model, inputs, outputs.view(), options);
  return outputs;
}

std::size_t rows_outside_training_range(const Model& model, ConstMatrixView inputs) {
  check_shapes(model, inputs);
  std::size_t outside = 0;
  for (std::size_t i = 0; i < inputs.rows(); ++i)
    for (std::size_t k = 0; k < model.inputs.size(); ++k) {
      const Column& column = model.inputs[k];
      if (column.used && !(inputs(i, k) >= column.min && inputs(i, k) <= column.max)) {
        ++outside;
        break;
      }
    }
  return outside;
}

}  // namespace rfnn
