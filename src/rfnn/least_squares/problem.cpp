#include "rfnn/least_squares/problem.hpp"

namespace rfnn::least_squares {

void misfit(const NormalEquations& problem, const Eigen::MatrixXd& amplitudes, Eigen::VectorXd& result) {
  result = problem.energy;
  for (Eigen::Index o = 0; o < amplitudes.cols(); ++o) {
    const auto b = amplitudes.col(o);
    double change = 0.0;  // bᵀ(G b − 2 g)
    for (Eigen::Index k = 0; k < b.size(); ++k) change += b(k) * (problem.gram.col(k).dot(b) - 2.0 * problem.rhs(k, o));
    result(o) += change;
    if (result(o) < 0.0) result(o) = 0.0;  // a misfit lost in rounding; NaN is not hidden
  }
}

Eigen::VectorXd misfit(const NormalEquations& problem, const Eigen::MatrixXd& amplitudes) {
  Eigen::VectorXd result;
  misfit(problem, amplitudes, result);
  return result;
}

Eigen::VectorXd misfit(const Triangle& problem, const Eigen::MatrixXd& amplitudes) {
  const Eigen::MatrixXd within = problem.upper.triangularView<Eigen::Upper>() * amplitudes - problem.projected;
  return problem.rest + within.colwise().squaredNorm().transpose();
}

}  // namespace rfnn::least_squares
