#pragma once

// Private header. What may be wrong with a table, found before a network is trained on it: values in, problems out.
//
// Thresholds, and what they mean:
//   constant          the spread is rounding (data/statistics.hpp); nearly: all but 1 of 200 cells, or 2, are alike.
//   duplicates        told where the targets of rows with equal inputs differ by a millionth of the variance.
//   tells the target  neighbours along one input differ by a ten thousandth of the target's variance (or 50/N²), two
//                     rows in a hundred left out (the Delta test: Pi and Peterson, Neural Computation 6, 1994).
//   heavy tails       one row in a hundred has half of the squares: three times what an exponential law gives its
//                     hundredth, and what a logarithmic normal law of scale 1 does.
//   sentinel          a number of nines, of a type's limits, or one that stands three times or more, further from all
//                     others than these are from each other.
//   cut off           the greatest or least value stands in 1 of 200 cells, and ten times as often as those next to it.
//   codes             whole numbers whose means of the target differ (F at least 5, a tenth of the variance) and have
//                     no order: squared differences of neighbours as large as those of any two (von Neumann's ratio,
//                     Annals of Mathematical Statistics 12, 1941), from eight values on; or whose name says so.
//   rows              ten for each input and the constant (Harrell, Regression Modeling Strategies, section 4.4).

#include <vector>

#include "rfnn/checks/checked_table.hpp"
#include "rfnn/data/table_problem.hpp"

namespace rfnn::checks {

/// What one column shows: too much missing, constant, sentinels, cut off, heavy tails, dates and codes as numbers, text
/// that is no category; targets that cannot be learnt.
std::vector<TableProblem> check_columns(const CheckedTable& table);

/// What rows show together: equal inputs with different targets, an input that tells the target, codes, too few rows.
std::vector<TableProblem> check_rows(const CheckedTable& table);

/// All of them: what training refuses first, then by column.
std::vector<TableProblem> check_table(const CheckedTable& table);

}  // namespace rfnn::checks
