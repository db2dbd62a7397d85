#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/least_squares/conditioning.hpp"
#include "rfnn/least_squares/dense.hpp"
#include "rfnn/least_squares/solvers.hpp"

namespace rfnn::least_squares {
namespace {

/// The power of two just above |values|: dividing by it is exact and keeps squares away from overflow and underflow.
template <class Values>
double binary_scale(const Values& values) {
  const double largest = values.size() == 0 ? 0.0 : values.cwiseAbs().maxCoeff();
  if (!(largest > 0.0)) return 1.0;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::clamp(exponent, -1000, 1000));
}

}  // namespace

void QrSolver::solve(const Triangle& problem, double lambda, Eigen::MatrixXd& amplitudes) {
  const Eigen::Index n = problem.upper.cols();
  condition_ = 1.0;
  amplitudes.setZero(n, problem.projected.cols());
  if (amplitudes.size() == 0) return;
  const double root = std::sqrt(problem.rows * lambda);
  const double scale = std::max(binary_scale(problem.upper), root);

  // Without a ridge the triangle is its own R factor.
  stack_.setZero(root > 0.0 ? 2 * n : n, n);
  stack_.topRows(n).triangularView<Eigen::Upper>() = problem.upper / scale;
  if (root > 0.0) stack_.bottomRows(n).diagonal().setConstant(root / scale);
  right_.setZero(stack_.rows(), problem.projected.cols());
  Eigen::RowVectorXd right_scale(right_.cols());
  for (Eigen::Index o = 0; o < right_.cols(); ++o) {
    right_scale(o) = binary_scale(problem.projected.col(o));
    right_.col(o).head(n) = problem.projected.col(o) / right_scale(o);
  }

  factor_ = stack_;
  if (root > 0.0) {
    const dense::HouseholderQr decomposition(factor_);
    condition_ = triangle_condition<Eigen::Upper>(factor_);
    if (condition_ * rank_tolerance(n) < 1.0) {
      decomposition.apply_transpose(right_);
      amplitudes = right_.topRows(n);
    }
  } else {
    condition_ = triangle_condition<Eigen::Upper>(factor_);
    amplitudes = right_;
  }
  if (condition_ * rank_tolerance(n) < 1.0) {
    dense::solve_triangle(dense::Part::upper, factor_.topRows(n), amplitudes);
  } else {
    amplitudes = dense::shortest_solution(stack_, right_, rank_tolerance(n));
  }
  for (Eigen::Index o = 0; o < amplitudes.cols(); ++o) amplitudes.col(o) *= right_scale(o) / scale;
  saturate(amplitudes);
}

TriangleBuilder::TriangleBuilder(Eigen::Index columns, Eigen::Index outputs)
    : stack_(Eigen::MatrixXd::Zero(columns + outputs, columns + outputs)),
      scale_(Eigen::RowVectorXd::Ones(columns + outputs)),
      columns_(columns),
      outputs_(outputs) {}

void TriangleBuilder::add(const Eigen::Ref<const Eigen::MatrixXd>& features,
                          const Eigen::Ref<const Eigen::MatrixXd>& residuals) {
  const Eigen::Index size = columns_ + outputs_;
  work_.resize(size + features.rows(), size);
  work_.block(size, 0, features.rows(), columns_) = features;
  work_.block(size, columns_, features.rows(), outputs_) = residuals;
  reduce(Eigen::RowVectorXd::Ones(size));
  rows_ += static_cast<double>(features.rows());
}

void TriangleBuilder::add(const TriangleBuilder& other) {
  const Eigen::Index size = columns_ + outputs_;
  work_.resize(2 * size, size);
  work_.bottomRows(size) = other.stack_;
  reduce(other.scale_);
  rows_ += other.rows_;
}

/// stack_ ← R of [stack_; rows of work_ below it]. Columns are stored divided by scale_, a power of two that moves only
/// when numbers come near the ends of the range: for ordinary data it stays at one.
void TriangleBuilder::reduce(const Eigen::RowVectorXd& scale_below) {
  constexpr double ordinary = 0x1p400;
  const Eigen::Index size = columns_ + outputs_;
  auto below = work_.bottomRows(work_.rows() - size);
  for (Eigen::Index k = 0; k < size && below.rows() > 0; ++k) {
    const double largest = below.col(k).cwiseAbs().maxCoeff();
    if (largest == 0.0) continue;
    const double relative = largest * (scale_below(k) / scale_(k));
    if (relative > ordinary || (relative < 1.0 / ordinary && stack_.col(k).isZero(0.0))) {
      const bool ready = largest >= 1.0 / ordinary && largest <= ordinary;
      const double scale = ready ? scale_below(k) : scale_below(k) * binary_scale(below.col(k));
      stack_.col(k) *= scale_(k) / scale;
      scale_(k) = scale;
    }
    if (scale_(k) != scale_below(k)) below.col(k) *= scale_below(k) / scale_(k);
  }
  work_.topRows(size) = stack_;
  const dense::HouseholderQr decomposition(work_);
  stack_ = work_.topRows(size).triangularView<Eigen::Upper>();
}

Triangle TriangleBuilder::triangle() const {
  Triangle result;
  const Eigen::MatrixXd top = stack_.topRows(columns_) * scale_.asDiagonal();
  result.upper = top.leftCols(columns_);
  result.projected = top.rightCols(outputs_);
  saturate(result.projected);
  Eigen::MatrixXd rest(outputs_, 1);
  for (Eigen::Index o = 0; o < outputs_; ++o) {
    const double norm = stack_.col(columns_ + o).tail(outputs_).norm() * scale_(columns_ + o);
    rest(o) = norm * norm;
  }
  saturate(rest);
  result.rest = rest;
  result.rows = rows_;
  return result;
}

}  // namespace rfnn::least_squares
