#pragma once

// Optional: Eigen matrices where rfnn takes views, and back, without a copy. Needs Eigen on the include path.

#include <Eigen/Core>
#include <cstddef>
#include <type_traits>

#include "rfnn/core/matrix.hpp"

namespace rfnn {

/// Doubles that Eigen keeps in memory and that a view may borrow: a matrix, a vector, a map or a block of one, with
/// any storage order. Not an expression (a + b), which has no storage, and not a temporary matrix, which is gone at
/// the end of the line.
template <class M, class Plain = std::remove_cvref_t<M>>
concept EigenStorage = std::is_base_of_v<Eigen::DenseBase<Plain>, Plain> &&
                       std::is_same_v<typename Plain::Scalar, double> &&
                       bool(int(Plain::Flags) & int(Eigen::DirectAccessBit)) &&
                       (std::is_lvalue_reference_v<M> || !std::is_same_v<Plain, typename Plain::PlainObject>);

/// A read-only view of an Eigen object, which must outlive it.
template <class M>
  requires EigenStorage<M>
[[nodiscard]] ConstMatrixView const_view(M&& matrix) {
  constexpr bool row_major = std::remove_cvref_t<M>::IsRowMajor;
  return {matrix.data(), static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()),
          row_major ? matrix.outerStride() : matrix.innerStride(),
          row_major ? matrix.innerStride() : matrix.outerStride()};
}

/// The same, writable.
template <class M>
  requires EigenStorage<M>
[[nodiscard]] MatrixView view(M&& matrix) {
  constexpr bool row_major = std::remove_cvref_t<M>::IsRowMajor;
  return {matrix.data(), static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()),
          row_major ? matrix.outerStride() : matrix.innerStride(),
          row_major ? matrix.innerStride() : matrix.outerStride()};
}

using EigenStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
using EigenMap = Eigen::Map<Eigen::MatrixXd, Eigen::Unaligned, EigenStride>;
using ConstEigenMap = Eigen::Map<const Eigen::MatrixXd, Eigen::Unaligned, EigenStride>;

/// A view as an Eigen matrix, which borrows in turn.
[[nodiscard]] inline EigenMap as_eigen(MatrixView view) {
  return {view.data(), static_cast<Eigen::Index>(view.rows()), static_cast<Eigen::Index>(view.cols()),
          EigenStride(view.col_stride(), view.row_stride())};
}
[[nodiscard]] inline ConstEigenMap as_eigen(ConstMatrixView view) {
  return {view.data(), static_cast<Eigen::Index>(view.rows()), static_cast<Eigen::Index>(view.cols()),
          EigenStride(view.col_stride(), view.row_stride())};
}

}  // namespace rfnn
