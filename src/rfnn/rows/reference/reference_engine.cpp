#include "rfnn/rows/reference/reference_engine.hpp"

#include <cmath>
#include <utility>

#include "rfnn/core/as_index.hpp"
#include "rfnn/least_squares/solvers.hpp"

namespace rfnn::rows {
namespace {

Eigen::MatrixXd variables(BranchKind kind, const Eigen::MatrixXd& theta, const Eigen::MatrixXd& state) {
  if (kind == BranchKind::input) return theta;
  if (kind == BranchKind::state) return state;
  Eigen::MatrixXd both(theta.rows(), theta.cols() + state.cols());
  both << theta, state;
  return both;
}

/// [cos(v·ω_j) −sin(v·ω_j)] for every row v.
Eigen::MatrixXd branch_features(const Eigen::MatrixXd& v, const Matrix& frequencies) {
  Eigen::MatrixXd columns(v.rows(), as_index(2 * frequencies.rows()));
  for (Eigen::Index i = 0; i < v.rows(); ++i)
    for (std::size_t j = 0; j < frequencies.rows(); ++j) {
      double phase = 0.0;
      for (std::size_t k = 0; k < frequencies.cols(); ++k) phase += frequencies(j, k) * v(i, as_index(k));
      columns(i, as_index(2 * j)) = std::cos(phase);
      columns(i, as_index(2 * j + 1)) = -std::sin(phase);
    }
  return columns;
}

Eigen::VectorXd root_of(std::vector<double> weights, Eigen::Index rows) {
  if (weights.empty()) return Eigen::VectorXd::Ones(rows);
  const std::vector<double> roots = weight_roots(std::move(weights));
  return Eigen::Map<const Eigen::VectorXd>(roots.data(), rows);
}

}  // namespace

void ReferenceEngine::begin_block(const std::vector<BranchShape>& branches, std::span<const std::size_t> rows) {
  branches_ = branches;
  kept_.assign(branches.size(), {});
  const auto chosen_rows = [&](const TiledColumns& all) {
    const std::size_t count = rows.empty() ? all.rows() : rows.size();
    Eigen::MatrixXd made(as_index(count), as_index(all.columns()));
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < all.columns(); ++k)
        made(as_index(i), as_index(k)) = all(rows.empty() ? i : rows[i], k);
    return made;
  };
  theta_ = chosen_rows(rows_.theta());
  state_ = chosen_rows(rows_.state);
  residual_ = chosen_rows(rows_.target()) - state_;
  std::vector<double> weights = rows_.given_weights();
  if (!rows.empty() && !weights.empty()) {
    weights.clear();
    for (const std::size_t row : rows) weights.push_back(rows_.given_weights()[row]);
  }
  root_ = root_of(std::move(weights), residual_.rows());
  residual_ = root_.asDiagonal() * residual_;
}

void ReferenceEngine::keep(std::size_t branch, const Matrix& frequencies) { kept_[branch] = frequencies; }

void ReferenceEngine::propose(std::size_t branch, const Matrix& frequencies) {
  proposed_branch_ = branch;
  proposed_ = frequencies;
}

void ReferenceEngine::accept(const std::vector<char>& accepted) {
  for (std::size_t j = 0; j < proposed_.rows(); ++j)
    if (accepted[j])
      for (std::size_t k = 0; k < proposed_.cols(); ++k) kept_[proposed_branch_](j, k) = proposed_(j, k);
}

Eigen::MatrixXd ReferenceEngine::features(bool with_proposed) const {
  Eigen::MatrixXd all(theta_.rows(), 0);
  const auto append = [&](const Eigen::MatrixXd& columns) {
    const Eigen::Index old = all.cols();
    all.conservativeResize(Eigen::NoChange, old + columns.cols());
    all.rightCols(columns.cols()) = columns;
  };
  for (std::size_t b = 0; b < branches_.size(); ++b)
    append(branch_features(variables(branches_[b].kind, theta_, state_), kept_[b]));
  if (with_proposed) append(branch_features(variables(branches_[proposed_branch_].kind, theta_, state_), proposed_));
  return root_.asDiagonal() * all;
}

Eigen::MatrixXd ReferenceEngine::chosen(const std::vector<std::size_t>& columns) const {
  std::size_t kept_columns = 0;
  for (const BranchShape& branch : branches_) kept_columns += 2 * branch.features;
  bool with_proposed = false;
  for (const std::size_t c : columns) with_proposed = with_proposed || c >= kept_columns;
  const std::vector<Eigen::Index> list(columns.begin(), columns.end());
  return features(with_proposed)(Eigen::all, list);
}

bool ReferenceEngine::reduce_kept(least_squares::NormalEquations& problem, Interrupt& interrupt) {
  const Eigen::MatrixXd a = features(false);
  problem.gram = a.transpose() * a;
  problem.rhs = a.transpose() * residual_;
  problem.energy = residual_.colwise().squaredNorm().transpose();
  problem.rows = static_cast<double>(residual_.rows());
  return interrupt.proceed();
}

bool ReferenceEngine::reduce_proposed(least_squares::NormalEquations& problem, Interrupt& interrupt) {
  const Eigen::MatrixXd a = features(true);
  const Eigen::Index p = as_index(2 * proposed_.rows()), n = a.cols() - p;
  problem.gram.block(n, 0, p, n + p) = a.rightCols(p).transpose() * a;
  problem.gram.block(0, n, n, p) = problem.gram.block(n, 0, p, n).transpose();
  problem.rhs.middleRows(n, p) = a.rightCols(p).transpose() * residual_;
  return interrupt.proceed();
}

bool ReferenceEngine::triangle(const std::vector<std::size_t>& columns, least_squares::Triangle& problem,
                               Interrupt& interrupt) {
  least_squares::TriangleBuilder builder(as_index(columns.size()), residual_.cols());
  builder.add(chosen(columns), residual_);
  problem = builder.triangle();
  return interrupt.proceed();
}

bool ReferenceEngine::correlate(const std::vector<std::size_t>& columns, Eigen::MatrixXd& rhs, Eigen::VectorXd& energy,
                                Interrupt& interrupt) {
  rhs = chosen(columns).transpose() * residual_;
  energy = residual_.colwise().squaredNorm().transpose();
  return interrupt.proceed();
}

bool ReferenceEngine::normal_product(const std::vector<std::size_t>& columns, const Eigen::MatrixXd& v,
                                     Eigen::MatrixXd& product, Interrupt& interrupt) {
  const Eigen::MatrixXd a = chosen(columns);
  product = a.transpose() * (a * v);
  return interrupt.proceed();
}

}  // namespace rfnn::rows
