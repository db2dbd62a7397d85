#pragma once

// Private header. Closed forms of windows (model/law.hpp: Windows): which rows belong to which window, and the sum.

#include <cstddef>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/features/law_kernels.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/rows/box_tree.hpp"
#include "rfnn/rows/law_terms.hpp"

namespace rfnn::rows {

/// Windows over some rows, and their rows.
struct WindowRows {
  Windows windows;
  std::vector<std::size_t> first;   ///< per window, and one more: where its rows begin in `places`
  std::vector<std::size_t> places;  ///< of the rows; a window's own come first, then those around it
  std::vector<std::size_t> own;     ///< per window: rows that no other window has as its own
};

/// How rows are cut into windows.
struct WindowSizes {
  std::size_t own_rows = 0;   ///< a window has at the most
  double margin = 0.0;        ///< to each side of what it has as its own, in sides of that
  std::size_t most_rows = 0;  ///< it has in all: the margin is less where there would be more
};

/// Halves the rows along the longest side of their box, lengths measured in units of 1/aspect_k, until halves are small
/// enough. `inputs`: rows × inputs. Scales of the inputs are aspect_k over half the longest side of the window; those
/// of `others` further variables are 1.
WindowRows cut_windows(const Matrix& inputs, const std::vector<double>& aspect, const WindowSizes& sizes,
                       std::size_t others);

/// The points of a window as its kernels see them: rows of `variables` times the window's scales.
Matrix scaled_points(const Windows& windows, std::size_t window, const Matrix& variables, const std::size_t* places,
                     std::size_t count);

/// A closed form of windows made ready for sums over them. Refers to the closed form.
struct PreparedWindows {
  explicit PreparedWindows(const ClosedForm& of);

  const ClosedForm& form;
  LawTerms<double> law;
  BoxTree tree;
  std::vector<double> least, most;                       ///< of the inputs of the centres
  std::vector<std::vector<TilePoints<double>>> centres;  ///< per window, in tiles

  /// The coefficients of output o for a tile of a window's centres, as a column.
  [[nodiscard]] const double* coefficients(std::size_t window, std::size_t tile, std::size_t o) const;

 private:
  std::vector<AlignedVector> coefficients_;  ///< per window: columns, in tiles of its centres
};

/// A closed form of windows made ready to be added to many tiles. A row's value depends on the row alone. Refers to the
/// closed form.
class WindowSum {
 public:
  explicit WindowSum(const ClosedForm& form) : on_(form) {}

  /// Keeps its memory: one per thread.
  struct Scratch {
    std::vector<std::vector<std::size_t>> rows_of;  ///< per window: those of the tile that it counts for
    std::vector<std::vector<double>> weights_of;
    std::vector<std::size_t> met;  ///< windows that count for any
    AlignedVector points, values;
    std::vector<const double*> point_pointers, readable;
    std::vector<double*> columns;
    std::vector<double> sums, totals;
  };

  /// Adds its value to every output of the first `rows` rows of a tile. False when interrupted.
  bool add(const features::LawKernels<double>& kernels, const std::vector<const double*>& variables, std::size_t rows,
           const std::vector<double*>& out, Scratch& scratch, Interrupt& interrupt) const;

 private:
  void meet(const std::vector<const double*>& variables, std::size_t rows, Scratch& scratch) const;
  void add_window(const features::LawKernels<double>& kernels, std::size_t window,
                  const std::vector<const double*>& variables, Scratch& scratch) const;

  PreparedWindows on_;
};

}  // namespace rfnn::rows
