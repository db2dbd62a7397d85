#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/least_squares/conditioning.hpp"
#include "rfnn/least_squares/dense.hpp"
#include "rfnn/least_squares/solvers.hpp"

// With the singular value decomposition upper = U S Vᵀ the solution is  B = V S (S² + NλI)⁻¹ UᵀP,  P = projected.
//
//   1. QR with column pivoting, upper Π = Q₁ T, so that the rows of T fall in size and step 2 converges in a few
//   sweeps.
//   2. Jacobi's method from one side: plane rotations J make the columns of W = Tᵀ J₁ J₂ … orthogonal. Then J = U and W
//   = V S
//      for T, and only W and JᵀP are needed: neither U nor V is ever formed.
//   3. B = Π W (WᵀW + NλI)⁻¹ JᵀP, without the directions that rounding cannot tell from zero.

namespace rfnn::least_squares {
namespace {

/// Step 2: rotates the columns of `w` until they are orthogonal, and the rows of `p` along.
void orthogonalise(Eigen::MatrixXd& w, Eigen::MatrixXd& p) {
  constexpr int most_sweeps = 60;  // a handful suffices; the limit is there so that the loop ends whatever happens
  const Eigen::Index n = w.cols();
  const double orthogonal = static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  const double negligible = 1e-40 * w.colwise().squaredNorm().maxCoeff();
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < most_sweeps; ++sweep) {
    rotated = false;
    for (Eigen::Index i = 0; i + 1 < n; ++i) {
      for (Eigen::Index j = i + 1; j < n; ++j) {
        const double ii = w.col(i).squaredNorm();
        const double jj = w.col(j).squaredNorm();
        const double ij = w.col(i).dot(w.col(j));
        if (ii <= negligible || jj <= negligible || std::abs(ij) <= orthogonal * std::sqrt(ii) * std::sqrt(jj))
          continue;
        Eigen::JacobiRotation<double> rotation;
        rotation.makeJacobi(ii, ij, jj);
        w.applyOnTheRight(i, j, rotation);
        p.applyOnTheLeft(i, j, rotation.adjoint());
        rotated = true;
      }
    }
  }
}

}  // namespace

void SvdSolver::solve(const Triangle& problem, double lambda, Eigen::MatrixXd& amplitudes) {
  const Eigen::Index n = problem.upper.cols();
  amplitudes.setZero(n, problem.projected.cols());
  condition_ = 1.0;
  if (amplitudes.size() == 0) return;

  // Divided by its largest entry the triangle has singular values that can be squared.
  const double root = std::sqrt(problem.rows * lambda);
  const double scale = std::max(problem.upper.cwiseAbs().maxCoeff(), root);
  condition_ = std::numeric_limits<double>::infinity();
  if (!(scale > 0.0)) return;
  Eigen::MatrixXd upper = problem.upper.triangularView<Eigen::Upper>();
  upper /= scale;
  Eigen::MatrixXd p = problem.projected;
  Eigen::RowVectorXd largest = p.cwiseAbs().colwise().maxCoeff();
  for (Eigen::Index o = 0; o < p.cols(); ++o) {
    if (largest(o) > 0.0) p.col(o) /= largest(o);
  }

  const dense::PivotedQr pivoted = dense::pivoted_qr(upper, p);
  Eigen::MatrixXd w = pivoted.upper.transpose();
  orthogonalise(w, p);

  // The size of a direction in the stacked system [upper; √(Nλ) I] is √(s² + Nλ).
  const double shift = (root / scale) * (root / scale);
  const Eigen::VectorXd size = (w.colwise().squaredNorm().transpose().array() + shift).sqrt();
  const double smallest = size.minCoeff();
  condition_ = smallest > 0.0 ? size.maxCoeff() / smallest : std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < n; ++k) {
    if (size(k) > rank_tolerance(n) * size.maxCoeff()) {
      p.row(k) /= size(k);
      w.col(k) /= size(k);
    } else {
      w.col(k).setZero();
    }
  }
  const Eigen::MatrixXd in_order = w * p;
  for (Eigen::Index k = 0; k < n; ++k) amplitudes.row(pivoted.order(k)) = in_order.row(k);
  for (Eigen::Index o = 0; o < p.cols(); ++o) amplitudes.col(o) *= largest(o) / scale;
  saturate(amplitudes);
}

}  // namespace rfnn::least_squares
