#pragma once

// Private header. How the dense algorithms cut their work, and the two steps they all consist of. With X a set of
// stripes and L a lower triangle, X ← X L⁻ᵀ goes column by column:
//
//   1. X_c ← X_c − Σ_{k < c} X_k L_ckᵀ    (`subtract_products`)
//   2. X_c ← X_c L_cc⁻ᵀ                   (`solve_with_diagonal`)
//
// for blocks c of columns. The rows of a matrix below its diagonal block become those of its factor that way, and a
// right-hand side becomes a solution.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/features/matrix_kernels.hpp"
#include "rfnn/least_squares/triangle.hpp"
#include "rfnn/least_squares/tuning.hpp"

namespace rfnn::dense {

using features::block_columns;
using features::matrix_kernels;
using features::MatrixKernels;

/// Stripes cut into tiles of equal height (the last may be lower), by their number alone.
struct Tiling {
  std::size_t stripes, per_tile;

  template <class T>
  static Tiling of(const Triangle<T>& triangle) {
    const std::size_t stripes = triangle.stripes(), most = tuning::most_tile_rows / Triangle<T>::width;
    return {stripes, std::clamp<std::size_t>(stripes / tuning::tiles_wanted, 1, std::max<std::size_t>(most, 1))};
  }
  [[nodiscard]] std::size_t tiles() const { return (stripes + per_tile - 1) / per_tile; }
  [[nodiscard]] std::size_t begin(std::size_t tile) const { return std::min(stripes, tile * per_tile); }
  [[nodiscard]] std::size_t end(std::size_t tile) const { return begin(tile + 1); }
};

/// X_c ← X_c − Σ_{from ≤ k < to} X_k L_ckᵀ for the columns c of L's stripes [first, last). `x` has the places of column
/// 0 of `count` stripes. Of a tile on the diagonal (`diagonal`: x are L's own stripes first … last − 1) what is above
/// the diagonal is left out.
template <class T>
void subtract_products(const MatrixKernels<T>& kernel, T* const* x, std::size_t count, const Triangle<T>& l,
                       std::size_t first, std::size_t last, std::size_t from, std::size_t to, bool diagonal = false) {
  constexpr std::size_t width = Triangle<T>::width;
  for (std::size_t s = first; s < last; ++s)
    for (std::size_t row = 0; row < width; row += block_columns) {
      const T* const y = l.stripe(s) + from * width + row;
      const std::size_t column = s * width + row;
      for (std::size_t i = diagonal ? s - first : 0; i < count; ++i)
        kernel.subtract(x[i] + column * width, x[i] + from * width, y, to - from);
    }
}

/// X_c ← X_c L_cc⁻ᵀ for the columns of L's stripes [first, last).
template <class T>
void solve_with_diagonal(const MatrixKernels<T>& kernel, T* const* x, std::size_t count, const Triangle<T>& l,
                         std::size_t first, std::size_t last) {
  constexpr std::size_t width = Triangle<T>::width;
  const std::size_t from = first * width;
  for (std::size_t s = first; s < last; ++s)
    for (std::size_t row = 0; row < width; row += block_columns) {
      const std::size_t column = s * width + row;
      const T *const y = l.stripe(s) + from * width + row, *const d = l.stripe(s) + column * width + row;
      for (std::size_t i = 0; i < count; ++i)
        kernel.solve(x[i] + column * width, x[i] + from * width, y, column - from, d);
    }
}

/// X ← X L⁻ᵀ from the columns of tile `from` on; those before are zero. False when interrupted.
template <class T>
bool solve_rows(const MatrixKernels<T>& kernel, T* const* x, std::size_t count, const Triangle<T>& l,
                const Tiling& tiling, std::size_t from, Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  for (std::size_t tile = from; tile < tiling.tiles(); ++tile) {
    const std::size_t end = tiling.begin(tile) * width;
    for (std::size_t k = tiling.begin(from) * width; k < end; k += tuning::depth) {
      subtract_products(kernel, x, count, l, tiling.begin(tile), tiling.end(tile), k, std::min(end, k + tuning::depth));
      if (!interrupt.proceed()) return false;
    }
    solve_with_diagonal(kernel, x, count, l, tiling.begin(tile), tiling.end(tile));
  }
  return interrupt.proceed();
}

/// Which of a set of things other threads wait for are done. Things are begun in an order in which each waits for
/// earlier ones only, so somebody is always at work.
class Progress {
 public:
  Progress(std::size_t count, Interrupt& interrupt)
      : done_(std::make_unique<std::atomic<bool>[]>(count)), interrupt_(interrupt) {}

  void finish(std::size_t thing) { done_[thing].store(true, std::memory_order_release); }
  /// No thing will be finished any more: those who wait go home.
  void abandon() { abandoned_.store(true, std::memory_order_relaxed); }
  /// Between tiles: false when the work is to end.
  bool proceed() { return !abandoned_.load(std::memory_order_relaxed) && interrupt_.proceed(); }
  /// Until it is done; false when the work is to end.
  bool wait(std::size_t thing) {
    for (int turn = 0; !done_[thing].load(std::memory_order_acquire); ++turn) {
      if (!proceed()) return false;
      if (turn > 100) std::this_thread::yield();
    }
    return true;
  }

 private:
  std::unique_ptr<std::atomic<bool>[]> done_;
  std::atomic<bool> abandoned_ = false;
  Interrupt& interrupt_;
};

/// Runs `work` for every task as Workers does; where one throws, those who wait for it are told.
template <class Work>
bool run_with(Progress& progress, Workers& workers, std::size_t tasks, bool parallel, const Work& work,
              Interrupt& interrupt) {
  return workers.run(
      tasks, parallel,
      [&](std::size_t task, std::size_t worker) {
        try {
          work(task, worker);
        } catch (...) {
          progress.abandon();
          throw;
        }
      },
      interrupt);
}

}  // namespace rfnn::dense
