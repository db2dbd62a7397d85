#include "rfnn/finders/sampled/drawn_block.hpp"

#include <algorithm>
#include <cmath>

#include "rfnn/core/random.hpp"
#include "rfnn/least_squares/dense.hpp"

namespace rfnn::sampled {

Eigen::MatrixXd draw_amplitudes(const least_squares::NormalEquations& problem, double lambda, std::uint64_t seed,
                                std::uint64_t draw, std::uint64_t block) {
  const Eigen::Index columns = problem.gram.cols(), outputs = problem.rhs.cols();
  // Without a ridge features may be the same to rounding: then as little is added as makes them different.
  const double scale = problem.gram.trace() / static_cast<double>(std::max<Eigen::Index>(columns, 1));
  double shift = problem.rows * lambda;
  dense::Cholesky factor(problem.gram, shift);
  for (double more = 1e-14; !factor.positive_definite() && more < 1.0; more *= 10.0)
    factor = dense::Cholesky(problem.gram, shift += more * scale);
  Eigen::MatrixXd amplitudes = problem.rhs;
  if (!factor.positive_definite()) return Eigen::MatrixXd::Zero(columns, outputs);
  factor.solve_in_place(amplitudes);
  const Eigen::VectorXd left = misfit(problem, amplitudes);
  const double freedom = std::max(problem.rows - static_cast<double>(columns), 0.5 * problem.rows);
  Eigen::MatrixXd deviation(columns, outputs);
  for (Eigen::Index o = 0; o < outputs; ++o) {
    const Stream normals({seed, draw, block, static_cast<std::uint64_t>(o)}, Purpose::chain_amplitudes);
    const double sigma = std::sqrt(left(o) / freedom);
    for (Eigen::Index i = 0; i < columns; ++i) deviation(i, o) = sigma * normals.normal(static_cast<std::uint64_t>(i));
  }
  dense::solve_triangle(dense::Part::lower, factor.lower(), deviation, true);
  return amplitudes + deviation;
}

std::optional<Block> draw_block(rows::Engine& engine, const BlockPlan& plan, const std::vector<Matrix>& frequencies,
                                std::uint64_t seed, std::uint64_t draw, Interrupt& interrupt) {
  for (std::size_t b = 0; b < plan.branches.size(); ++b) engine.keep(b, frequencies[b]);
  least_squares::NormalEquations problem;
  if (!engine.reduce_kept(problem, interrupt)) return std::nullopt;
  const Eigen::MatrixXd all =
      draw_amplitudes(problem, plan.lambda, seed, draw, static_cast<std::uint64_t>(plan.number));
  Block block;
  Eigen::Index row = 0;
  for (std::size_t b = 0; b < plan.branches.size(); ++b) {
    Matrix amplitudes(2 * frequencies[b].rows(), static_cast<std::size_t>(all.cols()));
    for (std::size_t i = 0; i < amplitudes.rows(); ++i, ++row)
      for (std::size_t o = 0; o < amplitudes.cols(); ++o) amplitudes(i, o) = all(row, static_cast<Eigen::Index>(o));
    block.branches.push_back({plan.branches[b].shape.kind, frequencies[b], std::move(amplitudes)});
  }
  return block;
}

}  // namespace rfnn::sampled
