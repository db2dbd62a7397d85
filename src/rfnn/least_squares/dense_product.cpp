#include "rfnn/least_squares/dense_product.hpp"

#include <algorithm>

#include "rfnn/core/large_array.hpp"
#include "rfnn/least_squares/tiles.hpp"

namespace rfnn::dense {

namespace {

/// Rows of a factor in stripes, `tuning::product_depth` columns of it at a time.
template <class S>
class Factor {
 public:
  static constexpr std::size_t width = Triangle<S>::width;

  explicit Factor(std::size_t rows) : rows_(rows), numbers_(stripes() * size) {
    if (rows % width != 0) std::fill_n(numbers_.data() + (stripes() - 1) * size, size, S(0));  // beyond the last row
  }

  [[nodiscard]] std::size_t stripes() const { return (rows_ + width - 1) / width; }
  [[nodiscard]] const S* stripe(std::size_t s) const { return numbers_.data() + s * size; }

  /// Stripe s ← columns first … first + depth − 1 of `values` (rows × any), each times its weight if there are any.
  void fill(std::size_t s, BasicMatrixView<const S> values, std::size_t first, std::size_t depth,
            std::span<const S> weights) {
    S* const out = numbers_.data() + s * size;
    const std::size_t from = s * width, count = std::min(width, rows_ - from);
    const S* const in = &values(from, first);
    const std::ptrdiff_t down = values.row_stride(), across = values.col_stride();
    if (down == 1) {
      for (std::size_t k = 0; k < depth; ++k)
        std::copy_n(in + static_cast<std::ptrdiff_t>(k) * across, count, out + k * width);
    } else {
      // Eight rows at a time: as many streams to read from, and whole cache lines to write.
      for (std::size_t begin = 0; begin < count; begin += 8) {
        const std::size_t some = std::min<std::size_t>(8, count - begin);
        const S* place[8];
        for (std::size_t r = 0; r < some; ++r) place[r] = in + static_cast<std::ptrdiff_t>(begin + r) * down;
        for (std::size_t k = 0; k < depth; ++k)
          for (std::size_t r = 0; r < some; ++r) {
            out[k * width + begin + r] = *place[r];
            place[r] += across;
          }
      }
    }
    if (weights.empty()) return;
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t r = 0; r < width; ++r) out[k * width + r] *= weights[first + k];
  }

 private:
  static constexpr std::size_t size = width * tuning::product_depth;

  std::size_t rows_;
  LargeArray<S> numbers_;
};

/// Stripe x times the rows of stripe y: a stripe again.
template <class S>
struct alignas(64) StripeProduct {
  static constexpr std::size_t width = Triangle<S>::width;
  S numbers[width * width];

  void set(const S* x, const S* y, std::size_t depth) {
    std::fill_n(numbers, width * width, S(0));
    for (std::size_t row = 0; row < width; row += block_columns)
      matrix_kernels<S>().add(numbers + row * width, x, y + row, depth);
  }
};

/// Adds the product of stripes i ≥ j. A stripe of floats is as high as two of doubles.
template <class T, class S>
void add_block(Triangle<T>& c, std::size_t i, std::size_t j, const S* block) {
  constexpr std::size_t width = Triangle<S>::width, own_width = Triangle<T>::width, per = width / own_width;
  for (std::size_t part = 0; part < per; ++part) {
    const std::size_t s = i * per + part;
    if (s >= c.stripes()) return;
    for (std::size_t column = 0; column < width; ++column) {
      const std::size_t at = j * width + column;
      // On the diagonal only what is not above it.
      const std::size_t first = at < s * own_width ? 0 : at - s * own_width;
      const S* const from = block + column * width + part * own_width;
      T* const to = c.stripe(s) + at * own_width;
      for (std::size_t row = first; row < own_width; ++row) to[row] += static_cast<T>(from[row]);
    }
  }
}

/// Blocks of stripes × stripes that are one task: of `rows` stripes those of a tile of them with those of a tile of
/// `columns` stripes.
struct Tiles {
  std::size_t rows, columns, per_tile;

  [[nodiscard]] std::size_t down() const { return (rows + per_tile - 1) / per_tile; }
  [[nodiscard]] std::size_t across() const { return (columns + per_tile - 1) / per_tile; }

  template <class Work>
  void each(std::size_t task, const Work& work) const {
    const std::size_t i = task / across() * per_tile, j = task % across() * per_tile;
    for (std::size_t column = j; column < std::min(columns, j + per_tile); ++column)
      for (std::size_t row = i; row < std::min(rows, i + per_tile); ++row) work(row, column);
  }
};

}  // namespace

template <class T, class S>
bool rank_update(Triangle<T>& c, BasicMatrixView<const S> a, std::span<const S> weights, Workers& workers,
                 Interrupt& interrupt) {
  const std::size_t n = c.size();
  const BasicMatrixView<const S> rows(a.data(), n, a.rows(), a.col_stride(), a.row_stride());  // Aᵀ
  Factor<S> left(n), right(weights.empty() ? 0 : n);
  const Factor<S>& other = weights.empty() ? left : right;
  const Tiles tiles{left.stripes(), left.stripes(), tuning::stripes_together};
  for (std::size_t first = 0; first < a.rows(); first += tuning::product_depth) {
    const std::size_t depth = std::min(tuning::product_depth, a.rows() - first);
    const bool parallel = static_cast<double>(n * n * depth) > 2.0 * tuning::worth_waking;
    const auto fill = [&](std::size_t s, std::size_t) {
      left.fill(s, rows, first, depth, {});
      if (!weights.empty()) right.fill(s, rows, first, depth, weights);
    };
    const auto multiply = [&](std::size_t task, std::size_t) {
      if (!interrupt.proceed()) return;
      StripeProduct<S> block;
      tiles.each(task, [&](std::size_t i, std::size_t j) {
        if (j > i) return;
        block.set(left.stripe(i), other.stripe(j), depth);
        add_block(c, i, j, block.numbers);
      });
    };
    if (!workers.run(left.stripes(), parallel, fill, interrupt) ||
        !workers.run(tiles.down() * tiles.across(), parallel, multiply, interrupt))
      return false;
  }
  return true;
}

template <class T, class S>
bool add_product(BasicMatrixView<T> c, BasicMatrixView<const S> a, BasicMatrixView<const S> b, Workers& workers,
                 Interrupt& interrupt) {
  constexpr std::size_t width = Triangle<S>::width;
  // So many rows of A at a time bound the memory.
  for (std::size_t top = 0; top < c.rows(); top += tuning::product_rows) {
    const std::size_t high = std::min(tuning::product_rows, c.rows() - top);
    const BasicMatrixView<T> own = c.rows_from(top, high);
    Factor<S> left(high), right(c.cols());
    const Tiles tiles{left.stripes(), right.stripes(), tuning::stripes_together};
    for (std::size_t first = 0; first < a.cols(); first += tuning::product_depth) {
      const std::size_t depth = std::min(tuning::product_depth, a.cols() - first);
      const bool parallel = static_cast<double>(high * c.cols() * depth) > tuning::worth_waking;
      const auto fill = [&](std::size_t s, std::size_t) {
        if (s < left.stripes())
          left.fill(s, a.rows_from(top, high), first, depth, {});
        else
          right.fill(s - left.stripes(), b, first, depth, {});
      };
      const auto multiply = [&](std::size_t task, std::size_t) {
        if (!interrupt.proceed()) return;
        StripeProduct<S> block;
        tiles.each(task, [&](std::size_t i, std::size_t j) {
          block.set(left.stripe(i), right.stripe(j), depth);
          for (std::size_t row = 0; row < width && i * width + row < high; ++row)
            for (std::size_t column = 0; column < width && j * width + column < c.cols(); ++column)
              own(i * width + row, j * width + column) += static_cast<T>(block.numbers[column * width + row]);
        });
      };
      if (!workers.run(left.stripes() + right.stripes(), parallel, fill, interrupt) ||
          !workers.run(tiles.down() * tiles.across(), parallel, multiply, interrupt))
        return false;
    }
  }
  return true;
}

template bool rank_update(Triangle<double>&, BasicMatrixView<const double>, std::span<const double>, Workers&,
                          Interrupt&);
template bool rank_update(Triangle<double>&, BasicMatrixView<const float>, std::span<const float>, Workers&,
                          Interrupt&);
template bool rank_update(Triangle<float>&, BasicMatrixView<const float>, std::span<const float>, Workers&, Interrupt&);
template bool add_product(BasicMatrixView<double>, BasicMatrixView<const double>, BasicMatrixView<const double>,
                          Workers&, Interrupt&);
template bool add_product(BasicMatrixView<double>, BasicMatrixView<const float>, BasicMatrixView<const float>, Workers&,
                          Interrupt&);
template bool add_product(BasicMatrixView<float>, BasicMatrixView<const float>, BasicMatrixView<const float>, Workers&,
                          Interrupt&);

}  // namespace rfnn::dense
