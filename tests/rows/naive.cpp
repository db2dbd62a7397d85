#include "rows/naive.hpp"

#include <limits>

namespace rfnn::testing {

Eigen::MatrixXd to_eigen(const Matrix& matrix) {
  Eigen::MatrixXd out(index(matrix.rows()), index(matrix.cols()));
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t j = 0; j < matrix.cols(); ++j) out(index(i), index(j)) = matrix(i, j);
  return out;
}

Matrix to_matrix(const Eigen::MatrixXd& matrix) {
  Matrix out(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()));
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t j = 0; j < out.cols(); ++j) out(i, j) = matrix(index(i), index(j));
  return out;
}

double largest(const Eigen::MatrixXd& matrix) { return matrix.size() == 0 ? 0.0 : matrix.cwiseAbs().maxCoeff(); }

double largest_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::infinity();
  return largest(a - b);
}

Matrix normal_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double scale) {
  const Stream stream(seed, Purpose::data);
  Matrix out(rows, cols);
  for (std::size_t i = 0; i < out.size(); ++i) out.data()[i] = scale * stream.normal(i);
  return out;
}

Matrix uniform_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double low, double high) {
  const Stream stream(seed, Purpose::data);
  Matrix out(rows, cols);
  for (std::size_t i = 0; i < out.size(); ++i) out.data()[i] = low + (high - low) * stream.uniform(i);
  return out;
}

Eigen::MatrixXd naive_variables(BranchKind kind, const Eigen::MatrixXd& theta, const Eigen::MatrixXd& state) {
  Eigen::MatrixXd all(theta.rows(), theta.cols() + state.cols());
  all << theta, state;
  if (kind == BranchKind::input) return all.leftCols(theta.cols());
  if (kind == BranchKind::state) return all.rightCols(state.cols());
  return all;
}

Eigen::MatrixXd naive_features(const Eigen::MatrixXd& variables, const Matrix& frequencies) {
  const Eigen::MatrixXd phases = variables * to_eigen(frequencies).transpose();
  Eigen::MatrixXd columns(phases.rows(), 2 * phases.cols());
  for (Eigen::Index j = 0; j < phases.cols(); ++j) {
    columns.col(2 * j) = phases.col(j).unaryExpr([](double phase) { return std::cos(phase); });
    columns.col(2 * j + 1) = phases.col(j).unaryExpr([](double phase) { return -std::sin(phase); });
  }
  return columns;
}

std::vector<Eigen::MatrixXd> naive_ridges(const Eigen::MatrixXd& columns, const Eigen::MatrixXd& right,
                                          const std::vector<double>& lambdas) {
  const Eigen::MatrixXd gram = columns.transpose() * columns, projected = columns.transpose() * right;
  std::vector<Eigen::MatrixXd> solutions;
  for (const double lambda : lambdas) {
    Eigen::MatrixXd normal = gram;
    normal.diagonal().array() += lambda;
    solutions.push_back(normal.llt().solve(projected));
  }
  return solutions;
}

Eigen::MatrixXd naive_kernel(const FrequencyLaw& law, const Eigen::MatrixXd& rows, const Eigen::MatrixXd& centres) {
  Eigen::MatrixXd kernel = Eigen::MatrixXd::Zero(rows.rows(), centres.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    for (Eigen::Index j = 0; j < centres.rows(); ++j)
      for (const FrequencyLaw::Part& part : law.parts) {
        const Eigen::VectorXd delta = (rows.row(i) - centres.row(j)).transpose();
        const Eigen::VectorXd u = law.map.rows() > 0 ? Eigen::VectorXd(to_eigen(law.map) * delta) : delta;
        const auto scales = [](const std::vector<double>& of) {
          return Eigen::Map<const Eigen::VectorXd>(of.data(), index(of.size()));
        };
        double value = part.strength * std::exp(-scales(part.smooth).cwiseProduct(u).squaredNorm() / 2.0);
        for (std::size_t k = 0; k < part.rough.size(); ++k) {
          const double x = part.rough[k] * std::abs(delta(index(k)));
          value *= (1.0 + (part.order > 0 ? x : 0.0) + (part.order > 1 ? x * x / 3.0 : 0.0)) * std::exp(-x);
        }
        if (!part.centre.empty()) value *= std::cos(scales(part.centre).dot(delta));
        kernel(i, j) += value;
      }
  return kernel;
}

Eigen::MatrixXd naive_columns(const Block& block, const Eigen::MatrixXd& theta, const Eigen::MatrixXd& state) {
  Eigen::MatrixXd all(theta.rows(), 0);
  for (const Branch& branch : block.branches) {
    const Eigen::MatrixXd variables = naive_variables(branch.kind, theta, state);
    const Eigen::MatrixXd columns =
        branch.closed_form ? naive_kernel(branch.closed_form->law, variables, to_eigen(branch.closed_form->centres))
                           : naive_features(variables, branch.frequencies);
    const Eigen::MatrixXd before = all;
    all.resize(theta.rows(), before.cols() + columns.cols());
    all << before, columns;
  }
  return all;
}

Eigen::MatrixXd naive_amplitudes(const Block& block) {
  Eigen::MatrixXd all;
  for (const Branch& branch : block.branches) {
    const Eigen::MatrixXd own = to_eigen(branch.closed_form ? branch.closed_form->coefficients : branch.amplitudes),
                          before = all;
    all.resize(before.rows() + own.rows(), own.cols());
    all << before, own;
  }
  return all;
}

std::vector<Eigen::MatrixXd> naive_states(const Network& network, const Eigen::MatrixXd& theta, Eigen::Index outputs) {
  std::vector<Eigen::MatrixXd> states = {Eigen::MatrixXd::Zero(theta.rows(), outputs)};
  for (const Block& block : network.blocks)
    states.push_back(states.back() + naive_columns(block, theta, states.back()) * naive_amplitudes(block));
  return states;
}

Eigen::MatrixXd naive_theta(const Model& model, const Matrix& inputs) {
  Eigen::MatrixXd theta(index(inputs.rows()), index(model.used_inputs()));
  std::size_t used = 0;
  for (std::size_t k = 0; k < inputs.cols(); ++k) {
    if (!model.inputs[k].used) continue;
    const double least = model.scaler.input_log_from.empty() ? 0.0 : model.scaler.input_log_from[used];
    for (std::size_t i = 0; i < inputs.rows(); ++i) {
      double value = inputs(i, k);
      if (least > 0.0) value = value < least ? std::log(least) : std::log(value);
      theta(index(i), index(used)) = (value - model.scaler.input_mean[used]) / model.scaler.input_sd[used];
    }
    ++used;
  }
  return theta;
}

Eigen::MatrixXd naive_predict(const Model& model, const Matrix& inputs, std::optional<std::size_t> blocks) {
  const Eigen::MatrixXd theta = naive_theta(model, inputs);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(theta.rows(), index(model.outputs()));
  for (const Network& member : model.members) {
    const auto states = naive_states(member, theta, sum.cols());
    const std::size_t depth = std::min(blocks.value_or(member.blocks.size()), member.blocks.size());
    for (std::size_t o = 0; o < model.outputs(); ++o) {
      const double mean = depth == 0 ? model.targets[o].mean : model.scaler.output_mean[o];
      sum.col(index(o)).array() += mean + model.scaler.output_sd[o] * states[depth].col(index(o)).array();
    }
  }
  return sum / static_cast<double>(model.members.size());
}

Branch random_branch(BranchKind kind, std::size_t features, std::size_t inputs, std::size_t outputs, std::uint64_t seed,
                     double spread) {
  return {kind, normal_matrix(features, variables_of(kind, inputs, outputs), seed, spread),
          normal_matrix(2 * features, outputs, seed + 1, 1.0 / static_cast<double>(features))};
}

Branch random_closed_form(BranchKind kind, std::size_t centres, std::size_t inputs, std::size_t outputs,
                          std::uint64_t seed) {
  const std::size_t variables = variables_of(kind, inputs, outputs), coordinates = 2;
  ClosedForm form;
  form.law.map = normal_matrix(coordinates, variables, seed, 0.5);
  const Stream stream(seed + 1, Purpose::data);
  const auto sizes = [&](std::size_t count, std::uint64_t from) {
    std::vector<double> all;
    for (std::size_t k = 0; k < count; ++k) all.push_back(0.7 * stream.uniform(1000 * from + k));
    return all;
  };
  for (int order = 0; order < 3; ++order) {
    const auto part = static_cast<std::uint64_t>(order);
    form.law.parts.push_back({0.5 + 0.25 * order, sizes(coordinates, 2 * part), sizes(variables, 2 * part + 1), order,
                              order == 1 ? sizes(variables, 7) : std::vector<double>{}});
  }
  form.law.parts.back().smooth.assign(coordinates, 0.0);
  form.centres = normal_matrix(centres, variables, seed + 2);
  form.coefficients = normal_matrix(centres, outputs, seed + 3, 1.0 / static_cast<double>(centres));
  return {.kind = kind, .closed_form = std::move(form)};
}

}  // namespace rfnn::testing
