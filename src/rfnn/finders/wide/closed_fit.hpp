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

#include "rfnn/core/journal_place.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/rows/row_work.hpp"

namespace rfnn::wide {

struct ClosedFit {
  Matrix centres, coefficients;
  double lambda = 0.0;
  double judged = 0.0;  ///< mean square, summed over outputs, by leave-one-out or on the rows that were held out
};

/// By Cholesky's factor, with the λ that is best on the rows held out or, where there are none or rows are few, by
/// leave-one-out; of a single λ that is not asked. Interrupted, by those tried until then; nothing where there was
/// none.
std::optional<ClosedFit> fit_exactly(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                     const std::vector<double>& lambdas, const rows::RowState& held_out,
                                     Interrupt& interrupt);

/// What a fit with some rows as centres needs to know of all of them: sums over the rows, to which those of others can
/// be added.
struct CentreSums {
  std::vector<std::size_t> places;  ///< of the centres among the rows they were drawn from
  Matrix centres;                   ///< some × variables
  dense::Triangle<double> kernel;   ///< K_mm
  dense::Triangle<double> gram;     ///< K_mn W K_nm
  Matrix right;                     ///< K_mn W r
  std::size_t rows = 0;             ///< n
};
/// With `count` of the rows as centres, drawn by `seed`. Nothing when interrupted, here and below.
std::optional<CentreSums> centre_sums(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                      std::size_t count, std::uint64_t seed, Interrupt& interrupt);
/// Adds those of further rows, each counted so many times.
bool add_rows(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law, CentreSums& sums,
              Interrupt& interrupt, double counting = 1.0);

/// The centres' fit, for the λ that is best on the rows held out (the first, where there are none).
std::optional<ClosedFit> fit_some(rows::RowWork& work, const FrequencyLaw& law, const CentreSums& sums,
                                  const rows::RowState& held_out, const std::vector<double>& lambdas,
                                  Interrupt& interrupt);

/// How long conjugate gradients go on.
struct Steps {
  int most = 0;
  std::function<double()> seconds_left = {};  ///< none is begun that would not end in time; null: no limit
};

/// A fit with all rows as centres, and the same λ after as many steps with the rows held out among them.
struct FitToAll {
  ClosedFit judged;
  ClosedForm with_held_out;  ///< without centres where no rows were held out
};

/// All rows as centres, by steps of conjugate gradients with the sums over some centres as preconditioner. For all λ
/// side by side, of which the best on the rows held out is kept, at the best of the looks at these on the way; steps
/// end when the looks see no more gain. Both systems, without the rows held out and with them, share their products.
/// Interrupted, what there is by then. Steps that the journal has a note of go on from there.
std::optional<FitToAll> fit_all(rows::RowWork& work, const rows::RowState& rows, const FrequencyLaw& law,
                                const CentreSums& sums, const rows::RowState& held_out,
                                const std::vector<double>& lambdas, const Steps& steps, Interrupt& interrupt,
                                const JournalPlace& journal = {});

}  // namespace rfnn::wide
