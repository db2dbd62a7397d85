#include "rfnn/rows/threads/threaded_work.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "rfnn/rows/forward.hpp"
#include "rfnn/rows/threads/direct_engine.hpp"

namespace rfnn::rows {

bool ThreadedWork::advance(const Block& block, RowState& rows, Interrupt& interrupt) {
  const std::size_t inputs = rows.inputs(), outputs = rows.outputs();
  const std::optional<ForwardBlock> prepared = ForwardBlock::prepare(block, workers_, interrupt);
  if (!prepared) return false;
  std::vector<std::unique_ptr<ForwardTile>> forward(workers_.threads());
  const bool complete = workers_.run(
      rows.tiles(), true,
      [&](std::size_t tile, std::size_t worker) {
        if (!interrupt.proceed()) return;
        if (!forward[worker]) forward[worker] = std::make_unique<ForwardTile>(kernels_);
        std::vector<const double*> theta(inputs);
        std::vector<double*> state(outputs);
        for (std::size_t k = 0; k < inputs; ++k) theta[k] = rows.theta().column(tile, k);
        for (std::size_t o = 0; o < outputs; ++o) state[o] = rows.state.column(tile, o);
        if (forward[worker]->add(*prepared, theta, state, rows.rows_in(tile), interrupt)) rows.settle(tile);
        rows.passed(tile);
      },
      interrupt);
  rows.let_go();
  return complete;
}

Eigen::VectorXd ThreadedWork::mean_squares(const RowState& rows) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(rows.outputs()));
  for (std::size_t tile = 0; tile < rows.tiles(); ++tile) {
    for (std::size_t o = 0; o < rows.outputs(); ++o)
      for (std::size_t i = 0; i < rows.rows_in(tile); ++i) {
        double left = rows.residual.column(tile, o)[i];
        if (rows.weighted()) left *= rows.root().column(tile, 0)[i];
        sums(static_cast<Eigen::Index>(o)) += left * left;
      }
    rows.residual.passed(tile);
  }
  rows.residual.let_go(0, rows.tiles());
  return sums / static_cast<double>(std::max<std::size_t>(rows.count(), 1));  // the mean of the weights is 1
}

std::unique_ptr<LatticePoints> ThreadedWork::lattice_points(HalfLattice lattice, std::size_t variables, Phases phases) {
  return std::make_unique<NufftPoints>(lattice, variables, std::move(phases), workers_);
}

std::unique_ptr<Engine> ThreadedWork::chain(const RowState& rows) {
  DirectEngine::Limits limits;
  // Rows are on disk because there is little memory: features are made anew in every pass, the same ones.
  if (rows.residual.storage() == Storage::disk) limits.cache = 0;
  return std::make_unique<DirectEngine>(rows, workers_, kernels_, limits);
}

}  // namespace rfnn::rows
