#include "rfnn/finders/grown/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "rows/naive.hpp"

namespace rfnn::grown {
namespace {

using std::numbers::pi;
using testing::uniform_matrix;

/// Rows with these variables, the last `outputs` of them the state.
rows::RowState rows_with(const Matrix& variables, std::size_t outputs) {
  const std::size_t inputs = variables.cols() - outputs;
  Matrix theta(variables.rows(), inputs);
  for (std::size_t i = 0; i < variables.rows(); ++i)
    for (std::size_t k = 0; k < inputs; ++k) theta(i, k) = variables(i, k);
  rows::RowState rows(rows::ScaledRows(theta.view(), Matrix(variables.rows(), outputs).view()));
  for (std::size_t i = 0; i < variables.rows(); ++i)
    for (std::size_t o = 0; o < outputs; ++o) rows.state(i, o) = variables(i, inputs + o);
  return rows;
}

rows::Feature line(std::vector<double> frequency) {
  rows::Feature feature{std::move(frequency), {}};
  for (std::uint32_t k = 0; k < feature.frequency.size(); ++k)
    if (feature.frequency[k] != 0.0) feature.active.push_back(k);
  return feature;
}

TEST(Resolution, IsTheRangeAndTheUsualDistance) {
  // An even grid in another order, most values several times; the last column is constant.
  Matrix values(300, 3);
  for (std::size_t i = 0; i < 300; ++i) {
    values(i, 0) = 0.02 * static_cast<double>((7 * i) % 101);
    values(i, 1) = i % 3 == 0 ? 5.0 : static_cast<double>(i);
    values(i, 2) = 4.0;
  }
  const Resolution found = resolution_of(rows_with(values, 1));
  EXPECT_EQ(found.rows, 300U);
  ASSERT_EQ(found.range.size(), 3U);
  EXPECT_NEAR(found.range[0], 2.0, 1e-12);
  EXPECT_NEAR(found.highest[0], pi / 0.02, 1e-6);
  EXPECT_EQ(found.range[1], 298.0);
  EXPECT_GT(found.range[2], 0.0);
  EXPECT_TRUE(std::isfinite(found.highest[2]));
}

TEST(Resolution, SeveralVariablesShareTheRows) {
  const Resolution resolution{1000, {2.0, 4.0, 2.0}, {1e9, 1e9, 5.0}};
  EXPECT_NEAR(resolution.highest_of(0, 1), pi * 1000.0 / 2.0, 1e-9);
  EXPECT_NEAR(resolution.highest_of(0, 3), pi * 10.0 / 2.0, 1e-9);
  EXPECT_NEAR(resolution.highest_of(1, 3), pi * 10.0 / 4.0, 1e-9);
  EXPECT_EQ(resolution.highest_of(2, 3), 5.0);  // what a variable alone resolves is never exceeded
}

TEST(Pool, OnOneInputIsStratifiedUpToTheHighest) {
  const Resolution resolution = resolution_of(rows_with(uniform_matrix(500, 2, 1, -1.7, 1.7), 1));
  const Stream stream(1, Purpose::initial);
  const auto pool = draw_pool(BranchKind::input, 1, resolution, {1.0}, 400, stream, 0);
  ASSERT_EQ(pool.size(), 400U);
  const double stratum = resolution.highest_of(0, 1) / 400.0;
  for (std::size_t c = 0; c < 400; ++c) {
    EXPECT_GE(pool[c].frequency[0], stratum * static_cast<double>(c));
    EXPECT_LE(pool[c].frequency[0], stratum * static_cast<double>(c + 1));
    EXPECT_EQ(pool[c].frequency[1], 0.0);
    EXPECT_EQ(pool[c].active, std::vector<std::uint32_t>{0});
  }
}

/// Active variables ascending, all others zero, none beyond what they resolve together.
void expect_well_formed(const rows::Feature& feature, const Resolution& resolution) {
  ASSERT_EQ(feature.frequency.size(), resolution.range.size());
  for (std::size_t i = 1; i < feature.active.size(); ++i) ASSERT_LT(feature.active[i - 1], feature.active[i]);
  for (std::uint32_t k = 0; k < feature.frequency.size(); ++k) {
    if (std::find(feature.active.begin(), feature.active.end(), k) == feature.active.end()) {
      ASSERT_EQ(feature.frequency[k], 0.0);
    } else {
      ASSERT_LE(std::abs(feature.frequency[k]), resolution.highest_of(k, feature.active.size()) * (1.0 + 1e-12));
    }
  }
}

TEST(Pool, OnSeveralInputsHasSparseOnesWithinBounds) {
  const std::size_t inputs = 6, outputs = 2;
  const Resolution resolution = resolution_of(rows_with(uniform_matrix(800, inputs + outputs, 2, -1.7, 1.7), outputs));
  const Stream stream(3, Purpose::initial);
  const std::vector<double> weight = {0.125, 0.125, 1.0, 0.125, 0.125, 0.125};
  const auto pool = draw_pool(BranchKind::input, inputs, resolution, weight, 3000, stream, 0);
  ASSERT_EQ(pool.size(), 3000U);
  std::vector<std::size_t> by_size(inputs + 1), by_input(inputs);
  double longest = 0.0, shortest = 1e300;
  for (const rows::Feature& feature : pool) {
    expect_well_formed(feature, resolution);
    ASSERT_LE(feature.active.size(), inputs);
    ASSERT_LT(feature.active.back(), inputs);  // no state in a branch of inputs
    ++by_size[feature.active.size()];
    if (feature.active.size() == 1) {
      ++by_input[feature.active[0]];
      longest = std::max(longest, std::abs(feature.frequency[feature.active[0]]));
      shortest = std::min(shortest, std::abs(feature.frequency[feature.active[0]]));
    }
  }
  for (const std::size_t size : {1U, 2U, 3U}) EXPECT_GT(by_size[size], 450U) << size;
  std::size_t on_all = 0;
  for (const rows::Feature& feature :
       draw_pool(BranchKind::input, inputs, resolution, std::vector<double>(inputs, 1.0), 3000, stream, 1)) {
    expect_well_formed(feature, resolution);
    if (feature.active.size() == inputs) ++on_all;
  }
  EXPECT_GT(on_all, 450U);
  // Lengths of all magnitudes.
  EXPECT_GT(longest, 0.5 * resolution.highest_of(2, 1));
  EXPECT_LT(shortest, 1.0);
  // Chances follow the weights: 8 of 13 for one, 1 of 13 for each of the others.
  for (std::size_t k = 0; k < inputs; ++k) {
    EXPECT_GT(by_input[k], 0U);
    if (k != 2) {
      EXPECT_GT(by_input[2], 4 * by_input[k]);
    }
  }
}

TEST(Pool, OfTheStateOrJointlyHasOneStateEach) {
  const std::size_t inputs = 3, outputs = 2;
  const Resolution resolution = resolution_of(rows_with(uniform_matrix(800, inputs + outputs, 4, -1.7, 1.7), outputs));
  const Stream stream(5, Purpose::initial);
  const std::vector<double> weight(inputs, 1.0);
  std::set<std::uint32_t> states[2];
  for (const rows::Feature& feature : draw_pool(BranchKind::state, inputs, resolution, weight, 500, stream, 0)) {
    ASSERT_EQ(feature.active.size(), 1U);
    ASSERT_GE(feature.active[0], inputs);
    expect_well_formed(feature, resolution);
    EXPECT_LE(feature.frequency[feature.active[0]], 200.0);
    EXPECT_GE(feature.frequency[feature.active[0]], 0.0);
    states[0].insert(feature.active[0]);
  }
  for (const rows::Feature& feature : draw_pool(BranchKind::joint, inputs, resolution, weight, 500, stream, 0)) {
    ASSERT_GE(feature.active.size(), 2U);
    ASSERT_LT(feature.active[feature.active.size() - 2], inputs);
    ASSERT_GE(feature.active.back(), inputs);
    expect_well_formed(feature, resolution);
    states[1].insert(feature.active.back());
  }
  EXPECT_EQ(states[0].size(), outputs);
  EXPECT_EQ(states[1].size(), outputs);
}

TEST(Pool, IsAFunctionOfTheStreamAndTheIndex) {
  const Resolution resolution = resolution_of(rows_with(uniform_matrix(200, 4, 6, -1.0, 1.0), 1));
  const auto draw = [&](std::uint64_t seed, std::uint64_t index) {
    std::vector<std::vector<double>> frequencies;
    const Stream stream(seed, Purpose::initial);
    for (const rows::Feature& feature : draw_pool(BranchKind::input, 3, resolution, {1.0, 1.0, 1.0}, 20, stream, index))
      frequencies.push_back(feature.frequency);
    return frequencies;
  };
  EXPECT_EQ(draw(1, 2), draw(1, 2));
  EXPECT_NE(draw(1, 2), draw(1, 3));
  EXPECT_NE(draw(1, 2), draw(2, 2));
}

TEST(LineSpectrum, IsThePowerOnAGridUpToTheHighest) {
  const Matrix theta = uniform_matrix(300, 1, 7, -1.7, 1.7), noise = testing::normal_matrix(300, 2, 8);
  Matrix target(300, 2);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t o = 0; o < 2; ++o)
      target(i, o) = (o == 0 ? std::cos(60.0 * theta(i, 0)) : 0.0) + 0.2 * noise(i, o);
  const rows::RowState rows(rows::ScaledRows(theta.view(), target.view()));
  const Resolution resolution = resolution_of(rows);
  const auto work = rows::make_row_work(rows::Implementation::threads, 1);
  Interrupt never, stop([] { return false; });
  std::vector<rows::Feature> pool;
  std::vector<double> power, expected;
  LineSpectrum spectrum(*work, rows, resolution);
  ASSERT_TRUE(spectrum.strongest(rows, rows.residual, pool, power, never));
  ASSERT_EQ(pool.size(), power.size());
  ASSERT_TRUE(work->spectrum(rows, rows.residual, pool, 1, expected, never));
  for (std::size_t c = 0; c < pool.size(); ++c) {
    EXPECT_NEAR(power[c], expected[c], 1e-6 * 300.0) << pool[c].frequency[0];
    EXPECT_EQ(pool[c].active, std::vector<std::uint32_t>{0});
    EXPECT_LE(pool[c].frequency[0], resolution.highest_of(0, 1));
    const double places = pool[c].frequency[0] / (0.5 * pi / resolution.range[0]);
    EXPECT_NEAR(places, std::round(places), 1e-9);
    EXPECT_GE(power[c], 0.999e-3 * *std::max_element(power.begin(), power.end()));
  }
  EXPECT_GT(pool.size(), 20U);  // noise is above a thousandth of the line
  const auto peak = static_cast<std::size_t>(std::max_element(power.begin(), power.end()) - power.begin());
  EXPECT_NEAR(pool[peak].frequency[0], 60.0, 0.5);
  EXPECT_FALSE(spectrum.strongest(rows, rows.residual, pool, power, stop));
}

TEST(Bending, IsWhatFrequenciesAndAmplitudesSay) {
  rows::FeatureBlock block{{line({3.0, 0.0, 0.0, 9.0}), line({0.0, 2.0, 0.0, 0.0})}, Eigen::MatrixXd(4, 2)};
  block.amplitudes << 1.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0;
  // Input 0: 2 · 3², input 1: 9 · 2², input 2 nothing; the state is no input.
  const std::vector<double> bends = bending(block, 3);
  ASSERT_EQ(bends.size(), 3U);
  EXPECT_NEAR(bends[0], std::sqrt(18.0 / 36.0), 1e-12);
  EXPECT_EQ(bends[1], 1.0);
  EXPECT_EQ(bends[2], 0.0);
  EXPECT_EQ(bending({{line({0.0, 0.0})}, Eigen::MatrixXd::Ones(2, 1)}, 1), std::vector<double>{1.0});
}

TEST(DrawStrongest, PicksThePeakAndNoTwins) {
  const Resolution resolution{500, {3.4, 3.4}, {400.0, 400.0}};
  // Two peaks over a floor: candidates beside a peak are as strong as it, but say the same.
  std::vector<rows::Feature> pool;
  std::vector<double> power;
  for (int c = 0; c < 1000; ++c) {
    const double omega = 0.2 * c;
    pool.push_back(line({omega, 0.0}));
    power.push_back(1e-3 + std::exp(-std::pow((omega - 50.0) / 0.3, 2)) +
                    0.8 * std::exp(-std::pow((omega - 120.0) / 0.3, 2)));
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Stream stream(seed, Purpose::proposal);
    const auto two = draw_strongest(pool, power, resolution, 2, stream, 0);
    ASSERT_EQ(two.size(), 2U);
    for (const double peak : {50.0, 120.0})
      EXPECT_EQ(
          std::count_if(two.begin(), two.end(),
                        [&](const rows::Feature& feature) { return std::abs(feature.frequency[0] - peak) < 0.9; }),
          1)
          << peak;
    const auto many = draw_strongest(pool, power, resolution, 500, stream, 0);
    EXPECT_GT(many.size(), 50U);
    for (std::size_t i = 0; i < many.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        ASSERT_GE(std::abs(many[i].frequency[0] - many[j].frequency[0]) * 3.4, pi * (1.0 - 1e-12));
  }
}

TEST(DrawStrongest, OneVariableApartIsEnough) {
  const Resolution resolution{500, {3.4, 3.4}, {400.0, 400.0}};
  const Stream stream(1, Purpose::proposal);
  const std::vector<rows::Feature> pool = {line({5.0, 7.0}), line({5.0, 7.5}), line({5.0, 9.0})};
  const auto chosen = draw_strongest(pool, {1.0, 1.0, 1.0}, resolution, 3, stream, 0);
  EXPECT_EQ(chosen.size(), 2U);  // 7 and 7.5 are twins, 9 is neither's
}

TEST(DrawStrongest, ChancesAreTheSquaresOfThePowers) {
  const Resolution resolution{500, {3.4}, {400.0}};
  const std::vector<rows::Feature> pool = {line({5.0}), line({50.0}), line({90.0})};
  const Stream stream(2, Purpose::proposal);
  int counts[3] = {};
  for (std::uint64_t index = 0; index < 4000; ++index) {
    const auto chosen = draw_strongest(pool, {1.0, 0.0, 2.0}, resolution, 1, stream, index);
    ASSERT_EQ(chosen.size(), 1U);
    ++counts[chosen[0].frequency[0] < 10.0 ? 0 : chosen[0].frequency[0] < 70.0 ? 1 : 2];
  }
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[2] / 4000.0, 0.8, 0.025);  // four standard deviations
}

TEST(DrawStrongest, WithoutPowerThereIsNothingToDraw) {
  const Resolution resolution{500, {3.4}, {400.0}};
  const Stream stream(1, Purpose::proposal);
  EXPECT_TRUE(draw_strongest({line({5.0}), line({50.0})}, {0.0, 0.0}, resolution, 1, stream, 0).empty());
}

// ω and −ω have the same cosine, and sines that differ in sign: the block gets the same columns twice.
TEST(DrawStrongest, MirrorImagesAreTwins) {
  const Resolution resolution{500, {3.4, 3.4}, {400.0, 400.0}};
  const Stream stream(1, Purpose::proposal);
  const auto chosen = draw_strongest({line({5.0, -7.0}), line({-5.0, 7.0})}, {1.0, 1.0}, resolution, 2, stream, 0);
  EXPECT_EQ(chosen.size(), 1U);
}

}  // namespace
}  // namespace rfnn::grown
