#include "rfnn/core/matrix.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <type_traits>
#include <vector>

namespace rfnn {
namespace {

TEST(Matrix, IsRowMajorAndStartsFilled) {
  Matrix matrix(2, 3, 7.0);
  matrix(1, 0) = 1.0;
  EXPECT_EQ(matrix.data()[3], 1.0);
  EXPECT_EQ(matrix.data()[5], 7.0);
  EXPECT_EQ(matrix.size(), 6U);
  EXPECT_FALSE(matrix.empty());
  EXPECT_TRUE(Matrix().empty());
}

TEST(Matrix, EqualityCountsShape) {
  EXPECT_EQ(Matrix(2, 3), Matrix(2, 3));
  EXPECT_NE(Matrix(2, 3), Matrix(3, 2));
  EXPECT_NE(Matrix(2, 3), Matrix(2, 3, 1.0));
}

TEST(Matrix, ResizeRowsKeepsTheRowsThatStay) {
  Matrix matrix(3, 2);
  std::iota(matrix.data(), matrix.data() + 6, 0.0);
  matrix.resize_rows(2);
  ASSERT_EQ(matrix.rows(), 2U);
  EXPECT_EQ(matrix(1, 1), 3.0);
  matrix.resize_rows(4);
  EXPECT_EQ(matrix(1, 0), 2.0);
  EXPECT_EQ(matrix(3, 1), 0.0);
}

TEST(MatrixView, WritesThroughAndReadsAsConst) {
  Matrix matrix(2, 2);
  const MatrixView view = matrix.view();
  view(0, 1) = 5.0;
  EXPECT_EQ(matrix(0, 1), 5.0);
  const ConstMatrixView read = view;
  EXPECT_EQ(read(0, 1), 5.0);
  EXPECT_EQ(read.data(), matrix.data());
  static_assert(!std::is_convertible_v<ConstMatrixView, MatrixView>, "a const view must not become a mutable one");
  static_assert(std::is_same_v<decltype(read(0, 0)), const double&>);
}

TEST(MatrixView, EmptyHasNoRowsOrNoColumns) {
  EXPECT_TRUE(ConstMatrixView().empty());
  EXPECT_TRUE(ConstMatrixView(nullptr, 0, 4).empty());
  EXPECT_TRUE(ConstMatrixView(nullptr, 4, 0).empty());
  Matrix matrix(1, 1);
  EXPECT_FALSE(matrix.view().empty());
}

TEST(MatrixView, NegativeStridesRunBackwards) {
  std::vector<double> values = {0, 1, 2, 3, 4, 5};
  const ConstMatrixView upside_down(values.data() + 4, 3, 2, -2, 1);
  EXPECT_EQ(upside_down(0, 0), 4.0);
  EXPECT_EQ(upside_down(2, 1), 1.0);
  EXPECT_EQ(upside_down.rows_from(1, 2)(1, 0), 0.0);
}

// Any window with any strides on an array shows what the formula says, also after rows_from.
RC_GTEST_PROP(MatrixView, ShowsTheFormulaForAllStrides, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 8);
  const auto cols = *rc::gen::inRange<std::size_t>(1, 8);
  const auto gap = *rc::gen::inRange<std::size_t>(0, 4);
  const bool by_column = *rc::gen::arbitrary<bool>();
  const auto row_stride = static_cast<std::ptrdiff_t>(by_column ? 1 : cols + gap);
  const auto col_stride = static_cast<std::ptrdiff_t>(by_column ? rows + gap : 1);
  std::vector<double> values((rows + gap) * (cols + gap));
  std::iota(values.begin(), values.end(), 0.0);
  const ConstMatrixView view(values.data(), rows, cols, row_stride, col_stride);
  const auto first = *rc::gen::inRange<std::size_t>(0, rows);
  const auto count = *rc::gen::inRange<std::size_t>(0, rows - first + 1);
  const ConstMatrixView part = view.rows_from(first, count);
  RC_ASSERT(part.rows() == count);
  RC_ASSERT(part.cols() == cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      const double expected = static_cast<double>(static_cast<std::ptrdiff_t>(i) * row_stride +
                                                  static_cast<std::ptrdiff_t>(j) * col_stride);
      RC_ASSERT(view(i, j) == expected);
      if (i >= first && i < first + count) RC_ASSERT(part(i - first, j) == expected);
    }
}

}  // namespace
}  // namespace rfnn
