#include "identities/naive_training.hpp"

namespace rfnn::testing {

Dataset wavy_data(std::size_t rows, std::size_t inputs, std::size_t outputs, std::uint64_t seed, double noise) {
  Dataset data{uniform_matrix(rows, inputs, seed, 2.0, 5.0), Matrix(rows, outputs), {}, {}};
  const Stream noises(seed, Purpose::noise);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t o = 0; o < outputs; ++o) {
      double phase = static_cast<double>(o);
      for (std::size_t k = 0; k < inputs; ++k) phase += data.inputs(i, k) / (1.0 + static_cast<double>(k));
      data.targets(i, o) =
          0.7 + std::sin(2.0 * phase) + 0.4 * std::cos(9.0 * phase) + noise * noises.normal(i * outputs + o);
    }
  return data;
}

Options short_options(std::int64_t blocks, std::int64_t iterations, std::int64_t width) {
  Options options = preset_options(Preset::paper);
  options.blocks = blocks;
  options.iterations = iterations;
  options.width = width;
  options.threads = 1;
  return options;
}

Eigen::MatrixXd scaled_targets(const Model& model, const Matrix& targets) {
  Eigen::MatrixXd out = to_eigen(targets);
  for (std::size_t o = 0; o < targets.cols(); ++o)
    out.col(index(o)) = (out.col(index(o)).array() - model.scaler.output_mean[o]) / model.scaler.output_sd[o];
  return out;
}

double mse(const Matrix& targets, const Matrix& predictions) {
  return (to_eigen(targets) - to_eigen(predictions)).squaredNorm() / static_cast<double>(targets.size());
}

double normal_residual(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const Eigen::MatrixXd& r, double lambda) {
  const double n = static_cast<double>(a.rows());
  return (a.transpose() * (a * b - r) / n + lambda * b).norm() /
         ((a.transpose() * r / n).norm() + (a.transpose() * a / n).norm() * b.norm());
}

}  // namespace rfnn::testing
