#include "rfnn/finders/wide/closed_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"

namespace rfnn::wide {
namespace {

using Triangle = dense::Triangle<double>;

/// What one λ gives, by leave-one-out.
struct Trial {
  Matrix alpha;
  double left_out = std::numeric_limits<double>::infinity();
};

std::optional<Trial> try_lambda(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law, double lambda,
                                Triangle& matrix, Interrupt& interrupt) {
  if (!work.kernel_matrix(rows, law, matrix, interrupt)) return std::nullopt;
  for (std::size_t i = 0; i < rows.count(); ++i)
    matrix(i, i) += lambda / rows.weight(i) + tuning::rounding_of_fit * law.variance();
  Workers& workers = work.workers();
  Trial trial;
  if (!dense::factor(matrix, workers, interrupt)) return trial;
  trial.alpha = rows::residual_of(rows);
  std::vector<double> diagonal(rows.count());
  if (!dense::solve(matrix, trial.alpha.view(), workers, interrupt) ||
      !dense::inverse_diagonal<double>(matrix, diagonal, workers, interrupt))
    return trial;
  trial.left_out = 0.0;
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t o = 0; o < trial.alpha.cols(); ++o) {
      const double left = trial.alpha(i, o) / diagonal[i];
      trial.left_out += rows.weight(i) * left * left;
    }
  trial.left_out /= static_cast<double>(rows.count());
  return trial;
}

}  // namespace

std::optional<ClosedFit> fit_exactly(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                     std::vector<double> lambdas, Interrupt& interrupt) {
  ClosedFit best;
  best.judged = std::numeric_limits<double>::infinity();
  Triangle matrix;
  for (const double lambda : lambdas) {
    std::optional<Trial> trial = try_lambda(work, rows, law, lambda, matrix, interrupt);
    if (interrupt.stopped()) break;
    if (!trial || !(trial->left_out < best.judged)) continue;
    best.coefficients = std::move(trial->alpha);
    best.judged = trial->left_out;
    best.lambda = lambda;
  }
  if (best.coefficients.empty()) return std::nullopt;
  best.centres = rows::variables_of(rows, law.variables());
  return best;
}

/// M⁻¹ of M = K_nm K_mm⁻¹ K_mn + μ W⁻¹: the rows as the centres see them. What the centres do not see of a row counts
/// as noise, μ = λ + its mean variance. For columns in as many equal groups as there are λ.
class ManyRows::Preconditioner {
 public:
  Preconditioner(const ManyRows& many, std::vector<double> lambdas, std::size_t outputs)
      : many_(many), noise_(std::move(lambdas)), outputs_(outputs) {}

  bool prepare() {
    const std::optional<double> unseen = many_.unseen_variance();
    if (!unseen) return false;
    for (double& noise : noise_) {
      noise += *unseen;
      factors_.push_back(many_.inner(noise));
      if (factors_.back().size() == 0) return false;
    }
    return true;
  }

  bool apply(const Matrix& v, Matrix& out) {
    Matrix weighted = v, small;
    const rows::RowState& rows = many_.rows_;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t o = 0; o < v.cols(); ++o) weighted(i, o) *= rows.weight(i);
    if (!many_.work_.kernel_adjoint(rows, many_.law_, many_.centres_, weighted, small, rows::Precision::full,
                                    many_.interrupt_))
      return false;
    for (std::size_t l = 0; l < noise_.size(); ++l) {
      const MatrixView group(small.data() + l * outputs_, small.rows(), outputs_,
                             static_cast<std::ptrdiff_t>(small.cols()), 1);
      if (!dense::solve(factors_[l], group, many_.work_.workers(), many_.interrupt_)) return false;
    }
    if (!many_.work_.kernel_apply(rows, many_.law_, many_.centres_, small, out, rows::Precision::full,
                                  many_.interrupt_))
      return false;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t o = 0; o < v.cols(); ++o)
        out(i, o) = rows.weight(i) * (v(i, o) - out(i, o)) / noise_[o / outputs_];
    return true;
  }

 private:
  const ManyRows& many_;
  std::vector<double> noise_;  ///< μ
  std::size_t outputs_;
  std::vector<Triangle> factors_;
};

ManyRows::ManyRows(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law, std::size_t count,
                   std::uint64_t seed, Interrupt& interrupt)
    : work_(work),
      rows_(rows),
      law_(law),
      interrupt_(interrupt),
      places_(rows.draw(count, Stream(seed, Purpose::proposal_rows, 5))),
      some_(rows.at(places_)),
      centres_(rows::variables_of(some_, law.variables())) {}

bool ManyRows::prepare() {
  Matrix weighted = rows::residual_of(rows_);
  for (std::size_t i = 0; i < weighted.rows(); ++i)
    for (std::size_t o = 0; o < weighted.cols(); ++o) weighted(i, o) *= rows_.weight(i);
  return work_.kernel_matrix(some_, law_, kernel_, interrupt_) &&
         work_.kernel_gram(rows_, law_, centres_, gram_, interrupt_) &&
         work_.kernel_adjoint(rows_, law_, centres_, weighted, right_, rows::Precision::full, interrupt_);
}

/// The factor of K_mn W K_nm + λ K_mm; empty when interrupted. Where rounding makes it singular, more is added to its
/// diagonal.
Triangle ManyRows::inner(double lambda) const {
  double scale = 0.0;
  for (std::size_t i = 0; i < gram_.size(); ++i) scale = std::max(scale, gram_(i, i) + lambda * kernel_(i, i));
  for (double shift = tuning::rounding_of_centres; shift < 1.0; shift *= 100.0) {
    Triangle matrix = gram_;
    for (std::size_t i = 0; i < matrix.numbers(); ++i) matrix.data()[i] += lambda * kernel_.data()[i];
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix(i, i) += shift * scale;
    if (dense::factor(matrix, work_.workers(), interrupt_)) return matrix;
    if (interrupt_.stopped()) break;
  }
  return {};
}

/// Mean over some rows of k(0) − k_mᵀ K_mm⁻¹ k_m.
std::optional<double> ManyRows::unseen_variance() const {
  const rows::RowState looked_at = rows_.some(tuning::rows_looked_at, Stream(1, Purpose::proposal_rows, 6));
  Triangle factor = kernel_;
  for (std::size_t i = 0; i < factor.size(); ++i) factor(i, i) += tuning::rounding * law_.variance();
  if (!dense::factor(factor, work_.workers(), interrupt_)) return std::nullopt;
  Matrix unit(looked_at.count(), looked_at.count()), kernels;
  for (std::size_t i = 0; i < unit.rows(); ++i) unit(i, i) = 1.0;
  if (!work_.kernel_adjoint(looked_at, law_, centres_, unit, kernels, rows::Precision::full, interrupt_) ||
      !dense::solve_forward(factor, kernels.view(), work_.workers(), interrupt_))
    return std::nullopt;
  double seen = 0.0;
  for (std::size_t i = 0; i < kernels.size(); ++i) seen += kernels.data()[i] * kernels.data()[i];
  return std::max(0.0, law_.variance() - seen / static_cast<double>(unit.rows()));
}

std::optional<ClosedFit> ManyRows::fit_some(const rows::RowState& held_out, const std::vector<double>& lambdas) {
  const std::size_t outputs = rows_.outputs();
  Matrix all(centres_.rows(), outputs * lambdas.size());
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    const Triangle factor = inner(lambdas[l]);
    if (factor.size() == 0) return std::nullopt;
    Matrix c = right_;
    if (!dense::solve(factor, c.view(), work_.workers(), interrupt_)) return std::nullopt;
    for (std::size_t i = 0; i < c.rows(); ++i)
      for (std::size_t o = 0; o < outputs; ++o) all(i, l * outputs + o) = c(i, o);
  }
  return best_of(held_out, centres_, all, lambdas);
}

std::optional<ClosedFit> ManyRows::best_of(const rows::RowState& held_out, const Matrix& centres, const Matrix& all,
                                           const std::vector<double>& lambdas) const {
  const std::size_t outputs = rows_.outputs();
  ClosedFit fit{centres, Matrix(centres.rows(), outputs), lambdas.front(), 0.0};
  std::size_t best = 0;
  if (held_out.count() > 0) {
    Matrix values;
    if (!work_.kernel_apply(held_out, law_, centres, all, values, rows::Precision::full, interrupt_))
      return std::nullopt;
    fit.judged = std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      double squares = 0.0;
      for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t o = 0; o < outputs; ++o) {
          const double left = held_out.residual(i, o) - values(i, l * outputs + o);
          squares += held_out.weight(i) * left * left;
        }
      squares /= static_cast<double>(held_out.count());
      if (!(squares < fit.judged)) continue;
      fit.judged = squares;
      best = l;
    }
  }
  fit.lambda = lambdas[best];
  for (std::size_t i = 0; i < centres.rows(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) fit.coefficients(i, o) = all(i, best * outputs + o);
  return fit;
}

std::optional<ClosedFit> ManyRows::fit_all(const rows::RowState& held_out, const std::vector<double>& lambdas,
                                           int steps, const ClosedFit& start) {
  const std::size_t outputs = rows_.outputs(), columns = outputs * lambdas.size();
  Preconditioner preconditioner(*this, lambdas, outputs);
  if (!preconditioner.prepare()) return std::nullopt;
  Matrix alpha(rows_.count(), columns), residual(rows_.count(), columns);
  for (std::size_t i = 0; i < residual.rows(); ++i)
    for (std::size_t k = 0; k < columns; ++k) residual(i, k) = rows_.residual(i, k % outputs);
  for (std::size_t c = 0; c < places_.size(); ++c)
    for (std::size_t k = 0; k < columns; ++k) alpha(places_[c], k) = start.coefficients(c, k % outputs);
  const auto product = [&](const Matrix& v, Matrix& out) {
    if (!work_.kernel_product(rows_, law_, v, out, rows::Precision::single, interrupt_)) return false;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k) out(i, k) += lambdas[k / outputs] / rows_.weight(i) * v(i, k);
    return true;
  };
  const auto dots = [&](const Matrix& a, const Matrix& b) {
    std::vector<double> sums(columns, 0.0);
    for (std::size_t i = 0; i < a.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k) sums[k] += a(i, k) * b(i, k);
    return sums;
  };
  Matrix preconditioned, image;
  if (!preconditioner.apply(residual, preconditioned)) return std::nullopt;
  const std::vector<double> scale = dots(residual, preconditioned);
  if (!product(alpha, image)) return std::nullopt;
  for (std::size_t i = 0; i < residual.size(); ++i) residual.data()[i] -= image.data()[i];
  if (!preconditioner.apply(residual, preconditioned)) return std::nullopt;
  Matrix direction = preconditioned;
  std::vector<double> rho = dots(residual, preconditioned);
  for (int step = 0; step < steps; ++step) {
    if (getenv("TRACE")) {
      fprintf(stderr, "step %d:", step);
      for (size_t k = 0; k < columns; ++k) fprintf(stderr, " %.1e", std::sqrt(rho[k] / scale[k]));
      if (step % 5 == 0) {
        auto f = best_of(held_out, rows::variables_of(rows_, law_.variables()), alpha, lambdas);
        fprintf(stderr, "   %.4e at %.2e", f->judged, f->lambda);
      }
      fprintf(stderr, "\n");
    }
    bool enough = true;
    for (std::size_t k = 0; k < columns; ++k)
      enough = enough && rho[k] <= tuning::solved_enough * tuning::solved_enough * scale[k];
    if (enough) break;
    if (!product(direction, image)) break;
    const std::vector<double> curvature = dots(direction, image);
    for (std::size_t i = 0; i < alpha.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k) {
        const double length = rho[k] / std::max(curvature[k], 1e-300);
        alpha(i, k) += length * direction(i, k);
        residual(i, k) -= length * image(i, k);
      }
    if (!preconditioner.apply(residual, preconditioned)) break;
    const std::vector<double> now = dots(residual, preconditioned);
    for (std::size_t i = 0; i < alpha.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k)
        direction(i, k) = preconditioned(i, k) + now[k] / std::max(rho[k], 1e-300) * direction(i, k);
    rho = now;
  }
  return best_of(held_out, rows::variables_of(rows_, law_.variables()), alpha, lambdas);
}

}  // namespace rfnn::wide
