#include "rfnn/sensitivity/indices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rfnn/core/error.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/sensitivity/optimum.hpp"
#include "rfnn/sensitivity/sobol_points.hpp"
#include "sensitivity/models.hpp"

namespace rfnn {
namespace {

constexpr double pi = std::numbers::pi;

/// Inputs as they are, from −π to π, one output, one block.
Model model_of(std::size_t inputs, Branch branch) {
  Model model;
  for (std::size_t k = 0; k < inputs; ++k) {
    model.inputs.push_back({"x" + std::to_string(k + 1), k, 0.0, 1.0, -pi, pi, true});
    model.scaler.input_mean.push_back(0.0);
    model.scaler.input_sd.push_back(1.0);
  }
  model.targets = {{"y", inputs, 100.0, 1.0, 0.0, 0.0, true}};
  model.scaler.output_mean = {100.0};
  model.scaler.output_sd = {1.0};
  model.members = {{{{{std::move(branch)}}}}};
  check(model);
  return model;
}

/// y = 100 + Σ amplitude · sin(ω·x)
Model sines(std::size_t inputs, const std::vector<std::pair<double, std::vector<double>>>& terms) {
  Branch branch{BranchKind::input, Matrix(terms.size(), inputs), Matrix(2 * terms.size(), 1)};
  for (std::size_t j = 0; j < terms.size(); ++j) {
    branch.amplitudes(2 * j + 1, 0) = -terms[j].first;
    for (std::size_t k = 0; k < inputs; ++k) branch.frequencies(j, k) = terms[j].second[k];
  }
  return model_of(inputs, std::move(branch));
}

/// 2 sin x1 + sin 8x2 + sin x3 cos x1, and x4 does nothing: variances 2, ½ and ¼ of 2¾.
Model four_inputs() {
  return sines(4, {{2.0, {1, 0, 0, 0}}, {1.0, {0, 8, 0, 0}}, {0.5, {1, 0, 1, 0}}, {0.5, {-1, 0, 1, 0}}});
}

void expect_estimate(const Estimate& found, double value) {
  EXPECT_NEAR(found.value, value, std::max(5.0 * found.standard_error, 1e-9));
  EXPECT_LT(found.standard_error, 0.01);
}

TEST(SensitivityIndices, AreThoseOfTheFormula) {
  const Model model = four_inputs();
  const SensitivityIndices found = sensitivity_indices(model, factors_of(model), {.samples = 1000});
  ASSERT_TRUE(found.complete);
  EXPECT_EQ(found.evaluations, 16U * 1024U * 10U);
  const VarianceShares& shares = found.outputs[0];
  EXPECT_NEAR(shares.mean, 100.0, 1e-3);
  EXPECT_NEAR(shares.variance, 2.75, 1e-2);
  const double first[] = {2.0, 0.5, 0.0, 0.0}, total[] = {2.25, 0.5, 0.25, 0.0};
  for (std::size_t k = 0; k < 4; ++k) {
    expect_estimate(shares.first[k], first[k] / 2.75);
    expect_estimate(shares.total[k], total[k] / 2.75);
  }
  ASSERT_EQ(shares.pairs.size(), 6U);
  for (const PairIndex& pair : shares.pairs)
    expect_estimate(pair.index, pair.first == 0 && pair.second == 2 ? 0.25 / 2.75 : 0.0);
  EXPECT_EQ(shares.total[3].value, 0.0);
}

TEST(SensitivityIndices, DoNotDependOnThreadsAndEndWhenTold) {
  const Model model = four_inputs();
  const auto once = sensitivity_indices(model, factors_of(model), {.samples = 256});
  const auto again = sensitivity_indices(model, factors_of(model), {.samples = 256, .threads = 3});
  EXPECT_EQ(once.outputs[0].first[0].value, again.outputs[0].first[0].value);
  EXPECT_FALSE(sensitivity_indices(model, factors_of(model), {.proceed = [] { return false; }}).complete);
}

TEST(SensitivityIndices, LawsAndLevels) {
  // y = 100 + sin(x1) + x2 by a trend: x1 normal about 0, small; x2 a boolean that is true in a quarter of the rows.
  Model model = sines(2, {{1.0, {1, 0}}});
  model.members[0].blocks[0].branches[0].trend = Matrix(3, 1);
  model.members[0].blocks[0].branches[0].trend(2, 0) = 1.0;
  model.inputs[1].mean = 0.25;
  model.inputs[1].min = 0.0;
  model.table.inputs = {{"x1", 0}, {"x2", 1, ColumnKind::boolean}};
  std::vector<Factor> factors = factors_of(model);
  ASSERT_EQ(factors[1].shares, (std::vector<double>{0.75, 0.25}));
  factors[0].spread = Spread::normal;
  factors[0].mean = 0.0;
  factors[0].sd = 0.1;
  const SensitivityIndices found = sensitivity_indices(model, factors, {.samples = 1024});
  const double wave = 0.5 * (1.0 - std::exp(-2.0 * 0.01)), step = 0.25 * 0.75;
  EXPECT_NEAR(found.outputs[0].variance, wave + step, 1e-3);
  expect_estimate(found.outputs[0].first[0], wave / (wave + step));
  expect_estimate(found.outputs[0].total[1], step / (wave + step));
  factors[0].spread = Spread::sampled;
  factors[0].values = {-pi / 2, pi / 2};
  expect_estimate(sensitivity_indices(model, factors, {.samples = 1024}).outputs[0].first[0], 1.0 / (1.0 + step));
  factors[0].values.clear();
  EXPECT_THROW(sensitivity_indices(model, factors), UsageError);
}

TEST(MainEffects, AreConditionalMeans) {
  const Model model = four_inputs();
  const std::vector<MainEffect> effects = main_effects(model, factors_of(model));
  for (std::size_t v = 0; v < effects[0].values.size(); ++v)
    EXPECT_NEAR(effects[0].effect(v, 0), 2.0 * std::sin(effects[0].values[v]),
                5.0 * effects[0].standard_error(v, 0) + 1e-9);
  EXPECT_EQ(effects[0].values.front(), -pi);
  EXPECT_EQ(effects[0].values.back(), pi);
}

TEST(EnergyByScale, AddsUpToTheTotalIndexAndIsWhereTheWavesAre) {
  const Model model = four_inputs();
  const std::vector<Factor> factors = factors_of(model);
  const SensitivityIndices indices = sensitivity_indices(model, factors, {.samples = 1024});
  const std::vector<ScaleEnergy> energies = energy_by_scale(model, factors, indices);
  for (std::size_t k = 0; k < 3; ++k) {
    double all = 0.0;
    for (const Estimate& share : energies[k].share[0]) all += share.value;
    EXPECT_NEAR(all, indices.outputs[0].total[k].value, 0.01) << k;
  }
  // Eight waves over the range are of length 1/8: those between 1/8 and 1/16, or between 1/4 and 1/8.
  double there = 0.0;
  for (std::size_t q = 0; q < energies[1].longest.size(); ++q)
    if (energies[1].longest[q] == 0.25 || energies[1].longest[q] == 0.125) there += energies[1].share[0][q].value;
  EXPECT_GT(there, 0.95 * indices.outputs[0].total[1].value);
}

TEST(SobolPoints, FillEvenlyAndReplicatesDiffer) {
  const sensitivity::SobolPoints points(70, 5);
  const Matrix one = points.draw(256, 0), other = points.draw(256, 1);
  EXPECT_NE(one, other);
  EXPECT_EQ(one, points.draw(256, 0));
  for (std::size_t d = 0; d < sensitivity::SobolPoints::most_even; ++d) {
    std::vector<int> strip(256);
    for (std::size_t i = 0; i < 256; ++i) ++strip[static_cast<std::size_t>(256.0 * one(i, d))];
    for (const int count : strip) ASSERT_EQ(count, 1) << d;  // one point in each strip of every dimension
  }
  std::vector<int> cell(256);
  for (std::size_t i = 0; i < 256; ++i)
    ++cell[static_cast<std::size_t>(16.0 * one(i, 0)) * 16 + static_cast<std::size_t>(16.0 * one(i, 1))];
  for (const int count : cell) EXPECT_EQ(count, 1);  // of the first two, one in each square
}

TEST(Optimum, IsFoundAmongManyValleys) {
  // sin x1 + ½ sin 9x1 + sin x2
  const Model model = sines(2, {{1.0, {1, 0}}, {0.5, {9, 0}}, {1.0, {0, 1}}});
  const std::vector<Factor> factors = factors_of(model);
  double least = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const double x = -pi + 2.0 * pi * i / 100000.0;
    least = std::min(least, std::sin(x) + 0.5 * std::sin(9.0 * x));
  }
  const Optimum found = find_optimum(model, factors, {.starts = 8});
  EXPECT_NEAR(found.value, 100.0 + least - 1.0, 1e-7);
  EXPECT_NEAR(found.values[1], -pi / 2, 1e-5);
  EXPECT_EQ(found.inputs, found.values);
  EXPECT_GE(found.agreeing, 1U);
  EXPECT_EQ(find_optimum(model, factors, {.starts = 8, .threads = 3}).value, found.value);
  EXPECT_NEAR(find_optimum(model, factors, {.maximum = true}).value, 100.0 - least + 1.0, 1e-7);
  std::vector<Factor> corner = factors;
  corner[0].low = corner[0].high = 0.1;
  corner[1].low = 0.0;
  corner[1].high = 1.0;
  const Optimum bound = find_optimum(model, corner);
  EXPECT_EQ(bound.values, (std::vector<double>{0.1, 0.0}));
  corner[1].low = 2.0;
  EXPECT_THROW(find_optimum(model, corner), UsageError);
}

TEST(Optimum, TriesLevelsOneAtATime) {
  // Three levels with trends 0, 5 and −5; and a number that is best at an end.
  Model model = sines(4, {{0.0, {1, 0, 0, 0}}});
  Matrix trend(5, 1);
  for (std::size_t k = 0; k < 4; ++k) trend(1 + k, 0) = std::array{0.5, 0.0, 5.0, -5.0}[k];
  model.members[0].blocks[0].branches[0].trend = trend;
  model.table.inputs = {{"x1", 0}, {"kind", 1, ColumnKind::category, {}, {}, {"a", "b", "c"}}};
  for (std::size_t k = 1; k < 4; ++k) model.inputs[k].mean = 1.0 / 3.0;
  std::vector<Factor> factors = factors_of(model);
  Optimum found = find_optimum(model, factors, {.starts = 1});
  EXPECT_EQ(found.values, (std::vector<double>{-pi, 2.0}));
  EXPECT_EQ(found.inputs, (std::vector<double>{-pi, 0.0, 0.0, 1.0}));
  factors[1].shares[2] = 0.0;
  found = find_optimum(model, factors, {.starts = 1});
  EXPECT_EQ(found.values[1], 0.0);
}

// Every kind of model: no place of many is better than the one found.
TEST(Optimum, OfModelsOfEveryKind) {
  for (const testing::NamedModel& named : testing::models_of_every_kind(8000)) {
    const std::vector<Factor> factors = factors_of(named.model);
    const Optimum found = find_optimum(named.model, factors, {.starts = 4});
    const Matrix points = sensitivity::SobolPoints(factors.size(), 77).draw(512, 0);
    Matrix rows(points.rows(), named.model.input_count());
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for (std::size_t f = 0; f < factors.size(); ++f)
        factors[f].put(factors[f].at(points(i, f)), rows.data() + i * rows.cols());
    const Matrix values = predict(named.model, rows.view());
    for (std::size_t i = 0; i < rows.rows(); ++i) EXPECT_LE(found.value, values(i, 0)) << named.name;
  }
}

}  // namespace
}  // namespace rfnn
