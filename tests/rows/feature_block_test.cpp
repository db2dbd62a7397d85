#include "rfnn/rows/feature_block.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rfnn/rows/row_work.hpp"
#include "rows/naive.hpp"

namespace rfnn::rows {
namespace {

using testing::index;
using testing::naive_amplitudes;
using testing::naive_columns;
using testing::normal_matrix;
using testing::to_eigen;

constexpr std::size_t row_counts[] = {1, tile_rows - 1, tile_rows, tile_rows + 1};

/// Rows with a state of their own.
RowState make_rows(std::size_t count, std::size_t inputs, std::size_t outputs, std::uint64_t seed = 1) {
  const Matrix theta = normal_matrix(count, inputs, seed), target = normal_matrix(count, outputs, seed + 1),
               z = normal_matrix(count, outputs, seed + 2);
  RowState rows(ScaledRows(theta.view(), target.view()));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t o = 0; o < outputs; ++o) rows.state(i, o) = z(i, o);
  for (std::size_t tile = 0; tile < rows.tiles(); ++tile) rows.settle(tile);
  return rows;
}

Eigen::MatrixXd as_eigen(const TiledColumns& columns) {
  Eigen::MatrixXd values(index(columns.rows()), index(columns.columns()));
  for (std::size_t i = 0; i < columns.rows(); ++i)
    for (std::size_t k = 0; k < columns.columns(); ++k) values(index(i), index(k)) = columns(i, k);
  return values;
}

/// θ and z side by side.
Eigen::MatrixXd variables_of(const RowState& rows) {
  Eigen::MatrixXd all(index(rows.count()), index(rows.variables()));
  all << as_eigen(rows.theta()), as_eigen(rows.state);
  return all;
}

/// Frequencies on some of the variables only, on none, on all.
std::vector<Feature> make_features(std::size_t count, std::size_t variables, std::uint64_t seed = 3) {
  const Stream stream(seed, Purpose::data, 1);
  std::vector<Feature> features(count);
  for (std::size_t f = 0; f < count; ++f) {
    features[f].frequency.assign(variables, 0.0);
    for (std::size_t k = 0; k < variables; ++k) {
      if (f % 4 != 3 && stream.uniform(2 * (f * variables + k)) < 0.5) continue;
      features[f].frequency[k] = 2.0 * stream.normal(2 * (f * variables + k) + 1);
      features[f].active.push_back(static_cast<std::uint32_t>(k));
    }
  }
  return features;
}

FeatureBlock make_block(std::size_t count, std::size_t variables, std::size_t outputs, std::uint64_t seed = 3) {
  return {make_features(count, variables, seed), to_eigen(normal_matrix(2 * count, outputs, seed + 7, 0.5))};
}

/// Sums written as loops over rows.
struct Naive {
  Eigen::MatrixXd v, r, a;

  Naive(const RowState& rows, const std::vector<Feature>& features)
      : v(variables_of(rows)), r(as_eigen(rows.residual)), a(v.rows(), index(2 * features.size())) {
    for (Eigen::Index i = 0; i < v.rows(); ++i)
      for (std::size_t f = 0; f < features.size(); ++f) {
        double phase = 0.0;
        for (Eigen::Index k = 0; k < v.cols(); ++k)
          phase += features[f].frequency[static_cast<std::size_t>(k)] * v(i, k);
        a(i, index(2 * f)) = std::cos(phase);
        a(i, index(2 * f + 1)) = -std::sin(phase);
      }
  }
  [[nodiscard]] Eigen::MatrixXd left(const FeatureBlock& block) const { return r - a * block.amplitudes; }
  /// ∂(A b)_o/∂ω: v_k (−Re b sin φ − Im b cos φ).
  [[nodiscard]] Eigen::MatrixXd derivatives(const FeatureBlock& block, Eigen::Index o) const {
    Eigen::MatrixXd j(v.rows(), index(block.movable()));
    Eigen::Index column = 0;
    for (std::size_t f = 0; f < block.size(); ++f)
      for (const std::uint32_t k : block.features[f].active) {
        const double re = block.amplitudes(index(2 * f), o), im = block.amplitudes(index(2 * f + 1), o);
        for (Eigen::Index i = 0; i < v.rows(); ++i)
          j(i, column) = v(i, k) * (re * a(i, index(2 * f + 1)) - im * a(i, index(2 * f)));
        ++column;
      }
    return j;
  }
};

void expect_near(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected, double scale, const char* what) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  if (expected.size() > 0) {
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-13 * scale) << what;
  }
}

TEST(FeaturePasses, FeatureSumsAreThoseOfLoopsOverRows) {
  for (const std::size_t count : row_counts)
    for (const std::size_t outputs : {1U, 3U})
      for (const std::size_t width : {1U, 9U}) {
        const RowState rows = make_rows(count, 3, outputs);
        const auto features = make_features(width, 3 + outputs);
        const Naive naive(rows, features);
        const auto work = make_row_work(Implementation::threads, 1);
        RowWork& passes = *work;
        Interrupt never;
        FeatureSums sums;
        ASSERT_TRUE(passes.features(rows, features, sums, never));
        const auto scale = static_cast<double>(10 * count);
        expect_near(sums.gram, naive.a.transpose() * naive.a, scale, "gram");
        expect_near(sums.rhs, naive.a.transpose() * naive.r, scale, "rhs");
        expect_near(sums.energy, naive.r.colwise().squaredNorm().transpose(), scale, "energy");
      }
}

TEST(FeaturePasses, JacobianSumsAreThoseOfLoopsOverRows) {
  for (const std::size_t count : row_counts)
    for (const std::size_t outputs : {1U, 3U}) {
      const RowState rows = make_rows(count, 3, outputs);
      const FeatureBlock block = make_block(8, 3 + outputs, outputs);
      const Naive naive(rows, block.features);
      const auto work = make_row_work(Implementation::threads, 1);
      RowWork& passes = *work;
      Interrupt never;
      JacobianSums sums;
      ASSERT_TRUE(passes.jacobian(rows, block, sums, never));
      const auto scale = static_cast<double>(100 * count);
      const Eigen::MatrixXd e = naive.left(block);
      expect_near(sums.gram, naive.a.transpose() * naive.a, scale, "gram");
      expect_near(sums.rhs, naive.a.transpose() * e, scale, "rhs");
      expect_near(sums.energy, e.colwise().squaredNorm().transpose(), scale, "energy");
      ASSERT_EQ(sums.cross.size(), outputs);
      const Eigen::Index q = index(block.movable());
      Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(q, q);
      Eigen::VectorXd slope = Eigen::VectorXd::Zero(q);
      for (std::size_t o = 0; o < outputs; ++o) {
        const Eigen::MatrixXd j = naive.derivatives(block, index(o));
        expect_near(sums.cross[o], naive.a.transpose() * j, scale, "cross");
        curvature += j.transpose() * j;
        slope += j.transpose() * e.col(index(o));
      }
      expect_near(sums.curvature, curvature, scale, "curvature");
      expect_near(sums.slope, slope, scale, "slope");
    }
}

TEST(FeaturePasses, TheSlopeIsTheDerivativeOfTheMisfit) {
  const RowState rows = make_rows(300, 2, 2);
  const FeatureBlock block = make_block(6, 4, 2);
  const auto work = make_row_work(Implementation::threads, 1);
  RowWork& passes = *work;
  Interrupt never;
  JacobianSums sums;
  ASSERT_TRUE(passes.jacobian(rows, block, sums, never));
  constexpr double h = 1e-5;
  Eigen::Index place = 0;
  for (std::size_t f = 0; f < block.size(); ++f)
    for (const std::uint32_t k : block.features[f].active) {
      double energy[2];
      for (const int side : {0, 1}) {
        FeatureBlock there = block;
        there.features[f].frequency[k] += side == 0 ? -h : h;
        Eigen::VectorXd per_output;
        ASSERT_TRUE(passes.misfit(rows, there, per_output, never));
        energy[side] = per_output.sum();
      }
      EXPECT_NEAR(sums.slope(place++), -0.5 * (energy[1] - energy[0]) / (2.0 * h), 1e-4);
    }
  EXPECT_EQ(place, sums.slope.size());
}

TEST(FeaturePasses, FrequenciesThatDoNotMoveHaveNoDerivative) {
  const RowState rows = make_rows(50, 2, 1);
  FeatureBlock block = make_block(3, 3, 1);
  for (Feature& feature : block.features) feature.active.clear();
  const auto work = make_row_work(Implementation::threads, 1);
  RowWork& passes = *work;
  Interrupt never;
  JacobianSums sums;
  ASSERT_TRUE(passes.jacobian(rows, block, sums, never));
  EXPECT_EQ(block.movable(), 0U);
  EXPECT_EQ(sums.curvature.size(), 0);
  EXPECT_EQ(sums.slope.size(), 0);
  expect_near(sums.rhs, Naive(rows, block.features).a.transpose() * Naive(rows, block.features).left(block), 500.0,
              "rhs");
}

TEST(FeaturePasses, MisfitIsWhatSubtractLeaves) {
  for (const std::size_t count : row_counts) {
    const RowState rows = make_rows(count, 2, 2);
    const FeatureBlock block = make_block(5, 4, 2);
    const Eigen::MatrixXd expected = Naive(rows, block.features).left(block);
    const auto work = make_row_work(Implementation::threads, 1);
    RowWork& passes = *work;
    Interrupt never;
    Eigen::VectorXd energy;
    ASSERT_TRUE(passes.misfit(rows, block, energy, never));
    expect_near(energy, expected.colwise().squaredNorm().transpose(), static_cast<double>(100 * count), "energy");
    TiledColumns left;
    ASSERT_TRUE(passes.left_by(rows, block, left, never));
    expect_near(as_eigen(left), expected, 100.0, "left");
    // What fills up the last tile must stay out of later sums.
    const std::size_t tile = left.tiles() - 1;
    for (std::size_t o = 0; o < 2; ++o)
      for (std::size_t i = left.rows_in(tile); i < tile_rows; ++i) ASSERT_EQ(left.column(tile, o)[i], 0.0);
  }
}

TEST(FeaturePasses, ABlockWithoutFeaturesLeavesEverything) {
  const RowState rows = make_rows(300, 2, 2);
  const Eigen::MatrixXd before = as_eigen(rows.residual);
  const FeatureBlock none{{}, Eigen::MatrixXd(0, 2)};
  const auto work = make_row_work(Implementation::threads, 1);
  RowWork& passes = *work;
  Interrupt never;
  Eigen::VectorXd energy;
  ASSERT_TRUE(passes.misfit(rows, none, energy, never));
  expect_near(energy, before.colwise().squaredNorm().transpose(), 1000.0, "energy");
  TiledColumns left;
  ASSERT_TRUE(passes.left_by(rows, none, left, never));
  EXPECT_EQ(as_eigen(left), before);
}

TEST(FeaturePasses, SpectrumIsThePowerOfEveryCandidate) {
  for (const std::size_t count : {std::size_t{1}, tile_rows + 1, 5 * tile_rows - 9})
    for (const std::size_t listed : {1U, 32U, 33U, 70U}) {
      const RowState rows = make_rows(count, 2, 2);
      const auto candidates = make_features(listed, 4);
      const Naive naive(rows, candidates);
      for (const std::size_t stride : {1U, 2U, 3U}) {
        const auto work = make_row_work(Implementation::threads, 1);
        RowWork& passes = *work;
        Interrupt never;
        std::vector<double> power = {-1.0, -1.0};
        ASSERT_TRUE(passes.spectrum(rows, rows.residual, candidates, stride, power, never));
        ASSERT_EQ(power.size(), listed);
        Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(naive.a.cols(), 2);
        for (Eigen::Index i = 0; i < naive.a.rows(); ++i)
          if (static_cast<std::size_t>(i) / tile_rows % stride == 0)
            sums += naive.a.row(i).transpose() * naive.r.row(i);
        for (std::size_t c = 0; c < listed; ++c)
          EXPECT_NEAR(power[c], sums.middleRows(index(2 * c), 2).squaredNorm(),
                      1e-12 * static_cast<double>(count * count))
              << c << " of " << listed << ", stride " << stride;
      }
    }
}

TEST(FeaturePasses, SameBitsForAnyThreads) {
  const RowState rows = make_rows(3000, 3, 2);
  const FeatureBlock block = make_block(40, 5, 2);
  Interrupt never;
  FeatureSums sums[3];
  JacobianSums jacobian[3];
  Eigen::VectorXd energy[3];
  std::vector<double> power[3];
  Eigen::MatrixXd left[3];
  for (std::size_t t = 0; t < 3; ++t) {
    const auto work = make_row_work(Implementation::threads, t + 1);
    RowWork& passes = *work;
    ASSERT_TRUE(passes.features(rows, block.features, sums[t], never));
    ASSERT_TRUE(passes.jacobian(rows, block, jacobian[t], never));
    ASSERT_TRUE(passes.misfit(rows, block, energy[t], never));
    ASSERT_TRUE(passes.spectrum(rows, rows.residual, block.features, 1, power[t], never));
    TiledColumns what_is_left;
    ASSERT_TRUE(passes.left_by(rows, block, what_is_left, never));
    left[t] = as_eigen(what_is_left);
  }
  for (std::size_t t = 1; t < 3; ++t) {
    EXPECT_EQ(sums[t].gram, sums[0].gram);
    EXPECT_EQ(sums[t].rhs, sums[0].rhs);
    EXPECT_EQ(sums[t].energy, sums[0].energy);
    EXPECT_EQ(jacobian[t].gram, jacobian[0].gram);
    EXPECT_EQ(jacobian[t].rhs, jacobian[0].rhs);
    EXPECT_EQ(jacobian[t].cross[0], jacobian[0].cross[0]);
    EXPECT_EQ(jacobian[t].cross[1], jacobian[0].cross[1]);
    EXPECT_EQ(jacobian[t].curvature, jacobian[0].curvature);
    EXPECT_EQ(jacobian[t].slope, jacobian[0].slope);
    EXPECT_EQ(jacobian[t].energy, jacobian[0].energy);
    EXPECT_EQ(energy[t], energy[0]);
    EXPECT_EQ(power[t], power[0]);
    EXPECT_EQ(left[t], left[0]);
  }
}

TEST(FeaturePasses, AllSayWhenTheyWereInterrupted) {
  const FeatureBlock block = make_block(40, 5, 2);
  for (const std::size_t threads : {1U, 2U}) {
    const RowState rows = make_rows(3000, 3, 2);
    const auto work = make_row_work(Implementation::threads, threads);
    RowWork& passes = *work;
    FeatureSums sums;
    JacobianSums jacobian;
    Eigen::VectorXd energy;
    std::vector<double> power;
    Interrupt first, second, third, fourth, fifth;
    for (Interrupt* interrupt : {&first, &second, &third, &fourth, &fifth}) interrupt->stop();
    EXPECT_FALSE(passes.features(rows, block.features, sums, first));
    EXPECT_FALSE(passes.jacobian(rows, block, jacobian, second));
    EXPECT_FALSE(passes.misfit(rows, block, energy, third));
    EXPECT_FALSE(passes.spectrum(rows, rows.residual, block.features, 1, power, fourth));
    TiledColumns left;
    EXPECT_FALSE(passes.left_by(rows, block, left, fifth));
  }
}

TEST(FeatureBlock, AsBlockKeepsTheFunction) {
  const std::size_t inputs = 3, outputs = 2;
  // Features 0: none at all, 1: an input, 2: a state, 3: both, and more of them in any order.
  FeatureBlock block = make_block(24, inputs + outputs, outputs);
  const std::vector<std::vector<double>> first = {
      {0, 0, 0, 0, 0}, {0, 1.5, 0, 0, 0}, {0, 0, 0, 0, -2}, {0.5, 0, 0, 3, 0}};
  for (std::size_t f = 0; f < first.size(); ++f) block.features[f].frequency = first[f];
  const RowState rows = make_rows(100, inputs, outputs);
  const Naive naive(rows, block.features);
  const Eigen::MatrixXd theta = naive.v.leftCols(3), state = naive.v.rightCols(2);
  const Block made = block.as_block(inputs, outputs);
  ASSERT_EQ(made.branches.size(), 3U);
  std::size_t width = 0;
  for (const Branch& branch : made.branches) {
    EXPECT_EQ(branch.frequencies.cols(), rfnn::variables_of(branch.kind, inputs, outputs));
    EXPECT_EQ(branch.amplitudes.rows(), 2 * branch.frequencies.rows());
    width += branch.frequencies.rows();
  }
  EXPECT_EQ(width, block.size());
  EXPECT_LE(
      (naive_columns(made, theta, state) * naive_amplitudes(made) - naive.a * block.amplitudes).cwiseAbs().maxCoeff(),
      1e-12);
}

TEST(FeatureBlock, AsBlockHasOnlyTheBranchesItNeeds) {
  FeatureBlock block{{{{0.0, 2.0, 0.0}, {1}}, {{0.0, 0.0, 0.0}, {}}}, Eigen::MatrixXd::Ones(4, 1)};
  const Block inputs_only = block.as_block(2, 1);
  ASSERT_EQ(inputs_only.branches.size(), 1U);
  EXPECT_EQ(inputs_only.branches[0].kind, BranchKind::input);
  EXPECT_EQ(inputs_only.branches[0].frequencies.rows(), 2U);
  block.features[0].frequency = {0.0, 0.0, 1.0};
  block.features[1].frequency = {0.0, 0.0, -1.0};
  ASSERT_EQ(block.as_block(2, 1).branches.size(), 1U);
  EXPECT_EQ(block.as_block(2, 1).branches[0].kind, BranchKind::state);
  EXPECT_TRUE((FeatureBlock{{}, Eigen::MatrixXd(0, 1)}.as_block(2, 1).branches.empty()));
}

}  // namespace
}  // namespace rfnn::rows
