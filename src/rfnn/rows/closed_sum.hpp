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

/// A closed form made ready to be added to many tiles: v ↦ Σ_i c_i k(v − v_i), centre by centre in their order. A row's
/// value depends on the row alone. Refers to the closed form, which must outlive it and stay as it is.
class ClosedSum {
 public:
  explicit ClosedSum(const ClosedForm& form) : form_(form), law_(form.law), centres_(law_, form.centres) {}

  /// Columns of kernel values and places of points. Keeps its memory: one per thread.
  struct Scratch {
    TilePoints<double> points;
    AlignedVector values;
    std::vector<double*> columns;
    std::vector<const double*> readable;
  };

  /// Adds its value to every output of the first `rows` rows of a tile. False when interrupted.
  bool add(const features::LawKernels<double>& kernels, const std::vector<const double*>& variables, std::size_t rows,
           const std::vector<double*>& out, Scratch& scratch, Interrupt& interrupt) const;

 private:
  const ClosedForm& form_;
  LawTerms<double> law_;
  Centres<double> centres_;
};

}  // namespace rfnn::rows
