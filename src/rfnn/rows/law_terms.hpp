#pragma once

// Private header. A law of frequencies and points made ready for the kernels of features/law_kernels.hpp.

#include <cstddef>
#include <memory>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/matrix.hpp"
#include "rfnn/features/law_kernels.hpp"
#include "rfnn/model/law.hpp"

namespace rfnn::rows {

template <class T>
using AlignedNumbers = std::vector<T, AlignedAllocator<T>>;

/// A law in numbers of type T, float or double. Copies its numbers: the law need not outlive it.
template <class T>
class LawTerms {
 public:
  explicit LawTerms(const FrequencyLaw& law);

  [[nodiscard]] features::LawView<T> view() const;
  /// Of a point: its variables and, where the law maps them, u = M v behind.
  [[nodiscard]] std::size_t coordinates() const { return variables_ + mapped_; }
  [[nodiscard]] std::size_t variables() const { return variables_; }

  /// The coordinates of a point with these variables.
  void place(const double* variables, T* coordinates) const;

 private:
  std::size_t variables_, mapped_;
  std::vector<T> strength_, slope_, curvature_, of_mapped_, centre_, map_;
  std::vector<int> order_;
  std::unique_ptr<bool[]> radial_;  ///< null: none is
};

/// Points as centres: the coordinates of each, one behind the other, with pointers to them.
template <class T>
class Centres {
 public:
  Centres() = default;
  /// `points`: rows × variables.
  Centres(const LawTerms<T>& law, const Matrix& points);

  [[nodiscard]] std::size_t size() const { return pointers_.size(); }
  /// To the coordinates of centre `first` and those behind it.
  [[nodiscard]] const T* const* from(std::size_t first) const { return pointers_.data() + first; }

 private:
  AlignedNumbers<T> values_;
  std::vector<const T*> pointers_;
};

/// The coordinates of one tile's points as columns. Keeps its memory: one per thread.
template <class T>
class TilePoints {
 public:
  /// `variables`: columns of the tile.
  void place(const LawTerms<T>& law, const double* const* variables);
  /// The same for centres `first` … of a list; the tile is filled up with the last of them.
  void place(const LawTerms<T>& law, const Centres<T>& centres, std::size_t first);

  [[nodiscard]] const T* const* columns() const { return pointers_.data(); }

 private:
  void make_room(std::size_t coordinates);

  AlignedNumbers<T> values_;
  std::vector<const T*> pointers_;
};

}  // namespace rfnn::rows
