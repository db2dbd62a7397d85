// Cholesky's factor on all threads, against LAPACK: factors, solutions, inverses, and the bits of any number of
// threads.

#include <gtest/gtest.h>
#include <lapacke.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/least_squares/dense_cholesky.hpp"

extern "C" void openblas_set_num_threads(int threads);

namespace rfnn::dense {
namespace {

// Threads of its own that spin would take the cores from those tested.
[[maybe_unused]] const bool one_thread = (openblas_set_num_threads(1), true);

using dense::Factored;
using dense::Triangle;

constexpr std::size_t sizes[] = {1, 2, 3, 31, 255, 256, 257, 700, 1500};

/// Numbers between -1 and 1 without an order that could help, the same in both precisions to rounding.
double scattered(std::size_t i, std::size_t j) {
  std::uint64_t x = (i * 0x9e3779b97f4a7c15U) ^ (j * 0xc2b2ae3d27d4eb4fU + 0x165667b19e3779f9U);
  x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9U;
  return std::ldexp(static_cast<double>((x ^ (x >> 29)) >> 11), -52) - 1.0;
}

/// A smooth kernel of points on a line with noise: positive definite, of condition `1 / noise` times the size.
double kernel_entry(std::size_t i, std::size_t j, std::size_t n, double noise) {
  const double apart = 12.0 * (static_cast<double>(i) - static_cast<double>(j)) / static_cast<double>(n);
  return std::exp(-0.5 * apart * apart) + (i == j ? noise : 0.0);
}

template <class T>
std::vector<T> square(std::size_t n, double noise) {
  std::vector<T> values(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) values[i * n + j] = static_cast<T>(kernel_entry(i, j, n, noise));
  return values;
}

template <class T>
Triangle<T> triangle(const std::vector<T>& square, std::size_t n) {
  Triangle<T> a(n);
  a.set_rows(0, BasicMatrixView<const T>(square.data(), n, n));
  return a;
}

template <class T>
std::vector<T> right_hand_sides(std::size_t n, std::size_t columns) {
  std::vector<T> values(n * columns);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < columns; ++c) values[i * columns + c] = static_cast<T>(scattered(i, c));
  return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

template <class T>
bool same_bits(const Triangle<T>& a, const Triangle<T>& b) {
  return a.numbers() == b.numbers() && std::memcmp(a.data(), b.data(), a.numbers() * sizeof(T)) == 0;
}

TEST(DenseTriangle, RowsGoInAndComeOutInAnyOrderOfStorage) {
  const std::size_t n = 100;
  const std::vector<double> a = square<double>(n, 0.5);
  for (const bool by_columns : {false, true})
    for (const std::size_t step : {1U, 10U, 37U, 100U}) {
      Triangle<double> held(n);
      std::vector<double> out(n * n);
      const auto down = static_cast<std::ptrdiff_t>(by_columns ? 1 : n),
                 across = static_cast<std::ptrdiff_t>(by_columns ? n : 1);
      const ConstMatrixView in(a.data(), n, n, down, across);
      const MatrixView all(out.data(), n, n, down, across);
      for (std::size_t first = 0; first < n; first += step)
        held.set_rows(first, in.rows_from(first, std::min(step, n - first)));
      for (std::size_t first = 0; first < n; first += step)
        held.get_rows(first, all.rows_from(first, std::min(step, n - first)));
      EXPECT_EQ(out, a) << step;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) ASSERT_EQ(held(i, j), a[i * n + j]);
      // Beyond the matrix there is the identity, and nothing above the diagonal.
      double sum = 0.0, expected = 0.0;
      for (std::size_t place = 0; place < held.numbers(); ++place) sum += held.data()[place];
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) expected += a[i * n + j];
      const std::size_t beyond = held.stripes() * Triangle<double>::width - n;
      EXPECT_NEAR(sum, expected + static_cast<double>(beyond), 1e-9);
    }
}

TEST(DenseCholesky, FactorIsLapacks) {
  Workers workers(2);
  Interrupt never;
  for (const std::size_t n : sizes) {
    std::vector<double> expected = square<double>(n, 1e-3);
    Triangle<double> a = triangle(expected, n);
    ASSERT_TRUE(dense::factor(a, workers, never)) << n;
    const auto order = static_cast<lapack_int>(n);
    ASSERT_EQ(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', order, expected.data(), order), 0);
    double difference = 0.0, log_determinant = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      log_determinant += 2.0 * std::log(expected[i * n + i]);
      for (std::size_t j = 0; j <= i; ++j) difference = std::max(difference, std::abs(a(i, j) - expected[i * n + j]));
    }
    EXPECT_LT(difference, 1e-12) << n;
    EXPECT_NEAR(dense::log_determinant(a), log_determinant, 1e-10 * static_cast<double>(n)) << n;
  }
}

TEST(DenseCholesky, SolutionsAreLapacksForFewAndForManyColumns) {
  Workers workers(2);
  Interrupt never;
  for (const std::size_t n : sizes)
    for (const std::size_t columns : {1U, 8U, 60U}) {
      std::vector<double> a = square<double>(n, 1e-2), x = right_hand_sides<double>(n, columns), expected = x;
      Triangle<double> l = triangle(a, n);
      ASSERT_TRUE(dense::factor(l, workers, never));
      ASSERT_TRUE(dense::solve(l, MatrixView(x.data(), n, columns), workers, never));
      const auto order = static_cast<lapack_int>(n), width = static_cast<lapack_int>(columns);
      ASSERT_EQ(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', order, width, a.data(), order, expected.data(), width), 0);
      EXPECT_LT(largest_difference(x, expected), 1e-9) << n << " × " << columns;
    }
}

TEST(DenseCholesky, ForwardAndBackwardAreTheTwoHalves) {
  Workers workers(2);
  Interrupt never;
  const std::size_t n = 257;
  std::vector<double> a = square<double>(n, 1e-2);
  Triangle<double> l = triangle(a, n);
  ASSERT_TRUE(dense::factor(l, workers, never));
  for (const std::size_t columns : {1U, 3U, 8U, 9U, 24U, 30U}) {
    const std::vector<double> right = right_hand_sides<double>(n, columns);
    std::vector<double> half = right, other = right;
    ASSERT_TRUE(dense::solve_forward(l, MatrixView(half.data(), n, columns), workers, never));
    ASSERT_TRUE(dense::solve_backward(l, MatrixView(other.data(), n, columns), workers, never));
    std::vector<double> product(n * columns, 0.0), other_product(n * columns, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t c = 0; c < columns; ++c) {
          product[i * columns + c] += l(i, j) * half[j * columns + c];
          other_product[j * columns + c] += l(i, j) * other[i * columns + c];
        }
    EXPECT_LT(largest_difference(product, right), 1e-12);
    EXPECT_LT(largest_difference(other_product, right), 1e-12);
  }
}

TEST(DenseCholesky, ColumnsInAnyOrderOfStorage) {
  Workers workers(1);
  Interrupt never;
  const std::size_t n = 100, columns = 11;
  Triangle<double> l = triangle(square<double>(n, 1e-2), n);
  ASSERT_TRUE(dense::factor(l, workers, never));
  std::vector<double> by_rows = right_hand_sides<double>(n, columns), by_columns(by_rows.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < columns; ++c) by_columns[c * n + i] = by_rows[i * columns + c];
  ASSERT_TRUE(dense::solve(l, MatrixView(by_rows.data(), n, columns), workers, never));
  ASSERT_TRUE(
      dense::solve(l, MatrixView(by_columns.data(), n, columns, 1, static_cast<std::ptrdiff_t>(n)), workers, never));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < columns; ++c) EXPECT_EQ(by_columns[c * n + i], by_rows[i * columns + c]);
}

TEST(DenseCholesky, InverseIsLapacks) {
  Workers workers(2);
  Interrupt never;
  for (const std::size_t n : sizes) {
    std::vector<double> expected = square<double>(n, 1e-2);
    Triangle<double> l = triangle(expected, n);
    ASSERT_TRUE(dense::factor(l, workers, never));
    std::vector<double> diagonal(n);
    ASSERT_TRUE(dense::inverse_diagonal(l, std::span<double>(diagonal), workers, never));
    ASSERT_TRUE(dense::invert(l, workers, never));
    const auto order = static_cast<lapack_int>(n);
    ASSERT_EQ(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', order, expected.data(), order), 0);
    ASSERT_EQ(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', order, expected.data(), order), 0);
    double difference = 0.0, of_diagonal = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      of_diagonal = std::max(of_diagonal, std::abs(diagonal[i] - expected[i * n + i]));
      for (std::size_t j = 0; j <= i; ++j) difference = std::max(difference, std::abs(l(i, j) - expected[i * n + j]));
    }
    EXPECT_LT(difference, 1e-9) << n;
    EXPECT_LT(of_diagonal, 1e-9) << n;
    double above = 0.0;  // what is done entry by entry counts nothing twice
    for (std::size_t j = 1; j < Triangle<double>::width; ++j)
      above += std::abs(l.stripe(0)[j * Triangle<double>::width]);
    EXPECT_EQ(above, 0.0);
  }
}

template <class T>
void expect_the_same_bits() {
  Interrupt never;
  for (const std::size_t n : {50U, 257U, 1100U}) {
    const std::vector<T> a = square<T>(n, 0.1);
    Triangle<T> first_factor, first_inverse;
    std::vector<T> first_few, first_many, first_diagonal;
    for (const std::size_t threads : {1U, 2U, 3U, 5U}) {
      Workers workers(threads);
      Triangle<T> l = triangle(a, n);
      ASSERT_TRUE(dense::factor(l, workers, never));
      std::vector<T> few = right_hand_sides<T>(n, 2), many = right_hand_sides<T>(n, 100), diagonal(n);
      ASSERT_TRUE(dense::solve(l, BasicMatrixView<T>(few.data(), n, 2), workers, never));
      ASSERT_TRUE(dense::solve(l, BasicMatrixView<T>(many.data(), n, 100), workers, never));
      ASSERT_TRUE(dense::inverse_diagonal(l, std::span<T>(diagonal), workers, never));
      Triangle<T> inverse = l;
      ASSERT_TRUE(dense::invert(inverse, workers, never));
      if (threads == 1) {
        first_factor = l;
        first_inverse = inverse;
        first_few = few;
        first_many = many;
        first_diagonal = diagonal;
        continue;
      }
      EXPECT_TRUE(same_bits(l, first_factor)) << n << ", " << threads;
      EXPECT_TRUE(same_bits(inverse, first_inverse)) << n << ", " << threads;
      EXPECT_EQ(few, first_few) << n << ", " << threads;
      EXPECT_EQ(many, first_many) << n << ", " << threads;
      EXPECT_EQ(diagonal, first_diagonal) << n << ", " << threads;
    }
  }
}

TEST(DenseCholesky, TheSameBitsForAnyNumberOfThreads) {
  expect_the_same_bits<double>();
  expect_the_same_bits<float>();
}

TEST(DenseCholesky, SaysWhereAMatrixIsNotPositiveDefinite) {
  Interrupt never;
  for (const std::size_t threads : {1U, 3U}) {
    Workers workers(threads);
    for (const std::size_t n : {1U, 40U, 700U})
      for (const std::size_t bad : {std::size_t(0), n / 2, n - 1}) {
        Triangle<double> a = triangle(square<double>(n, 1.0), n);
        a(bad, bad) = -1.0;
        const Factored indefinite = dense::factor(a, workers, never);
        EXPECT_EQ(indefinite.state, Factored::State::not_positive_definite);
        EXPECT_EQ(indefinite.column, bad);
        EXPECT_FALSE(indefinite);
        for (const double broken :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
          a = triangle(square<double>(n, 1.0), n);
          a(bad, bad) = broken;
          EXPECT_EQ(dense::factor(a, workers, never).column, bad);
        }
        if (bad == 0) continue;
        a = triangle(square<double>(n, 1.0), n);
        a(bad, bad - 1) = std::numeric_limits<double>::quiet_NaN();
        EXPECT_EQ(dense::factor(a, workers, never).column, bad);
      }
    // Two equal rows: the second pivot is zero, exactly.
    Triangle<double> singular(2);
    singular(0, 0) = singular(1, 0) = singular(1, 1) = 4.0;
    EXPECT_EQ(dense::factor(singular, workers, never).column, 1U);
    Triangle<double> nothing(0);
    EXPECT_TRUE(dense::factor(nothing, workers, never));
  }
}

TEST(DenseCholesky, EndsWhenTold) {
  const std::size_t n = 1200;
  const std::vector<double> a = square<double>(n, 1e-2);
  Interrupt never;
  for (const std::size_t threads : {1U, 2U, 3U}) {
    Workers workers(threads);
    Triangle<double> l = triangle(a, n);
    ASSERT_TRUE(dense::factor(l, workers, never));
    const auto interrupted = [] { return Interrupt([] { return false; }); };
    Interrupt now = interrupted();
    Triangle<double> half = triangle(a, n);
    EXPECT_EQ(dense::factor(half, workers, now).state, Factored::State::interrupted);
    // Told by another thread in the middle of it.
    std::atomic<int> polls = 0;
    Interrupt later([&] { return ++polls < 2; });
    Factored state;
    for (int repeat = 0; repeat < 1000 && state; ++repeat) {
      half = triangle(a, n);
      state = dense::factor(half, workers, later);
    }
    EXPECT_EQ(state.state, Factored::State::interrupted);
    std::vector<double> right = right_hand_sides<double>(n, 20), diagonal(n);
    for (const std::size_t columns : {1U, 20U}) {
      EXPECT_FALSE(dense::solve_forward(l, MatrixView(right.data(), n, columns), workers, now));
      EXPECT_FALSE(dense::solve_backward(l, MatrixView(right.data(), n, columns), workers, now));
    }
    EXPECT_EQ(right, right_hand_sides<double>(n, 20));
    EXPECT_FALSE(dense::inverse_diagonal(l, std::span<double>(diagonal), workers, now));
    EXPECT_FALSE(dense::invert(l, workers, now));
  }
}

TEST(DenseCholesky, AnExceptionOfThePollLeavesNobodyWaiting) {
  const std::size_t n = 1200;
  Workers workers(3);
  Triangle<double> a = triangle(square<double>(n, 1e-2), n);
  int polls = 0;
  Interrupt throwing([&]() -> bool {
    if (++polls > 1) throw std::runtime_error("enough");
    return true;
  });
  EXPECT_THROW(
      {
        for (int repeat = 0; repeat < 1000; ++repeat) {
          Triangle<double> again = a;
          dense::factor(again, workers, throwing);
        }
      },
      std::runtime_error);
}

TEST(DenseCholesky, SinglePrecisionWithOneStepOfRefinementIsNearlyDouble) {
  Workers workers(2);
  Interrupt never;
  const std::size_t n = 700;
  const std::vector<double> a = square<double>(n, 0.1), right = right_hand_sides<double>(n, 1);
  Triangle<float> l = triangle(square<float>(n, 0.1), n);
  ASSERT_TRUE(dense::factor(l, workers, never));
  std::vector<double> x(n, 0.0), left = right, errors;
  std::vector<double> exact = right, factor = a;
  const auto order = static_cast<lapack_int>(n);
  ASSERT_EQ(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', order, 1, factor.data(), order, exact.data(), 1), 0);
  for (int step = 0; step < 3; ++step) {
    std::vector<float> correction(left.begin(), left.end());
    ASSERT_TRUE(dense::solve(l, BasicMatrixView<float>(correction.data(), n, 1), workers, never));
    for (std::size_t i = 0; i < n; ++i) x[i] += static_cast<double>(correction[i]);
    for (std::size_t i = 0; i < n; ++i) {
      left[i] = right[i];
      for (std::size_t j = 0; j < n; ++j) left[i] -= a[i * n + j] * x[j];
    }
    errors.push_back(largest_difference(x, exact) / *std::max_element(exact.begin(), exact.end()));
  }
  EXPECT_LT(errors[0], 1e-3);
  EXPECT_LT(errors[1], 1e-6);
  EXPECT_LT(errors[2], 1e-9);
}

}  // namespace
}  // namespace rfnn::dense
