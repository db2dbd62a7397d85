#include "rfnn/rows/growth_rows.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/rows/forward.hpp"
#include "rfnn/rows/lattice/lattice_block.hpp"

namespace rfnn {

namespace {

TiledColumns roots_of(std::vector<double> weights) {
  if (weights.empty()) return {};
  TiledColumns made(weights.size(), 1);
  const std::vector<double> roots = weight_roots(std::move(weights));
  for (std::size_t i = 0; i < roots.size(); ++i) made(i, 0) = roots[i];
  return made;
}

}  // namespace

GrowthRows make_growth_rows(const ScaledRows& rows) {
  GrowthRows made{TiledColumns(rows.count(), rows.inputs() + rows.outputs()),
                  TiledColumns(rows.count(), rows.outputs()), roots_of(rows.weights())};
  for (std::size_t tile = 0; tile < made.residual.tiles(); ++tile) {
    const std::size_t first = tile * tile_rows, count = made.residual.rows_in(tile);
    for (std::size_t k = 0; k < rows.inputs(); ++k) rows.read_input(k, first, count, made.variables.column(tile, k));
    for (std::size_t o = 0; o < rows.outputs(); ++o) rows.read_target(o, first, count, made.residual.column(tile, o));
  }
  return made;
}

GrowthRows some_rows(const GrowthRows& rows, std::size_t count, const Stream& stream) {
  count = std::min(count, rows.count());
  std::vector<std::size_t> order(rows.count());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t left = order.size() - i;
    const auto drawn = static_cast<std::size_t>(stream.uniform(i) * static_cast<double>(left));
    std::swap(order[i], order[i + std::min(drawn, left - 1)]);
  }
  GrowthRows some{TiledColumns(count, rows.variables.columns()), TiledColumns(count, rows.outputs()), {}};
  if (rows.weighted()) {
    std::vector<double> weights(count);
    for (std::size_t i = 0; i < count; ++i) weights[i] = rows.weight(order[i]);
    some.root = roots_of(std::move(weights));
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < rows.variables.columns(); ++k) some.variables(i, k) = rows.variables(order[i], k);
    for (std::size_t o = 0; o < rows.outputs(); ++o) some.residual(i, o) = rows.residual(order[i], o);
  }
  return some;
}

void weighted_residual(const GrowthRows& rows, std::size_t tile, AlignedVector& place,
                       std::vector<const double*>& columns) {
  columns.resize(rows.outputs());
  if (rows.weighted()) place.resize(rows.outputs() * tile_rows);
  for (std::size_t o = 0; o < rows.outputs(); ++o) {
    columns[o] = rows.residual.column(tile, o);
    if (!rows.weighted()) continue;
    double* own = place.data() + o * tile_rows;
    std::copy_n(columns[o], tile_rows, own);
    weigh(rows, tile, own);
    columns[o] = own;
  }
}

namespace {

/// z ← z + g(θ), r ← r − g(θ) for a lattice of frequencies over the inputs; false where the block is none.
bool advance_by_lattice(const Block& block, GrowthRows& rows, Workers& workers, Interrupt& interrupt) {
  if (!may_be_lattice(block)) return false;
  const std::size_t inputs = rows.inputs(), outputs = rows.outputs();
  Matrix theta(rows.count(), inputs), values(rows.count(), outputs);
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t k = 0; k < inputs; ++k) theta(i, k) = rows.variables(i, k);
  const Branch& branch = block.branches.front();
  if (!add_lattice_values(branch.frequencies, branch.amplitudes, theta.view(), values.view(), workers.threads(),
                          interrupt))
    return false;
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) {
      rows.variables(i, inputs + o) += values(i, o);
      rows.residual(i, o) -= values(i, o);
    }
  return true;
}

}  // namespace

bool advance(const Block& block, GrowthRows& rows, Workers& workers, Interrupt& interrupt, const Kernels& level) {
  if (advance_by_lattice(block, rows, workers, interrupt)) return true;
  const std::size_t inputs = rows.inputs(), outputs = rows.outputs();
  std::vector<std::unique_ptr<ForwardTile>> forward(workers.threads());
  return workers.run(
      rows.residual.tiles(), true,
      [&](std::size_t tile, std::size_t worker) {
        if (!interrupt.proceed()) return;
        if (!forward[worker]) forward[worker] = std::make_unique<ForwardTile>(level);
        std::vector<const double*> theta(inputs);
        std::vector<double*> state(outputs);
        for (std::size_t k = 0; k < inputs; ++k) theta[k] = rows.variables.column(tile, k);
        for (std::size_t o = 0; o < outputs; ++o) {
          state[o] = rows.variables.column(tile, inputs + o);
          // The target is r + z, before and after.
          double* residual = rows.residual.column(tile, o);
          for (std::size_t i = 0; i < tile_rows; ++i) residual[i] += state[o][i];
        }
        const std::size_t count = rows.residual.rows_in(tile);
        forward[worker]->add(block, theta, state, count);
        for (std::size_t o = 0; o < outputs; ++o) {
          std::fill(state[o] + count, state[o] + tile_rows, 0.0);
          double* residual = rows.residual.column(tile, o);
          for (std::size_t i = 0; i < tile_rows; ++i) residual[i] -= state[o][i];
        }
      },
      interrupt);
}

Eigen::VectorXd mean_squares(const GrowthRows& rows) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(rows.outputs()));
  for (std::size_t tile = 0; tile < rows.residual.tiles(); ++tile)
    for (std::size_t o = 0; o < rows.outputs(); ++o)
      for (std::size_t i = 0; i < rows.residual.rows_in(tile); ++i) {
        double left = rows.residual.column(tile, o)[i];
        if (rows.weighted()) left *= rows.root.column(tile, 0)[i];
        sums(static_cast<Eigen::Index>(o)) += left * left;
      }
  return sums / static_cast<double>(std::max<std::size_t>(rows.count(), 1));  // the mean of the weights is 1
}

}  // namespace rfnn
