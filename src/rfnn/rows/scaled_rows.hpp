#pragma once

// Private header.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/data/columns.hpp"
#include "rfnn/model/model.hpp"

namespace rfnn::rows {

/// Rows in standardised units, inputs θ and targets, as they are made from columns in their own units when they are
/// read: no standardised copy of the data is needed.
class ScaledRows {
 public:
  /// Columns and how each is standardised.
  struct Part {
    Columns columns;
    std::vector<Standardised> scales;
    [[nodiscard]] std::size_t size() const { return columns.size(); }
  };

  ScaledRows() = default;
  /// `rows`: those meant, in this order; empty: all. `weights`: how much each counts, by row of the columns; empty: all
  /// alike. Both outlive this.
  ScaledRows(Part inputs, Part targets, std::span<const std::size_t> rows, std::span<const double> weights = {})
      : inputs_(std::move(inputs)), targets_(std::move(targets)), rows_(rows), weights_(weights) {}
  /// All rows of matrices that are in standardised units already.
  ScaledRows(ConstMatrixView inputs, ConstMatrixView targets, std::span<const double> weights = {})
      : inputs_(as_they_are(inputs)), targets_(as_they_are(targets)), weights_(weights) {}

  [[nodiscard]] std::size_t count() const { return rows_.empty() ? inputs_.columns.rows() : rows_.size(); }
  [[nodiscard]] std::size_t inputs() const { return inputs_.size(); }
  [[nodiscard]] std::size_t outputs() const { return targets_.size(); }
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }
  /// Of the rows in their order; empty where all count alike.
  [[nodiscard]] std::vector<double> weights() const;
  /// One column of the rows [first, first + count) into `out`.
  void read_input(std::size_t column, std::size_t first, std::size_t count, double* out) const {
    read(inputs_, column, first, count, out);
  }
  void read_target(std::size_t column, std::size_t first, std::size_t count, double* out) const {
    read(targets_, column, first, count, out);
  }
  /// Rows up to these have been read: where all rows are read in order and lie in a file, they may leave memory.
  void passed(std::size_t first, std::size_t count) const;

 private:
  static Part as_they_are(ConstMatrixView values) { return {values, std::vector<Standardised>(values.cols())}; }
  void read(const Part& part, std::size_t column, std::size_t first, std::size_t count, double* out) const;

  Part inputs_, targets_;
  std::span<const std::size_t> rows_;
  std::span<const double> weights_;
};

/// √w of rows whose weights are listed, w scaled to have mean 1: least squares is weighted where every row of features
/// and residual is multiplied by it.
std::vector<double> weight_roots(std::vector<double> weights);

}  // namespace rfnn::rows
