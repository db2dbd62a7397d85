#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/least_squares/conditioning.hpp"
#include "rfnn/least_squares/solvers.hpp"

namespace rfnn {

void SvdSolver::solve(const Triangle& problem, double lambda, Eigen::MatrixXd& amplitudes) {
  const Eigen::Index n = problem.upper.cols();
  amplitudes.setZero(n, problem.projected.cols());
  condition_ = 1.0;
  if (n == 0) return;

  // Divided by its largest entry the triangle has singular values that can be squared.
  const double root = std::sqrt(problem.rows * lambda);
  const double scale = std::max(problem.upper.cwiseAbs().maxCoeff(), root);
  condition_ = std::numeric_limits<double>::infinity();
  if (!(scale > 0.0)) return;
  const Eigen::MatrixXd upper = problem.upper.triangularView<Eigen::Upper>();

  const auto filter = [&](const auto& decomposition) {
    const Eigen::VectorXd& s = decomposition.singularValues();
    // Size of a direction in the stacked system [upper; √(Nλ) I].
    const Eigen::VectorXd size = (s.array().square() + (root / scale) * (root / scale)).sqrt();
    condition_ = size(n - 1) > 0.0 ? size(0) / size(n - 1) : std::numeric_limits<double>::infinity();
    for (Eigen::Index o = 0; o < amplitudes.cols(); ++o) {
      const double largest = problem.projected.col(o).cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) continue;
      Eigen::VectorXd coefficient = decomposition.matrixU().transpose() * (problem.projected.col(o) / largest);
      for (Eigen::Index k = 0; k < n; ++k) {
        const bool counts = size(k) > rank_tolerance(n) * size(0);
        coefficient(k) = counts ? coefficient(k) * (s(k) / size(k)) / size(k) : 0.0;
      }
      amplitudes.col(o) = (decomposition.matrixV() * coefficient) / scale * largest;
    }
  };

  constexpr unsigned vectors = Eigen::ComputeFullU | Eigen::ComputeFullV;
  const Eigen::BDCSVD<Eigen::MatrixXd> fast(upper / scale, vectors);
  if (fast.info() == Eigen::Success && fast.singularValues().allFinite() && fast.matrixU().allFinite()) {
    filter(fast);
  } else {  // divide and conquer gave up: the slow way always ends
    filter(Eigen::JacobiSVD<Eigen::MatrixXd>(upper / scale, vectors));
  }
  saturate(amplitudes);
}

}  // namespace rfnn
