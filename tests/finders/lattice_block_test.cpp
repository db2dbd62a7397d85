#include "rfnn/finders/lattice/lattice_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "rfnn/core/error.hpp"
#include "rfnn/core/random.hpp"
#include "rows/naive.hpp"

namespace rfnn::lattice {
namespace {

using testing::naive_features;
using testing::normal_matrix;
using testing::to_eigen;
using testing::uniform_matrix;

constexpr std::size_t many = 1'000'000;

/// Rows, a tenth of them held out.
struct Rows {
  Matrix theta, target, held_theta, held_target;
};

Rows make_rows(const Matrix& theta, std::size_t outputs, const std::function<double(const double*, std::size_t)>& f,
               double noise = 0.0) {
  const std::size_t held = theta.rows() / 10, d = theta.cols();
  Rows rows{Matrix(theta.rows() - held, d), Matrix(theta.rows() - held, outputs), Matrix(held, d),
            Matrix(held, outputs)};
  const Stream stream(3, Purpose::noise);
  std::size_t at[2] = {0, 0};
  for (std::size_t n = 0; n < theta.rows(); ++n) {
    const bool out = n % 10 == (7 * (n / 10)) % 10 && at[1] < held;
    Matrix &x = out ? rows.held_theta : rows.theta, &y = out ? rows.held_target : rows.target;
    std::size_t& row = at[out ? 1 : 0];
    for (std::size_t j = 0; j < d; ++j) x(row, j) = theta(n, j);
    for (std::size_t o = 0; o < outputs; ++o)
      y(row, o) = f(theta.data() + n * d, o) + noise * stream.normal(n * outputs + o);
    ++row;
  }
  return rows;
}

Matrix line_of(std::size_t rows) {
  Matrix theta(rows, 1);
  for (std::size_t n = 0; n < rows; ++n)
    theta(n, 0) = 3.4 * (static_cast<double>(n) / static_cast<double>(rows - 1) - 0.5);
  return theta;
}

rows::RowState state_of(const Matrix& theta, const Matrix& target) {
  return rows::RowState(rows::ScaledRows(theta.view(), target.view()));
}

std::optional<LatticePrior> learn(const Rows& rows, Interrupt& interrupt, std::size_t threads = 1,
                                  std::size_t max_features = many) {
  const auto work = rows::make_row_work(rows::Implementation::threads, threads);
  return learn_lattice_prior(*work, state_of(rows.theta, rows.target), state_of(rows.held_theta, rows.held_target),
                             max_features, interrupt);
}

std::optional<LatticeBlock> learn_and_fit(const Rows& rows, std::size_t threads = 1, std::size_t max_features = many) {
  Interrupt never;
  const auto prior = learn(rows, never, threads, max_features);
  if (!prior) return std::nullopt;
  const auto work = rows::make_row_work(rows::Implementation::threads, threads);
  return fit_lattice(*work, *prior, state_of(rows.theta, rows.target), max_features, never);
}

Eigen::MatrixXd values_of(const LatticeBlock& block, const Matrix& theta) {
  return naive_features(to_eigen(theta), block.branch.frequencies) * to_eigen(block.branch.amplitudes);
}

double mean_square_error(const LatticeBlock& block, const Matrix& theta, const Matrix& target) {
  return (values_of(block, theta) - to_eigen(target)).squaredNorm() / static_cast<double>(target.size());
}

TEST(LatticeBlock, FindsLinesInNoiseOnUnevenRows) {
  // Two lines close to each other, one weak and far off, a gap in the middle, a few rows twice.
  const auto f = [](const double* t, std::size_t) {
    return std::sin(301.0 * t[0]) + 0.8 * std::cos(331.0 * t[0]) + 0.2 * std::cos(760.0 * t[0] + 1.0);
  };
  Matrix theta = uniform_matrix(1500, 1, 1, -1.7, 1.7);
  for (std::size_t n = 0; n < theta.rows(); ++n)
    if (std::abs(theta(n, 0)) < 0.1) theta(n, 0) = n % 2 == 0 ? 0.5 : theta(n, 0) + 0.3;
  const Rows rows = make_rows(theta, 1, f, 0.1);
  const auto block = learn_and_fit(rows);
  ASSERT_TRUE(block.has_value());
  EXPECT_LT(mean_square_error(*block, rows.held_theta, rows.held_target), 0.014);  // the noise is 0.01
  std::vector<std::pair<double, double>> lines;
  for (std::size_t j = 0; j < block->branch.frequencies.rows(); ++j)
    lines.emplace_back(-std::hypot(block->branch.amplitudes(2 * j, 0), block->branch.amplitudes(2 * j + 1, 0)),
                       block->branch.frequencies(j, 0));
  std::sort(lines.begin(), lines.end());
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const double omega = lines[rank].second;
    EXPECT_LT(std::min(std::abs(omega - 301.0), std::abs(omega - 331.0)), 3.0) << omega;
  }
}

TEST(LatticeBlock, SmoothFieldToManyDigits) {
  // A grid of which rows are held out, anisotropic and not periodic.
  const std::size_t across = 30, along = 50;
  Matrix theta(across * along, 2);
  for (std::size_t n = 0; n < theta.rows(); ++n) {
    theta(n, 0) = 3.4 * static_cast<double>(n % along) / (along - 1) - 1.7;
    theta(n, 1) = 3.4 * static_cast<double>(n / along) / (across - 1) - 1.7;
  }
  const Rows rows = make_rows(theta, 1, [](const double* t, std::size_t) {
    return std::sin(5.0 * t[0] + t[1]) / (1.5 + std::cos(t[1] - t[0])) + 0.3 * t[0] * t[1];
  });
  const auto block = learn_and_fit(rows);
  ASSERT_TRUE(block.has_value());
  EXPECT_LT(mean_square_error(*block, rows.held_theta, rows.held_target), 3e-7);
  EXPECT_LT(block->held_out_mse, 3e-6);
  std::size_t zeros = 0;
  for (std::size_t j = 0; j < block->branch.frequencies.rows(); ++j)
    zeros += block->branch.frequencies(j, 0) == 0.0 && block->branch.frequencies(j, 1) == 0.0 ? 1 : 0;
  EXPECT_EQ(zeros, 1u);
}

TEST(LatticeBlock, NoiseIsNotFitted) {
  for (const std::size_t d : {1u, 2u}) {
    const Rows rows = make_rows(
        uniform_matrix(1500, d, 5, -1.7, 1.7), 1, [](auto, auto) { return 0.0; }, 1.0);
    Interrupt never;
    const auto prior = learn(rows, never);
    ASSERT_TRUE(prior.has_value());
    const double without = to_eigen(rows.held_target).squaredNorm() / static_cast<double>(rows.held_target.rows());
    EXPECT_LT(prior->held_out_mse, 1.08 * without) << d;
  }
}

TEST(LatticeBlock, OutputsHaveSpectraOfTheirOwn) {
  const auto f = [](const double* t, std::size_t o) {
    return o == 0 ? std::sin(4.0 * t[0]) : 1e-3 * std::cos(90.0 * t[0]);
  };
  const Rows rows = make_rows(line_of(300), 2, f);
  const auto block = learn_and_fit(rows);
  ASSERT_TRUE(block.has_value());
  const Eigen::MatrixXd misfit = values_of(*block, rows.held_theta) - to_eigen(rows.held_target);
  EXPECT_LT(misfit.col(0).squaredNorm(), 1e-6 * to_eigen(rows.held_target).col(0).squaredNorm());
  EXPECT_LT(misfit.col(1).squaredNorm(), 1e-4 * to_eigen(rows.held_target).col(1).squaredNorm());
  for (std::size_t o = 0; o < 2; ++o) {
    const Rows alone = make_rows(line_of(300), 1, [&](const double* t, std::size_t) { return f(t, o); });
    const auto single = learn_and_fit(alone);
    ASSERT_TRUE(single.has_value());
    EXPECT_LT(
        (values_of(*single, rows.held_theta).col(0) - to_eigen(rows.held_target).col(static_cast<Eigen::Index>(o)))
            .squaredNorm(),
        1e-4 * to_eigen(rows.held_target).col(static_cast<Eigen::Index>(o)).squaredNorm());
  }
}

TEST(LatticeBlock, KeepsToTheLimitAndDropsWhatDoesNotCount) {
  const Rows rows = make_rows(
      line_of(600), 1, [](const double* t, std::size_t) { return std::sin(20.0 * t[0]); }, 0.1);
  const auto few = learn_and_fit(rows, 1, 60);
  ASSERT_TRUE(few.has_value());
  EXPECT_LE(few->branch.frequencies.rows(), 60u);
  EXPECT_LT(mean_square_error(*few, rows.held_theta, rows.held_target), 0.014);

  Interrupt never;
  const auto prior = learn(rows, never);
  ASSERT_TRUE(prior.has_value());
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  // What counts is measured by the held-out error: none, and a hundred times what it is.
  const auto fit = [&](double held_out_mse) {
    LatticePrior other = *prior;
    other.held_out_mse = held_out_mse;
    return *fit_lattice(*work, other, state_of(rows.theta, rows.target), many, never);
  };
  const LatticeBlock all = fit(0.0), most = fit(100.0 * prior->held_out_mse);
  EXPECT_EQ(all.branch.frequencies.rows(), prior->lattice.points());
  EXPECT_LT(most.branch.frequencies.rows(), all.branch.frequencies.rows() / 2);
  EXPECT_EQ(most.branch.amplitudes.rows(), 2 * most.branch.frequencies.rows());
  const double change = (values_of(all, rows.theta) - values_of(most, rows.theta)).squaredNorm();
  EXPECT_LT(change / static_cast<double>(rows.theta.rows()), 0.03 * prior->held_out_mse);
}

TEST(LatticeBlock, SameBitsForAnyNumberOfThreads) {
  const Rows rows = make_rows(
      uniform_matrix(300, 2, 8, -1.7, 1.7), 1, [](const double* t, std::size_t) { return std::sin(9.0 * t[0]) * t[1]; },
      0.05);
  const auto one = learn_and_fit(rows, 1), three = learn_and_fit(rows, 3);
  ASSERT_TRUE(one.has_value() && three.has_value());
  EXPECT_EQ(one->branch.frequencies, three->branch.frequencies);
  EXPECT_EQ(one->branch.amplitudes, three->branch.amplitudes);
}

TEST(LatticeBlock, NothingToFitIsZero) {
  const Rows rows = make_rows(line_of(100), 1, [](auto, auto) { return 0.0; });
  const auto block = learn_and_fit(rows);
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(values_of(*block, rows.theta).cwiseAbs().maxCoeff(), 0.0);
}

TEST(LatticeBlock, DeclinesWhatItIsNotFor) {
  const auto zero = [](auto, auto) { return 0.0; };
  EXPECT_FALSE(learn_and_fit(make_rows(uniform_matrix(200, 3, 1, -1.0, 1.0), 1, zero)));
  EXPECT_FALSE(learn_and_fit(make_rows(line_of(25), 1, zero)));
  Matrix few = uniform_matrix(400, 2, 1, -1.0, 1.0);
  for (std::size_t n = 0; n < few.rows(); ++n) few(n, 1) = static_cast<double>(n % 4);
  EXPECT_FALSE(learn_and_fit(make_rows(few, 1, zero)));
  Interrupt never;
  const auto prior = learn(make_rows(line_of(100), 1, zero), never);
  ASSERT_TRUE(prior.has_value());
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  EXPECT_THROW(fit_lattice(*work, *prior, state_of(few, Matrix(400, 1)), many, never), UsageError);
}

TEST(LatticeBlock, EndsWhenInterrupted) {
  const Rows rows = make_rows(
      line_of(2000), 1, [](const double* t, std::size_t) { return std::sin(20.0 * t[0]); }, 0.1);
  Interrupt stopped, never;
  stopped.stop();
  EXPECT_FALSE(learn(rows, stopped));
  const auto prior = learn(rows, never);
  ASSERT_TRUE(prior.has_value());
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  EXPECT_FALSE(fit_lattice(*work, *prior, state_of(rows.theta, rows.target), many, stopped));
}

// The branch says that it is a lattice where a transform is worth it.
TEST(LatticeBlock, SaysThatItIsALatticeWhereThatIsQuicker) {
  const Rows rows = make_rows(
      line_of(600), 1, [](const double* t, std::size_t) { return std::sin(20.0 * t[0]); }, 0.1);
  const auto few = learn_and_fit(rows, 1, 60);
  ASSERT_TRUE(few.has_value());
  EXPECT_TRUE(few->branch.lattice.empty());
  Interrupt never;
  auto prior = learn(rows, never);
  ASSERT_TRUE(prior.has_value());
  prior->held_out_mse = 0.0;  // nothing is left out
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  const auto all = fit_lattice(*work, *prior, state_of(rows.theta, rows.target), many, never);
  ASSERT_TRUE(all.has_value());
  ASSERT_GE(all->branch.frequencies.rows(), 256u);
  ASSERT_EQ(all->branch.lattice.size(), 1u);
  for (std::size_t j = 0; j < all->branch.frequencies.rows(); ++j) {
    const double k = all->branch.frequencies(j, 0) / all->branch.lattice[0];
    EXPECT_NEAR(k, std::round(k), 1e-9);
  }
}

}  // namespace
}  // namespace rfnn::lattice
