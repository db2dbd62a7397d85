// The kernels of dense matrices at every SIMD level, against plain loops, and level against level.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rfnn/core/aligned.hpp"
#include "rfnn/features/matrix_kernels.hpp"

namespace rfnn::features {
namespace {

constexpr std::string_view levels[] = {"avx512", "avx2", "baseline"};

template <class T>
using Numbers = std::vector<T, AlignedAllocator<T>>;

template <class T>
class MatrixKernelLevels : public testing::Test {
 public:
  static constexpr std::size_t rows = stripe<T>, terms = 37;
  static constexpr T tolerance = std::is_same_v<T, float> ? T(2e-5) : T(1e-13);

  static Numbers<T> stripe_of(std::size_t columns, double phase) {
    Numbers<T> values(columns * rows);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(std::sin(phase + 0.7 * static_cast<double>(i) + 0.01 * static_cast<double>(i * i)));
    return values;
  }
  /// Entry (row, column).
  static T& at(Numbers<T>& values, std::size_t row, std::size_t column) { return values[column * rows + row]; }

  static void expect_near(const Numbers<T>& found, const Numbers<T>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], tolerance) << i;
  }
};

using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(MatrixKernelLevels, Precisions);

TYPED_TEST(MatrixKernelLevels, ProductsAreThoseOfPlainLoops) {
  using T = TypeParam;
  constexpr std::size_t depth = TestFixture::terms, width = TestFixture::rows, row = 16;
  for (const std::string_view name : levels) {
    const MatrixKernels<T>* level = matrix_kernels<T>(name);
    if (level == nullptr) continue;
    Numbers<T> x = this->stripe_of(depth, 0.1), y = this->stripe_of(depth, 0.5);
    Numbers<T> plus = this->stripe_of(block_columns, 0.9), minus = plus, more = plus, less = plus;
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < block_columns; ++j)
        for (std::size_t k = 0; k < depth; ++k) {
          this->at(more, i, j) += this->at(x, i, k) * this->at(y, row + j, k);
          this->at(less, i, j) -= this->at(x, i, k) * this->at(y, row + j, k);
        }
    level->add(plus.data(), x.data(), y.data() + row, depth);
    level->subtract(minus.data(), x.data(), y.data() + row, depth);
    this->expect_near(plus, more);
    this->expect_near(minus, less);
  }
}

TYPED_TEST(MatrixKernelLevels, FactorAndSolveUndoMultiplication) {
  using T = TypeParam;
  constexpr std::size_t width = TestFixture::rows, row = 8;
  for (const std::string_view name : levels) {
    const MatrixKernels<T>* level = matrix_kernels<T>(name);
    if (level == nullptr) continue;
    // A block D on the diagonal with rows below it: C = L Dᵀ with known L.
    Numbers<T> l = this->stripe_of(block_columns, 0.3);
    for (std::size_t j = 0; j < block_columns; ++j) {
      for (std::size_t i = 0; i < row + j; ++i) this->at(l, i, j) = T(0);
      this->at(l, row + j, j) = T(2) + static_cast<T>(j);
    }
    Numbers<T> c(block_columns * width, T(0));
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < block_columns; ++j)
        for (std::size_t k = 0; k < block_columns; ++k)
          this->at(c, i, j) += this->at(l, i, k) * this->at(l, row + j, k);
    Numbers<T> factor = c;
    EXPECT_EQ(level->factor(factor.data(), factor.data(), 0, row), block_columns);
    this->expect_near(factor, l);
    // Rows elsewhere in the same columns are solved for with D.
    Numbers<T> x = this->stripe_of(block_columns, 0.8), right(block_columns * width, T(0));
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < block_columns; ++j)
        for (std::size_t k = 0; k <= j; ++k) this->at(right, i, j) += this->at(x, i, k) * this->at(l, row + j, k);
    level->solve(right.data(), right.data(), l.data(), 0, l.data() + row);
    this->expect_near(right, x);
  }
}

TYPED_TEST(MatrixKernelLevels, FactorTellsThePivotThatIsNone) {
  using T = TypeParam;
  constexpr std::size_t width = TestFixture::rows;
  const T bad[] = {T(0), T(-1), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()};
  for (const std::string_view name : levels) {
    const MatrixKernels<T>* level = matrix_kernels<T>(name);
    if (level == nullptr) continue;
    for (const T pivot : bad) {
      Numbers<T> c(block_columns * width, T(0));
      for (std::size_t j = 0; j < block_columns; ++j) this->at(c, j, j) = j == 5 ? pivot : T(4);
      EXPECT_EQ(level->factor(c.data(), c.data(), 0, 0), 5U);
    }
  }
}

TYPED_TEST(MatrixKernelLevels, LevelsWithFusedMultiplyAddGiveTheSameBits) {
  using T = TypeParam;
  constexpr std::size_t depth = TestFixture::terms, width = TestFixture::rows;
  const MatrixKernels<T>*one = matrix_kernels<T>("avx512"), *other = matrix_kernels<T>("avx2");
  if (one == nullptr || other == nullptr) GTEST_SKIP() << "this CPU has not both";
  const auto run = [&](const MatrixKernels<T>& level) {
    Numbers<T> all, x = this->stripe_of(depth, 0.2), y = this->stripe_of(depth, 0.4), d = this->stripe_of(width, 0.6);
    for (std::size_t j = 0; j < width; ++j) this->at(d, j, j) = T(100);
    const auto keep = [&](const Numbers<T>& values) { all.insert(all.end(), values.begin(), values.end()); };
    for (const auto product : {level.add, level.subtract}) {
      Numbers<T> c = this->stripe_of(block_columns, 0.0);
      product(c.data(), x.data(), y.data() + 8, depth);
      keep(c);
    }
    Numbers<T> solved = this->stripe_of(block_columns, 0.0);
    level.solve(solved.data(), x.data(), y.data() + 8, depth, d.data() + 8 * width + 8);
    keep(solved);
    Numbers<T> factored(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(block_columns * width));
    EXPECT_EQ(level.factor(factored.data(), x.data(), depth, 0), block_columns);
    keep(factored);
    Numbers<T> sums = this->stripe_of(2, 0.3);
    level.subtract_transposed(sums.data(), x.data(), y.data(), depth);
    keep(sums);
    return all;
  };
  const Numbers<T> a = run(*one), b = run(*other);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)), 0);
}

TYPED_TEST(MatrixKernelLevels, TransposedProductIsThatOfPlainLoops) {
  using T = TypeParam;
  constexpr std::size_t depth = TestFixture::terms, width = TestFixture::rows;
  for (const std::string_view name : levels) {
    const MatrixKernels<T>* level = matrix_kernels<T>(name);
    if (level == nullptr) continue;
    Numbers<T> a = this->stripe_of(depth, 0.2), x = this->stripe_of(1, 0.7), out = this->stripe_of(2, 0.1),
               expected = out;
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t i = 0; i < width; ++i) expected[k] -= this->at(a, i, k) * x[i];
    level->subtract_transposed(out.data(), a.data(), x.data(), depth);
    this->expect_near(out, expected);
  }
}

}  // namespace
}  // namespace rfnn::features
