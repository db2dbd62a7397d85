#include "rfnn/finders/wide/wide_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/least_squares/conjugate_gradients.hpp"
#include "rfnn/least_squares/dense.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"

namespace rfnn::wide {
namespace {

rows::TiledColumns to_tiles(const Eigen::MatrixXd& values) {
  rows::TiledColumns tiles(static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols()));
  for (std::size_t i = 0; i < tiles.rows(); ++i)
    for (std::size_t o = 0; o < tiles.columns(); ++o)
      tiles(i, o) = values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o));
  return tiles;
}
Eigen::MatrixXd from_tiles(const rows::TiledColumns& tiles) {
  Eigen::MatrixXd values(static_cast<Eigen::Index>(tiles.rows()), static_cast<Eigen::Index>(tiles.columns()));
  for (std::size_t i = 0; i < tiles.rows(); ++i)
    for (std::size_t o = 0; o < tiles.columns(); ++o)
      values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o)) = tiles(i, o);
  return values;
}

/// b = S c.
Matrix scaled(const rows::WideFeatures& features, const Matrix& c) {
  Matrix b = c;
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t o = 0; o < b.cols(); ++o) b(i, o) *= features.prior[i / 2];
  return b;
}

/// The lower triangle of a symmetric matrix.
dense::Triangle<double> lower(const Eigen::MatrixXd& matrix) {
  const auto n = static_cast<std::size_t>(matrix.rows());
  dense::Triangle<double> triangle(n);
  triangle.set_rows(0, ConstMatrixView(matrix.data(), n, n, 1, matrix.rows()));
  return triangle;
}

MatrixView view_of(Eigen::MatrixXd& columns) {
  return {columns.data(), static_cast<std::size_t>(columns.rows()), static_cast<std::size_t>(columns.cols()), 1,
          columns.rows()};
}

/// The error that solving (K + λ) u = r leaves when row i is left out is u_i / (K + λ)⁻¹_ii, times √w_i as all errors
/// here. The sum of their squares, given the factor of K + λ; nothing when interrupted.
std::optional<double> left_out(const dense::Triangle<double>& factor, const Eigen::MatrixXd& u, Workers& workers,
                               Interrupt& interrupt) {
  Eigen::VectorXd diagonal(u.rows());
  if (!dense::inverse_diagonal(factor, std::span(diagonal.data(), factor.size()), workers, interrupt))
    return std::nullopt;
  double sum = 0.0;
  for (Eigen::Index o = 0; o < u.cols(); ++o) sum += (u.col(o).array() / diagonal.array()).square().sum();
  return sum;
}

std::optional<WideFit> fit_dual(rows::RowWork& work, const rows::RowState& rows, const rows::WideFeatures& features,
                                const std::vector<double>& lambdas, Interrupt& interrupt) {
  Eigen::MatrixXd square;
  if (!work.row_kernel(rows, features, square, interrupt)) return std::nullopt;
  const double scale = square.diagonal().maxCoeff();
  const dense::Triangle<double> kernel = lower(square);
  square.resize(0, 0);
  const Eigen::MatrixXd r = from_tiles(rows::weighted_residual(rows));
  double best = std::numeric_limits<double>::infinity(), chosen = lambdas.front();
  Eigen::MatrixXd u;
  dense::Triangle<double> factor;
  for (const double lambda : lambdas) {
    factor = kernel;
    factor.add_to_diagonal(std::max(lambda, tuning::rounding_of_dual * scale));
    const dense::Factored factored = dense::factor(factor, work.workers(), interrupt);
    if (factored.state == dense::Factored::State::interrupted) return std::nullopt;
    if (!factored) continue;
    Eigen::MatrixXd solution = r;
    if (!dense::solve(factor, view_of(solution), work.workers(), interrupt)) return std::nullopt;
    std::optional<double> score = 0.0;
    if (lambdas.size() > 1) score = left_out(factor, solution, work.workers(), interrupt);
    if (!score) return std::nullopt;
    if (!(*score < best)) continue;
    best = *score;
    chosen = lambda;
    u = std::move(solution);
  }
  if (u.size() == 0) return std::nullopt;
  Matrix c;
  if (!work.adjoint(rows, features, to_tiles(u), c, interrupt)) return std::nullopt;
  return WideFit{scaled(features, c), chosen, best / static_cast<double>(kernel.size())};
}

/// (N/s · S A_sᵀA_s S + μ I)⁻¹ for s of the N rows, by the dual of these rows.
class Preconditioner {
 public:
  Preconditioner(rows::RowWork& work, const rows::RowState& rows, const rows::WideFeatures& features,
                 std::size_t columns, std::uint64_t seed)
      : work_(work),
        rows_(rows.some(tuning::preconditioner_rows, Stream(seed, Purpose::preconditioner_rows))),
        columns_(columns),
        ratio_(static_cast<double>(rows.count()) / static_cast<double>(rows_.count())),
        features_(features) {}

  /// For columns in as many equal groups as there are λ.
  bool prepare(const std::vector<double>& lambdas, Interrupt& interrupt) {
    Eigen::MatrixXd kernel;
    if (!work_.row_kernel(rows_, features_, kernel, interrupt)) return false;
    Eigen::VectorXd values;
    watch([&] { values = dense::symmetric_eigenvalues(kernel).value(); }, interrupt);
    if (interrupt.stopped()) return false;
    for (const double lambda : lambdas) {
      // What the other rows add beyond those of the sample counts as noise, and rounding too.
      shift_.push_back(std::max({lambda, tuning::unseen_by_sample * ratio_ * values(kernel.rows() / 2),
                                 tuning::rounding_of_sample * ratio_ * kernel.diagonal().maxCoeff()}));
      factor_.push_back(lower(kernel));
      factor_.back().add_to_diagonal(shift_.back() / ratio_);
      if (!dense::factor(factor_.back(), work_.workers(), interrupt)) return false;
    }
    return !interrupt.stopped();
  }
  bool apply(const Matrix& v, Matrix& out, Interrupt& interrupt) {
    rows::TiledColumns on_rows(rows_.count(), columns_);
    if (!work_.apply(rows_, features_, v, on_rows, interrupt)) return false;
    Eigen::MatrixXd solved = from_tiles(on_rows);
    const std::size_t group = columns_ / shift_.size();
    for (std::size_t l = 0; l < shift_.size(); ++l) {
      const MatrixView own(solved.col(static_cast<Eigen::Index>(l * group)).data(), rows_.count(), group, 1,
                           solved.rows());
      if (!dense::solve(factor_[l], own, work_.workers(), interrupt)) return false;
    }
    if (!work_.adjoint(rows_, features_, to_tiles(solved), out, interrupt)) return false;
    for (std::size_t i = 0; i < out.rows(); ++i)
      for (std::size_t o = 0; o < out.cols(); ++o) out(i, o) = (v(i, o) - out(i, o)) / shift_[o / group];
    return true;
  }

 private:
  rows::RowWork& work_;
  rows::RowState rows_;
  std::size_t columns_;
  double ratio_;
  const rows::WideFeatures& features_;
  std::vector<double> shift_;
  std::vector<dense::Triangle<double>> factor_;
};

/// (S AᵀA S + λ) c = S Aᵀr for columns with a λ each, by conjugate gradients from `c` on. False when interrupted; every
/// iterate is a fit, if a rough one.
bool solve_iteratively(rows::RowWork& work, const rows::RowState& rows, const rows::WideFeatures& features,
                       const Matrix& right, const std::vector<double>& lambda, Preconditioner& preconditioner,
                       std::size_t most_steps, Matrix& c, Interrupt& interrupt) {
  rows::TiledColumns on_rows(rows.count(), right.cols());
  least_squares::LinearSystem<Matrix> system;
  system.product = [&](const Matrix& v, Matrix& out) {
    if (!work.apply(rows, features, v, on_rows, interrupt) || !work.adjoint(rows, features, on_rows, out, interrupt))
      return false;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t k = 0; k < v.cols(); ++k) out(i, k) += v(i, k) * lambda[k];
    return true;
  };
  system.precondition = [&](const Matrix& v, Matrix& out) { return preconditioner.apply(v, out, interrupt); };
  system.dots = least_squares::column_dots;
  return !least_squares::conjugate_gradients(system, right, {most_steps, tuning::solved_enough}, c).interrupted;
}

/// All λ at once: the features, which cost most, are made for all of them together.
std::optional<WideFit> fit_iteratively(rows::RowWork& work, const rows::RowState& rows, const rows::RowState& held_out,
                                       const rows::WideFeatures& features, const std::vector<double>& lambdas,
                                       std::uint64_t seed, Interrupt& interrupt, const Matrix* start) {
  const std::size_t outputs = rows.outputs(), columns = outputs * lambdas.size();
  Preconditioner preconditioner(work, rows, features, columns, seed);
  if (!preconditioner.prepare(lambdas, interrupt)) return std::nullopt;
  const auto repeated = [&](const rows::TiledColumns& values) {
    rows::TiledColumns made(values.rows(), columns);
    for (std::size_t i = 0; i < values.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k) made(i, k) = values(i, k % outputs);
    return made;
  };
  Matrix right;
  if (!work.adjoint(rows, features, repeated(rows::weighted_residual(rows)), right, interrupt)) return std::nullopt;
  Matrix c;
  if (start != nullptr) {
    c = Matrix(2 * features.size(), columns);
    for (std::size_t i = 0; i < c.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k) c(i, k) = (*start)(i, k % outputs) / features.prior[i / 2];
  }
  std::vector<double> lambda(columns);
  for (std::size_t k = 0; k < columns; ++k) lambda[k] = lambdas[k / outputs];
  // Fewer steps are enough to tell one λ from another, or from a start that is nearly the solution.
  const std::size_t most_steps = start != nullptr     ? tuning::steps_from_start
                                 : lambdas.size() > 1 ? tuning::steps_to_compare
                                                      : tuning::most_steps;
  const bool done = solve_iteratively(work, rows, features, right, lambda, preconditioner, most_steps, c, interrupt);

  if (!done && lambdas.size() > 1) return std::nullopt;
  std::size_t best = 0;
  double least = 0.0;
  if (lambdas.size() > 1) {
    least = std::numeric_limits<double>::infinity();
    rows::TiledColumns values;
    if (!work.apply(held_out, features, c, values, interrupt)) return std::nullopt;
    const rows::TiledColumns wanted = repeated(rows::weighted_residual(held_out));
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      double sum = 0.0;
      for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t k = l * outputs; k < (l + 1) * outputs; ++k)
          sum += (wanted(i, k) - values(i, k)) * (wanted(i, k) - values(i, k));
      if (!(sum < least)) continue;
      least = sum;
      best = l;
    }
    least /= static_cast<double>(held_out.count());
  }
  const Matrix b = scaled(features, c);
  WideFit fit{Matrix(b.rows(), outputs), lambdas[best], least};
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) fit.amplitudes(i, o) = b(i, best * outputs + o);
  return fit;
}

}  // namespace

std::optional<WideFit> fit_wide(rows::RowWork& work, const rows::RowState& rows, const rows::RowState& held_out,
                                const rows::WideFeatures& features, const std::vector<double>& lambdas,
                                std::uint64_t seed, Interrupt& interrupt, const Matrix* start) {
  if (rows.count() <= tuning::most_dual_rows) return fit_dual(work, rows, features, lambdas, interrupt);
  return fit_iteratively(work, rows, held_out, features, lambdas, seed, interrupt, start);
}

}  // namespace rfnn::wide
