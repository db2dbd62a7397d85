#include "rfnn/least_squares/conditioning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "rfnn/least_squares/dense.hpp"
#include "rfnn/least_squares/solvers.hpp"

namespace rfnn::least_squares {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int power_iterations = 6;

/// √ of the growth |step(x)| / |x| after a few steps from near the unit vector e_start: the square root of the largest
/// eigenvalue of the symmetric positive map `step`. The irregular part of the start keeps it from being orthogonal to
/// what is looked for (a constant vector would be, to the weak direction e_i − e_j of two equal columns).
template <class Step>
double largest_root(Eigen::Index size, Eigen::Index start, const Step& step) {
  constexpr double golden = 0.6180339887498949;
  Eigen::VectorXd x(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const double turns = golden * static_cast<double>(i + 1);
    x(i) = (i == start ? 1.0 : 0.0) + 0.2 * (turns - std::floor(turns) - 0.5);
  }
  x.normalize();
  double growth = 0.0;
  for (int i = 0; i < power_iterations; ++i) {
    step(x);
    growth = x.stableNorm();
    if (!(growth > 0.0) || !std::isfinite(growth)) break;
    x /= growth;
  }
  return std::sqrt(growth);
}

}  // namespace

double diagonal_condition(const Eigen::MatrixXd& triangle) {
  if (triangle.cols() == 0) return 1.0;
  const auto diagonal = triangle.diagonal().cwiseAbs();
  const double smallest = diagonal.minCoeff();
  return smallest > 0.0 ? diagonal.maxCoeff() / smallest : infinite;
}

template <unsigned Mode>
double triangle_condition(const Eigen::Ref<const Eigen::MatrixXd>& triangle) {
  const Eigen::Index n = triangle.cols();
  if (n == 0) return 1.0;
  const auto square = triangle.topRows(n);
  const auto view = square.template triangularView<Mode>();
  // The smallest pivot's unit vector is a good start for the inverse: |T⁻¹e_k| ≥ 1/|T_kk|.
  Eigen::Index weakest = 0;
  Eigen::Index strongest = 0;
  if (square.diagonal().cwiseAbs().minCoeff(&weakest) == 0.0) return infinite;
  square.diagonal().cwiseAbs().maxCoeff(&strongest);
  const double largest = largest_root(n, strongest, [&](Eigen::VectorXd& x) {
    x = view * x;
    x = view.transpose() * x;
  });
  const double inverse = largest_root(n, weakest, [&](Eigen::VectorXd& x) {
    view.transpose().solveInPlace(x);
    view.solveInPlace(x);
  });
  const double condition = largest * inverse;
  return std::isfinite(condition) ? std::max(condition, 1.0) : infinite;
}

template double triangle_condition<Eigen::Lower>(const Eigen::Ref<const Eigen::MatrixXd>&);
template double triangle_condition<Eigen::Upper>(const Eigen::Ref<const Eigen::MatrixXd>&);

double rank_tolerance(Eigen::Index columns) {
  return std::max(1e-13, 4.0 * static_cast<double>(columns) * std::numeric_limits<double>::epsilon());
}

void saturate(Eigen::MatrixXd& values) {
  constexpr double largest = std::numeric_limits<double>::max();
  values = values.cwiseMax(-largest).cwiseMin(largest);
}

double condition_number(const NormalEquations& problem, double lambda) {
  if (problem.gram.cols() == 0) return 1.0;
  const double scale = std::max(problem.gram.cwiseAbs().maxCoeff(), problem.rows * lambda);
  if (!(scale > 0.0) || !std::isfinite(scale)) return infinite;
  const std::optional<Eigen::VectorXd> values = dense::symmetric_eigenvalues(problem.gram / scale);
  if (!values) return infinite;
  // Rounding may push a zero eigenvalue of AᵀA a little below zero, or the ridge out of sight; neither is a reason to
  // doubt it.
  const double shift = problem.rows * lambda / scale;
  const double smallest = std::max(values->minCoeff(), 0.0) + shift;
  const double largest = std::max(values->maxCoeff(), 0.0) + shift;
  return smallest > 0.0 ? largest / smallest : infinite;
}

}  // namespace rfnn::least_squares
