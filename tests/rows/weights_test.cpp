// A row of weight w counts w times: every pass over weighted rows must give what it gives for the rows repeated.

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "rfnn/finders/lattice/lattice_system.hpp"
#include "rfnn/finders/wide/tuning.hpp"
#include "rfnn/finders/wide/wide_block.hpp"
#include "rfnn/rows/row_work.hpp"
#include "rows/naive.hpp"

namespace rfnn::rows {
namespace {

using testing::index;
using testing::normal_matrix;
using testing::to_eigen;

/// The same rows twice: once each with a weight of 1, 2 or 3, and as often as the weight says.
struct Twins {
  Twins(std::size_t count, std::size_t inputs, std::size_t outputs)
      : theta(normal_matrix(count, inputs, 1)), target(normal_matrix(count, outputs, 2)) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < count; ++i) {
      weights.push_back(static_cast<double>(1 + i * 7 % 3));
      rows.insert(rows.end(), 1 + i * 7 % 3, i);
    }
    mean = std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(count);
    all_theta = Matrix(rows.size(), inputs);
    all_target = Matrix(rows.size(), outputs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < inputs; ++k) all_theta(i, k) = theta(rows[i], k);
      for (std::size_t o = 0; o < outputs; ++o) all_target(i, o) = target(rows[i], o);
    }
  }
  [[nodiscard]] ScaledRows weighted() const { return {theta.view(), target.view(), weights}; }
  [[nodiscard]] ScaledRows repeated() const { return {all_theta.view(), all_target.view()}; }

  Matrix theta, target, all_theta, all_target;
  std::vector<double> weights;
  double mean = 0.0;
};

void expect_near(const Eigen::MatrixXd& actual, const Eigen::MatrixXd& expected) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), 1e-11 * (1.0 + expected.cwiseAbs().maxCoeff()));
}

FeatureBlock make_block(std::size_t variables, std::size_t outputs) {
  FeatureBlock block;
  const Matrix frequencies = normal_matrix(4, variables, 8);
  for (std::size_t f = 0; f < 4; ++f) {
    Feature feature;
    for (std::size_t k = 0; k < variables; ++k) {
      feature.frequency.push_back(frequencies(f, k));
      feature.active.push_back(static_cast<std::uint32_t>(k));
    }
    block.features.push_back(feature);
  }
  block.amplitudes = to_eigen(normal_matrix(8, outputs, 9));
  return block;
}

TEST(Weights, PassesOfGrowthCountRowsByThem) {
  const Twins twins(tile_rows + 40, 3, 2);
  const RowState weighted(twins.weighted()), repeated(twins.repeated());
  const auto work = make_row_work(Implementation::threads, 2);
  RowWork& passes = *work;
  expect_near(passes.mean_squares(weighted), passes.mean_squares(repeated));
  const FeatureBlock block = make_block(5, 2);
  Interrupt never;

  FeatureSums a, b;
  ASSERT_TRUE(passes.features(weighted, block.features, a, never));
  ASSERT_TRUE(passes.features(repeated, block.features, b, never));
  expect_near(twins.mean * a.gram, b.gram);
  expect_near(twins.mean * a.rhs, b.rhs);
  expect_near(twins.mean * a.energy, b.energy);

  JacobianSums c, d;
  ASSERT_TRUE(passes.jacobian(weighted, block, c, never));
  ASSERT_TRUE(passes.jacobian(repeated, block, d, never));
  expect_near(twins.mean * c.gram, d.gram);
  expect_near(twins.mean * c.rhs, d.rhs);
  expect_near(twins.mean * c.cross[1], d.cross[1]);
  expect_near(twins.mean * c.curvature, d.curvature);
  expect_near(twins.mean * c.slope, d.slope);

  Eigen::VectorXd e, f;
  ASSERT_TRUE(passes.misfit(weighted, block, e, never));
  ASSERT_TRUE(passes.misfit(repeated, block, f, never));
  expect_near(twins.mean * e, f);

  std::vector<double> power, power_repeated;
  ASSERT_TRUE(passes.spectrum(weighted, weighted.residual, block.features, 1, power, never));
  ASSERT_TRUE(passes.spectrum(repeated, repeated.residual, block.features, 1, power_repeated, never));
  for (std::size_t i = 0; i < power.size(); ++i)
    EXPECT_NEAR(twins.mean * twins.mean * power[i], power_repeated[i], 1e-10 * power_repeated[i]);

  // What a block leaves is no matter of weights.
  TiledColumns left, left_plain;
  ASSERT_TRUE(passes.left_by(weighted, block, left, never));
  const RowState plain(ScaledRows(twins.theta.view(), twins.target.view()));
  ASSERT_TRUE(passes.left_by(plain, block, left_plain, never));
  for (std::size_t i = 0; i < left.rows(); ++i) ASSERT_EQ(left(i, 1), left_plain(i, 1));
}

TEST(Weights, SomeOfTheRowsKeepTheirs) {
  const Twins twins(100, 2, 1);
  const RowState some = RowState(twins.weighted()).some(30, Stream(4, Purpose::data));
  const auto weight_given = [&](std::size_t i) {
    std::size_t row = 0;
    while (twins.theta(row, 0) != some.variable_of(i, 0)) ++row;
    return twins.weights[row];
  };
  double sum = 0.0;
  for (std::size_t i = 0; i < some.count(); ++i) {
    sum += some.weight(i);
    EXPECT_NEAR(some.weight(i) / some.weight(0), weight_given(i) / weight_given(0), 1e-12);
  }
  EXPECT_NEAR(sum, 30.0, 1e-10);
}

TEST(Weights, EnginesCountRowsByThem) {
  const Twins twins(tile_rows + 40, 3, 2);
  std::vector<std::size_t> some, some_repeated;
  std::size_t place = 0;
  for (std::size_t i = 0; i < twins.weights.size(); ++i) {
    const auto times = static_cast<std::size_t>(twins.weights[i]);
    if (i % 2 == 0) {
      some.push_back(i);
      for (std::size_t copy = 0; copy < times; ++copy) some_repeated.push_back(place + copy);
    }
    place += times;
  }
  Interrupt never;
  for (const bool all : {true, false}) {
    const auto reference = make_row_work(Implementation::reference, 1);
    RowState repeated(twins.repeated());
    const auto expected = reference->chain(repeated);
    const std::vector<BranchShape> shapes = {{BranchKind::input, 3}, {BranchKind::state, 2}};
    Block block;
    block.branches = {{BranchKind::input, normal_matrix(2, 3, 12), normal_matrix(4, 2, 13)}};
    const auto begin = [&](RowWork& work, RowState& state, Engine& engine, const std::vector<std::size_t>& rows) {
      ASSERT_TRUE(work.advance(block, state, never));
      engine.begin_block(shapes, rows);
      engine.keep(0, normal_matrix(3, 3, 10));
      engine.keep(1, normal_matrix(2, 2, 11));
    };
    begin(*reference, repeated, *expected, all ? std::vector<std::size_t>{} : some_repeated);
    least_squares::NormalEquations wanted;
    ASSERT_TRUE(expected->reduce_kept(wanted, never));
    for (const Implementation kind : {Implementation::threads, Implementation::reference}) {
      const auto work = make_row_work(kind, 2);
      RowState weighted(twins.weighted());
      const auto engine = work->chain(weighted);
      begin(*work, weighted, *engine, all ? std::vector<std::size_t>{} : some);
      least_squares::NormalEquations problem;
      ASSERT_TRUE(engine->reduce_kept(problem, never));
      expect_near(problem.gram / problem.rows, wanted.gram / wanted.rows);
      expect_near(problem.rhs / problem.rows, wanted.rhs / wanted.rows);
      expect_near(problem.energy / problem.rows, wanted.energy / wanted.rows);
      least_squares::Triangle triangle;
      ASSERT_TRUE(engine->triangle({0, 1, 5}, triangle, never));
      const Eigen::MatrixXd squared = triangle.upper.transpose() * triangle.upper;
      EXPECT_NEAR(squared(0, 2) / problem.rows, wanted.gram(0, 5) / wanted.rows, 1e-11);
      expect_near(work->mean_squares(weighted), reference->mean_squares(repeated));
    }
  }
}

TEST(Weights, WideBlocksCountRowsByThem) {
  for (const std::size_t count : {std::size_t{150}, std::size_t{4100}}) {
    const Twins twins(count, 3, 2);
    WideFeatures features{normal_matrix(20, 3, 5), std::vector<double>(20, 0.3)};
    const RowState weighted(twins.weighted()), repeated(twins.repeated());
    const auto work = make_row_work(Implementation::threads, 2);
    Interrupt never;
    const double lambda = 3.0;
    const auto a = wide::fit_wide(*work, weighted, weighted, features, {lambda / twins.mean}, 1, never);
    const auto b = wide::fit_wide(*work, repeated, repeated, features, {lambda}, 1, never);
    ASSERT_TRUE(a && b);
    // Many rows are solved iteratively, up to what held-out rows would see.
    const double tolerance = count > wide::tuning::most_dual_rows ? 1e-2 : 1e-9;
    const Eigen::MatrixXd x = to_eigen(a->amplitudes), y = to_eigen(b->amplitudes);
    EXPECT_LE((x - y).norm(), tolerance * y.norm()) << count;
    // Without weights it is another fit.
    const auto plain = wide::fit_wide(*work, RowState(ScaledRows(twins.theta.view(), twins.target.view())), weighted,
                                      features, {lambda / twins.mean}, 1, never);
    EXPECT_GT((to_eigen(plain->amplitudes) - y).norm(), 5.0 * tolerance * y.norm()) << count;
  }
}

TEST(Weights, LatticesCountRowsByThem) {
  const Twins twins(120, 2, 1);
  const auto work = make_row_work(Implementation::threads, 1);
  Interrupt never;
  const HalfLattice lattice = {5, 3};
  const LatticeMap map{{0.0, 0.0}, {0.3, 0.4}};
  lattice::LatticeSystem weighted(*work, lattice, 2), repeated(*work, lattice, 2);
  ASSERT_TRUE(weighted.set_points(map.phases(twins.theta.view()), twins.weights, never));
  ASSERT_TRUE(repeated.set_points(map.phases(twins.all_theta.view()), {}, never));
  std::vector<double> values, all_values;
  for (std::size_t i = 0; i < twins.target.rows(); ++i) values.push_back(twins.target(i, 0));
  for (std::size_t i = 0; i < twins.all_target.rows(); ++i) all_values.push_back(twins.all_target(i, 0));
  Coefficients right, all_right, b, all_b;
  ASSERT_TRUE(weighted.gather(values, right, never));
  ASSERT_TRUE(repeated.gather(all_values, all_right, never));
  for (std::size_t i = 0; i < right.size(); ++i) ASSERT_NEAR(right[i], all_right[i], 1e-9);
  const std::vector<double> spectrum(lattice.points(), 1.0);
  ASSERT_TRUE(weighted.solve(right, spectrum, 0.5, 200, 1e-12, b, never));
  ASSERT_TRUE(repeated.solve(all_right, spectrum, 0.5, 200, 1e-12, all_b, never));
  for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(b[i], all_b[i], 1e-9);
}

}  // namespace
}  // namespace rfnn::rows
