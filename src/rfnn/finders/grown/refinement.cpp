#include "rfnn/finders/grown/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/finders/grown/tuning.hpp"
#include "rfnn/least_squares/shifted_cholesky.hpp"

namespace rfnn::grown {
namespace {

double objective(const Eigen::VectorXd& energy, const Eigen::MatrixXd& amplitudes, double rows, double lambda) {
  return energy.sum() / rows + lambda * amplitudes.squaredNorm();
}

/// A step's equations with the amplitudes eliminated.
class StepEquations {
 public:
  StepEquations(const rows::JacobianSums& sums, const Eigen::MatrixXd& amplitudes, double shift) : sums_(sums) {
    factor_.factor_surely(sums.gram, shift);
    schur_ = sums.curvature;
    slope_ = sums.slope;
    right_ = sums.rhs - shift * amplitudes;
    for (std::size_t o = 0; o < sums.cross.size(); ++o) {
      const Eigen::MatrixXd half = factor_.half_solve(sums.cross[o]);
      const Eigen::VectorXd half_right = factor_.half_solve(right_.col(static_cast<Eigen::Index>(o)));
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
    least_squares::ShiftedCholesky decomposition;
    if (!decomposition.factor(damped, 0.0)) return false;
    frequencies = decomposition.solve(slope_);
    amplitudes = right_;
    for (std::size_t o = 0; o < sums_.cross.size(); ++o)
      amplitudes.col(static_cast<Eigen::Index>(o)) -= sums_.cross[o] * frequencies;
    factor_.solve_in_place(amplitudes);
    return frequencies.allFinite() && amplitudes.allFinite();
  }

 private:
  const rows::JacobianSums& sums_;
  least_squares::ShiftedCholesky factor_;
  Eigen::MatrixXd schur_, right_;
  Eigen::VectorXd slope_, scale_;
};

rows::FeatureBlock moved(const rows::FeatureBlock& block, const Eigen::VectorXd& frequencies,
                         const Eigen::MatrixXd& amplitudes) {
  rows::FeatureBlock result = block;
  Eigen::Index k = 0;
  for (rows::Feature& feature : result.features)
    for (const std::uint32_t variable : feature.active) feature.frequency[variable] += frequencies(k++);
  result.amplitudes += amplitudes;
  return result;
}

}  // namespace

Misfit solve_amplitudes(const rows::FeatureSums& sums, double rows, double lambda, rows::FeatureBlock& block) {
  least_squares::ShiftedCholesky factor;
  factor.factor_surely(sums.gram, rows * lambda);
  block.amplitudes = factor.solve(sums.rhs);
  const Eigen::MatrixXd& b = block.amplitudes;
  const double square =
      std::max(0.0, sums.energy.sum() - 2.0 * b.cwiseProduct(sums.rhs).sum() + b.cwiseProduct(sums.gram * b).sum());
  return {square / rows + lambda * b.squaredNorm(), square / rows};
}

bool refine(rows::RowWork& work, const rows::RowState& rows, double lambda, std::int64_t steps, double enough,
            rows::FeatureBlock& block, Misfit& misfit, Interrupt& interrupt) {
  const auto count = static_cast<double>(rows.count());
  double damping = tuning::first_damping;
  rows::JacobianSums sums;
  Eigen::VectorXd frequencies, energy;
  Eigen::MatrixXd amplitudes;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (!work.jacobian(rows, block, sums, interrupt)) return false;
    misfit = {objective(sums.energy, block.amplitudes, count, lambda), sums.energy.sum() / count};
    const StepEquations equations(sums, block.amplitudes, count * lambda);
    bool taken = false;
    const double before = misfit.objective;
    for (; !taken && damping <= tuning::largest_damping; damping *= taken ? 1.0 : tuning::more_damping) {
      if (!equations.step(damping, frequencies, amplitudes)) continue;
      const rows::FeatureBlock trial = moved(block, frequencies, amplitudes);
      if (!work.misfit(rows, trial, energy, interrupt)) return false;
      const double now = objective(energy, trial.amplitudes, count, lambda);
      if (!(now < misfit.objective)) continue;
      block = trial;
      misfit = {now, energy.sum() / count};
      taken = true;
    }
    if (!taken) break;
    damping = std::max(damping * tuning::less_damping, tuning::least_damping);
    if (before - misfit.objective < enough * before) break;
  }
  return true;
}

}  // namespace rfnn::grown
