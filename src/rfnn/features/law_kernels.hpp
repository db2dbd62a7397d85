#pragma once

// Private header. The arithmetic of closed forms (model/law.hpp), in tiles of `tile_rows` points: the kernel between
// the points of a tile and centres, and the sums that the gradient of a likelihood needs. In double and in single
// precision. Columns are as in features/kernels.hpp: `tile_rows` numbers each, 64-byte aligned.

#include <cstddef>
#include <string_view>

namespace rfnn::features {

/// A law as the kernels read it. A point has coordinates in two lists, one behind the other: the variables v, and where
/// the law maps them, u = M v.
template <class T>
struct LawView {
  std::size_t parts = 0, variables = 0, mapped = 0;
  const T* strength = nullptr;   ///< a, per part
  const T* slope = nullptr;      ///< t, variables × parts
  const T* curvature = nullptr;  ///< ½ s² of the variables, variables × parts; zero where u has it
  const T* of_mapped = nullptr;  ///< ½ s² of u, mapped × parts
  const int* order = nullptr;    ///< per part; null: all 0
  const T* centre = nullptr;     ///< μ, variables × parts; null: all 0
  const bool* radial = nullptr;  ///< per part; null: none. Those have t² in `curvature` and nothing else
};

/// Lanes of a sum that are still to be added: number i of a list has them from i · law_lanes on, 64-byte aligned.
template <class T>
inline constexpr std::size_t law_lanes = 64 / sizeof(T);

/// Sums over pairs of a point and a centre, each weighted by q·(what the part contributes to the kernel).
template <class T>
struct LawSums {
  T* strength = nullptr;   ///< Σ q k_p, per part
  T* slope = nullptr;      ///< Σ q k_p |δ_k|, variables × parts
  T* curvature = nullptr;  ///< Σ q k_p δ_k², variables × parts
  T* of_mapped = nullptr;  ///< Σ q k_p u_j², mapped × parts
  T* map = nullptr;        ///< Σ_p s_pj² Σ q k_p u_j δ_k, mapped × variables
};

template <class T>
struct LawKernels {
  /// out[i][row] = k(point of the row − centre i) for i < count; columns[c] is coordinate c of the tile's points,
  /// centres[i] the coordinates of centre i.
  void (*panel)(const LawView<T>& law, const T* const* columns, const T* const* centres, std::size_t count,
                T* const* out);

  /// Adds to the sums for i < count and all rows of the tile; q[i] is the column of weights for centre i. Laws with
  /// order 0 and without centres.
  void (*gradient)(const LawView<T>& law, const T* const* columns, const T* const* centres, std::size_t count,
                   const T* const* q, const LawSums<T>& sums);

  /// out_o[row] += Σ_i columns_i[row] · coefficients[i · outputs + o], added in the order of i.
  void (*combine)(const T* const* columns, std::size_t count, const T* coefficients, std::size_t outputs,
                  T* const* out);

  /// sums[i · outputs + o] += Σ_rows columns_i[row] · right_o[row].
  void (*correlate)(const T* const* columns, std::size_t count, const T* const* right, std::size_t outputs, T* sums);
};

/// Of the best level this CPU has, or of one by name; nullptr when this CPU or build does not have it.
template <class T>
const LawKernels<T>& law_kernels();
template <class T>
const LawKernels<T>* law_kernels(std::string_view level);

}  // namespace rfnn::features
