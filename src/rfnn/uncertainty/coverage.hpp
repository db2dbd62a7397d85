#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "rfnn/core/export.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/uncertainty/error_bars.hpp"

namespace rfnn {

/// Coverages that are looked at.
inline constexpr std::array<double, 3> looked_at = {0.5, 0.9, 0.99};

/// Per output, in its own units; weighted means over the rows.
struct Coverage {
  std::size_t rows = 0;
  /// Share of the rows within the interval of each coverage, and the interval score: width plus 2/(1 − C) times how far
  /// a row lies outside (Gneiting and Raftery 2007); less is better.
  std::array<std::vector<double>, looked_at.size()> share, score;
  std::vector<double> crps;  ///< continuous ranked probability score
  std::vector<double> nll;   ///< −ln of the density
};

/// Adds up batch by batch.
class RFNN_API CoverageSum {
 public:
  /// Refers to the error bars.
  CoverageSum(const ErrorBars& bars, std::size_t outputs);

  /// `widths`: those of the error bars. Rows without a number count nowhere. `weights`: one column; empty: all alike.
  void add(ConstMatrixView targets, ConstMatrixView predictions, ConstMatrixView widths, ConstMatrixView weights = {});
  [[nodiscard]] Coverage coverage() const;

 private:
  struct Sums {
    std::array<double, looked_at.size()> inside = {}, score = {}, low = {}, high = {};
    double crps = 0.0, nll = 0.0, weight = 0.0;
  };

  const ErrorBars& bars_;
  std::vector<Sums> sums_;
  std::size_t rows_ = 0;
};

}  // namespace rfnn
