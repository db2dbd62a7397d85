#include <algorithm>
#include <cmath>
#include <vector>

#include "rfnn/least_squares/conditioning.hpp"
#include "rfnn/least_squares/solvers.hpp"

namespace rfnn::least_squares {
namespace {

/// Steps between two residuals computed afresh.
constexpr std::int64_t refresh_period = 50;

using Product = std::function<bool(const Eigen::MatrixXd&, Eigen::MatrixXd&)>;

/// The iteration for M X = G with M = AᵀA + NλI. Column o of every matrix belongs to output o.
class ConjugateGradients {
 public:
  ConjugateGradients(const Product& product, const Eigen::MatrixXd& rhs, double shift, double tolerance,
                     Eigen::MatrixXd& x)
      : product_(product), g_(rhs), shift_(shift), tolerance_(tolerance), x_(x) {
    scale_ = Eigen::RowVectorXd::Ones(g_.cols());
    for (Eigen::Index o = 0; o < g_.cols(); ++o) {
      const double largest = g_.rows() == 0 ? 0.0 : g_.col(o).cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) continue;
      scale_(o) = largest;
      g_.col(o) /= largest;
    }
    if (x_.rows() != g_.rows() || x_.cols() != g_.cols() || !x_.allFinite()) x_.setZero(g_.rows(), g_.cols());
    for (Eigen::Index o = 0; o < g_.cols(); ++o) {
      x_.col(o) /= scale_(o);
      if (g_.col(o).isZero(0.0) || !x_.col(o).allFinite()) x_.col(o).setZero();
    }
    g_norm_ = g_.colwise().norm();
  }

  IterativeResult run(std::int64_t max_iterations) {
    start();
    while (!result_.cancelled && running() && result_.iterations < max_iterations) {
      step();
      ++result_.iterations;
      if (!result_.cancelled && (result_.iterations % refresh_period == 0 || !running())) verify();
    }
    finish();
    return result_;
  }

 private:
  /// r = G − M X, p = r. A start that is worse than zeros gives way to them.
  void start() {
    r_ = g_;
    result_.relative_residual = 1.0;
    if (!x_.isZero(0.0) && !residual(r_)) {
      if (result_.cancelled) return;
      x_.setZero();
      r_ = g_;
    }
    for (Eigen::Index o = 0; o < g_.cols(); ++o) {
      if (objective(o) <= 0.0) continue;
      x_.col(o).setZero();
      r_.col(o) = g_.col(o);
    }
    p_ = r_;
    best_ = x_;
    verified_ = r_.colwise().norm();
    best_norm_ = verified_;
    best_objective_.resize(g_.cols());
    for (Eigen::Index o = 0; o < g_.cols(); ++o) best_objective_(o) = objective(o);
    active_.assign(static_cast<std::size_t>(g_.cols()), true);
    stuck_.assign(static_cast<std::size_t>(g_.cols()), false);
    for (Eigen::Index o = 0; o < g_.cols(); ++o) active(o) = !small(r_.col(o).norm(), o);
  }

  /// One step of every output that is still on its way.
  void step() {
    if (!apply(p_, q_)) return;
    for (Eigen::Index o = 0; o < g_.cols(); ++o) {
      if (!active(o)) continue;
      const double rr = r_.col(o).squaredNorm();
      const double curvature = p_.col(o).dot(q_.col(o));
      const double length = p_.col(o).dot(r_.col(o)) / curvature;  // = rr / curvature but for rounding: never uphill
      if (!(curvature > 0.0) || !std::isfinite(length)) {          // breakdown: nothing more to gain along p
        active(o) = false;
        p_.col(o) = r_.col(o);
        continue;
      }
      x_.col(o) += length * p_.col(o);
      r_.col(o) -= length * q_.col(o);
      const double next = r_.col(o).squaredNorm();
      p_.col(o) = r_.col(o) + (next / rr) * p_.col(o);
      active(o) = !small(std::sqrt(next), o);
      remember(o);
    }
  }

  /// Replaces the recurrence's residual by the true one. Outputs whose true residual is not small yet start again from
  /// there, unless the last stretch did not even halve it: rounding allows no better then.
  void verify() {
    Eigen::MatrixXd fresh;
    if (!residual(fresh)) return;
    for (Eigen::Index o = 0; o < g_.cols(); ++o) {
      if (stuck(o)) continue;
      const bool finished = !active(o);
      const double norm = fresh.col(o).norm();
      r_.col(o) = fresh.col(o);
      active(o) = !small(norm, o);
      if (finished) {
        stuck(o) = active(o) && !(norm < 0.5 * verified_(o));
        if (stuck(o)) active(o) = false;
        p_.col(o) = r_.col(o);
        verified_(o) = norm;
      }
      remember(o);
    }
  }

  /// The lowest objective is kept, not the smallest residual: conjugate gradients lower the one at every step, the
  /// other not.
  void remember(Eigen::Index o) {
    const double value = objective(o);
    if (!(value <= best_objective_(o))) return;
    best_objective_(o) = value;
    best_norm_(o) = r_.col(o).norm();
    best_.col(o) = x_.col(o);
  }

  void finish() {
    if (!active_.empty()) {
      result_.converged = !result_.cancelled;
      result_.relative_residual = 0.0;
    }
    for (Eigen::Index o = 0; o < g_.cols() && !active_.empty(); ++o) {
      double norm = r_.col(o).norm();
      if (!small(norm, o)) {
        result_.converged = false;
        // Objectives that agree to rounding say nothing about which iterate is better; the later one is, then.
        if (!(objective(o) <= best_objective_(o) + 1e-12 * std::abs(best_objective_(o)))) {
          x_.col(o) = best_.col(o);
          norm = best_norm_(o);
        }
      }
      if (g_norm_(o) > 0.0) result_.relative_residual = std::max(result_.relative_residual, norm / g_norm_(o));
    }
    x_ *= scale_.asDiagonal();
    saturate(x_);
  }

  /// ½ xᵀM x − xᵀg = −½ xᵀ(r + g)
  [[nodiscard]] double objective(Eigen::Index o) const { return -0.5 * x_.col(o).dot(r_.col(o) + g_.col(o)); }
  [[nodiscard]] bool small(double norm, Eigen::Index o) const { return norm <= tolerance_ * g_norm_(o); }
  [[nodiscard]] bool running() const {
    for (const char a : active_) {
      if (a != 0) return true;
    }
    return false;
  }
  char& active(Eigen::Index o) { return active_[static_cast<std::size_t>(o)]; }
  char& stuck(Eigen::Index o) { return stuck_[static_cast<std::size_t>(o)]; }

  /// result = M v; false when the product said stop.
  bool apply(const Eigen::MatrixXd& v, Eigen::MatrixXd& result) {
    result.resize(v.rows(), v.cols());
    if (!product_(v, result)) {
      result_.cancelled = true;
      return false;
    }
    result += shift_ * v;
    return true;
  }
  bool residual(Eigen::MatrixXd& r) {
    if (!apply(x_, q_)) return false;
    r = g_ - q_;
    return r.allFinite();
  }

  const Product& product_;
  Eigen::MatrixXd g_;
  double shift_;
  double tolerance_;
  Eigen::MatrixXd& x_;
  Eigen::MatrixXd r_, p_, q_, best_;
  Eigen::RowVectorXd scale_, g_norm_, verified_, best_norm_, best_objective_;
  std::vector<char> active_, stuck_;
  IterativeResult result_;
};

}  // namespace

IterativeResult solve_iteratively(
    const std::function<bool(const Eigen::MatrixXd& v, Eigen::MatrixXd& product)>& product, const Eigen::MatrixXd& rhs,
    double rows, double lambda, double tolerance, std::int64_t max_iterations, Eigen::MatrixXd& amplitudes) {
  return ConjugateGradients(product, rhs, rows * lambda, tolerance, amplitudes).run(max_iterations);
}

}  // namespace rfnn::least_squares
