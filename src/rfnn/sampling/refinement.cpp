#include "rfnn/sampling/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rfnn {
namespace {

/// LLᵀ = M + shift·I, the shift raised until it exists.
Eigen::LLT<Eigen::MatrixXd> factor(const Eigen::MatrixXd& matrix, double shift) {
  const double scale = std::max(matrix.diagonal().cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
  // Below this rounding decides whether the factor exists.
  shift = std::max(shift, 1e-14 * scale);
  for (;; shift *= 10.0) {
    Eigen::MatrixXd shifted = matrix;
    shifted.diagonal().array() += shift;
    Eigen::LLT<Eigen::MatrixXd> result(shifted);
    if (result.info() == Eigen::Success || !(shift < scale)) return result;
  }
}

double objective(const Eigen::VectorXd& energy, const Eigen::MatrixXd& amplitudes, double rows, double lambda) {
  return energy.sum() / rows + lambda * amplitudes.squaredNorm();
}

/// A step's equations with the amplitudes eliminated.
class StepEquations {
 public:
  StepEquations(const JacobianSums& sums, const Eigen::MatrixXd& amplitudes, double shift)
      : sums_(sums), factor_(factor(sums.gram, shift)) {
    schur_ = sums.curvature;
    slope_ = sums.slope;
    right_ = sums.rhs - shift * amplitudes;
    for (std::size_t o = 0; o < sums.cross.size(); ++o) {
      const Eigen::MatrixXd half = factor_.matrixL().solve(sums.cross[o]);
      const Eigen::VectorXd half_right = factor_.matrixL().solve(right_.col(static_cast<Eigen::Index>(o)));
      schur_.selfadjointView<Eigen::Lower>().rankUpdate(half.transpose(), -1.0);
      slope_ -= half.transpose() * half_right;
    }
    scale_ = sums.curvature.diagonal();
    const double largest = scale_.size() > 0 ? scale_.maxCoeff() : 0.0;
    scale_ = scale_.cwiseMax(1e-12 * largest + std::numeric_limits<double>::min());
  }

  /// δω and δb for a damping; false when the damped matrix is not positive definite.
  bool step(double damping, Eigen::VectorXd& frequencies, Eigen::MatrixXd& amplitudes) const {
    Eigen::MatrixXd damped = schur_;
    damped.diagonal() += damping * scale_;
    const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> decomposition(damped);
    if (decomposition.info() != Eigen::Success) return false;
    frequencies = decomposition.solve(slope_);
    amplitudes = right_;
    for (std::size_t o = 0; o < sums_.cross.size(); ++o)
      amplitudes.col(static_cast<Eigen::Index>(o)) -= sums_.cross[o] * frequencies;
    factor_.solveInPlace(amplitudes);
    return frequencies.allFinite() && amplitudes.allFinite();
  }

 private:
  const JacobianSums& sums_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::MatrixXd schur_, right_;
  Eigen::VectorXd slope_, scale_;
};

FeatureBlock moved(const FeatureBlock& block, const Eigen::VectorXd& frequencies, const Eigen::MatrixXd& amplitudes) {
  FeatureBlock result = block;
  Eigen::Index k = 0;
  for (Feature& feature : result.features)
    for (const std::uint32_t variable : feature.active) feature.frequency[variable] += frequencies(k++);
  result.amplitudes += amplitudes;
  return result;
}

}  // namespace

ChosenRidge choose_ridge(const FeatureSums& sums, double rows, double cost, double least) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(sums.gram);
  const Eigen::VectorXd values = eigen.eigenvalues().cwiseMax(0.0);
  const Eigen::MatrixXd projected = eigen.eigenvectors().transpose() * sums.rhs;
  const double energy = sums.energy.sum();
  ChosenRidge best{least, std::numeric_limits<double>::infinity()};
  for (double lambda = 1.0; lambda >= 0.99 * least; lambda /= std::sqrt(10.0)) {
    const double shift = rows * lambda;
    double misfit = energy, freedom = 0.0;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      const double filter = 1.0 / (values(i) + shift);
      misfit -= projected.row(i).squaredNorm() * filter * (2.0 - values(i) * filter);
      freedom += values(i) * filter;
    }
    const double left = rows - cost * freedom;
    if (left <= 0.02 * rows) continue;  // more freedom than rows: nothing is known
    const double score = std::max(misfit, 1e-15 * energy) * rows / (left * left);
    if (score < best.score) best = {lambda, score};
  }
  return best;
}

Misfit solve_amplitudes(const FeatureSums& sums, double rows, double lambda, FeatureBlock& block) {
  block.amplitudes = factor(sums.gram, rows * lambda).solve(sums.rhs);
  const Eigen::MatrixXd& b = block.amplitudes;
  const double square =
      std::max(0.0, sums.energy.sum() - 2.0 * b.cwiseProduct(sums.rhs).sum() + b.cwiseProduct(sums.gram * b).sum());
  return {square / rows + lambda * b.squaredNorm(), square / rows};
}

bool refine(GrowthPasses& passes, const GrowthRows& rows, double lambda, std::int64_t steps, double enough,
            FeatureBlock& block, Misfit& misfit, Interrupt& interrupt) {
  const auto count = static_cast<double>(rows.count());
  // A damping below this is no damping; one above it no step.
  constexpr double least_damping = 1e-9, largest_damping = 1e6;
  double damping = 1e-3;
  JacobianSums sums;
  Eigen::VectorXd frequencies, energy;
  Eigen::MatrixXd amplitudes;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (!passes.jacobian(rows, block, sums, interrupt)) return false;
    misfit = {objective(sums.energy, block.amplitudes, count, lambda), sums.energy.sum() / count};
    const StepEquations equations(sums, block.amplitudes, count * lambda);
    bool taken = false;
    const double before = misfit.objective;
    for (; !taken && damping <= largest_damping; damping *= taken ? 1.0 : 5.0) {
      if (!equations.step(damping, frequencies, amplitudes)) continue;
      const FeatureBlock trial = moved(block, frequencies, amplitudes);
      if (!passes.misfit(rows, trial, energy, interrupt)) return false;
      const double now = objective(energy, trial.amplitudes, count, lambda);
      if (!(now < misfit.objective)) continue;
      block = trial;
      misfit = {now, energy.sum() / count};
      taken = true;
    }
    if (!taken) break;
    damping = std::max(damping * 0.2, least_damping);
    if (before - misfit.objective < enough * before) break;
  }
  return true;
}

}  // namespace rfnn
