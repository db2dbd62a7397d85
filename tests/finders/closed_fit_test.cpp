// Closed forms fitted exactly, with some rows as centres and with all.
#include "rfnn/finders/wide/closed_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include "rfnn/finders/wide/closed_parts.hpp"
#include "rows/naive.hpp"

namespace rfnn::wide {
namespace {

using testing::index;
using testing::normal_matrix;
using testing::to_eigen;

FrequencyLaw some_law() {
  FrequencyLaw law;
  law.parts.push_back({1.0, {0.8, 0.5}, {0.0, 0.0}});
  law.parts.push_back({0.2, {0.1, 0.1}, {0.5, 0.9}});
  return law;
}

/// A wave and noise.
struct Table {
  explicit Table(std::size_t count, std::uint64_t seed, bool weighted = false) : points(normal_matrix(count, 2, seed)) {
    values = normal_matrix(count, 2, seed + 1, 0.1);
    for (std::size_t i = 0; i < count; ++i) {
      values(i, 0) += std::sin(2.0 * points(i, 0));
      values(i, 1) += std::cos(points(i, 0) + points(i, 1));
      if (weighted) weights.push_back(1.0 + static_cast<double>(i % 3));
    }
    rows = rows::RowState(rows::ScaledRows(points.view(), values.view(), weights));
  }
  Matrix points, values;
  std::vector<double> weights;
  rows::RowState rows;
};

Eigen::MatrixXd kernels(const FrequencyLaw& law, const Matrix& a, const Matrix& b) {
  Eigen::MatrixXd k(index(a.rows()), index(b.rows()));
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < b.rows(); ++j) {
      const double apart[] = {a(i, 0) - b(j, 0), a(i, 1) - b(j, 1)};
      k(index(i), index(j)) = kernel_value(law, apart);
    }
  return k;
}

Eigen::VectorXd weights_of(const rows::RowState& rows) {
  Eigen::VectorXd w(index(rows.count()));
  for (std::size_t i = 0; i < rows.count(); ++i) w(index(i)) = rows.weight(i);
  return w;
}

Eigen::MatrixXd exact_alpha(const FrequencyLaw& law, const Table& table, double lambda) {
  Eigen::MatrixXd a = kernels(law, table.points, table.points);
  a.diagonal() += lambda * weights_of(table.rows).cwiseInverse();
  return a.ldlt().solve(to_eigen(table.values));
}

class ClosedFits : public ::testing::Test {
 protected:
  std::unique_ptr<rows::RowWork> work = rows::make_row_work(rows::Implementation::threads, 2);
  Interrupt never;
  FrequencyLaw law = some_law();
};

TEST_F(ClosedFits, ExactlyIsTheRidgeSolution) {
  for (const bool weighted : {false, true}) {
    const Table table(300, 1, weighted);
    const auto fit = fit_exactly(*work, table.rows, law, {0.02}, {}, never);
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->lambda, 0.02);
    EXPECT_EQ(fit->centres, table.points);
    EXPECT_LT((to_eigen(fit->coefficients) - exact_alpha(law, table, 0.02)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST_F(ClosedFits, TheBestLambdaIsThatOfLeaveOneOut) {
  const Table table(120, 3);
  const std::vector<double> lambdas = {1e-5, 0.01, 3.0};
  const auto fit = fit_exactly(*work, table.rows, law, lambdas, {}, never);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->lambda, 0.01);  // the noise's own variance
  // Every row once without it.
  double squares = 0.0;
  const Eigen::MatrixXd k = kernels(law, table.points, table.points), y = to_eigen(table.values);
  for (Eigen::Index i = 0; i < 120; ++i) {
    std::vector<Eigen::Index> others;
    for (Eigen::Index j = 0; j < 120; ++j)
      if (j != i) others.push_back(j);
    Eigen::MatrixXd inner = k(others, others);
    inner.diagonal().array() += 0.01;
    const Eigen::MatrixXd wanted = y(others, Eigen::all);
    const Eigen::VectorXd across = k(others, i);
    squares += (y.row(i) - across.transpose() * inner.ldlt().solve(wanted)).squaredNorm();
  }
  EXPECT_NEAR(fit->judged, squares / 120.0, 1e-6 * squares / 120.0);
}

TEST_F(ClosedFits, SomeCentresSolveTheirNormalEquations) {
  for (const bool weighted : {false, true}) {
    const Table table(700, 5, weighted);
    auto sums = centre_sums(*work, table.rows, law, 60, 1, never);
    ASSERT_TRUE(sums);
    ASSERT_EQ(sums->centres.rows(), 60U);
    const auto fit = fit_some(*work, law, *sums, {}, {0.05}, never);
    ASSERT_TRUE(fit);
    const Eigen::MatrixXd nm = kernels(law, table.points, sums->centres),
                          mm = kernels(law, sums->centres, sums->centres);
    const Eigen::MatrixXd left = nm.transpose() * weights_of(table.rows).asDiagonal() * nm + 0.05 * mm;
    const Eigen::MatrixXd right = nm.transpose() * weights_of(table.rows).asDiagonal() * to_eigen(table.values);
    const Eigen::MatrixXd c = to_eigen(fit->coefficients);
    EXPECT_LT((left * c - right).cwiseAbs().maxCoeff(), 1e-7 * right.cwiseAbs().maxCoeff());
  }
}

TEST_F(ClosedFits, SumsOfFurtherRowsAreAdded) {
  const Table one(400, 7), other(100, 9);
  Matrix points(500, 2), values(500, 2);
  for (std::size_t i = 0; i < 500; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      points(i, k) = i < 400 ? one.points(i, k) : other.points(i - 400, k);
      values(i, k) = i < 400 ? one.values(i, k) : other.values(i - 400, k);
    }
  const rows::RowState all(rows::ScaledRows(points.view(), values.view()));
  auto sums = centre_sums(*work, one.rows, law, 40, 1, never);
  ASSERT_TRUE(sums && add_rows(*work, other.rows, law, *sums, never));
  EXPECT_EQ(sums->rows, 500U);
  dense::Triangle<double> gram;
  ASSERT_TRUE(work->kernel_gram(all, law, sums->centres, gram, never));
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j <= i; ++j) EXPECT_NEAR(sums->gram(i, j), gram(i, j), 1e-10 * gram(i, i));
}

TEST_F(ClosedFits, StepsLeadToTheRidgeSolution) {
  for (const bool weighted : {false, true}) {
    const Table table(450, 11, weighted), fresh(100, 13);
    const auto sums = centre_sums(*work, table.rows, law, 150, 1, never);
    ASSERT_TRUE(sums);
    const auto some = fit_some(*work, law, *sums, {}, {0.05}, never);
    ASSERT_TRUE(some);
    const auto all = fit_all(*work, table.rows, law, *sums, {}, {0.05}, {100}, never);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->judged.centres, table.points);
    const Eigen::MatrixXd k = kernels(law, fresh.points, table.points);
    const Eigen::MatrixXd expected = k * exact_alpha(law, table, 0.05), found = k * to_eigen(all->judged.coefficients);
    const Eigen::MatrixXd by_some = kernels(law, fresh.points, sums->centres) * to_eigen(some->coefficients);
    // Steps end where held-out rows see no difference.
    EXPECT_LT((found - expected).norm(), 0.01 * expected.norm());
    EXPECT_LT((found - expected).norm(), 0.5 * (by_some - expected).norm());
  }
}

TEST_F(ClosedFits, TheFitToAllRowsComesAlong) {
  for (const bool weighted : {false, true}) {
    const Table table(450, 31, weighted), held_out(150, 33, weighted);
    const auto sums = centre_sums(*work, table.rows, law, 150, 1, never);
    ASSERT_TRUE(sums);
    const std::vector<double> lambdas = {1e-4, 0.02, 30.0};
    const auto both = fit_all(*work, table.rows, law, *sums, held_out.rows, lambdas, {60}, never);
    ASSERT_TRUE(both);
    EXPECT_EQ(both->judged.lambda, 0.02);
    EXPECT_NEAR(both->judged.judged,
                *error_of(*work, law, both->judged.centres, both->judged.coefficients, held_out.rows, never), 1e-9);
    // Each of the two is the ridge solution of its rows.
    const Table fresh(100, 35);
    Matrix points(600, 2), values(600, 2);
    std::vector<double> weights = table.weights;
    weights.insert(weights.end(), held_out.weights.begin(), held_out.weights.end());
    for (std::size_t i = 0; i < 600; ++i)
      for (std::size_t k = 0; k < 2; ++k) {
        points(i, k) = i < 450 ? table.points(i, k) : held_out.points(i - 450, k);
        values(i, k) = i < 450 ? table.values(i, k) : held_out.values(i - 450, k);
      }
    Table all(1, 1);
    all.points = points;
    all.values = values;
    all.rows = rows::RowState(rows::ScaledRows(points.view(), values.view(), weights));
    EXPECT_EQ(both->with_held_out.centres, points);
    const Eigen::MatrixXd of_all = kernels(law, fresh.points, points),
                          of_some = kernels(law, fresh.points, table.points);
    const Eigen::MatrixXd expected = of_all * exact_alpha(law, all, 0.02),
                          without = of_some * exact_alpha(law, table, 0.02),
                          found = of_all * to_eigen(both->with_held_out.coefficients),
                          found_without = of_some * to_eigen(both->judged.coefficients);
    EXPECT_LT((found - expected).norm(), 0.2 * (expected - without).norm());
    EXPECT_LT((found_without - without).norm(), 0.2 * (expected - without).norm());
  }
}

TEST_F(ClosedFits, StepsEndInTime) {
  const Table table(900, 37), held_out(100, 39);
  const auto sums = centre_sums(*work, table.rows, law, 100, 1, never);
  ASSERT_TRUE(sums);
  int asked = 0;
  const auto fit = fit_all(*work, table.rows, law, *sums, held_out.rows, {0.02},
                           {40, [&] { return ++asked < 3 ? 1e9 : 0.0; }}, never);
  ASSERT_TRUE(fit);
  EXPECT_EQ(asked, 3);
  EXPECT_LT(fit->judged.judged, 1.0);
}

TEST_F(ClosedFits, TheBestLambdaIsThatOfTheRowsHeldOut) {
  const Table table(900, 15), held_out(300, 17);
  const auto sums = centre_sums(*work, table.rows, law, 200, 1, never);
  ASSERT_TRUE(sums);
  const auto fit = fit_some(*work, law, *sums, held_out.rows, {1e-6, 0.02, 30.0}, never);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->lambda, 0.02);
  EXPECT_NEAR(fit->judged, *error_of(*work, law, fit->centres, fit->coefficients, held_out.rows, never), 1e-12);
  EXPECT_LT(fit->judged, 0.06);  // two outputs with noise of 0.01 each
}

TEST_F(ClosedFits, NothingWhenInterrupted) {
  const Table table(300, 19);
  Interrupt stopped;
  stopped.stop();
  EXPECT_FALSE(fit_exactly(*work, table.rows, law, {0.1}, {}, stopped));
  EXPECT_FALSE(centre_sums(*work, table.rows, law, 50, 1, stopped));
}

}  // namespace
}  // namespace rfnn::wide
