#pragma once

// Private header.

#include <cstddef>
#include <optional>
#include <utility>

#include "rfnn/core/matrix.hpp"
#include "rfnn/rows/lattice/lattice_transform.hpp"
#include "rfnn/rows/lattice/nufft.hpp"

namespace rfnn::lattice {

struct LatticeGeometry {
  rows::LatticeMap map;
  rows::HalfLattice lattice;
  bool cut = false;  ///< by max_features: the rows would resolve more
};

/// The lattice that fits the rows: a period somewhat beyond their extent, frequencies up to half the sampling rate of
/// each variable, or of as many cells as there are rows where they are scattered; at most max_features points. Nothing
/// where there are too few distinct values, or other than one or two variables.
std::optional<LatticeGeometry> lattice_for(ConstMatrixView theta, ConstMatrixView held_theta, std::size_t max_features);

}  // namespace rfnn::lattice
