#include "rfnn/eigen.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class M>
void expect_same_elements(const M& matrix, rfnn::ConstMatrixView view) {
  ASSERT_EQ(view.rows(), static_cast<std::size_t>(matrix.rows()));
  ASSERT_EQ(view.cols(), static_cast<std::size_t>(matrix.cols()));
  for (std::size_t i = 0; i < view.rows(); ++i)
    for (std::size_t j = 0; j < view.cols(); ++j)
      EXPECT_EQ(view(i, j), matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
}

TEST(EigenAdapter, ViewsEveryStorageOrderWithoutACopy) {
  const Eigen::MatrixXd columns = Eigen::MatrixXd::Random(5, 3);
  const RowMajor rows = columns;
  const Eigen::VectorXd vector = columns.col(1);
  const Eigen::RowVectorXd row = columns.row(2);
  expect_same_elements(columns, rfnn::const_view(columns));
  expect_same_elements(rows, rfnn::const_view(rows));
  expect_same_elements(vector, rfnn::const_view(vector));
  expect_same_elements(row, rfnn::const_view(row));
  EXPECT_EQ(rfnn::const_view(columns).data(), columns.data());
}

TEST(EigenAdapter, ViewsBlocksAndMaps) {
  const Eigen::MatrixXd columns = Eigen::MatrixXd::Random(6, 4);
  const RowMajor rows = columns;
  expect_same_elements(columns.block(1, 2, 3, 2), rfnn::const_view(columns.block(1, 2, 3, 2)));
  expect_same_elements(rows.block(1, 2, 3, 2), rfnn::const_view(rows.block(1, 2, 3, 2)));
  expect_same_elements(columns.row(3), rfnn::const_view(columns.row(3)));
  const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> map(columns.data(), 2, 4, Eigen::OuterStride<>(6));
  expect_same_elements(map, rfnn::const_view(map));
}

TEST(EigenAdapter, WritesThrough) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(3, 3);
  rfnn::view(matrix)(2, 1) = 7.0;
  rfnn::view(matrix.row(0))(0, 2) = 5.0;
  EXPECT_EQ(matrix(2, 1), 7.0);
  EXPECT_EQ(matrix(0, 2), 5.0);
  EXPECT_EQ(matrix.sum(), 12.0);
}

TEST(EigenAdapter, GivesViewsBackAsEigen) {
  rfnn::Matrix matrix(4, 3);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 3; ++j) matrix(i, j) = static_cast<double>(10 * i + j);
  expect_same_elements(rfnn::as_eigen(std::as_const(matrix).view()), matrix.view());
  rfnn::as_eigen(matrix.view().rows_from(1, 2)).setZero();
  EXPECT_EQ(matrix(0, 2), 2.0);
  EXPECT_EQ(matrix(2, 1), 0.0);
  EXPECT_EQ(matrix(3, 1), 31.0);
}

// What cannot be borrowed does not compile.
static_assert(rfnn::EigenStorage<Eigen::MatrixXd&> && rfnn::EigenStorage<const RowMajor&>);
static_assert(!rfnn::EigenStorage<Eigen::MatrixXd>);
static_assert(!rfnn::EigenStorage<Eigen::MatrixXf&>);
static_assert(!rfnn::EigenStorage<decltype(Eigen::MatrixXd() + Eigen::MatrixXd())>);

}  // namespace
