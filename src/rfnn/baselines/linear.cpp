#include "rfnn/baselines/linear.hpp"

#include <Eigen/Core>

#include "rfnn/baselines/standardised_rows.hpp"
#include "rfnn/least_squares/dense.hpp"

namespace rfnn::baselines {

Matrix linear_predictions(ConstMatrixView inputs, ConstMatrixView targets, std::span<const double> weights,
                          ConstMatrixView asked) {
  constexpr double ridge = 1e-10;  // of inputs of variance 1
  const RowScale scale(inputs, weights);
  const auto d = static_cast<Eigen::Index>(scale.size());
  const auto outputs = static_cast<Eigen::Index>(targets.cols());
  const auto target_statistics = column_statistics(targets, {}, weights);

  // Inputs and targets have mean 0 here, so that the intercept is the targets' mean.
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(d, d);
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(d, outputs);
  Eigen::VectorXd x(d), y(outputs);
  double total = 0.0;
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    for (Eigen::Index k = 0; k < d; ++k) x(k) = scale(inputs, i, static_cast<std::size_t>(k));
    for (Eigen::Index o = 0; o < outputs; ++o)
      y(o) = targets(i, static_cast<std::size_t>(o)) - target_statistics[static_cast<std::size_t>(o)].mean;
    gram.noalias() += (weight * x) * x.transpose();
    right.noalias() += (weight * x) * y.transpose();
    total += weight;
  }
  if (d > 0 && total > 0.0) {
    gram /= total;
    right /= total;
    const dense::Cholesky cholesky(gram, ridge);
    if (cholesky.positive_definite())
      cholesky.solve_in_place(right);
    else
      right.setZero();
  }

  Matrix predictions(asked.rows(), targets.cols());
  for (std::size_t i = 0; i < asked.rows(); ++i) {
    for (Eigen::Index k = 0; k < d; ++k) x(k) = scale(asked, i, static_cast<std::size_t>(k));
    for (Eigen::Index o = 0; o < outputs; ++o)
      predictions(i, static_cast<std::size_t>(o)) =
          target_statistics[static_cast<std::size_t>(o)].mean + (d > 0 ? x.dot(right.col(o)) : 0.0);
  }
  return predictions;
}

}  // namespace rfnn::baselines
