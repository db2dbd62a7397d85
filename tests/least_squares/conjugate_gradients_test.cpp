#include "rfnn/least_squares/conjugate_gradients.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "least_squares/systems.hpp"

namespace rfnn::least_squares {
namespace {

/// M = AᵀA + λ, its diagonal for preconditioner, and what was asked of it.
struct Problem {
  Problem(std::size_t columns, double lambda, unsigned seed)
      : s(testing::graded_system(200, 40, static_cast<Eigen::Index>(columns), 1e3, seed)) {
    m = s.a.transpose() * s.a;
    m.diagonal().array() += lambda;
    const Eigen::MatrixXd r = s.a.transpose() * s.r;
    right = Matrix(static_cast<std::size_t>(r.rows()), columns);
    for (std::size_t i = 0; i < right.rows(); ++i)
      for (std::size_t k = 0; k < columns; ++k)
        right(i, k) = r(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
    system.product = [this](const Matrix& v, Matrix& out) {
      if (products == allowed) return false;
      ++products;
      out = Matrix(v.rows(), v.cols());
      for (std::size_t i = 0; i < v.rows(); ++i)
        for (std::size_t j = 0; j < v.rows(); ++j)
          for (std::size_t k = 0; k < v.cols(); ++k)
            out(i, k) += m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * v(j, k);
      return true;
    };
    system.precondition = [this](const Matrix& v, Matrix& out) {
      out = v;
      for (std::size_t i = 0; i < v.rows(); ++i)
        for (std::size_t k = 0; k < v.cols(); ++k)
          out(i, k) /= m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i));
      return true;
    };
    system.dots = column_dots;
  }

  /// |R − M x| / |R| of column k.
  [[nodiscard]] double left(const Matrix& x, std::size_t k) const {
    Eigen::VectorXd column(m.rows()), wanted(m.rows());
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      column(i) = x(static_cast<std::size_t>(i), k);
      wanted(i) = right(static_cast<std::size_t>(i), k);
    }
    return (wanted - m * column).norm() / wanted.norm();
  }
  Matrix column(std::size_t k) const {
    Matrix one(right.rows(), 1);
    for (std::size_t i = 0; i < one.rows(); ++i) one(i, 0) = right(i, k);
    return one;
  }

  testing::System s;
  Eigen::MatrixXd m;
  Matrix right;
  LinearSystem<Matrix> system;
  std::size_t products = 0, allowed = 100000;
};

TEST(PreconditionedGradients, SolveEveryColumn) {
  Problem problem(3, 1e-3, 1);
  Matrix x;
  const Iterations done = conjugate_gradients(problem.system, problem.right, {500, 1e-10}, x);
  EXPECT_FALSE(done.interrupted);
  EXPECT_LT(done.made, 500U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(problem.left(x, k), 1e-7) << k;
}

TEST(PreconditionedGradients, AColumnIsSolvedAsIfItWereAlone) {
  Problem problem(3, 1e-2, 2);
  for (std::size_t i = 0; i < problem.right.rows(); ++i) problem.right(i, 1) *= 1e-30;  // scales do not matter
  Matrix together;
  conjugate_gradients(problem.system, problem.right, {500, 1e-6}, together);
  for (std::size_t k = 0; k < 3; ++k) {
    Matrix alone;
    conjugate_gradients(problem.system, problem.column(k), {500, 1e-6}, alone);
    for (std::size_t i = 0; i < alone.rows(); ++i) EXPECT_EQ(together(i, k), alone(i, 0)) << i << " " << k;
  }
}

TEST(PreconditionedGradients, GoesOnFromAStart) {
  Problem problem(2, 1e-3, 3);
  Matrix x;
  conjugate_gradients(problem.system, problem.right, {500, 1e-10}, x);
  Matrix again = x;
  EXPECT_LE(conjugate_gradients(problem.system, problem.right, {500, 1e-8}, again).made, 1U);
  Matrix wrong(3, 3, 1.0);  // another size: zeros
  conjugate_gradients(problem.system, problem.right, {500, 1e-10}, wrong);
  EXPECT_EQ(wrong, x);
}

TEST(PreconditionedGradients, StopsAfterItsStepsAndWhenInterrupted) {
  Problem problem(2, 1e-3, 4);
  Matrix x;
  EXPECT_EQ(conjugate_gradients(problem.system, problem.right, {7, 0.0}, x).made, 7U);
  EXPECT_EQ(problem.products, 7U);
  problem.products = 0;
  problem.allowed = 3;
  Matrix cut;
  const Iterations done = conjugate_gradients(problem.system, problem.right, {50, 0.0}, cut);
  EXPECT_TRUE(done.interrupted);
  EXPECT_EQ(done.made, 3U);
  problem.products = 0;
  problem.allowed = 100;
  Matrix three;
  conjugate_gradients(problem.system, problem.right, {3, 0.0}, three);
  EXPECT_EQ(cut, three) << "the last iterate";
  problem.allowed = 0;
  Matrix none;
  problem.products = 0;
  EXPECT_TRUE(conjugate_gradients(problem.system, problem.right, {3, 0.0}, none).interrupted);
  EXPECT_EQ(none, Matrix(problem.right.rows(), 2)) << "zeros";
}

TEST(PreconditionedGradients, NothingToSolveAndNothingButRounding) {
  Problem problem(2, 1e-3, 5);
  for (std::size_t i = 0; i < problem.right.rows(); ++i) problem.right(i, 0) = 0.0;
  Matrix x;
  conjugate_gradients(problem.system, problem.right, {2000, 0.0}, x);
  for (std::size_t i = 0; i < x.rows(); ++i) EXPECT_EQ(x(i, 0), 0.0);
  EXPECT_LT(problem.left(x, 1), 1e-8);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(std::isfinite(x.data()[i]));
  problem.m.setZero();  // a direction without curvature ends it
  Matrix y;
  problem.system.precondition = [](const Matrix& v, Matrix& out) { return out = v, true; };
  EXPECT_EQ(conjugate_gradients(problem.system, problem.right, {20, 0.0}, y).made, 0U);
}

TEST(PreconditionedGradients, VectorsAreMatricesOfOneColumn) {
  Problem problem(1, 1e-3, 6);
  Matrix x;
  conjugate_gradients(problem.system, problem.right, {20, 0.0}, x);
  const auto as_matrix = [](const AlignedVector& v) {
    Matrix m(v.size(), 1);
    std::copy(v.begin(), v.end(), m.data());
    return m;
  };
  const auto as_vector = [](const Matrix& m) { return AlignedVector(m.data(), m.data() + m.size()); };
  LinearSystem<AlignedVector> system;
  system.product = [&](const AlignedVector& v, AlignedVector& out) {
    Matrix image;
    problem.system.product(as_matrix(v), image);
    out = as_vector(image);
    return true;
  };
  system.precondition = [&](const AlignedVector& v, AlignedVector& out) {
    Matrix image;
    problem.system.precondition(as_matrix(v), image);
    out = as_vector(image);
    return true;
  };
  system.dots = [&](const AlignedVector& a, const AlignedVector& b) { return column_dots(as_matrix(a), as_matrix(b)); };
  AlignedVector y;
  conjugate_gradients(system, as_vector(problem.right), {20, 0.0}, y);
  EXPECT_EQ(as_matrix(y), x);
}

TEST(PreconditionedGradients, TheWatchSeesEveryStepAndMayEndThem) {
  Problem problem(2, 1e-3, 8);
  std::vector<std::size_t> seen;
  Matrix x, watched;
  const Iterations done = conjugate_gradients<Matrix>(problem.system, problem.right, {20, 0.0}, x,
                                                      [&](std::size_t made, const Matrix& now) {
                                                        seen.push_back(made);
                                                        watched = now;
                                                        return made < 5;
                                                      });
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(done.made, 5U);
  EXPECT_FALSE(done.interrupted);
  EXPECT_EQ(x, watched);
  Matrix five;
  conjugate_gradients(problem.system, problem.right, {5, 0.0}, five);
  EXPECT_EQ(x, five);
}

}  // namespace
}  // namespace rfnn::least_squares
