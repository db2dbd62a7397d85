#pragma once

// Private header.

#include <cstddef>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/features/kernels.hpp"
#include "rfnn/rows/tiles.hpp"

namespace rfnn::rows {

/// So many features at a time: their columns on one tile of rows stay in the cache, however many features there are.
inline constexpr std::size_t features_together = 64;

/// The columns of some features on one tile of rows: cos(ω_j·v) in column 2j, −sin(ω_j·v) in column 2j + 1. Keeps its
/// memory: one per thread.
struct FeatureColumns {
  AlignedVector values;
  std::vector<double*> cosine, minus_sine;
  std::vector<const double*> columns;

  /// Places for the columns of `count` features.
  void make_places(std::size_t count) {
    values.resize(2 * count * tile_rows);
    cosine.resize(count);
    minus_sine.resize(count);
    columns.resize(2 * count);
    for (std::size_t j = 0; j < count; ++j) {
      cosine[j] = values.data() + 2 * j * tile_rows;
      minus_sine[j] = cosine[j] + tile_rows;
      columns[2 * j] = cosine[j];
      columns[2 * j + 1] = minus_sine[j];
    }
  }

  /// `frequency(j)` points to the frequency of feature j < count, one number per variable.
  template <class Frequency>
  void make(const features::Kernels& kernels, const std::vector<const double*>& variables, std::size_t count,
            std::size_t rows, const Frequency& frequency) {
    make_places(count);
    frequencies_.resize(count);
    for (std::size_t j = 0; j < count; ++j) frequencies_[j] = frequency(j);
    if (count > 0)
      kernels.features(variables.data(), variables.size(), frequencies_.data(), count, rows, cosine.data(),
                       minus_sine.data());
  }

 private:
  std::vector<const double*> frequencies_;
};

}  // namespace rfnn::rows
