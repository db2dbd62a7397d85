// Products on all threads, against plain loops, in both precisions and with the bits of any number of threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "rfnn/core/parallel.hpp"
#include "rfnn/least_squares/dense_product.hpp"

namespace rfnn {
namespace {

using dense::Triangle;

template <class S>
std::vector<S> scattered(std::size_t count, double phase) {
  std::vector<S> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<S>(std::sin(phase + 1.7 * static_cast<double>(i % 977) + 0.3 * static_cast<double>(i)));
  return values;
}

/// Rounding of sums of `terms` products of numbers up to 1.
template <class S>
double rounding(std::size_t terms) {
  return (std::is_same_v<S, float> ? 1e-6 : 1e-14) * static_cast<double>(terms + 10);
}

template <class T, class S>
void expect_rank_update(std::size_t rows, std::size_t n, bool weighted, bool transposed) {
  const std::vector<S> a = scattered<S>(rows * n, 0.1), all_weights = scattered<S>(rows, 0.7);
  const std::span<const S> weights = weighted ? std::span<const S>(all_weights) : std::span<const S>();
  const auto by_rows = [&](std::size_t i, std::size_t j) { return transposed ? j * rows + i : i * n + j; };
  const BasicMatrixView<const S> view(a.data(), rows, n, transposed ? 1 : static_cast<std::ptrdiff_t>(n),
                                      transposed ? static_cast<std::ptrdiff_t>(rows) : 1);
  Interrupt never;
  Triangle<T> first;
  for (const std::size_t threads : {1U, 2U, 3U, 5U}) {
    Workers workers(threads);
    Triangle<T> c(n);
    c.add_to_diagonal(T(2));
    ASSERT_TRUE(dense::rank_update(c, view, weights, workers, never));
    if (threads == 1) {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          double expected = i == j ? 2.0 : 0.0;
          for (std::size_t k = 0; k < rows; ++k)
            expected += static_cast<double>(a[by_rows(k, i)]) * static_cast<double>(a[by_rows(k, j)]) *
                        (weighted ? static_cast<double>(all_weights[k]) : 1.0);
          ASSERT_NEAR(static_cast<double>(c(i, j)), expected, rounding<S>(rows)) << i << ", " << j;
        }
      for (std::size_t i = n; i < c.stripes() * Triangle<T>::width; ++i) EXPECT_EQ(c(i, i), T(1));
      first = c;
    }
    EXPECT_EQ(std::memcmp(c.data(), first.data(), c.numbers() * sizeof(T)), 0) << threads;
  }
}

TEST(DenseProduct, RankUpdateIsThatOfPlainLoops) {
  for (const std::size_t n : {1U, 25U, 100U})
    for (const std::size_t rows : {1U, 390U, 800U})
      for (const bool weighted : {false, true})
        for (const bool transposed : {false, true}) {
          SCOPED_TRACE(testing::Message()
                       << rows << " × " << n << (weighted ? ", weights" : "") << (transposed ? ", columns" : ""));
          expect_rank_update<double, double>(rows, n, weighted, transposed);
          expect_rank_update<float, float>(rows, n, weighted, transposed);
          expect_rank_update<double, float>(rows, n, weighted, transposed);
        }
  expect_rank_update<double, double>(50, 500, false, false);  // several tiles
  expect_rank_update<double, float>(50, 500, false, false);
}

template <class T, class S>
void expect_product(std::size_t p, std::size_t q, std::size_t depth) {
  const std::vector<S> a = scattered<S>(p * depth, 0.2), b = scattered<S>(q * depth, 0.9);
  Interrupt never;
  std::vector<T> first;
  for (const std::size_t threads : {1U, 2U, 5U}) {
    Workers workers(threads);
    std::vector<T> c(p * q, T(3));
    ASSERT_TRUE(dense::add_product(BasicMatrixView<T>(c.data(), p, q), BasicMatrixView<const S>(a.data(), p, depth),
                                   BasicMatrixView<const S>(b.data(), q, depth), workers, never));
    if (threads == 1) {
      first = c;
      for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j < q; ++j) {
          double expected = 3.0;
          for (std::size_t k = 0; k < depth; ++k)
            expected += static_cast<double>(a[i * depth + k]) * static_cast<double>(b[j * depth + k]);
          ASSERT_NEAR(static_cast<double>(c[i * q + j]), expected, rounding<S>(depth)) << i << ", " << j;
        }
    }
    EXPECT_EQ(c, first) << threads;
  }
}

TEST(DenseProduct, ProductIsThatOfPlainLoops) {
  const auto expect_all = [](std::size_t p, std::size_t q, std::size_t depth) {
    expect_product<double, double>(p, q, depth);
    expect_product<float, float>(p, q, depth);
    expect_product<double, float>(p, q, depth);
  };
  expect_all(1, 1, 1);
  expect_all(30, 7, 500);
  expect_all(2100, 60, 20);
}

TEST(DenseProduct, SinglePrecisionSumsManyRowsInDouble) {
  // A sum of 40 000 ones and small numbers in single precision would lose the small ones.
  const std::size_t rows = 40000;
  std::vector<float> a(rows, 1.001F);
  Workers workers(2);
  Interrupt never;
  Triangle<double> c(1);
  ASSERT_TRUE(
      dense::rank_update(c, BasicMatrixView<const float>(a.data(), rows, 1), std::span<const float>(), workers, never));
  const double square = static_cast<double>(1.001F) * static_cast<double>(1.001F);
  EXPECT_NEAR(c(0, 0) / (square * static_cast<double>(rows)), 1.0, 1e-5);  // in single precision 1e-3
}

TEST(DenseProduct, EndsWhenTold) {
  Workers workers(2);
  const std::vector<double> a = scattered<double>(500 * 300, 0.0);
  std::vector<double> c(300 * 300, 0.0);
  Triangle<double> triangle(300);
  Interrupt now([] { return false; });
  EXPECT_FALSE(
      dense::rank_update(triangle, ConstMatrixView(a.data(), 500, 300), std::span<const double>(), workers, now));
  Interrupt again([] { return false; });
  EXPECT_FALSE(dense::add_product(MatrixView(c.data(), 300, 300), ConstMatrixView(a.data(), 300, 500),
                                  ConstMatrixView(a.data(), 300, 500), workers, again));
}

}  // namespace
}  // namespace rfnn
