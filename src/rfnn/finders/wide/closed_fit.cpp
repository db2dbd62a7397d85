#include "rfnn/finders/wide/closed_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/wide/closed_parts.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"

namespace rfnn::wide {
namespace {

using Triangle = dense::Triangle<double>;

/// L of K + λ W⁻¹, in place of what `matrix` was. False where there is none, or when interrupted.
bool factor_of(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law, double lambda,
               Triangle& matrix, Interrupt& interrupt) {
  if (!work.kernel_matrix(rows, law, matrix, interrupt)) return false;
  for (std::size_t i = 0; i < rows.count(); ++i)
    matrix(i, i) += lambda / rows.weight(i) + tuning::rounding_of_fit * law.variance();
  return static_cast<bool>(dense::factor(matrix, work.workers(), interrupt));
}

/// Weighted mean over the rows of the squared errors by leave-one-out, summed over outputs.
std::optional<double> left_out(const rows::RowState& rows, const Triangle& factor, const Matrix& alpha,
                               Workers& workers, Interrupt& interrupt) {
  std::vector<double> diagonal(rows.count());
  if (!dense::inverse_diagonal<double>(factor, diagonal, workers, interrupt)) return std::nullopt;
  double squares = 0.0;
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t o = 0; o < alpha.cols(); ++o) {
      const double left = alpha(i, o) / diagonal[i];
      squares += rows.weight(i) * left * left;
    }
  return squares / static_cast<double>(rows.count());
}

}  // namespace

std::optional<double> error_of(rows::RowWork& work, const FrequencyLaw& law, const Matrix& centres,
                               const Matrix& coefficients, const rows::RowState& rows, Interrupt& interrupt) {
  Matrix values;
  if (!work.kernel_apply(rows, law, centres, coefficients, values, rows::Precision::full, interrupt))
    return std::nullopt;
  double squares = 0.0;
  for (std::size_t i = 0; i < values.rows(); ++i)
    for (std::size_t o = 0; o < values.cols(); ++o) {
      const double left = rows.residual(i, o) - values(i, o);
      squares += rows.weight(i) * left * left;
    }
  return squares / static_cast<double>(rows.count());
}

std::optional<ClosedFit> fit_exactly(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                     const std::vector<double>& lambdas, const rows::RowState& held_out,
                                     Interrupt& interrupt) {
  ClosedFit best;
  best.centres = rows::variables_of(rows, law.variables());
  best.judged = std::numeric_limits<double>::infinity();
  const bool by_others = held_out.count() > 0 && rows.count() > tuning::quick_rows;
  Triangle matrix;
  for (const double lambda : lambdas) {
    if (!factor_of(work, rows, law, lambda, matrix, interrupt)) {
      if (interrupt.stopped()) break;
      continue;
    }
    Matrix alpha = rows::residual_of(rows);
    if (!dense::solve(matrix, alpha.view(), work.workers(), interrupt)) break;
    std::optional<double> judged = 0.0;
    if (by_others)
      judged = error_of(work, law, best.centres, alpha, held_out, interrupt);
    else if (lambdas.size() > 1)
      judged = left_out(rows, matrix, alpha, work.workers(), interrupt);
    if (!judged) break;
    if (!(*judged < best.judged)) continue;
    best.coefficients = std::move(alpha);
    best.judged = *judged;
    best.lambda = lambda;
  }
  if (best.coefficients.empty()) return std::nullopt;
  return best;
}

std::optional<CentreSums> centre_sums(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                      std::size_t count, std::uint64_t seed, Interrupt& interrupt) {
  CentreSums sums;
  sums.places = rows.draw(count, Stream(seed, Purpose::centres));
  const rows::RowState some = rows.at(sums.places);
  sums.centres = rows::variables_of(some, law.variables());
  sums.gram = Triangle(some.count());
  sums.right = Matrix(some.count(), rows.outputs());
  if (!work.kernel_matrix(some, law, sums.kernel, interrupt) || !add_rows(work, rows, law, sums, interrupt))
    return std::nullopt;
  return sums;
}

bool add_rows(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law, CentreSums& sums,
              Interrupt& interrupt, double counting) {
  Matrix weighted = rows::residual_of(rows), right;
  for (std::size_t i = 0; i < weighted.rows(); ++i)
    for (std::size_t o = 0; o < weighted.cols(); ++o) weighted(i, o) *= rows.weight(i);
  Triangle gram;
  if (!work.kernel_gram(rows, law, sums.centres, gram, interrupt) ||
      !work.kernel_adjoint(rows, law, sums.centres, weighted, right, rows::Precision::full, interrupt))
    return false;
  for (std::size_t i = 0; i < gram.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) sums.gram(i, j) += counting * gram(i, j);
  for (std::size_t i = 0; i < right.size(); ++i) sums.right.data()[i] += counting * right.data()[i];
  sums.rows += rows.count();
  return true;
}

std::optional<Triangle> inner_factor(const CentreSums& sums, double lambda, Workers& workers, Interrupt& interrupt) {
  double scale = 0.0;
  for (std::size_t i = 0; i < sums.gram.size(); ++i)
    scale = std::max(scale, sums.gram(i, i) + lambda * sums.kernel(i, i));
  for (double shift = tuning::rounding_of_centres; shift < 1.0; shift *= 100.0) {
    Triangle matrix = sums.gram;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix(i, j) += lambda * sums.kernel(i, j);
      matrix(i, i) += shift * scale;
    }
    if (dense::factor(matrix, workers, interrupt)) return matrix;
    if (interrupt.stopped()) break;
  }
  return std::nullopt;
}

std::optional<std::vector<double>> errors_of(rows::RowWork& work, const FrequencyLaw& law,
                                             const rows::RowState& held_out, const Matrix& centres, const Matrix& all,
                                             Interrupt& interrupt) {
  const std::size_t outputs = held_out.outputs();
  Matrix values;
  if (!work.kernel_apply(held_out, law, centres, all, values, rows::Precision::full, interrupt)) return std::nullopt;
  std::vector<double> errors(all.cols() / outputs, 0.0);
  for (std::size_t l = 0; l < errors.size(); ++l) {
    for (std::size_t i = 0; i < values.rows(); ++i)
      for (std::size_t o = 0; o < outputs; ++o) {
        const double left = held_out.residual(i, o) - values(i, l * outputs + o);
        errors[l] += held_out.weight(i) * left * left;
      }
    errors[l] /= static_cast<double>(held_out.count());
    if (!std::isfinite(errors[l])) errors[l] = std::numeric_limits<double>::infinity();
  }
  return errors;
}

Matrix group_of(const Matrix& all, std::size_t group, std::size_t outputs) {
  Matrix own(all.rows(), outputs);
  for (std::size_t i = 0; i < own.rows(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) own(i, o) = all(i, group * outputs + o);
  return own;
}

std::optional<ClosedFit> fit_some(rows::RowWork& work, const FrequencyLaw& law, const CentreSums& sums,
                                  const rows::RowState& held_out, const std::vector<double>& lambdas,
                                  Interrupt& interrupt) {
  const std::size_t outputs = sums.right.cols();
  Matrix all(sums.centres.rows(), outputs * lambdas.size());
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    const std::optional<Triangle> factor = inner_factor(sums, lambdas[l], work.workers(), interrupt);
    Matrix c = sums.right;
    if (!factor || !dense::solve(*factor, c.view(), work.workers(), interrupt)) return std::nullopt;
    for (std::size_t i = 0; i < c.rows(); ++i)
      for (std::size_t o = 0; o < outputs; ++o) all(i, l * outputs + o) = c(i, o);
  }
  std::size_t best = 0;
  double judged = 0.0;
  if (held_out.count() > 0) {
    const std::optional<std::vector<double>> errors = errors_of(work, law, held_out, sums.centres, all, interrupt);
    if (!errors) return std::nullopt;
    best = static_cast<std::size_t>(std::min_element(errors->begin(), errors->end()) - errors->begin());
    judged = (*errors)[best];
  }
  ClosedFit fit{sums.centres, group_of(all, best, outputs), lambdas[best], judged};
  for (std::size_t i = 0; i < fit.coefficients.size(); ++i)
    if (!std::isfinite(fit.coefficients.data()[i])) return std::nullopt;
  return fit;
}

}  // namespace rfnn::wide
