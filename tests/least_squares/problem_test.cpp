// The two reductions of a system: sums and triangle.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "least_squares/systems.hpp"

namespace rfnn::least_squares {
namespace {

using namespace rfnn::testing;

TEST(Misfit, BothReductionsGiveTheMisfitOfTheRows) {
  const System s = random_system(150, 8, 3, 2);
  const Eigen::MatrixXd b = random_matrix(8, 3, 5);
  const Eigen::VectorXd exact = (s.a * b - s.r).colwise().squaredNorm();
  const Eigen::VectorXd from_sums = misfit(normal_equations(s), b);
  const Eigen::VectorXd from_triangle = misfit(triangle(s), b);
  for (Eigen::Index o = 0; o < 3; ++o) {
    EXPECT_NEAR(from_sums(o), exact(o), 1e-12 * exact(o));
    EXPECT_NEAR(from_triangle(o), exact(o), 1e-12 * exact(o));
  }
}

TEST(Misfit, IsNeverNegativeWhereTheTargetIsMet) {
  System s = random_system(150, 8, 2, 2);
  const Eigen::MatrixXd b = random_matrix(8, 2, 5);
  s.r = s.a * b;
  for (int i = 0; i < 8; ++i) {  // rounding of either sign
    const Eigen::MatrixXd near = b * (1.0 + 1e-16 * i);
    EXPECT_GE(misfit(normal_equations(s), near).minCoeff(), 0.0);
    EXPECT_LT(misfit(normal_equations(s), near).maxCoeff(), 1e-11 * s.r.squaredNorm());
    EXPECT_LT(misfit(triangle(s), near).maxCoeff(), 1e-26 * s.r.squaredNorm());
  }
}

TEST(TriangleBuilder, ReproducesTheSumsWhateverTheTiles) {
  const System s = random_system(97, 10, 2, 3);
  const NormalEquations sums = normal_equations(s);
  for (const Eigen::Index tile : {1, 3, 7, 10, 64, 97, 200}) {  // also tiles with fewer rows than columns
    const Triangle t = triangle(s, tile);
    EXPECT_EQ(t.rows, 97.0);
    EXPECT_TRUE(t.upper.isUpperTriangular(0.0));
    EXPECT_LT(relative_difference(t.upper.transpose() * t.upper, sums.gram), 1e-13) << tile;
    EXPECT_LT(relative_difference(t.upper.transpose() * t.projected, sums.rhs), 1e-13) << tile;
    const Eigen::VectorXd energy = t.rest + t.projected.colwise().squaredNorm().transpose();
    EXPECT_LT(relative_difference(energy, sums.energy), 1e-13) << tile;
  }
}

TEST(TriangleBuilder, FewerRowsThanColumns) {
  const System s = random_system(4, 10, 2, 3);
  const Triangle t = triangle(s);
  const NormalEquations sums = normal_equations(s);
  EXPECT_EQ(t.rows, 4.0);
  EXPECT_LT(relative_difference(t.upper.transpose() * t.upper, sums.gram), 1e-13);
  EXPECT_LT(relative_difference(t.upper.transpose() * t.projected, sums.rhs), 1e-13);
  EXPECT_LT(t.rest.maxCoeff(), 1e-25);
}

TEST(TriangleBuilder, NoRowsGiveZeros) {
  const Triangle t = TriangleBuilder(3, 2).triangle();
  EXPECT_EQ(t.upper.norm() + t.projected.norm() + t.rest.norm() + t.rows, 0.0);
  Eigen::MatrixXd b;
  QrSolver().solve(t, 1e-4, b);
  EXPECT_EQ(b.rows(), 3);
  EXPECT_EQ(b.norm(), 0.0);
}

TEST(TriangleBuilder, MergedBuildersSeeAllRowsAndRepeatBitForBit) {
  const System s = random_system(120, 6, 2, 8);
  const auto merge = [&] {
    TriangleBuilder all(6, 2);
    for (Eigen::Index first = 0; first < 120; first += 40) {
      TriangleBuilder part(6, 2);
      part.add(s.a.middleRows(first, 25), s.r.middleRows(first, 25));
      part.add(s.a.middleRows(first + 25, 15), s.r.middleRows(first + 25, 15));
      all.add(part);
    }
    return all.triangle();
  };
  const Triangle t = merge();
  const Triangle again = merge();
  const NormalEquations sums = normal_equations(s);
  EXPECT_EQ(t.rows, 120.0);
  EXPECT_LT(relative_difference(t.upper.transpose() * t.upper, sums.gram), 1e-13);
  EXPECT_LT(relative_difference(t.upper.transpose() * t.projected, sums.rhs), 1e-13);
  EXPECT_EQ(t.upper, again.upper);
  EXPECT_EQ(t.projected, again.projected);
  EXPECT_EQ(t.rest, again.rest);
}

TEST(TriangleBuilder, KeepsTheAccuracyThatTheSumsLose) {
  const System s = graded_system(200, 8, 1, 1e9, 4);  // AᵀA has condition 1e18
  const Eigen::MatrixXd truth = random_matrix(8, 1, 6);
  const System consistent{s.a, s.a * truth};
  EXPECT_LT(relative_difference(solve_qr(consistent, 0.0), truth), 1e-5);
  EXPECT_LT(relative_difference(solve_svd(consistent, 0.0), truth), 1e-5);
}

TEST(TriangleBuilder, ScalesThatChangeFromTileToTile) {
  System s = random_system(90, 4, 1, 8);
  s.r.topRows(30) *= 1e-200;
  s.r.middleRows(30, 30) *= 1e200;
  const Triangle t = triangle(s, 30);
  TriangleBuilder merged(4, 1);
  for (Eigen::Index first = 0; first < 90; first += 30) {
    TriangleBuilder part(4, 1);
    part.add(s.a.middleRows(first, 30), s.r.middleRows(first, 30));
    merged.add(part);
  }
  const System divided{s.a, s.r / 1e200};
  const Triangle reference = triangle(divided);
  // The signs of a triangle's rows are free.
  EXPECT_LT(relative_difference(t.projected.cwiseAbs() / 1e200, reference.projected.cwiseAbs()), 1e-13);
  EXPECT_LT(relative_difference(merged.triangle().projected.cwiseAbs() / 1e200, reference.projected.cwiseAbs()), 1e-13);
  EXPECT_TRUE(t.rest.allFinite());
}

RC_GTEST_PROP(TriangleProperties, ReproducesTheSums, ()) {
  const auto rows = static_cast<Eigen::Index>(*rc::gen::inRange(1, 80));
  const auto columns = static_cast<Eigen::Index>(*rc::gen::inRange(1, 20));
  const auto outputs = static_cast<Eigen::Index>(*rc::gen::inRange(1, 4));
  const auto tile = static_cast<Eigen::Index>(*rc::gen::inRange(1, 90));
  const System s = random_system(rows, columns, outputs, *rc::gen::arbitrary<unsigned>());
  const Triangle t = triangle(s, tile);
  const NormalEquations sums = normal_equations(s);
  RC_ASSERT(relative_difference(t.upper.transpose() * t.upper, sums.gram) < 1e-12);
  RC_ASSERT((t.upper.transpose() * t.projected - sums.rhs).norm() < 1e-12 * s.a.norm() * s.r.norm());
  RC_ASSERT(t.rest.minCoeff() >= 0.0);
}

}  // namespace
}  // namespace rfnn::least_squares
