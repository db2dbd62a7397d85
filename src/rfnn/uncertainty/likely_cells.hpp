#pragma once

// Private header. What a cell that is not known may have been, so that widths know what a stand-in hides. Nothing is
// kept of the training rows for this: numbers and times are drawn from the beta distribution with the column's range,
// mean and standard deviation (of its logarithm where the network sees that), levels and truth values by their shares.
// Cells are drawn independently of each other and of the rest of the row.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/data/column_code.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/uncertainty/scores.hpp"

namespace rfnn::uncertainty {

/// How many are drawn of a cell: each stands for as much as the others. With the first of them, so many, it is looked
/// how wide errors are, which takes longer than to predict.
inline constexpr std::size_t drawn_cells = 64, cells_for_widths = 16;
/// The share of rows that the intervals over them are made to hold.
inline constexpr double share_held = 0.9;

/// Quantiles 1/(2n), 3/(2n), … of the beta distribution on [low, high] with this mean and standard deviation; where
/// that is too large for any, of both ends.
std::vector<double> likely_numbers(double low, double high, double mean, double sd, std::size_t count);

class LikelyCells {
 public:
  explicit LikelyCells(const Model& model);

  /// Of a column of the model's table, as exports take them: numbers, 0 and 1, places of levels. In an order that is
  /// another for every column. Empty: no network sees it.
  [[nodiscard]] const std::vector<double>& of(std::size_t column) const { return cells_[column]; }

  /// Does something stand in for a cell of row `i` of the model's inputs that the networks see? `learnt`: of one at
  /// least an indicator says so, from which the networks have learnt what such rows are in the mean. `rows`
  /// (drawn_cells × inputs) becomes the row with cells drawn.
  enum class Unknown : std::uint8_t { none, some, learnt };
  Unknown rows_of(ConstMatrixView inputs, std::size_t i, Matrix& rows) const;

 private:
  const Model& model_;
  TableCode code_;
  std::vector<std::vector<double>> cells_;
};

/// The width whose 90 % interval around the prediction `own` holds 90 % of rows whose prediction may be any of
/// `others`, each as likely, and has the errors of this width; no less than that. Outputs in any unit.
/// `learnt`: `own` is right in the mean, and the others say by how much rows differ from it.
double width_over(double own, double width, std::vector<double> others, const ScoreDistribution& scores,
                  bool learnt = false);

}  // namespace rfnn::uncertainty
