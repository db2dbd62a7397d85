// Private, included once by each matrix_kernels_*.cpp after it has defined, in an anonymous namespace,
// `Register<T>::Part` (a SIMD register of doubles, of floats) and `columns`, how many columns of three registers are
// summed at once. As in kernels_impl.hpp, no other header with inline code may come here.

#pragma GCC diagnostic ignored "-Wpsabi"

namespace {

using rfnn::features::block_columns;

template <class T>
struct Stripes {
  using Part = typename Register<T>::Part;
  static constexpr std::size_t rows = rfnn::features::stripe<T>;
  static constexpr std::size_t part_rows = sizeof(Part) / sizeof(T);
  static constexpr std::size_t high = 3;  // registers of a block, along the stripe
  static constexpr std::size_t block_rows = high * part_rows;
  static constexpr std::size_t parts = rows / part_rows;  // registers of a stripe's column

  using Block = Part[columns][high];

  static Part& part(T* place) { return *reinterpret_cast<Part*>(place); }
  static const Part& part(const T* place) { return *reinterpret_cast<const Part*>(place); }

  static void load(Block& block, const T* c) {
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t p = 0; p < high; ++p) block[j][p] = part(c + j * rows + p * part_rows);
  }
  static void store(const Block& block, T* c) {
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t p = 0; p < high; ++p) part(c + j * rows + p * part_rows) = block[j][p];
  }

  template <bool minus>
  static void multiply(Block& block, const T* x, const T* y, std::size_t depth) {
    for (std::size_t k = 0; k < depth; ++k, x += rows, y += rows) {
      Part left[high];
      for (std::size_t p = 0; p < high; ++p) left[p] = part(x + p * part_rows);
      for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t p = 0; p < high; ++p)
          block[j][p] = minus ? block[j][p] - left[p] * y[j] : block[j][p] + left[p] * y[j];
    }
  }

  template <bool minus>
  static void product(T* c, const T* x, const T* y, std::size_t depth) {
    for (std::size_t row = 0; row < rows; row += block_rows)
      for (std::size_t j = 0; j < block_columns; j += columns) {
        Block block;
        load(block, c + j * rows + row);
        multiply<minus>(block, x + row, y + j, depth);
        store(block, c + j * rows + row);
      }
  }

  static void solve(T* c, const T* x, const T* y, std::size_t depth, const T* d) {
    for (std::size_t row = 0; row < rows; row += block_rows)
      for (std::size_t first = 0; first < block_columns; first += columns) {
        Block block;
        load(block, c + first * rows + row);
        multiply<true>(block, x + row, y + first, depth);
        multiply<true>(block, c + row, d + first, first);  // the columns just solved for
        const T* own = d + first * rows + first;
        for (std::size_t j = 0; j < columns; ++j) {
          const T reciprocal = T(1) / own[j * rows + j];
          for (std::size_t p = 0; p < high; ++p) block[j][p] = block[j][p] * reciprocal;
          for (std::size_t k = j + 1; k < columns; ++k)
            for (std::size_t p = 0; p < high; ++p) block[k][p] = block[k][p] - block[j][p] * own[j * rows + k];
        }
        store(block, c + first * rows + row);
      }
  }

  static std::size_t factor(T* c, const T* x, std::size_t depth, std::size_t row) {
    product<true>(c, x, x + row, depth);
    for (std::size_t j = 0; j < block_columns; ++j) {
      T* const own = c + j * rows;
      const T pivot = own[row + j];
      if (!(pivot > T(0) && pivot <= max_finite(T()))) return j;
      const T root = square_root(pivot), reciprocal = T(1) / root;
      for (std::size_t p = 0; p < parts; ++p) part(own + p * part_rows) = part(own + p * part_rows) * reciprocal;
      own[row + j] = root;
      for (std::size_t above = 0; above < row + j; ++above) own[above] = T(0);
      for (std::size_t k = j + 1; k < block_columns; ++k) {
        T* const other = c + k * rows;
        const T times = own[row + k];
        for (std::size_t p = 0; p < parts; ++p)
          part(other + p * part_rows) = part(other + p * part_rows) - part(own + p * part_rows) * times;
      }
    }
    return block_columns;
  }

  static void subtract_transposed(T* out, const T* a, const T* x, std::size_t count) {
    constexpr std::size_t lanes = 64 / sizeof(T), lane_parts = lanes / part_rows;
    for (std::size_t k = 0; k < count; ++k, a += rows) {
      alignas(64) T sums[lanes];
      for (std::size_t p = 0; p < lane_parts; ++p) {
        const T *const left = a + p * part_rows, *const right = x + p * part_rows;
        Part sum = part(left) * part(right);
        for (std::size_t i = lanes; i < rows; i += lanes) sum = part(left + i) * part(right + i) + sum;
        part(sums + p * part_rows) = sum;
      }
      for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
      out[k] -= sums[0];
    }
  }

  static double square_root(double value) { return __builtin_sqrt(value); }
  static float square_root(float value) { return __builtin_sqrtf(value); }
  static constexpr double max_finite(double) { return __DBL_MAX__; }
  static constexpr float max_finite(float) { return __FLT_MAX__; }

  static constexpr rfnn::features::MatrixKernels<T> all(std::string_view name) {
    return {name, product<false>, product<true>, solve, factor, subtract_transposed};
  }
};

}  // namespace
