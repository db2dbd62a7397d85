#include "rfnn/finders/wide/wide_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfnn/finders/wide/tuning.hpp"
#include "rows/naive.hpp"

namespace rfnn::wide {
namespace {

using rows::WideFeatures;
using testing::index;
using testing::naive_features;
using testing::normal_matrix;
using testing::to_eigen;
using testing::uniform_matrix;

rows::RowState rows_of(const Matrix& theta, const Matrix& target) {
  return rows::RowState(rows::ScaledRows(theta.view(), target.view()));
}

WideFeatures make_features(std::size_t count, std::size_t inputs, double spread, std::uint64_t seed = 5) {
  WideFeatures features{normal_matrix(count, inputs, seed, spread), std::vector<double>(count)};
  const Stream stream(seed, Purpose::data, 1);
  for (std::size_t f = 0; f < count; ++f)
    features.prior[f] = (0.3 + stream.uniform(f)) / std::sqrt(static_cast<double>(count));
  return features;
}

/// A S.
Eigen::MatrixXd scaled_columns(const Matrix& theta, const WideFeatures& features) {
  Eigen::MatrixXd columns = naive_features(to_eigen(theta), features.frequencies);
  for (Eigen::Index i = 0; i < columns.cols(); ++i) columns.col(i) *= features.prior[static_cast<std::size_t>(i / 2)];
  return columns;
}

/// b = S c for the c that minimises |A S c − r|² + λ|c|², for each λ.
std::vector<Eigen::MatrixXd> dense_ridges(const Matrix& theta, const Matrix& target, const WideFeatures& features,
                                          const std::vector<double>& lambdas) {
  std::vector<Eigen::MatrixXd> all = testing::naive_ridges(scaled_columns(theta, features), to_eigen(target), lambdas);
  for (Eigen::MatrixXd& b : all)
    for (Eigen::Index i = 0; i < b.rows(); ++i) b.row(i) *= features.prior[static_cast<std::size_t>(i / 2)];
  return all;
}
Eigen::MatrixXd dense_ridge(const Matrix& theta, const Matrix& target, const WideFeatures& features, double lambda) {
  return dense_ridges(theta, target, features, {lambda}).front();
}

Matrix noisy(const Matrix& theta, std::size_t outputs, double sd, std::uint64_t seed) {
  const Stream stream(seed, Purpose::noise);
  Matrix target(theta.rows(), outputs);
  for (std::size_t i = 0; i < theta.rows(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) {
      double phase = static_cast<double>(o);
      for (std::size_t k = 0; k < theta.cols(); ++k) phase += (1.0 + static_cast<double>(k)) * theta(i, k);
      target(i, o) = std::sin(phase) + sd * stream.normal(i * outputs + o);
    }
  return target;
}

std::optional<WideFit> fit(const rows::RowState& rows, const rows::RowState& held_out, const WideFeatures& features,
                           const std::vector<double>& lambdas, std::size_t threads = 1, const Matrix* start = nullptr) {
  const auto work = rows::make_row_work(rows::Implementation::threads, threads);
  Interrupt never;
  return fit_wide(*work, rows, held_out, features, lambdas, 1, never, start);
}

TEST(RowKernel, IsTheProductOfTheColumns) {
  for (const std::size_t count : {1U, 95U, 96U, 97U, 200U})
    for (const std::size_t width : {1U, 255U, 256U, 257U}) {
      const Matrix theta = normal_matrix(count, 3, 1);
      // The state is no variable of a wide block.
      rows::RowState rows = rows_of(theta, normal_matrix(count, 2, 2));
      for (std::size_t i = 0; i < count; ++i) rows.state(i, 0) = 1e3;
      const WideFeatures features = make_features(width, 3, 2.0);
      const Eigen::MatrixXd columns = scaled_columns(theta, features);
      const auto work = rows::make_row_work(rows::Implementation::threads, 1);
      Interrupt never;
      Eigen::MatrixXd kernel;
      ASSERT_TRUE(work->row_kernel(rows, features, kernel, never));
      ASSERT_EQ(kernel.rows(), index(count));
      ASSERT_EQ(kernel.cols(), index(count));
      EXPECT_LE((kernel - columns * columns.transpose()).cwiseAbs().maxCoeff(), 1e-12) << count << ' ' << width;
    }
}

TEST(RowKernel, SameBitsForAnyThreadsAndFalseWhenInterrupted) {
  const rows::RowState rows = rows_of(normal_matrix(300, 2, 3), normal_matrix(300, 1, 4));
  const WideFeatures features = make_features(600, 2, 2.0);
  Eigen::MatrixXd kernel[3];
  for (std::size_t t = 0; t < 3; ++t) {
    const auto work = rows::make_row_work(rows::Implementation::threads, t + 1);
    Interrupt never;
    ASSERT_TRUE(work->row_kernel(rows, features, kernel[t], never));
    EXPECT_EQ(kernel[t], kernel[0]);
    Interrupt stop([] { return false; });
    Eigen::MatrixXd unused;
    EXPECT_FALSE(work->row_kernel(rows, features, unused, stop));
  }
}

TEST(WideBlock, FewRowsGetTheDenseRidgeSolution) {
  for (const std::size_t outputs : {1U, 3U})
    for (const double lambda : {1e-4, 0.3}) {
      const Matrix theta = normal_matrix(150, 2, 6), target = noisy(theta, outputs, 0.1, 7);
      const rows::RowState rows = rows_of(theta, target);
      const WideFeatures features = make_features(130, 2, 1.5);
      const auto found = fit(rows, rows, features, {lambda});
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->lambda, lambda);
      ASSERT_EQ(found->amplitudes.rows(), 260U);
      ASSERT_EQ(found->amplitudes.cols(), outputs);
      const Eigen::MatrixXd expected = dense_ridge(theta, target, features, lambda);
      EXPECT_LE((to_eigen(found->amplitudes) - expected).norm(), 1e-8 * expected.norm()) << lambda;
    }
}

TEST(WideBlock, WithoutRidgeFewRowsAreMet) {
  const Matrix theta = uniform_matrix(40, 2, 8, -2.0, 2.0), target = noisy(theta, 1, 0.5, 9);
  const rows::RowState rows = rows_of(theta, target);
  const WideFeatures features = make_features(400, 2, 6.0);
  const auto found = fit(rows, rows, features, {0.0});
  ASSERT_TRUE(found.has_value());
  const Eigen::MatrixXd columns = naive_features(to_eigen(theta), features.frequencies);
  EXPECT_LE((columns * to_eigen(found->amplitudes) - to_eigen(target)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(WideBlock, FewRowsChooseLambdaByLeavingEachOut) {
  const std::size_t count = 40;
  const Matrix theta = uniform_matrix(count, 1, 10, -2.0, 2.0), target = noisy(theta, 2, 0.4, 11);
  const WideFeatures features = make_features(60, 1, 6.0);
  const std::vector<double> lambdas = {30.0, 1.0, 0.2, 1e-2, 1e-5};
  // Each row predicted from the others, by brute force.
  double best = std::numeric_limits<double>::infinity(), chosen = 0.0;
  for (const double lambda : lambdas) {
    double sum = 0.0;
    for (std::size_t out = 0; out < count; ++out) {
      Matrix others(count - 1, 1), values(count - 1, 2);
      for (std::size_t i = 0, at = 0; i < count; ++i) {
        if (i == out) continue;
        others(at, 0) = theta(i, 0);
        for (std::size_t o = 0; o < 2; ++o) values(at, o) = target(i, o);
        ++at;
      }
      const Eigen::MatrixXd b = dense_ridge(others, values, features, lambda);
      const Eigen::MatrixXd row = naive_features(to_eigen(theta).row(index(out)), features.frequencies);
      sum += (row * b - to_eigen(target).row(index(out))).squaredNorm();
    }
    if (sum / static_cast<double>(count) < best) best = sum / static_cast<double>(count), chosen = lambda;
  }
  ASSERT_NE(chosen, lambdas.front());
  ASSERT_NE(chosen, lambdas.back());
  const rows::RowState rows = rows_of(theta, target);
  const auto found = fit(rows, rows, features, lambdas);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->lambda, chosen);
  EXPECT_NEAR(found->held_out, best, 1e-6 * best);
  const Eigen::MatrixXd expected = dense_ridge(theta, target, features, chosen);
  EXPECT_LE((to_eigen(found->amplitudes) - expected).norm(), 1e-8 * expected.norm());
}

TEST(WideBlock, FewRowsGiveTheSameBitsForAnyThreads) {
  const Matrix theta = normal_matrix(250, 2, 12), target = noisy(theta, 2, 0.1, 13);
  const rows::RowState rows = rows_of(theta, target);
  const WideFeatures features = make_features(300, 2, 1.5);
  const auto alone = fit(rows, rows, features, {1.0, 0.01});
  ASSERT_TRUE(alone.has_value());
  for (const std::size_t threads : {2U, 3U}) {
    const auto found = fit(rows, rows, features, {1.0, 0.01}, threads);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->amplitudes, alone->amplitudes);
    EXPECT_EQ(found->lambda, alone->lambda);
    EXPECT_EQ(found->held_out, alone->held_out);
  }
}

TEST(WideBlock, NothingWhenInterrupted) {
  for (const std::size_t count : {std::size_t{100}, tuning::most_dual_rows + 1})
    for (const std::size_t threads : {1U, 2U}) {
      const Matrix theta = normal_matrix(count, 2, 14), target = noisy(theta, 1, 0.1, 15);
      const rows::RowState rows = rows_of(theta, target);
      const auto work = rows::make_row_work(rows::Implementation::threads, threads);
      Interrupt stop([] { return false; });
      EXPECT_FALSE(fit_wide(*work, rows, rows, make_features(50, 2, 1.5), {0.1, 0.01}, 1, stop).has_value());
    }
}

/// More rows than the dual takes.
struct ManyRows {
  Matrix theta = normal_matrix(tuning::most_dual_rows + 100, 3, 16), target = noisy(theta, 2, 0.3, 17);
  Matrix held_theta = normal_matrix(700, 3, 18), held_target = noisy(held_theta, 2, 0.3, 19);
  rows::RowState rows = rows_of(theta, target), held_out = rows_of(held_theta, held_target);
  WideFeatures features = make_features(300, 3, 2.0);
  Eigen::MatrixXd held_columns = naive_features(to_eigen(held_theta), features.frequencies);

  [[nodiscard]] double held_error(const Eigen::MatrixXd& b) const {
    return (held_columns * b - to_eigen(held_target)).squaredNorm() / 700.0;
  }
};

/// What is left on held-out rows by the dense solutions, per λ.
std::vector<double> dense_errors(const ManyRows& many, const std::vector<double>& lambdas) {
  std::vector<double> errors;
  for (const Eigen::MatrixXd& b : dense_ridges(many.theta, many.target, many.features, lambdas))
    errors.push_back(many.held_error(b));
  return errors;
}

TEST(WideBlock, ManyRowsComeNearTheDenseSolution) {
  const ManyRows many;
  const std::vector<double> lambdas = {2.0, 0.5, 0.125, 0.03};
  const auto found = fit(many.rows, many.held_out, many.features, lambdas);
  ASSERT_TRUE(found.has_value());
  const std::vector<double> errors = dense_errors(many, lambdas);
  EXPECT_LE(found->held_out, 1.01 * *std::min_element(errors.begin(), errors.end()));
  EXPECT_LT(found->held_out, 0.8 * errors.front());  // λ matters here
  EXPECT_NEAR(found->held_out, many.held_error(to_eigen(found->amplitudes)), 1e-10);
  // The functions differ by little against the noise, 0.09 per output.
  const Eigen::MatrixXd b = dense_ridge(many.theta, many.target, many.features, found->lambda);
  EXPECT_LT((many.held_columns * (to_eigen(found->amplitudes) - b)).squaredNorm() / (2.0 * 700.0), 1e-3 * 0.09);
}

// λ over four decades, solved side by side with a preconditioner each. With one for all, made for the least of them,
// the larger ones would be far from solved when the steps end, and errors of such fits would choose the wrong λ.
TEST(WideBlock, ManyRowsComeNearTheDenseSolutionForManyLambdas) {
  const ManyRows many;
  const std::vector<double> lambdas = {2.0, 0.5, 0.125, 0.03, 8e-3, 2e-3, 5e-4, 1.2e-4};
  const auto found = fit(many.rows, many.held_out, many.features, lambdas);
  ASSERT_TRUE(found.has_value());
  const std::vector<double> errors = dense_errors(many, lambdas);
  EXPECT_LE(found->held_out, 1.02 * *std::min_element(errors.begin(), errors.end()));
}

// A small λ alone: so many steps are not enough either.
TEST(WideBlock, ManyRowsComeNearTheDenseSolutionForASmallLambda) {
  const ManyRows many;
  const auto found = fit(many.rows, many.held_out, many.features, {1e-3});
  ASSERT_TRUE(found.has_value());
  EXPECT_LE(many.held_error(to_eigen(found->amplitudes)), 1.02 * dense_errors(many, {1e-3}).front());
}

TEST(WideBlock, ManyRowsGiveTheSameBitsForAnyThreadsAndStayAtASolution) {
  const ManyRows many;
  const auto alone = fit(many.rows, many.held_out, many.features, {2.0});
  const auto together = fit(many.rows, many.held_out, many.features, {2.0}, 3);
  ASSERT_TRUE(alone.has_value() && together.has_value());
  EXPECT_EQ(alone->amplitudes, together->amplitudes);
  // From the dense solution there is no step to take.
  Matrix start = testing::to_matrix(dense_ridge(many.theta, many.target, many.features, 2.0));
  const auto again = fit(many.rows, many.held_out, many.features, {2.0}, 1, &start);
  ASSERT_TRUE(again.has_value());
  const Eigen::MatrixXd before = to_eigen(start);
  EXPECT_LE((to_eigen(again->amplitudes) - before).norm(), 1e-12 * before.norm());
}

}  // namespace
}  // namespace rfnn::wide
