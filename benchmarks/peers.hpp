#pragma once

// What the kernels are compared with, compiled once per SIMD level with the flags that level's kernels have
// (peers_level.cpp), and OpenBLAS, which chooses its level itself.

#include <cstddef>

namespace rfnn::bench {

/// AᵀB for the columns A (rows × p) and B (rows × n), stored in both ways a user might choose, whichever suits a
/// library. `c` is p × n, column-major. For the upper triangle of AᵀA, B is A.
struct GramJob {
  std::size_t rows = 0, p = 0, n = 0;
  const double *tall_a = nullptr, *tall_b = nullptr;  ///< column by column, `tall_stride` apart
  std::size_t tall_stride = 0;
  const double *wide_a = nullptr, *wide_b = nullptr;  ///< row by row
  double* c = nullptr;
};

using Gram = void (*)(const GramJob&);

/// A product in both storage orders.
struct GramPair {
  Gram tall, wide;
};

struct Peers {
  GramPair eigen_upper, eigen_product;
  /// cos and sin of every phase, by nothing but SLEEF's vector function and stores; count is a multiple of eight.
  void (*sleef_loop)(const double* phases, std::size_t count, double* cosine, double* sine);
};

/// Those of a level by its name; nullptr where this build has none.
const Peers* peers(const char* level);

/// On one thread.
extern const GramPair openblas_upper, openblas_product;

}  // namespace rfnn::bench
