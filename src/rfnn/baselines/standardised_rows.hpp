#pragma once

// Private header.

#include <cstddef>
#include <span>
#include <vector>

#include "rfnn/core/matrix.hpp"
#include "rfnn/data/statistics.hpp"

namespace rfnn::baselines {

/// How rows are standardised: the columns that vary, with their means and deviations.
class RowScale {
 public:
  RowScale(ConstMatrixView rows, std::span<const double> weights) {
    const auto statistics = column_statistics(rows, {}, weights);
    for (std::size_t j = 0; j < statistics.size(); ++j)
      if (!statistics[j].constant) columns_.push_back({j, statistics[j].mean, statistics[j].sd});
  }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  /// The value of the k-th of the columns that vary.
  [[nodiscard]] double operator()(ConstMatrixView rows, std::size_t row, std::size_t k) const {
    return (rows(row, columns_[k].place) - columns_[k].mean) / columns_[k].sd;
  }

 private:
  struct Varying {
    std::size_t place;
    double mean, sd;
  };
  std::vector<Varying> columns_;
};

}  // namespace rfnn::baselines
