#pragma once

// Private header. The closed form of a law, fitted to rows: (K + λ W⁻¹) α = r, f(v) = Σ_i α_i k(v − v_i).
//
//   few rows    Cholesky's factor of K, with exact leave-one-out
//   many rows   some of the rows as centres: (K_mn W K_nm + λ K_mm) c = K_mn W r, K_nm the kernels of n rows and m
//               centres. The same factor is the preconditioner of conjugate gradients for all of them as centres.
//
// λ is the variance of the noise where the law's strengths are those of the signal; it does not grow with the rows.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::wide {

struct ClosedFit {
  Matrix centres, coefficients;
  double lambda = 0.0;
  double judged = 0.0;  ///< mean square, summed over outputs, by leave-one-out or on the rows that were held out
};

/// By Cholesky's factor, with the λ that is best by leave-one-out. Interrupted, by those tried until then; nothing
/// where there was none.
std::optional<ClosedFit> fit_exactly(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                     std::vector<double> lambdas, Interrupt& interrupt);

/// With `count` of the rows as centres, drawn by `seed`, and with all of them. Refers to all it is given.
class ManyRows {
 public:
  ManyRows(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law, std::size_t count,
           std::uint64_t seed, Interrupt& interrupt);

  /// The sums over the rows; false when interrupted, here and below.
  [[nodiscard]] bool prepare();
  /// The centres' fit, for the best of `lambdas` on the rows that are held out (the first, where there are none).
  [[nodiscard]] std::optional<ClosedFit> fit_some(const rows::RowState& held_out, const std::vector<double>& lambdas);
  /// All rows as centres, by at most `steps` steps from a fit with some; interrupted, what there is by then.
  [[nodiscard]] std::optional<ClosedFit> fit_all(const rows::RowState& held_out, const std::vector<double>& lambdas,
                                                 int steps, const ClosedFit& start);

 private:
  class Preconditioner;

  [[nodiscard]] dense::Triangle<double> inner(double lambda) const;
  [[nodiscard]] std::optional<double> unseen_variance() const;
  [[nodiscard]] std::optional<ClosedFit> best_of(const rows::RowState& held_out, const Matrix& centres,
                                                 const Matrix& all, const std::vector<double>& lambdas) const;

  rows::RowWork& work_;
  const rows::RowState& rows_;
  const FrequencyLaw& law_;
  Interrupt& interrupt_;
  std::vector<std::size_t> places_;  ///< of the centres among the rows
  rows::RowState some_;
  Matrix centres_, right_;  ///< K_mn W r
  dense::Triangle<double> gram_, kernel_;
};

}  // namespace rfnn::wide
