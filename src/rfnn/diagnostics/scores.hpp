#pragma once

#include <cstddef>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"

namespace rfnn {

/// Errors of a prediction, one number per output. Rows of weight 0 do not count in max_error either.
struct Scores {
  std::size_t rows = 0;
  std::vector<double> mse, rmse, r2, max_error;  ///< r2 is NaN where the targets do not vary
  std::vector<double> mae;                       ///< mean absolute error
};

/// Adds up errors batch by batch, so that a file of any length is scored in bounded memory.
class RFNN_API ScoreSum {
 public:
  explicit ScoreSum(std::size_t outputs);
  /// `weights`: one column that says how much each row counts, not negative; empty: all alike.
  void add(ConstMatrixView targets, ConstMatrixView predictions, ConstMatrixView weights = {});
  [[nodiscard]] Scores scores() const;

 private:
  struct Sums {
    double squared_error = 0.0, absolute_error = 0.0, max_error = 0.0, mean = 0.0, m2 = 0.0;
  };
  std::vector<Sums> sums_;
  std::size_t rows_ = 0;
  double weight_ = 0.0;  ///< of all rows; their number where there are no weights
};

}  // namespace rfnn
