#include "rfnn/rows/forward.hpp"

#include <algorithm>

namespace rfnn::rows {

void branch_variables(BranchKind kind, const std::vector<const double*>& theta, const std::vector<const double*>& state,
                      std::vector<const double*>& variables) {
  variables.clear();
  if (kind != BranchKind::state) variables.insert(variables.end(), theta.begin(), theta.end());
  if (kind != BranchKind::input) variables.insert(variables.end(), state.begin(), state.end());
}

std::optional<ForwardBlock> ForwardBlock::prepare(const Block& block, Workers& workers, Interrupt& interrupt) {
  ForwardBlock prepared;
  prepared.block_ = &block;
  for (const Branch& branch : block.branches) {
    prepared.lattices_.push_back(branch.lattice.empty() ? nullptr : LatticeSum::make(branch, workers, interrupt));
    if (!branch.lattice.empty() && !prepared.lattices_.back()) return std::nullopt;
    const bool windows = branch.closed_form && !branch.closed_form->windows.empty(),
               series =
                   branch.closed_form && !windows && least_squares::MarkovProcess::describes(branch.closed_form->law);
    prepared.series_.push_back(series ? std::make_shared<const least_squares::MarkovSum>(*branch.closed_form)
                                      : nullptr);
    prepared.windows_.push_back(windows ? std::make_shared<WindowSum>(*branch.closed_form) : nullptr);
    prepared.closed_forms_.push_back(
        branch.closed_form && !series && !windows ? std::make_shared<ClosedSum>(*branch.closed_form) : nullptr);
  }
  return prepared;
}

bool ForwardTile::add(const ForwardBlock& prepared, const std::vector<const double*>& theta,
                      const std::vector<double*>& state, std::size_t rows, Interrupt& interrupt) {
  // Every branch of a block sees the state before the block.
  const std::size_t outputs = state.size();
  old_state_.resize(outputs * tile_rows);
  old_columns_.resize(outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    std::copy_n(state[o], tile_rows, old_state_.data() + o * tile_rows);
    old_columns_[o] = old_state_.data() + o * tile_rows;
  }
  const std::vector<Branch>& branches = prepared.block().branches;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const Branch& branch = branches[b];
    branch_variables(branch.kind, theta, old_columns_, variables_);
    if (const LatticeSum* lattice = prepared.lattice(b)) {
      lattice->add(variables_, rows, state);
    } else if (const least_squares::MarkovSum* series = prepared.series(b)) {
      add_series(*series, state, rows);
    } else if (const WindowSum* windows = prepared.windows(b)) {
      if (!windows->add(law_kernels_, variables_, rows, state, windows_, interrupt)) return false;
    } else if (const ClosedSum* closed_form = prepared.closed_form(b)) {
      if (!closed_form->add(law_kernels_, variables_, rows, state, closed_form_, interrupt)) return false;
    } else {
      if (!branch.trend.empty()) add_trend(branch.trend, state, rows);
      if (!add_features(branch, state, rows, interrupt)) return false;
    }
  }
  return true;
}

void ForwardTile::add_trend(const Matrix& trend, const std::vector<double*>& state, std::size_t rows) {
  const std::size_t variables = variables_.size(), degree = variables > 0 ? (trend.rows() - 1) / variables : 0;
  for (std::size_t o = 0; o < state.size(); ++o)
    for (std::size_t i = 0; i < rows; ++i) {
      double value = trend(0, o);
      for (std::size_t k = 0; k < variables; ++k) {
        double power = 1.0;
        for (std::size_t q = 0; q < degree; ++q) {
          power *= variables_[k][i];
          value += trend(1 + q * variables + k, o) * power;
        }
      }
      state[o][i] += value;
    }
}

bool ForwardTile::add_features(const Branch& branch, const std::vector<double*>& state, std::size_t rows,
                               Interrupt& interrupt) {
  // Some features at a time, so that their columns stay in the cache however wide the branch is.
  const std::size_t width = branch.frequencies.rows(), outputs = state.size();
  for (std::size_t first = 0; first < width; first += features_together) {
    if (!interrupt.proceed()) return false;
    const std::size_t count = std::min(features_together, width - first);
    features_.make(kernels_, variables_, count, rows,
                   [&](std::size_t j) { return branch.frequencies.data() + (first + j) * variables_.size(); });
    kernels_.combine(features_.columns.data(), features_.columns.size(), branch.amplitudes.data() + 2 * first * outputs,
                     outputs, state.data());
  }
  return true;
}

void ForwardTile::add_series(const least_squares::MarkovSum& sum, const std::vector<double*>& state, std::size_t rows) {
  outputs_of_row_.resize(state.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t o = 0; o < state.size(); ++o) outputs_of_row_[o] = state[o][i];
    sum.add(variables_[0][i], outputs_of_row_);
    for (std::size_t o = 0; o < state.size(); ++o) state[o][i] = outputs_of_row_[o];
  }
}

void scale_inputs(const Model& model, ConstMatrixView inputs, std::size_t first, std::size_t count,
                  const std::vector<double*>& theta) {
  std::size_t used = 0;
  for (std::size_t k = 0; k < model.inputs.size(); ++k) {
    if (!model.inputs[k].used) continue;
    const Standardised standardised = model.scaler.input(used);
    double* column = theta[used++];
    for (std::size_t i = 0; i < count; ++i) column[i] = standardised(inputs(first + i, k));
    std::fill(column + count, column + tile_rows, 0.0);
  }
}

void add_member(const Model& model, std::size_t member, std::size_t depth, const std::vector<double*>& state,
                std::size_t first, std::size_t rows, MatrixView outputs) {
  const auto share = 1.0 / static_cast<double>(model.members.size());
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    // A network without blocks is the mean, also where the output is not centred.
    const double mean = depth == 0 ? model.targets[o].mean : model.scaler.output_mean[o];
    for (std::size_t i = 0; i < rows; ++i) {
      const double value = mean + model.scaler.output_sd[o] * state[o][i];
      double& out = outputs(first + i, o);
      out = (member == 0 ? 0.0 : out) + share * value;
    }
  }
}

}  // namespace rfnn::rows
