#pragma once

// Private header.

#include <cstddef>
#include <memory>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/features/law_kernels.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/rows/law_terms.hpp"

namespace rfnn::rows {

/// Up to so many rows of a tile a panel is made the other way round: a tile of centres against the rows. Measured with
/// 4000 centres, 8 inputs and AVX-512: one row takes 0.6 ms instead of 5, 64 rows 1.8 ms; both ways are as quick at
/// about 170 rows.
inline constexpr std::size_t most_turned_rows = 128;

/// A closed form made ready to be added to many tiles: v ↦ Σ_i c_i k(v − v_i), centre by centre in their order. A row's
/// value depends on the row alone. Refers to the closed form, which must outlive it and stay as it is.
class ClosedSum {
 public:
  explicit ClosedSum(const ClosedForm& form);

  /// Columns of kernel values and places of points. Keeps its memory: one per thread.
  struct Scratch {
    TilePoints<double> points;
    AlignedVector values, row_points, turned;
    std::vector<double*> columns, turned_columns;
    std::vector<const double*> readable, row_pointers;
  };

  /// Adds its value to every output of the first `rows` rows of a tile. False when interrupted.
  bool add(const features::LawKernels<double>& kernels, const std::vector<const double*>& variables, std::size_t rows,
           const std::vector<double*>& out, Scratch& scratch, Interrupt& interrupt) const;

 private:
  /// k(row − centre) of a tile of centres from `first` on, row by row.
  void turned_panel(const features::LawKernels<double>& kernels, const std::vector<const double*>& variables,
                    std::size_t rows, std::size_t first, Scratch& scratch) const;

  const ClosedForm& form_;
  LawTerms<double> law_;
  Centres<double> centres_;
  bool may_turn_;
};

}  // namespace rfnn::rows
