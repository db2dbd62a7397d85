// Solutions for given right-hand sides. Many of them are taken as the rows of a matrix X and go through the factor as
// rows do when it is made; few of them would leave most lanes idle, and the factor's own rows fill the lanes instead.

#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"
#include "rfnn/least_squares/tiles.hpp"

namespace rfnn::dense {

namespace {

template <class T>
using Numbers = std::vector<T, AlignedAllocator<T>>;

template <class T>
bool worth_waking(const Triangle<T>& l, std::size_t columns) {
  const double n = static_cast<double>(l.size());
  return n * n * static_cast<double>(columns) > 2.0 * tuning::worth_waking;
}

/// Right-hand sides as rows, in stripes of `columns` columns.
template <class T>
class RightRows {
 public:
  static constexpr std::size_t width = Triangle<T>::width;

  /// The columns in reverse order, the last of `columns` first, where `reversed`.
  RightRows(BasicMatrixView<T> right, std::size_t columns, bool reversed)
      : right_(right), columns_(columns), reversed_(reversed), numbers_(stripes() * columns * width, T(0)) {
    for (std::size_t i = 0; i < right.rows(); ++i)
      for (std::size_t r = 0; r < right.cols(); ++r) at(i, r) = right(i, r);
  }
  [[nodiscard]] std::size_t stripes() const { return (right_.cols() + width - 1) / width; }
  T* stripe(std::size_t s) { return numbers_.data() + s * columns_ * width; }
  void write() {
    for (std::size_t i = 0; i < right_.rows(); ++i)
      for (std::size_t r = 0; r < right_.cols(); ++r) right_(i, r) = at(i, r);
  }

 private:
  T& at(std::size_t i, std::size_t r) {
    return stripe(r / width)[(reversed_ ? columns_ - 1 - i : i) * width + r % width];
  }

  BasicMatrixView<T> right_;
  std::size_t columns_;
  bool reversed_;
  Numbers<T> numbers_;
};

/// J Lᵀ J, which is lower triangular again (J turns the order round): what Lᵀ does from the last unknown to the first
/// it does from the first to the last.
template <class T>
Triangle<T> turned_round(const Triangle<T>& l, Workers& workers, Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  const std::size_t stripes = l.stripes(), last = stripes * width - 1;
  Triangle<T> turned(stripes * width);
  workers.run(
      stripes, true,
      [&](std::size_t s, std::size_t) {
        if (!interrupt.proceed()) return;
        T* const out = turned.stripe(s);
        // Entry (i, j) of the result is entry (last − j, last − i) of L, whose columns lie together.
        for (std::size_t i = s * width; i < (s + 1) * width; ++i)
          for (std::size_t j = 0; j <= i; ++j) out[j * width + i % width] = l(last - j, last - i);
      },
      interrupt);
  return turned;
}

template <class T>
bool solve_many(const Triangle<T>& l, RightRows<T>& right, Workers& workers, Interrupt& interrupt) {
  const Tiling tiling = Tiling::of(l);
  const std::size_t stripes = right.stripes();
  const std::size_t group = std::clamp<std::size_t>(stripes / (4 * workers.threads()), 1, tiling.per_tile);
  return workers.run((stripes + group - 1) / group, true,
                     [&](std::size_t task, std::size_t) {
                       std::vector<T*> rows;
                       for (std::size_t s = task * group; s < std::min(stripes, (task + 1) * group); ++s)
                         rows.push_back(right.stripe(s));
                       solve_rows(matrix_kernels<T>(), rows.data(), rows.size(), l, tiling, 0, interrupt);
                     },
                     interrupt);
}

/// L⁻¹ B for at most eight columns, which are rows of one stripe; tiles of L's rows are the tasks.
template <class T>
bool solve_few_forward(const Triangle<T>& l, RightRows<T>& right, std::size_t columns, Workers& workers,
                       Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  const MatrixKernels<T>& kernel = matrix_kernels<T>();
  const Tiling tiling = Tiling::of(l);
  Progress progress(tiling.tiles(), interrupt);
  T* const x = right.stripe(0);
  const auto solve_tile = [&](std::size_t tile, std::size_t) {
    const std::size_t first = tiling.begin(tile), last = tiling.end(tile);
    // Block s of C: unknowns of stripe s along the stripe, right-hand sides as columns.
    Numbers<T> c((last - first) * block_columns * width, T(0));
    const auto block = [&](std::size_t s) { return c.data() + (s - first) * block_columns * width; };
    for (std::size_t s = first; s < last; ++s)
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t r = 0; r < columns; ++r) block(s)[r * width + i] = x[(s * width + i) * width + r];
    for (std::size_t k = 0; k < tile; ++k) {
      if (!progress.wait(k)) return;
      const std::size_t from = tiling.begin(k) * width, depth = tiling.end(k) * width - from;
      for (std::size_t s = first; s < last; ++s)
        kernel.subtract(block(s), l.stripe(s) + from * width, x + from * width, depth);
    }
    for (std::size_t s = first; s < last; ++s) {
      const std::size_t from = first * width, own = s * width;
      kernel.subtract(block(s), l.stripe(s) + from * width, x + from * width, own - from);
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t r = 0; r < columns; ++r) x[(own + i) * width + r] = block(s)[r * width + i];
      T* const rows[] = {x};
      solve_with_diagonal(kernel, rows, 1, l, s, s + 1);
    }
    progress.finish(tile);
  };
  return run_with(progress, workers, tiling.tiles(), worth_waking(l, columns), solve_tile, interrupt);
}

/// L⁻ᵀ x in place of x for the block of stripe s on the diagonal.
template <class T>
void solve_block_backward(const Triangle<T>& l, std::size_t s, T* x) {
  constexpr std::size_t width = Triangle<T>::width;
  const T* const block = l.stripe(s) + s * width * width;
  for (std::size_t k = width; k-- > 0;) {
    T sum = x[k];
    for (std::size_t i = width; --i > k;) sum -= block[k * width + i] * x[i];
    x[k] = sum / block[k * width + k];
  }
}

/// L⁻ᵀ B for few columns; tiles of unknowns are the tasks, from the last on.
template <class T>
bool solve_few_backward(const Triangle<T>& l, BasicMatrixView<T> right, Workers& workers, Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  const MatrixKernels<T>& kernel = matrix_kernels<T>();
  const Tiling tiling = Tiling::of(l);
  const std::size_t tiles = tiling.tiles(), columns = right.cols(), length = l.stripes() * width;
  Progress progress(tiles, interrupt);
  Numbers<T> x(columns * length, T(0));
  for (std::size_t r = 0; r < columns; ++r)
    for (std::size_t i = 0; i < l.size(); ++i) x[r * length + i] = right(i, r);
  const auto solve_tile = [&](std::size_t task, std::size_t) {
    const std::size_t tile = tiles - 1 - task, first = tiling.begin(tile), from = first * width;
    const auto subtract_stripe = [&](std::size_t s, std::size_t to) {
      for (std::size_t r = 0; r < columns; ++r) {
        T* const own = x.data() + r * length;
        kernel.subtract_transposed(own + from, l.stripe(s) + from * width, own + s * width, to - from);
      }
    };
    for (std::size_t t = tiles - 1; t > tile; --t) {
      if (!progress.wait(t)) return;
      for (std::size_t s = tiling.end(t); s-- > tiling.begin(t);) subtract_stripe(s, tiling.end(tile) * width);
    }
    for (std::size_t s = tiling.end(tile); s-- > first;) {
      for (std::size_t r = 0; r < columns; ++r) solve_block_backward(l, s, x.data() + r * length + s * width);
      subtract_stripe(s, s * width);
    }
    progress.finish(tile);
  };
  if (!run_with(progress, workers, tiles, worth_waking(l, columns), solve_tile, interrupt)) return false;
  for (std::size_t r = 0; r < columns; ++r)
    for (std::size_t i = 0; i < l.size(); ++i) right(i, r) = x[r * length + i];
  return true;
}

}  // namespace

template <class T>
bool solve_forward(const Triangle<T>& l, BasicMatrixView<T> right, Workers& workers, Interrupt& interrupt) {
  RightRows<T> rows(right, l.stripes() * Triangle<T>::width, false);
  const bool complete = right.cols() <= tuning::few_columns
                            ? solve_few_forward(l, rows, right.cols(), workers, interrupt)
                            : solve_many(l, rows, workers, interrupt);
  if (complete) rows.write();
  return complete;
}

template <class T>
bool solve_backward(const Triangle<T>& l, BasicMatrixView<T> right, Workers& workers, Interrupt& interrupt) {
  if (right.cols() <= tuning::few_columns) return solve_few_backward(l, right, workers, interrupt);
  const Triangle<T> turned = turned_round(l, workers, interrupt);
  RightRows<T> rows(right, turned.size(), true);
  const bool complete = !interrupt.stopped() && solve_many(turned, rows, workers, interrupt);
  if (complete) rows.write();
  return complete;
}

template <class T>
bool solve(const Triangle<T>& l, BasicMatrixView<T> right, Workers& workers, Interrupt& interrupt) {
  return solve_forward(l, right, workers, interrupt) && solve_backward(l, right, workers, interrupt);
}

template bool solve_forward(const Triangle<double>&, BasicMatrixView<double>, Workers&, Interrupt&);
template bool solve_forward(const Triangle<float>&, BasicMatrixView<float>, Workers&, Interrupt&);
template bool solve_backward(const Triangle<double>&, BasicMatrixView<double>, Workers&, Interrupt&);
template bool solve_backward(const Triangle<float>&, BasicMatrixView<float>, Workers&, Interrupt&);
template bool solve(const Triangle<double>&, BasicMatrixView<double>, Workers&, Interrupt&);
template bool solve(const Triangle<float>&, BasicMatrixView<float>, Workers&, Interrupt&);

}  // namespace rfnn::dense
