// The inverse of A = L Lᵀ: with U = L⁻ᵀ, A⁻¹ = U Uᵀ. The rows of U are solutions for the rows of the identity, each
// zero before the diagonal; entry (i, j), i ≥ j, of the inverse is a product of two of them from column i on, and its
// diagonal their squares.

#include <utility>
#include <vector>

#include "rfnn/core/large_array.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"
#include "rfnn/least_squares/tiles.hpp"

namespace rfnn::dense {

namespace {

/// Rows of U, of each stripe the columns from the diagonal on. What is before them is never touched.
template <class T>
class UpperRows {
 public:
  static constexpr std::size_t width = Triangle<T>::width;

  /// All rows of the tiles [first, last).
  UpperRows(const Tiling& tiling, std::size_t first, std::size_t last) : tiling_(tiling), first_(tiling.begin(first)) {
    std::size_t numbers = 0;
    for (std::size_t s = tiling.begin(first); s < tiling.begin(last); ++s) {
      begin_.push_back(numbers);
      numbers += (tiling.stripes - s) * width * width;
    }
    // Room for the columns that the first stripe does not have: its column 0 is a place all the same.
    numbers_ = LargeArray<T>(first_ * width * width + numbers);
  }

  Rows<T> rows_of(std::size_t tile) {
    Rows<T> rows{{}, Rows<T>::Columns::from_diagonal, tiling_.begin(tile)};
    for (std::size_t s = tiling_.begin(tile); s < tiling_.end(tile); ++s)
      rows.stripes.push_back(numbers_.data() + (first_ * width * width + begin_[s - first_] - s * width * width));
    return rows;
  }

  bool solve_tile(const Triangle<T>& l, std::size_t tile, Interrupt& interrupt) {
    const Rows<T> rows = rows_of(tile);
    for (std::size_t i = 0; i < rows.stripes.size(); ++i) {
      T* const own = rows.stripes[i] + rows.start(i, 0) * width;
      std::fill(own, rows.stripes[i] + tiling_.stripes * width * width, T(0));
      for (std::size_t r = 0; r < width; ++r) own[r * width + r] = T(1);
    }
    return solve_rows(matrix_kernels<T>(), rows, l, tiling_, tile, interrupt);
  }

 private:
  Tiling tiling_;
  std::size_t first_;
  std::vector<std::size_t> begin_;
  LargeArray<T> numbers_;
};

template <class T>
bool worth_waking(const Triangle<T>& l) {
  const double n = static_cast<double>(l.size());
  return n * n * n > 6.0 * tuning::worth_waking;
}

/// Tile (i, j) of U Uᵀ, i ≥ j, in place of `out`.
template <class T>
bool multiply_tile(UpperRows<T>& u, const Tiling& tiling, std::size_t i, std::size_t j, Triangle<T>& out,
                   Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  const MatrixKernels<T>& kernel = matrix_kernels<T>();
  const Rows<T> left = u.rows_of(i), right = u.rows_of(j);
  const std::size_t end = tiling.stripes * width;
  /// Of stripe a of tile i, the columns of stripe b of tile j.
  const auto each = [&](const auto& work) {
    for (std::size_t b = 0; b < right.stripes.size(); ++b)
      for (std::size_t row = 0; row < width; row += block_columns)
        for (std::size_t a = i == j ? b : 0; a < left.stripes.size(); ++a)
          work(a, b, row, out.stripe(left.first + a) + ((right.first + b) * width + row) * width);
  };
  each([](std::size_t, std::size_t, std::size_t, T* c) { std::fill_n(c, block_columns * width, T(0)); });
  for (std::size_t k = tiling.begin(i) * width; k < end; k += tuning::depth) {
    const std::size_t to = std::min(end, k + tuning::depth);
    each([&](std::size_t a, std::size_t b, std::size_t row, T* c) {
      const std::size_t start = left.start(a, k);
      if (start < to)
        kernel.add(c, left.stripes[a] + start * width, right.stripes[b] + start * width + row, to - start);
    });
    if (!interrupt.proceed()) return false;
  }
  return true;
}

template <class T>
void clear_above_diagonal(Triangle<T>& a) {
  constexpr std::size_t width = Triangle<T>::width;
  for (std::size_t s = 0; s < a.stripes(); ++s)
    for (std::size_t j = 1; j < width; ++j) std::fill_n(a.stripe(s) + (s * width + j) * width, j, T(0));
}

}  // namespace

template <class T>
bool invert(Triangle<T>& l, Workers& workers, Interrupt& interrupt) {
  const Tiling tiling = Tiling::of(l);
  const bool parallel = worth_waking(l);
  UpperRows<T> u(tiling, 0, tiling.tiles());
  if (!workers.run(
          tiling.tiles(), parallel, [&](std::size_t tile, std::size_t) { u.solve_tile(l, tile, interrupt); },
          interrupt))
    return false;
  std::vector<std::pair<std::size_t, std::size_t>> tiles;  // the longest sums first
  for (std::size_t i = 0; i < tiling.tiles(); ++i)
    for (std::size_t j = 0; j <= i; ++j) tiles.emplace_back(i, j);
  if (!workers.run(
          tiles.size(), parallel,
          [&](std::size_t task, std::size_t) {
            multiply_tile(u, tiling, tiles[task].first, tiles[task].second, l, interrupt);
          },
          interrupt))
    return false;
  clear_above_diagonal(l);
  return true;
}

template <class T>
bool inverse_diagonal(const Triangle<T>& l, std::span<T> diagonal, Workers& workers, Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  const Tiling tiling = Tiling::of(l);
  return workers.run(
      tiling.tiles(), worth_waking(l),
      [&](std::size_t tile, std::size_t) {
        UpperRows<T> u(tiling, tile, tile + 1);
        if (!u.solve_tile(l, tile, interrupt)) return;
        const Rows<T> rows = u.rows_of(tile);
        for (std::size_t i = 0; i < rows.stripes.size(); ++i) {
          const std::size_t first = rows.start(i, 0);
          const T* const own = rows.stripes[i];
          T sums[width] = {};
          for (std::size_t k = first; k < tiling.stripes * width; ++k)
            for (std::size_t r = 0; r < width; ++r) sums[r] += own[k * width + r] * own[k * width + r];
          for (std::size_t r = 0; r < width && first + r < l.size(); ++r) diagonal[first + r] = sums[r];
        }
      },
      interrupt);
}

template bool invert(Triangle<double>&, Workers&, Interrupt&);
template bool invert(Triangle<float>&, Workers&, Interrupt&);
template bool inverse_diagonal(const Triangle<double>&, std::span<double>, Workers&, Interrupt&);
template bool inverse_diagonal(const Triangle<float>&, std::span<float>, Workers&, Interrupt&);

}  // namespace rfnn::dense
