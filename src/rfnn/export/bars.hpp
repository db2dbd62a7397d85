#pragma once

// Private header. What exports need to know for intervals, beside the networks (uncertainty/error_bars.hpp): the same
// numbers, made ready as tables.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rfnn/export/plan.hpp"

namespace rfnn::exporting {

/// Of an output.
struct PlanBar {
  double gain = 0.0, spread = 0.0, floor = 0.0;
  double sd = 1.0;                              ///< the unit of the widths
  double mean = 0.0, scale = 0.0;               ///< (ŷ − mean) scale is what the shape sees
  double median = 0.0, deviation = 0.0;         ///< of the scores
  double lower_index = 0.0, upper_index = 0.0;  ///< ξ of the tails
  std::vector<double> scores;
};

/// What a cell of a column may have been where it is not known (uncertainty/likely_cells.hpp).
struct PlanCell {
  int missing = 0;             ///< 1: a missing cell is one; 2: and the networks have learnt what such rows are
  std::size_t levels = 0;      ///< a level that is none of these is
  std::vector<double> likely;  ///< empty: nobody looks at the column, or it cannot be unknown
};

/// Refers to the model of the plan.
struct PlanBars {
  std::vector<PlanBar> outputs;
  /// Whose posterior variance v is, k(0) and λ; null: v is `prior` everywhere, 0 where there is none. Far from the rows
  /// `far` is open.
  const ClosedForm* reference = nullptr;
  double prior = 0.0, far = 0.0, noise = 0.0;
  std::optional<double> reach;
  std::vector<int> given;             ///< centres that every point is compared with, ascending
  std::vector<double> factor;         ///< L of their K + λ, column by column from the diagonal on
  std::size_t nearest = 0;            ///< how many others count, those that are nearest to a point
  const ClosedForm* shape = nullptr;  ///< null: there is none
  std::size_t own = 0;                ///< the first of the plan's members are the model's own
  std::vector<PlanMember> drawn;      ///< whose spread counts; empty: that of the own members does, if `spreads`
  bool spreads = false;
  std::vector<PlanCell> cells;  ///< per column; empty: no cell of a row that has outputs is unknown

  [[nodiscard]] std::size_t spreading() const { return !spreads ? 0 : drawn.empty() ? own : drawn.size(); }
};

/// Nothing where `why_no_bars` says something.
std::optional<PlanBars> bars_of(const Plan& plan);
/// Why an export has no intervals and what to do about it; empty: it has.
std::string why_no_bars(const Model& model);

/// Steps and shares that v is computed with: the least share of k(0) that it is, which is also added to diagonals
/// first, the most that is, and the steps that kernels are told apart by.
struct PosteriorNumbers {
  double rounding, most_rounding, ranks;
};
PosteriorNumbers posterior_numbers();

/// The share of rows that intervals over unknown cells are made to hold, how many of these are drawn, and with how many
/// it is looked how wide errors are.
struct CellNumbers {
  double held;
  std::size_t drawn, for_widths;
};
CellNumbers cell_numbers();

}  // namespace rfnn::exporting
