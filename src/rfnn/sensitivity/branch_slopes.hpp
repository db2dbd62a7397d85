#pragma once

// Private header. What a branch adds to the state of a tile of rows, with its derivatives by the variables it sees.

#include <cstddef>
#include <memory>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/model/network.hpp"
#include "rfnn/rows/feature_columns.hpp"
#include "rfnn/rows/law_terms.hpp"

namespace rfnn::sensitivity {

/// Where a branch adds to: columns of a tile.
struct SlopeSums {
  std::vector<double*> values;  ///< per output
  std::vector<double*> slopes;  ///< the variables of output 0, then of output 1, …
};

/// Memory that is kept from tile to tile: one per thread.
struct SlopeScratch {
  rows::FeatureColumns features;
  rows::TilePoints<double> points;
  AlignedVector columns, turned, row_points;
  AlignedVector coordinate_sums;
  std::vector<double*> values, slopes, turned_values, turned_slopes;
  std::vector<const double*> chosen, row_pointers;
  // Of windows: per window the rows of the tile that it counts for, their weights and the weights' derivatives.
  struct Met {
    std::vector<std::size_t> rows;
    std::vector<double> weights, weight_slopes;
  };
  std::vector<Met> met;
  std::vector<std::size_t> met_windows;
  std::vector<double> totals, total_slopes, sums, slope_sums;
};

/// A branch made ready. Refers to the branch, which must outlive it and stay as it is. A row's values depend on the row
/// alone.
class BranchSlopes {
 public:
  virtual ~BranchSlopes() = default;
  /// Adds value and derivatives for the first `rows` rows of a tile; the values have the bits of the forward pass
  /// (rows/forward.hpp). What the other rows become is not used. False when interrupted.
  virtual bool add(const std::vector<const double*>& variables, std::size_t rows, const SlopeSums& sums,
                   SlopeScratch& scratch, Interrupt& interrupt) const = 0;
};

/// Nothing when interrupted.
std::unique_ptr<const BranchSlopes> make_slopes(const Branch& branch, Workers& workers, Interrupt& interrupt);

// One function for each thing a branch may be made of.
std::unique_ptr<const BranchSlopes> make_feature_slopes(const Branch& branch);
std::unique_ptr<const BranchSlopes> make_closed_slopes(const ClosedForm& form);
std::unique_ptr<const BranchSlopes> make_window_slopes(const ClosedForm& form);

/// The coordinates of a law (rows/law_terms.hpp) that its kernel depends on.
std::vector<std::size_t> coordinates_that_count(const FrequencyLaw& law);

}  // namespace rfnn::sensitivity
