#include "rfnn/finders/wide/law_likelihood.hpp"

#include <cmath>
#include <limits>

#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"

namespace rfnn::wide {
namespace {

/// Q in place of A⁻¹; entries on the diagonal halved, as all others stand for two.
void make_q(const Matrix& alpha, dense::Triangle<double>& inverse) {
  constexpr std::size_t width = dense::Triangle<double>::width;
  const std::size_t size = inverse.size(), outputs = alpha.cols();
  for (std::size_t s = 0; s < inverse.stripes(); ++s) {
    const std::size_t begin = s * width, inside = std::min(width, size - begin);
    for (std::size_t j = 0; j < std::min(size, begin + width); ++j) {
      double* const column = inverse.stripe(s) + j * width;
      for (std::size_t r = 0; r < inside; ++r) {
        double sum = static_cast<double>(outputs) * column[r];
        for (std::size_t o = 0; o < outputs; ++o) sum -= alpha(begin + r, o) * alpha(j, o);
        column[r] = sum;
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) inverse(i, i) *= 0.5;
}

}  // namespace

double LawLikelihood::operator()(const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
  constexpr double nothing = std::numeric_limits<double>::infinity();
  gradient = Eigen::VectorXd::Zero(x.size());
  const FrequencyLaw law = parameters_.law(x);
  const double noise = parameters_.noise_of(x), outputs = static_cast<double>(rows_.outputs());
  const std::size_t size = rows_.count();
  if (!std::isfinite(law.variance()) || !work_.kernel_matrix(rows_, law, matrix_, interrupt_)) return nothing;
  for (std::size_t i = 0; i < size; ++i) matrix_(i, i) += noise / rows_.weight(i) + tuning::rounding * law.variance();
  Workers& workers = work_.workers();
  if (!dense::factor(matrix_, workers, interrupt_)) return nothing;
  double cost = 0.5 * outputs * dense::log_determinant(matrix_);
  Matrix alpha = rows::residual_of(rows_);
  if (!dense::solve(matrix_, alpha.view(), workers, interrupt_) || !dense::invert(matrix_, workers, interrupt_))
    return nothing;
  left_out_ = 0.0;
  double by_noise = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    double square = 0.0;
    for (std::size_t o = 0; o < alpha.cols(); ++o) {
      cost += 0.5 * alpha(i, o) * rows_.residual(i, o);
      square += alpha(i, o) * alpha(i, o);
    }
    const double inverse = matrix_(i, i);
    by_noise += 0.5 * noise / rows_.weight(i) * (outputs * inverse - square);
    left_out_ += rows_.weight(i) * square / (inverse * inverse);
  }
  left_out_ /= static_cast<double>(size);
  make_q(alpha, matrix_);
  rows::KernelSlopes slopes;
  if (!work_.kernel_slopes(rows_, law, matrix_, slopes, interrupt_)) {
    gradient.setZero();
    return nothing;
  }
  parameters_.add_slopes(x, slopes, by_noise, gradient);
  cost += parameters_.prior(x, gradient);
  return std::isfinite(cost) ? cost : nothing;
}

}  // namespace rfnn::wide
