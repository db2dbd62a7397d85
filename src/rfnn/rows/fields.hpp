#pragma once

// Private header. What is kept of rows and features, for core/archive.hpp.

#include "rfnn/core/archive.hpp"
#include "rfnn/rows/feature_block.hpp"
#include "rfnn/rows/lattice/nufft.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn::rows {

/// Tile by tile, as they lie.
template <class Archive>
void fields(Archive& archive, TiledColumns& columns) {
  std::uint64_t rows = columns.rows(), count = columns.columns();
  archive(rows, count);
  if constexpr (Archive::reading) {
    archive.expect(rows * count);
    columns = TiledColumns(rows, count);
  }
  for (std::size_t tile = 0; tile < columns.tiles(); ++tile)
    for (std::size_t k = 0; k < count; ++k) archive.raw(columns.column(tile, k), tile_rows * sizeof(double));
}

template <class Archive>
void fields(Archive& archive, Feature& feature) {
  archive(feature.frequency, feature.active);
}
template <class Archive>
void fields(Archive& archive, FeatureBlock& block) {
  archive(block.features, block.amplitudes);
}
template <class Archive>
void fields(Archive& archive, LatticeMap& map) {
  archive(map.centre, map.spacing);
}
template <class Archive>
void fields(Archive& archive, HalfLattice& lattice) {
  archive(lattice.m0, lattice.m1);
}

}  // namespace rfnn::rows
