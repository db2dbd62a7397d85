#pragma once

// The network written down once more, with std::cos and dense matrices and nothing of the library but its values.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/random.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::testing {

inline Eigen::Index index(std::size_t n) { return static_cast<Eigen::Index>(n); }

inline Eigen::MatrixXd to_eigen(const Matrix& matrix) {
  Eigen::MatrixXd out(index(matrix.rows()), index(matrix.cols()));
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t j = 0; j < matrix.cols(); ++j) out(index(i), index(j)) = matrix(i, j);
  return out;
}

inline Matrix to_matrix(const Eigen::MatrixXd& matrix) {
  Matrix out(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()));
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t j = 0; j < out.cols(); ++j) out(i, j) = matrix(index(i), index(j));
  return out;
}

inline Matrix normal_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double scale = 1.0) {
  const Stream stream(seed, Purpose::data);
  Matrix out(rows, cols);
  for (std::size_t i = 0; i < out.size(); ++i) out.data()[i] = scale * stream.normal(i);
  return out;
}

inline Matrix uniform_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double low, double high) {
  const Stream stream(seed, Purpose::data);
  Matrix out(rows, cols);
  for (std::size_t i = 0; i < out.size(); ++i) out.data()[i] = low + (high - low) * stream.uniform(i);
  return out;
}

/// What a branch sees.
inline Eigen::MatrixXd naive_variables(BranchKind kind, const Eigen::MatrixXd& theta, const Eigen::MatrixXd& state) {
  Eigen::MatrixXd all(theta.rows(), theta.cols() + state.cols());
  all << theta, state;
  if (kind == BranchKind::input) return all.leftCols(theta.cols());
  if (kind == BranchKind::state) return all.rightCols(state.cols());
  return all;
}

/// Columns cos, −sin of the first frequency, then of the second, …
inline Eigen::MatrixXd naive_features(const Eigen::MatrixXd& variables, const Matrix& frequencies) {
  const Eigen::MatrixXd phases = variables * to_eigen(frequencies).transpose();
  Eigen::MatrixXd columns(phases.rows(), 2 * phases.cols());
  for (Eigen::Index j = 0; j < phases.cols(); ++j) {
    columns.col(2 * j) = phases.col(j).unaryExpr([](double phase) { return std::cos(phase); });
    columns.col(2 * j + 1) = phases.col(j).unaryExpr([](double phase) { return -std::sin(phase); });
  }
  return columns;
}

/// All columns of a block, branch after branch, and its amplitudes in the same order.
inline Eigen::MatrixXd naive_columns(const Block& block, const Eigen::MatrixXd& theta, const Eigen::MatrixXd& state) {
  Eigen::MatrixXd all(theta.rows(), 0);
  for (const Branch& branch : block.branches) {
    const Eigen::MatrixXd columns = naive_features(naive_variables(branch.kind, theta, state), branch.frequencies);
    const Eigen::MatrixXd before = all;
    all.resize(theta.rows(), before.cols() + columns.cols());
    all << before, columns;
  }
  return all;
}
inline Eigen::MatrixXd naive_amplitudes(const Block& block) {
  Eigen::Index rows = 0;
  for (const Branch& branch : block.branches) rows += index(branch.amplitudes.rows());
  Eigen::MatrixXd all(rows, index(block.branches.front().amplitudes.cols()));
  rows = 0;
  for (const Branch& branch : block.branches) {
    all.middleRows(rows, index(branch.amplitudes.rows())) = to_eigen(branch.amplitudes);
    rows += index(branch.amplitudes.rows());
  }
  return all;
}

/// z_0 = 0, …, z_L on rows of θ.
inline std::vector<Eigen::MatrixXd> naive_states(const Network& network, const Eigen::MatrixXd& theta,
                                                 Eigen::Index outputs) {
  std::vector<Eigen::MatrixXd> states = {Eigen::MatrixXd::Zero(theta.rows(), outputs)};
  for (const Block& block : network.blocks)
    states.push_back(states.back() + naive_columns(block, theta, states.back()) * naive_amplitudes(block));
  return states;
}

/// θ of the rows: used inputs, standardised as the model says.
inline Eigen::MatrixXd naive_theta(const Model& model, const Matrix& inputs) {
  Eigen::MatrixXd theta(index(inputs.rows()), index(model.used_inputs()));
  std::size_t used = 0;
  for (std::size_t k = 0; k < inputs.cols(); ++k) {
    if (!model.inputs[k].used) continue;
    const double least = model.scaler.input_log_from.empty() ? 0.0 : model.scaler.input_log_from[used];
    for (std::size_t i = 0; i < inputs.rows(); ++i) {
      double value = inputs(i, k);
      if (least > 0.0) value = value < least ? std::log(least) : std::log(value);
      theta(index(i), index(used)) = (value - model.scaler.input_mean[used]) / model.scaler.input_sd[used];
    }
    ++used;
  }
  return theta;
}

/// Average over the members of mean + sd · z, each member cut to `blocks`; a member without blocks is the mean.
inline Eigen::MatrixXd naive_predict(const Model& model, const Matrix& inputs, std::optional<std::size_t> blocks = {}) {
  const Eigen::MatrixXd theta = naive_theta(model, inputs);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(theta.rows(), index(model.outputs()));
  for (const Network& member : model.members) {
    const auto states = naive_states(member, theta, sum.cols());
    const std::size_t depth = std::min(blocks.value_or(member.blocks.size()), member.blocks.size());
    for (std::size_t o = 0; o < model.outputs(); ++o) {
      const double mean = depth == 0 ? model.targets[o].mean : model.scaler.output_mean[o];
      sum.col(index(o)).array() += mean + model.scaler.output_sd[o] * states[depth].col(index(o)).array();
    }
  }
  return sum / static_cast<double>(model.members.size());
}

/// A branch with random frequencies and amplitudes.
inline Branch random_branch(BranchKind kind, std::size_t features, std::size_t inputs, std::size_t outputs,
                            std::uint64_t seed, double spread = 2.0) {
  return {kind, normal_matrix(features, variables_of(kind, inputs, outputs), seed, spread),
          normal_matrix(2 * features, outputs, seed + 1, 1.0 / static_cast<double>(features))};
}

}  // namespace rfnn::testing
