// Solutions for given right-hand sides. Many of them are taken as the rows of a matrix X and go through the factor as
// rows do when it is made; few of them would leave most lanes idle, and the factor's own rows fill the lanes instead.

#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/core/large_array.hpp"
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

/// Right-hand sides as rows, in stripes of `columns` columns, in which the order of the unknowns may be reversed.
template <class T>
class RightRows {
 public:
  static constexpr std::size_t width = Triangle<T>::width;

  RightRows(BasicMatrixView<T> right, std::size_t columns, bool reversed)
      : right_(right), columns_(columns), reversed_(reversed), numbers_(stripes() * columns * width) {}

  [[nodiscard]] std::size_t stripes() const { return (right_.cols() + width - 1) / width; }
  T* stripe(std::size_t s) { return numbers_.data() + s * columns_ * width; }

  void read(std::size_t s) {
    std::fill_n(stripe(s), columns_ * width, T(0));
    each(s, [](T& own, T& given) { own = given; });
  }
  void write(std::size_t s) {
    each(s, [](T& own, T& given) { given = own; });
  }

 private:
  template <class Move>
  void each(std::size_t s, const Move& move) {
    const std::size_t first = s * width, count = std::min(width, right_.cols() - first);
    T* const own = stripe(s);
    for (std::size_t i = 0; i < right_.rows(); ++i) {
      T* const at = own + (reversed_ ? columns_ - 1 - i : i) * width;
      for (std::size_t r = 0; r < count; ++r) move(at[r], right_(i, first + r));
    }
  }

  BasicMatrixView<T> right_;
  std::size_t columns_;
  bool reversed_;
  LargeArray<T> numbers_;
};

/// J Lᵀ J, which is lower triangular again (J turns the order round): what Lᵀ does from the last unknown to the first
/// it does from the first to the last.
template <class T>
Triangle<T> turned_round(const Triangle<T>& l, Workers& workers, Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  const std::size_t stripes = l.stripes();
  Triangle<T> turned(stripes * width);
  workers.run(
      stripes, true,
      [&](std::size_t s, std::size_t) {
        if (!interrupt.proceed()) return;
        for (std::size_t j = 0; j <= s; ++j) {
          const T* const from = l.stripe(stripes - 1 - j) + (stripes - 1 - s) * width * width;
          T* const to = turned.stripe(s) + j * width * width;
          for (std::size_t c = 0; c < width; ++c)
            for (std::size_t r = 0; r < width; ++r) to[c * width + r] = from[(width - r) * width - 1 - c];
        }
      },
      interrupt);
  return turned;
}

template <class T>
bool solve_many(const Triangle<T>& l, RightRows<T>& right, Workers& workers, Interrupt& interrupt) {
  const std::size_t together = Tiling::of(l, 1).per_tile;
  // As few groups as tiles allow, for each reads all of L, but a share for everybody.
  const std::size_t stripes = right.stripes(), threads = workers.threads();
  const std::size_t rounds = (stripes + threads * tuning::stripes_together - 1) / (threads * tuning::stripes_together);
  const std::size_t group = (stripes + threads * rounds - 1) / (threads * rounds);
  const auto solve_group = [&](std::size_t task, std::size_t) {
    const std::size_t first = task * group, last = std::min(stripes, first + group);
    Rows<T> rows;
    for (std::size_t s = first; s < last; ++s) {
      right.read(s);
      rows.stripes.push_back(right.stripe(s));
    }
    if (!solve_rows(matrix_kernels<T>(), rows, l, 0, together, interrupt)) return;
    for (std::size_t s = first; s < last; ++s) right.write(s);
  };
  return workers.run((stripes + group - 1) / group, true, solve_group, interrupt);
}

/// L⁻¹ B for at most eight columns, which are rows of one stripe; tiles of L's rows are the tasks.
template <class T>
bool solve_few_forward(const Triangle<T>& l, RightRows<T>& right, std::size_t columns, Workers& workers,
                       Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<T>::width;
  const MatrixKernels<T>& kernel = matrix_kernels<T>();
  const Tiling tiling = Tiling::of(l, workers.threads());
  Progress progress(tiling.tiles(), interrupt);
  right.read(0);
  T* const x = right.stripe(0);
  const Rows<T> own_rows{{x}};
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
      solve_with_diagonal(kernel, own_rows, l, s, s + 1);
    }
    progress.finish(tile);
  };
  if (!run_with(progress, workers, tiling.tiles(), worth_waking(l, columns), solve_tile, interrupt)) return false;
  right.write(0);
  return true;
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
  const Tiling tiling = Tiling::of(l, workers.threads());
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
  if (right.empty()) return interrupt.proceed();
  RightRows<T> rows(right, l.stripes() * Triangle<T>::width, false);
  if (right.cols() > tuning::few_columns) return solve_many(l, rows, workers, interrupt);
  return solve_few_forward(l, rows, right.cols(), workers, interrupt);
}

template <class T>
bool solve_backward(const Triangle<T>& l, BasicMatrixView<T> right, Workers& workers, Interrupt& interrupt) {
  if (right.empty()) return interrupt.proceed();
  if (right.cols() <= tuning::few_columns) return solve_few_backward(l, right, workers, interrupt);
  const Triangle<T> turned = turned_round(l, workers, interrupt);
  RightRows<T> rows(right, turned.size(), true);
  return !interrupt.stopped() && solve_many(turned, rows, workers, interrupt);
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
