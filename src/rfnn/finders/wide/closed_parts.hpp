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

/// The same for several fits with columns side by side, one per output each; infinite where it is no number.
std::optional<std::vector<double>> errors_of(rows::RowWork& work, const FrequencyLaw& law,
                                             const rows::RowState& held_out, const Matrix& centres, const Matrix& all,
                                             Interrupt& interrupt);

/// The columns of one of them.
Matrix group_of(const Matrix& all, std::size_t group, std::size_t outputs);

}  // namespace rfnn::wide
