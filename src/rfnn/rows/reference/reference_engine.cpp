#include "rfnn/rows/reference/reference_engine.hpp"

#include <cmath>
#include <utility>

#include "rfnn/least_squares/solvers.hpp"

namespace rfnn {
namespace {

Eigen::Index as_index(std::size_t n) { return static_cast<Eigen::Index>(n); }

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

ReferenceEngine::ReferenceEngine(const ScaledRows& train, const ScaledRows& validation)
    : train_(make_rows(train)), validation_(make_rows(validation)) {}

ReferenceEngine::RowSet ReferenceEngine::make_rows(const ScaledRows& rows) {
  const std::size_t count = rows.count();
  RowSet set{Eigen::MatrixXd(as_index(count), as_index(rows.inputs())),
             Eigen::MatrixXd(as_index(count), as_index(rows.outputs())),
             Eigen::MatrixXd::Zero(as_index(count), as_index(rows.outputs())), rows.weights()};
  for (std::size_t k = 0; k < rows.inputs(); ++k) rows.read_input(k, 0, count, set.theta.col(as_index(k)).data());
  for (std::size_t o = 0; o < rows.outputs(); ++o) rows.read_target(o, 0, count, set.target.col(as_index(o)).data());
  return set;
}

void ReferenceEngine::begin_block(const std::vector<BranchShape>& branches, std::span<const std::size_t> rows) {
  branches_ = branches;
  kept_.assign(branches.size(), {});
  theta_ = train_.theta;
  state_ = train_.state;
  residual_ = train_.target - train_.state;
  if (!rows.empty()) {
    const std::vector<Eigen::Index> chosen_rows(rows.begin(), rows.end());
    theta_ = Eigen::MatrixXd(train_.theta(chosen_rows, Eigen::all));
    state_ = Eigen::MatrixXd(train_.state(chosen_rows, Eigen::all));
    residual_ = Eigen::MatrixXd(train_.target(chosen_rows, Eigen::all)) - state_;
  }
  std::vector<double> weights = train_.weights;
  if (!rows.empty() && !weights.empty()) {
    weights.clear();
    for (const std::size_t row : rows) weights.push_back(train_.weights[row]);
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

bool ReferenceEngine::reduce_kept(NormalEquations& problem, Interrupt& interrupt) {
  const Eigen::MatrixXd a = features(false);
  problem.gram = a.transpose() * a;
  problem.rhs = a.transpose() * residual_;
  problem.energy = residual_.colwise().squaredNorm().transpose();
  problem.rows = static_cast<double>(residual_.rows());
  return interrupt.proceed();
}

bool ReferenceEngine::reduce_proposed(NormalEquations& problem, Interrupt& interrupt) {
  const Eigen::MatrixXd a = features(true);
  const Eigen::Index p = as_index(2 * proposed_.rows()), n = a.cols() - p;
  problem.gram.block(n, 0, p, n + p) = a.rightCols(p).transpose() * a;
  problem.gram.block(0, n, n, p) = problem.gram.block(n, 0, p, n).transpose();
  problem.rhs.middleRows(n, p) = a.rightCols(p).transpose() * residual_;
  return interrupt.proceed();
}

bool ReferenceEngine::triangle(const std::vector<std::size_t>& columns, Triangle& problem, Interrupt& interrupt) {
  TriangleBuilder builder(as_index(columns.size()), residual_.cols());
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

bool ReferenceEngine::advance(const Block& block, Interrupt& interrupt) {
  for (RowSet* rows : {&train_, &validation_}) {
    if (rows->theta.rows() == 0) continue;
    const Eigen::MatrixXd before = rows->state;
    for (const Branch& branch : block.branches) {
      using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Eigen::Map<const RowMajor> amplitudes(branch.amplitudes.data(), as_index(branch.amplitudes.rows()),
                                                  as_index(branch.amplitudes.cols()));
      rows->state += branch_features(variables(branch.kind, rows->theta, before), branch.frequencies) * amplitudes;
    }
  }
  return interrupt.proceed();
}

StateErrors ReferenceEngine::errors() const {
  const auto mean_square = [](const RowSet& rows) -> Eigen::VectorXd {
    const Eigen::MatrixXd weighted = root_of(rows.weights, rows.theta.rows()).asDiagonal() * (rows.target - rows.state);
    return weighted.colwise().squaredNorm().transpose() / static_cast<double>(rows.theta.rows());
  };
  return {mean_square(train_), validation_.theta.rows() == 0 ? Eigen::VectorXd() : mean_square(validation_)};
}

}  // namespace rfnn
