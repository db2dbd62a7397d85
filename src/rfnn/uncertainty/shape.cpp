#include "rfnn/uncertainty/shape.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "rfnn/finders/wide/law_search.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"
#include "rfnn/uncertainty/tuning.hpp"

namespace rfnn::uncertainty {
namespace {

/// Less their weighted means, over their weighted deviations, which are the result.
std::vector<double> standardise(Matrix& targets, const std::vector<double>& weights) {
  std::vector<double> deviations;
  for (std::size_t o = 0; o < targets.cols(); ++o) {
    double sum = 0.0, total = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < targets.rows(); ++i) {
      const double weight = weights.empty() ? 1.0 : weights[i];
      sum += weight * targets(i, o);
      total += weight;
    }
    for (std::size_t i = 0; i < targets.rows(); ++i) {
      targets(i, o) -= sum / total;
      squares += (weights.empty() ? 1.0 : weights[i]) * targets(i, o) * targets(i, o);
    }
    deviations.push_back(std::sqrt(squares / total));
    for (std::size_t i = 0; i < targets.rows() && deviations.back() > 0.0; ++i) targets(i, o) /= deviations.back();
  }
  return deviations;
}

}  // namespace

std::optional<Shape> fit_shape(const Matrix& variables, const Matrix& targets, const std::vector<double>& weights,
                               std::uint64_t seed, rows::RowWork& work, Interrupt& interrupt) {
  Matrix scaled = targets;
  const std::vector<double> deviations = standardise(scaled, weights);
  const rows::RowState all(rows::ScaledRows(variables.view(), std::as_const(scaled).view(), weights));
  std::vector<std::size_t> places = all.draw(tuning::shape_centres, Stream(seed, Purpose::shape_rows));
  std::sort(places.begin(), places.end());
  const rows::RowState rows = all.at(places);
  wide::LawSearch laws(work, rows, variables.cols(), seed, interrupt);
  const std::optional<wide::LearntLaw> learnt = laws.begin({2, false}, tuning::shape_law_rows);
  dense::Triangle<double> matrix;
  if (!learnt || !work.kernel_matrix(rows, learnt->law, matrix, interrupt)) return std::nullopt;
  for (std::size_t i = 0; i < rows.count(); ++i)
    matrix(i, i) += learnt->noise / rows.weight(i) + tuning::rounding * learnt->law.variance();
  Matrix alpha = rows::residual_of(rows);
  std::vector<double> diagonal(rows.count());
  if (!dense::factor(matrix, work.workers(), interrupt) ||
      !dense::solve(matrix, alpha.view(), work.workers(), interrupt) ||
      !dense::inverse_diagonal<double>(matrix, diagonal, work.workers(), interrupt))
    return std::nullopt;
  Shape shape;
  shape.form.law = learnt->law;
  shape.form.centres = rows::variables_of(rows, variables.cols());
  if (!work.kernel_apply(all, learnt->law, shape.form.centres, alpha, shape.left_out, rows::Precision::full, interrupt))
    return std::nullopt;
  // The error at a row left out is α_i over its entry of the inverse.
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t o = 0; o < alpha.cols(); ++o)
      shape.left_out(places[i], o) = rows.residual(i, o) - alpha(i, o) / diagonal[i];
  for (std::size_t o = 0; o < alpha.cols(); ++o) {
    for (std::size_t i = 0; i < alpha.rows(); ++i) alpha(i, o) *= deviations[o];
    for (std::size_t i = 0; i < shape.left_out.rows(); ++i) shape.left_out(i, o) *= deviations[o];
  }
  shape.form.coefficients = std::move(alpha);
  for (std::size_t i = 0; i < shape.form.coefficients.size(); ++i)
    if (!std::isfinite(shape.form.coefficients.data()[i])) return std::nullopt;
  return shape;
}

}  // namespace rfnn::uncertainty
