#pragma once

// Private header. What the ways to fit a closed form share.

#include <optional>
#include <vector>

#include "rfnn/finders/wide/closed_fit.hpp"

namespace rfnn::wide {

/// The factor of K_mn W K_nm + λ K_mm. Where rounding makes it singular, more is added to its diagonal.
std::optional<dense::Triangle<double>> inner_factor(const CentreSums& sums, double lambda, Workers& workers,
                                                    Interrupt& interrupt);

/// Weighted mean over the rows of what the closed form leaves, squared and summed over outputs. Nothing when
/// interrupted.
std::optional<double> error_of(rows::RowWork& work, const FrequencyLaw& law, const Matrix& centres,
                               const Matrix& coefficients, const rows::RowState& rows, Interrupt& interrupt);

/// Of fits for several λ, side by side in `all`, the best on the rows held out. Nothing where it is not finite.
std::optional<ClosedFit> best_of(rows::RowWork& work, const FrequencyLaw& law, const rows::RowState& held_out,
                                 Matrix centres, const Matrix& all, const std::vector<double>& lambdas,
                                 Interrupt& interrupt);

}  // namespace rfnn::wide
