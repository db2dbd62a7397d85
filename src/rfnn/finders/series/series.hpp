#pragma once

// Private header. Rows of one input as a series.

#include <cstddef>
#include <optional>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/least_squares/markov.hpp"
#include "rfnn/rows/row_state.hpp"

namespace rfnn::series {

/// Rows in the order of x, those at one place together.
class Series {
 public:
  explicit Series(const rows::RowState& rows);

  [[nodiscard]] std::size_t places() const { return x_.size(); }
  [[nodiscard]] std::size_t outputs() const { return mean_.cols(); }
  [[nodiscard]] std::size_t rows() const { return row_weight_.size(); }
  [[nodiscard]] const std::vector<double>& x() const { return x_; }
  /// Distance of neighbours: the median.
  [[nodiscard]] double spacing() const { return spacing_; }
  [[nodiscard]] double extent() const { return x_.empty() ? 0.0 : x_.back() - x_.front(); }
  /// Of the residual, over rows and outputs.
  [[nodiscard]] double mean_square() const;

  /// The solution for the places from `first` on, as if there were no others. False when interrupted.
  bool solve(const FrequencyLaw& law, double noise, std::size_t first, std::size_t count, Interrupt& interrupt,
             least_squares::MarkovSolution& solution) const;
  /// What each row of these places is off when it is predicted from all other rows, times √w, output by output; exact,
  /// by the solution.
  [[nodiscard]] std::vector<double> left_out(const least_squares::MarkovSolution& solution, double noise,
                                             std::size_t first, std::size_t count) const;
  /// Adds to each row's numbers, rows as they were given, `share` times what leaving the row out adds to what the
  /// solution for all places leaves on it.
  void add_leaving_out(const least_squares::MarkovSolution& solution, double noise, double share,
                       rows::TiledColumns& left) const;
  /// Rows of these places, by their weights.
  [[nodiscard]] double weight(std::size_t first, std::size_t count) const;

 private:
  /// visit(row in the order of x, its place, output, what it is off when predicted from all other rows).
  template <class Visit>
  void each_left_out(const least_squares::MarkovSolution& solution, double noise, std::size_t first, std::size_t count,
                     const Visit& visit) const;

  std::vector<std::size_t> order_;      ///< of the rows by x
  std::vector<double> x_, weight_;      ///< per place
  Matrix mean_;                         ///< per place and output
  std::vector<std::size_t> first_row_;  ///< of a place among the rows in order, and one behind the last
  std::vector<double> row_weight_;
  Matrix value_;  ///< rows in order × outputs
  double spacing_ = 0.0;
};

}  // namespace rfnn::series
