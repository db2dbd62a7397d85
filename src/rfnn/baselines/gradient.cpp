#include "rfnn/baselines/gradient.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "rfnn/rows/forward.hpp"

namespace rfnn::baselines {
namespace {

using TileColumn = Eigen::Map<Eigen::Array<double, static_cast<int>(features::tile_rows), 1>, Eigen::Aligned64>;
using ConstTileColumn =
    Eigen::Map<const Eigen::Array<double, static_cast<int>(features::tile_rows), 1>, Eigen::Aligned64>;

std::size_t most_variables(const Network& network) {
  std::size_t most = 0;
  for (const Block& block : network.blocks)
    for (const Branch& branch : block.branches) most = std::max(most, branch.frequencies.cols());
  return most;
}

}  // namespace

TileColumns::TileColumns(std::size_t count) : values(count * features::tile_rows, 0.0) {
  for (std::size_t c = 0; c < count; ++c) writable.push_back(values.data() + c * features::tile_rows);
  readable.assign(writable.begin(), writable.end());
}

GradientTile::Pass::Pass(const Branch& of, std::size_t outputs)
    : branch(&of), columns(of.amplitudes.rows()), slopes(of.kind == BranchKind::input ? 0 : of.amplitudes.rows()) {
  const std::size_t features = of.frequencies.rows(), count = of.frequencies.cols();
  for (std::size_t j = 0; j < features; ++j) {
    frequencies.push_back(of.frequencies.data() + j * count);
    cosine.push_back(columns.writable[2 * j]);
    minus_sine.push_back(columns.writable[2 * j + 1]);
  }
  sums.resize(2 * features * outputs * (1 + count));
  slopes.resize(slopes.size() * outputs * outputs);
}

GradientTile::GradientTile(const Network& network, std::size_t inputs, std::size_t outputs,
                           const features::Kernels& level)
    : network_(network),
      kernels_(level),
      outputs_(outputs),
      theta_(inputs),
      targets_(outputs),
      error_(outputs),
      upstream_(outputs),
      downstream_(outputs),
      products_(outputs * most_variables(network)),
      derivatives_(outputs * outputs) {
  for (std::size_t l = 0; l <= network.blocks.size(); ++l) states_.emplace_back(outputs);
  for (std::size_t l = 0; l < network.blocks.size(); ++l) {
    auto& passes = passes_.emplace_back();
    for (const Branch& branch : network.blocks[l].branches) {
      Pass& pass = passes.emplace_back(branch, outputs);
      rows::branch_variables(branch.kind, theta_.readable, states_[l].readable, pass.variables);
      pass.weighted = upstream_.readable;
      const auto products = static_cast<std::ptrdiff_t>(outputs * pass.variables.size());
      pass.weighted.insert(pass.weighted.end(), products_.readable.begin(), products_.readable.begin() + products);
    }
  }
}

void GradientTile::load(const Matrix& inputs, const Matrix& targets, std::span<const std::size_t> rows) {
  const auto gather = [&](const Matrix& from, const TileColumns& to) {
    const std::size_t stride = from.cols();
    for (std::size_t k = 0; k < stride; ++k) {
      const double* values = from.data() + k;
      double* column = to.writable[k];
      for (std::size_t i = 0; i < rows.size(); ++i) column[i] = values[rows[i] * stride];
      std::fill(column + rows.size(), column + features::tile_rows, 0.0);
    }
  };
  gather(inputs, theta_);
  gather(targets, targets_);
  rows_ = rows.size();
}

double GradientTile::forward() {
  for (std::size_t l = 0; l < passes_.size(); ++l) {
    states_[l + 1].values = states_[l].values;
    for (Pass& pass : passes_[l]) {
      kernels_.features(pass.variables.data(), pass.variables.size(), pass.frequencies.data(), pass.frequencies.size(),
                        rows_, pass.cosine.data(), pass.minus_sine.data());
      kernels_.combine(pass.columns.readable.data(), pass.columns.readable.size(), pass.branch->amplitudes.data(),
                       outputs_, states_[l + 1].writable.data());
    }
  }
  // Beyond the rows features and targets are zero: so are the state, the error and all that is multiplied by it.
  double sum = 0.0;
  for (std::size_t o = 0; o < outputs_; ++o) {
    TileColumn(error_.writable[o]) =
        ConstTileColumn(states_.back().readable[o]) - ConstTileColumn(targets_.readable[o]);
    kernels_.gram(&error_.readable[o], 1, &error_.readable[o], 1, false, &sum, 1);
  }
  return sum;
}

void GradientTile::backward(double weight, Network& gradient) {
  for (std::size_t o = 0; o < outputs_; ++o)
    TileColumn(upstream_.writable[o]) = 2.0 * weight * ConstTileColumn(error_.readable[o]);
  for (std::size_t l = passes_.size(); l-- > 0;) {
    downstream_.values = upstream_.values;
    for (std::size_t b = 0; b < passes_[l].size(); ++b) {
      add_parameter_gradient(passes_[l][b], gradient.blocks[l].branches[b]);
      if (l > 0) pass_on(passes_[l][b]);  // z_0 depends on nothing
    }
    upstream_.values = downstream_.values;
  }
}

void GradientTile::add_parameter_gradient(Pass& pass, Branch& gradient) {
  const std::size_t count = pass.variables.size(), features = pass.frequencies.size(), stride = pass.weighted.size();
  for (std::size_t o = 0; o < outputs_; ++o)
    for (std::size_t k = 0; k < count; ++k)
      TileColumn(products_.writable[o * count + k]) =
          ConstTileColumn(upstream_.readable[o]) * ConstTileColumn(pass.variables[k]);
  std::fill(pass.sums.begin(), pass.sums.end(), 0.0);
  kernels_.gram(pass.columns.readable.data(), 2 * features, pass.weighted.data(), stride, false, pass.sums.data(),
                stride);

  const Matrix& b = pass.branch->amplitudes;
  for (std::size_t j = 0; j < features; ++j) {
    const double* with_cosine = pass.sums.data() + 2 * j * stride;
    const double* with_minus_sine = with_cosine + stride;
    for (std::size_t o = 0; o < outputs_; ++o) {
      gradient.amplitudes(2 * j, o) += with_cosine[o];
      gradient.amplitudes(2 * j + 1, o) += with_minus_sine[o];
      const std::size_t product = outputs_ + o * count;
      for (std::size_t k = 0; k < count; ++k)
        gradient.frequencies(j, k) +=
            b(2 * j, o) * with_minus_sine[product + k] - b(2 * j + 1, o) * with_cosine[product + k];
    }
  }
}

void GradientTile::pass_on(Pass& pass) {
  if (pass.slopes.empty()) return;
  const Matrix& omega = pass.branch->frequencies;
  const Matrix& b = pass.branch->amplitudes;
  const std::size_t first = omega.cols() - outputs_;  // the state comes last among the variables
  const std::size_t stride = outputs_ * outputs_;
  for (std::size_t j = 0; j < omega.rows(); ++j)
    for (std::size_t o = 0; o < outputs_; ++o)
      for (std::size_t k = 0; k < outputs_; ++k) {
        const std::size_t place = 2 * j * stride + o * outputs_ + k;
        pass.slopes[place] = -omega(j, first + k) * b(2 * j + 1, o);
        pass.slopes[place + stride] = omega(j, first + k) * b(2 * j, o);
      }
  std::fill(derivatives_.values.begin(), derivatives_.values.end(), 0.0);
  kernels_.combine(pass.columns.readable.data(), pass.columns.readable.size(), pass.slopes.data(), stride,
                   derivatives_.writable.data());
  for (std::size_t o = 0; o < outputs_; ++o)
    for (std::size_t k = 0; k < outputs_; ++k)
      TileColumn(downstream_.writable[k]) +=
          ConstTileColumn(upstream_.readable[o]) * ConstTileColumn(derivatives_.readable[o * outputs_ + k]);
}

}  // namespace rfnn::baselines
