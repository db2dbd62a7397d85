// The inverse of A = L Lᵀ: with U = L⁻ᵀ, A⁻¹ = U Uᵀ. The rows of U are solutions for the rows of the identity, each
// zero before the diagonal; entry (i, j), i ≥ j, of the inverse is a product of two of them from column i on, and its
// diagonal their squares.

#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"
#include "rfnn/least_squares/tiles.hpp"

namespace rfnn::dense {

namespace {

/// Rows of U, of each the columns from its tile's first on. Stripe s is at `place(s)` as if it had all columns.
template <class T>
class UpperRows {
 public:
  static constexpr std::size_t width = Triangle<T>::width;

  /// All rows of the tiles [first, last).
  UpperRows(const Tiling& tiling, std::size_t first, std::size_t last) : tiling_(tiling), first_(tiling.begin(first)) {
    std::size_t numbers = 0;
    for (std::size_t tile = first; tile < last; ++tile)
      for (std::size_t s = tiling.begin(tile); s < tiling.end(tile); ++s) {
        begin_.push_back(numbers);
        numbers += (tiling.stripes - tiling.begin(tile)) * width * width;
      }
    numbers_.resize(numbers);
  }

  std::vector<T*> rows_of(std::size_t tile) {
    std::vector<T*> rows;
    for (std::size_t s = tiling_.begin(tile); s < tiling_.end(tile); ++s)
      rows.push_back(numbers_.data() + begin_[s - first_] - tiling_.begin(tile) * width * width);
    return rows;
  }

  bool solve_tile(const Triangle<T>& l, std::size_t tile, Interrupt& interrupt) {
    const std::vector<T*> rows = rows_of(tile);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      T* const own = rows[i] + tiling_.begin(tile) * width * width;
      std::fill(own, rows[i] + tiling_.stripes * width * width, T(0));
      for (std::size_t r = 0; r < width; ++r) own[(i * width + r) * width + r] = T(1);
    }
    return solve_rows(matrix_kernels<T>(), rows.data(), rows.size(), l, tiling_, tile, interrupt);
  }

 private:
  Tiling tiling_;
  std::size_t first_;
  std::vector<std::size_t> begin_;
  std::vector<T, AlignedAllocator<T>> numbers_;
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
  const std::vector<T*> left = u.rows_of(i), right = u.rows_of(j);
  const std::size_t from = tiling.begin(j) * width, to = tiling.end(j) * width, end = tiling.stripes * width;
  const auto stripe = [&](std::size_t of_tile) { return out.stripe(tiling.begin(i) + of_tile); };
  const auto last_column = [&](std::size_t s) { return std::min(to, (tiling.begin(i) + s + 1) * width); };
  for (std::size_t s = 0; s < left.size(); ++s)
    std::fill(stripe(s) + from * width, stripe(s) + last_column(s) * width, T(0));
  for (std::size_t k = tiling.begin(i) * width; k < end; k += tuning::depth) {
    const std::size_t depth = std::min(tuning::depth, end - k);
    for (std::size_t column = from; column < to; column += block_columns)
      for (std::size_t s = 0; s < left.size(); ++s)
        if (column < last_column(s))
          kernel.add(stripe(s) + column * width, left[s] + k * width,
                     right[(column - from) / width] + k * width + column % width, depth);
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
        const std::vector<T*> rows = u.rows_of(tile);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const std::size_t first = (tiling.begin(tile) + i) * width;
          T sums[width] = {};
          for (std::size_t k = first; k < tiling.stripes * width; ++k)
            for (std::size_t r = 0; r < width; ++r) sums[r] += rows[i][k * width + r] * rows[i][k * width + r];
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
