// Closed forms with all of very many rows as centres, by conjugate gradients.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rfnn/core/random.hpp"
#include "rfnn/finders/wide/closed_fit.hpp"
#include "rfnn/finders/wide/closed_parts.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/least_squares/conjugate_gradients.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"

namespace rfnn::wide {
namespace {

using Triangle = dense::Triangle<double>;

/// Mean over some rows of k(0) − k_mᵀ K_mm⁻¹ k_m: what the centres do not see of a row.
std::optional<double> unseen_variance(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                      const CentreSums& sums, Interrupt& interrupt) {
  const rows::RowState looked_at = rows.some(tuning::rows_looked_at, Stream(Address{}, Purpose::unseen_rows));
  Triangle factor = sums.kernel;
  for (std::size_t i = 0; i < factor.size(); ++i) factor(i, i) += tuning::rounding * law.variance();
  if (!dense::factor(factor, work.workers(), interrupt)) return std::nullopt;
  Matrix unit(looked_at.count(), looked_at.count()), kernels;
  for (std::size_t i = 0; i < unit.rows(); ++i) unit(i, i) = 1.0;
  if (!work.kernel_adjoint(looked_at, law, sums.centres, unit, kernels, rows::Precision::full, interrupt) ||
      !dense::solve_forward(factor, kernels.view(), work.workers(), interrupt))
    return std::nullopt;
  double seen = 0.0;
  for (std::size_t i = 0; i < kernels.size(); ++i) seen += kernels.data()[i] * kernels.data()[i];
  return std::max(0.0, law.variance() - seen / static_cast<double>(unit.rows()));
}

/// M⁻¹ of M = K_nm K_mm⁻¹ K_mn + μ W⁻¹: the rows as the centres see them. What they do not see counts as noise, μ = λ +
/// its mean variance. For columns in as many equal groups as there are λ.
class Preconditioner {
 public:
  Preconditioner(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law, const CentreSums& sums,
                 std::vector<double> lambdas, Interrupt& interrupt)
      : work_(work), rows_(rows), law_(law), sums_(sums), noise_(std::move(lambdas)), interrupt_(interrupt) {}

  bool prepare() {
    const std::optional<double> unseen = unseen_variance(work_, rows_, law_, sums_, interrupt_);
    if (!unseen) return false;
    for (double& noise : noise_) {
      noise += *unseen;
      std::optional<Triangle> factor = inner_factor(sums_, noise, work_.workers(), interrupt_);
      if (!factor) return false;
      factors_.push_back(std::move(*factor));
    }
    return true;
  }

  bool apply(const Matrix& v, Matrix& out) const {
    const std::size_t outputs = v.cols() / noise_.size();
    Matrix weighted = v, small;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t o = 0; o < v.cols(); ++o) weighted(i, o) *= rows_.weight(i);
    // In double precision: what is subtracted below is nearly what it is subtracted from.
    if (!work_.kernel_adjoint(rows_, law_, sums_.centres, weighted, small, rows::Precision::full, interrupt_))
      return false;
    for (std::size_t l = 0; l < noise_.size(); ++l) {
      const MatrixView group(small.data() + l * outputs, small.rows(), outputs,
                             static_cast<std::ptrdiff_t>(small.cols()), 1);
      if (!dense::solve(factors_[l], group, work_.workers(), interrupt_)) return false;
    }
    if (!work_.kernel_apply(rows_, law_, sums_.centres, small, out, rows::Precision::full, interrupt_)) return false;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t o = 0; o < v.cols(); ++o)
        out(i, o) = rows_.weight(i) * (v(i, o) - out(i, o)) / noise_[o / outputs];
    return true;
  }

 private:
  rows::RowWork& work_;
  const rows::RowState& rows_;
  const FrequencyLaw& law_;
  const CentreSums& sums_;
  std::vector<double> noise_;  ///< μ
  std::vector<Triangle> factors_;
  Interrupt& interrupt_;
};

/// Coefficients of centres at the rows these are; 0 at others. Of equal rows one stands for all.
Matrix spread(const ClosedFit& fit, const Matrix& points) {
  const auto mixed = [](const double* point, std::size_t count) {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    for (std::size_t k = 0; k < count; ++k) {
      hash ^= std::bit_cast<std::uint64_t>(point[k] + 0.0);
      hash *= 0xff51afd7ed558ccdULL;
      hash ^= hash >> 32;
    }
    return hash;
  };
  std::unordered_map<std::uint64_t, std::size_t> known;
  for (std::size_t i = 0; i < fit.centres.rows(); ++i)
    known.emplace(mixed(fit.centres.data() + i * points.cols(), points.cols()), i);
  Matrix alpha(points.rows(), fit.coefficients.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto found = known.find(mixed(points.data() + i * points.cols(), points.cols()));
    if (found == known.end()) continue;
    for (std::size_t o = 0; o < alpha.cols(); ++o) alpha(i, o) = fit.coefficients(found->second, o);
    known.erase(found);
  }
  return alpha;
}

}  // namespace

std::optional<ClosedFit> fit_all(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                 const CentreSums& sums, const rows::RowState& held_out,
                                 const std::vector<double>& lambdas, int steps, const ClosedFit& start,
                                 Interrupt& interrupt) {
  const std::size_t outputs = rows.outputs(), columns = outputs * lambdas.size();
  Preconditioner preconditioner(work, rows, law, sums, lambdas, interrupt);
  if (!preconditioner.prepare()) return std::nullopt;
  const Matrix points = rows::variables_of(rows, law.variables()), known = spread(start, points);
  Matrix alpha(rows.count(), columns), right(rows.count(), columns);
  for (std::size_t i = 0; i < right.rows(); ++i)
    for (std::size_t k = 0; k < columns; ++k) {
      right(i, k) = rows.residual(i, k % outputs);
      alpha(i, k) = known(i, k % outputs);
    }
  least_squares::LinearSystem<Matrix> system;
  system.product = [&](const Matrix& v, Matrix& out) {
    if (!work.kernel_product(rows, law, v, out, rows::Precision::single, interrupt)) return false;
    for (std::size_t i = 0; i < v.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k) out(i, k) += lambdas[k / outputs] / rows.weight(i) * v(i, k);
    return true;
  };
  system.precondition = [&](const Matrix& v, Matrix& out) { return preconditioner.apply(v, out); };
  system.dots = least_squares::column_dots;
  const least_squares::Iterations done = least_squares::conjugate_gradients(
      system, right, {static_cast<std::size_t>(steps), tuning::solved_enough}, alpha);
  if (done.interrupted && done.made == 0) return std::nullopt;
  Interrupt never;  // what there is by now is worth a look
  return best_of(work, law, held_out, points, alpha, lambdas, never);
}

}  // namespace rfnn::wide
