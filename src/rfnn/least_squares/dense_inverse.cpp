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

/// The stripes [first, last) of U's rows, of each the columns from the diagonal on. What is before them is never
/// touched.
template <class T>
class UpperRows {
 public:
  static constexpr std::size_t width = Triangle<T>::width, block = width * width;

  UpperRows(std::size_t first, std::size_t last, std::size_t stripes) : first_(first), stripes_(stripes) {
    // Room for the columns that the first stripe does not have, too: its column 0 is a place all the same.
    std::size_t numbers = first * block;
    for (std::size_t s = first; s < last; ++s) {
      begin_.push_back(numbers - s * block);
      numbers += (stripes - s) * block;
    }
    numbers_ = LargeArray<T>(numbers);
  }

  Rows<T> rows(std::size_t first, std::size_t last) {
    Rows<T> some{{}, Rows<T>::Columns::from_diagonal, first};
    for (std::size_t s = first; s < last; ++s) some.stripes.push_back(numbers_.data() + begin_[s - first_]);
    return some;
  }

  /// The rows of the identity.
  void set(const Rows<T>& rows) {
    for (std::size_t i = 0; i < rows.stripes.size(); ++i) {
      T* const own = rows.stripes[i] + rows.start(i, 0) * width;
      std::fill(own, rows.stripes[i] + stripes_ * block, T(0));
      for (std::size_t r = 0; r < width; ++r) own[r * width + r] = T(1);
    }
  }

 private:
  std::size_t first_, stripes_;
  std::vector<std::size_t> begin_;  ///< of column 0
  LargeArray<T> numbers_;
};

template <class T>
bool worth_waking(const Triangle<T>& l) {
  const double n = static_cast<double>(l.size());
  return n * n * n > 6.0 * tuning::worth_waking;
}

/// U = L⁻ᵀ. As for the factor: tile (i, j) follows from those before it in its row, and tiles are begun column by
/// column.
template <class T>
bool invert_factor(const Triangle<T>& l, UpperRows<T>& u, const Tiling& tiling, Workers& workers,
                   Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  const MatrixKernels<T>& kernel = matrix_kernels<T>();
  const std::size_t tiles = tiling.tiles();
  Progress progress(tiles * tiles, interrupt);
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t j = 0; j < tiles; ++j)
    for (std::size_t i = 0; i <= j; ++i) order.emplace_back(i, j);
  const auto make_tile = [&](std::size_t task, std::size_t) {
    const auto [i, j] = order[task];
    const Rows<T> rows = u.rows(tiling.begin(i), tiling.end(i));
    if (i == j) u.set(rows);
    const std::size_t together = std::max<std::size_t>(1, tuning::depth / (tiling.per_tile * width));
    for (std::size_t k = i; k < j; k += together) {
      const std::size_t end = std::min(j, k + together);
      for (std::size_t t = k; t < end; ++t)
        if (!progress.wait(i * tiles + t)) return;
      subtract_products(kernel, rows, l, tiling.begin(j), tiling.end(j), tiling.begin(k) * width,
                        tiling.begin(end) * width);
      if (!progress.proceed()) return;
    }
    solve_with_diagonal(kernel, rows, l, tiling.begin(j), tiling.end(j));
    progress.finish(i * tiles + j);
  };
  return run_with(progress, workers, order.size(), worth_waking(l), make_tile, interrupt);
}

/// Tile (i, j) of U Uᵀ, i ≥ j, in place of `out`.
template <class T>
bool multiply_tile(UpperRows<T>& u, const Tiling& tiling, std::size_t i, std::size_t j, Triangle<T>& out,
                   Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  const MatrixKernels<T>& kernel = matrix_kernels<T>();
  const Rows<T> left = u.rows(tiling.begin(i), tiling.end(i)), right = u.rows(tiling.begin(j), tiling.end(j));
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
  const Tiling tiling = Tiling::of(l, workers.threads());
  UpperRows<T> u(0, l.stripes(), l.stripes());
  if (!invert_factor(l, u, tiling, workers, interrupt)) return false;
  std::vector<std::pair<std::size_t, std::size_t>> tiles;  // the longest sums first
  for (std::size_t i = 0; i < tiling.tiles(); ++i)
    for (std::size_t j = 0; j <= i; ++j) tiles.emplace_back(i, j);
  const auto multiply = [&](std::size_t task, std::size_t) {
    multiply_tile(u, tiling, tiles[task].first, tiles[task].second, l, interrupt);
  };
  if (!workers.run(tiles.size(), worth_waking(l), multiply, interrupt)) return false;
  clear_above_diagonal(l);
  return true;
}

template <class T>
bool inverse_diagonal(const Triangle<T>& l, std::span<T> diagonal, Workers& workers, Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  // Rows of U for themselves, of which only the squares are kept. The first are longest: shares are small enough for
  // the others not to wait for them.
  const std::size_t stripes = l.stripes(), together = Tiling::of(l, 1).per_tile;
  const std::size_t share = std::clamp<std::size_t>(stripes / (5 * workers.threads()), 1, together);
  const auto work = [&](std::size_t task, std::size_t) {
    const std::size_t begin = task * share, end = std::min(stripes, begin + share);
    UpperRows<T> u(begin, end, stripes);
    const Rows<T> rows = u.rows(begin, end);
    u.set(rows);
    if (!solve_rows(matrix_kernels<T>(), rows, l, begin, together, interrupt)) return;
    for (std::size_t i = 0; i < rows.stripes.size(); ++i) {
      const std::size_t first = rows.start(i, 0);
      const T* const own = rows.stripes[i];
      T sums[width] = {};
      for (std::size_t k = first; k < stripes * width; ++k)
        for (std::size_t r = 0; r < width; ++r) sums[r] += own[k * width + r] * own[k * width + r];
      for (std::size_t r = 0; r < width && first + r < l.size(); ++r) diagonal[first + r] = sums[r];
    }
  };
  return workers.run((stripes + share - 1) / share, worth_waking(l), work, interrupt);
}

template bool invert(Triangle<double>&, Workers&, Interrupt&);
template bool invert(Triangle<float>&, Workers&, Interrupt&);
template bool inverse_diagonal(const Triangle<double>&, std::span<double>, Workers&, Interrupt&);
template bool inverse_diagonal(const Triangle<float>&, std::span<float>, Workers&, Interrupt&);

}  // namespace rfnn::dense
