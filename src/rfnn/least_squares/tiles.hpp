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

/// Stripes cut into tiles of equal height (the last may be lower): enough for all threads to have work, and as high as
/// that allows. Results do not depend on it.
struct Tiling {
  std::size_t stripes, per_tile;

  template <class T>
  static Tiling of(const Triangle<T>& triangle, std::size_t threads) {
    const std::size_t stripes = triangle.stripes(), wanted = tuning::least_tiles + threads;
    return {stripes,
            std::clamp<std::size_t>((stripes + wanted / 2) / wanted, 1, tuning::most_tile_rows / Triangle<T>::width)};
  }
  [[nodiscard]] std::size_t tiles() const { return (stripes + per_tile - 1) / per_tile; }
  [[nodiscard]] std::size_t begin(std::size_t tile) const { return std::min(stripes, tile * per_tile); }
  [[nodiscard]] std::size_t end(std::size_t tile) const { return begin(tile + 1); }
};

/// A tile of rows X: where column 0 of each of its stripes is, and which columns its rows have.
template <class T>
struct Rows {
  enum class Columns { all, up_to_diagonal, from_diagonal };
  static constexpr std::size_t width = Triangle<T>::width;

  std::vector<T*> stripes;
  Columns columns = Columns::all;
  std::size_t first = 0;  ///< where there is a diagonal: the number of the first stripe

  /// The stripes [begin, end) have entries in the columns of the stripe with number s.
  [[nodiscard]] std::size_t begin(std::size_t s) const {
    return columns == Columns::up_to_diagonal && s > first ? std::min(stripes.size(), s - first) : 0;
  }
  [[nodiscard]] std::size_t end(std::size_t s) const {
    return columns == Columns::from_diagonal ? std::min(stripes.size(), s + 1 - first) : stripes.size();
  }
  /// The first column from `from` on that stripe i has.
  [[nodiscard]] std::size_t start(std::size_t i, std::size_t from) const {
    return columns == Columns::from_diagonal ? std::max(from, (first + i) * width) : from;
  }
};

/// X_c ← X_c − Σ_{from ≤ k < to} X_k L_ckᵀ for the columns c of L's stripes [first, last).
template <class T>
void subtract_products(const MatrixKernels<T>& kernel, const Rows<T>& x, const Triangle<T>& l, std::size_t first,
                       std::size_t last, std::size_t from, std::size_t to) {
  constexpr std::size_t width = Triangle<T>::width;
  for (std::size_t s = first; s < last; ++s)
    for (std::size_t row = 0; row < width; row += block_columns)
      for (std::size_t i = x.begin(s); i < x.end(s); ++i) {
        const std::size_t start = x.start(i, from);
        if (start < to)
          kernel.subtract(x.stripes[i] + (s * width + row) * width, x.stripes[i] + start * width,
                          l.stripe(s) + start * width + row, to - start);
      }
}

/// X_c ← X_c L_cc⁻ᵀ for the columns of L's stripes [first, last).
template <class T>
void solve_with_diagonal(const MatrixKernels<T>& kernel, const Rows<T>& x, const Triangle<T>& l, std::size_t first,
                         std::size_t last) {
  constexpr std::size_t width = Triangle<T>::width;
  for (std::size_t s = first; s < last; ++s)
    for (std::size_t row = 0; row < width; row += block_columns)
      for (std::size_t i = x.begin(s); i < x.end(s); ++i) {
        const std::size_t column = s * width + row, start = x.start(i, first * width);
        kernel.solve(x.stripes[i] + column * width, x.stripes[i] + start * width, l.stripe(s) + start * width + row,
                     column - start, l.stripe(s) + column * width + row);
      }
}

/// X ← X L⁻ᵀ from the columns of L's stripe `from` on, `together` stripes of columns at a time; what is before is zero.
/// False when interrupted.
template <class T>
bool solve_rows(const MatrixKernels<T>& kernel, const Rows<T>& x, const Triangle<T>& l, std::size_t from,
                std::size_t together, Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  for (std::size_t first = from; first < l.stripes(); first += together) {
    const std::size_t last = std::min(l.stripes(), first + together), end = first * width;
    for (std::size_t k = from * width; k < end; k += tuning::depth) {
      subtract_products(kernel, x, l, first, last, k, std::min(end, k + tuning::depth));
      if (!interrupt.proceed()) return false;
    }
    solve_with_diagonal(kernel, x, l, first, last);
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
