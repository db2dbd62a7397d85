#include "rfnn/sensitivity/gradients.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rfnn/core/error.hpp"
#include "sensitivity/models.hpp"

namespace rfnn {
namespace {

using testing::models_of_every_kind;
using testing::NamedModel;
using testing::uniform_matrix;

/// Rows in the middle of the inputs' ranges.
Matrix rows_for(const Model& model, std::size_t count, std::uint64_t seed) {
  Matrix rows = uniform_matrix(count, model.input_count(), seed, 0.05, 0.95);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < rows.cols(); ++k) {
      const Column& column = model.inputs[k];
      rows(i, k) = column.min + rows(i, k) * (column.max - column.min);
    }
  return rows;
}

/// 5-point central difference of `values(rows)` by input k at every row.
template <class Values>
Matrix difference(const Matrix& rows, std::size_t k, double step, const Values& values) {
  Matrix sum;
  constexpr std::array<double, 4> place = {-2.0, -1.0, 1.0, 2.0}, weight = {1.0, -8.0, 8.0, -1.0};
  for (std::size_t p = 0; p < place.size(); ++p) {
    Matrix moved = rows;
    for (std::size_t i = 0; i < rows.rows(); ++i) moved(i, k) += place[p] * step;
    const Matrix found = values(moved);
    if (sum.empty()) sum = Matrix(found.rows(), found.cols());
    for (std::size_t c = 0; c < sum.size(); ++c) sum.data()[c] += weight[p] * found.data()[c] / (12.0 * step);
  }
  return sum;
}

double largest(const Matrix& values, std::size_t first, std::size_t every) {
  double most = 0.0;
  for (std::size_t c = first; c < values.size(); c += every) most = std::max(most, std::abs(values.data()[c]));
  return most;
}

/// `exact(row, o·inputs + k)` against differences of values(row, o) by input k, to `tolerance` of the largest of a
/// column. Where two steps do not agree there is a kink between (kernels of order 0): such places are few.
template <class Values>
void expect_derivatives(const NamedModel& named, const Matrix& rows, const Matrix& exact, std::size_t values_per_row,
                        double tolerance, const Values& values) {
  const Model& model = named.model;
  std::size_t compared = 0, all = 0;
  for (std::size_t k = 0; k < model.input_count(); ++k) {
    for (std::size_t i = 0; i < rows.rows() && !model.inputs[k].used; ++i) EXPECT_EQ(exact(i, k), 0.0) << named.name;
    if (!model.inputs[k].used) continue;
    const double step = named.step * std::max(model.inputs[k].sd, 0.1);
    const Matrix coarse = difference(rows, k, step, values), fine = difference(rows, k, 0.6 * step, values);
    for (std::size_t o = 0; o < values_per_row; ++o) {
      const double scale = largest(fine, o, values_per_row);
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        ++all;
        if (std::abs(coarse(i, o) - fine(i, o)) > 0.3 * tolerance * scale) continue;
        ++compared;
        EXPECT_NEAR(exact(i, o * model.input_count() + k), fine(i, o), tolerance * scale)
            << named.name << ", row " << i << ", value " << o << ", input " << k;
      }
    }
  }
  EXPECT_GT(compared, all * 7 / 10) << named.name;
}

TEST(Gradients, AreThoseOfDifferencesForModelsOfEveryKind) {
  for (const std::uint64_t seed : {1000U, 2000U, 3000U})
    for (const NamedModel& named : models_of_every_kind(seed)) {
      check(named.model);
      const Matrix rows = rows_for(named.model, 40, seed);
      expect_derivatives(named, rows, gradients(named.model, rows.view()), named.model.outputs(), 1e-7,
                         [&](const Matrix& moved) { return predict(named.model, moved.view()); });
    }
}

TEST(Gradients, HessianProductsAreThoseOfDifferencesOfGradients) {
  for (const NamedModel& named : models_of_every_kind(4000)) {
    const Model& model = named.model;
    const std::size_t inputs = model.input_count(), outputs = model.outputs();
    const GradientPredictor predictor(model);
    const Matrix rows = rows_for(model, 12, 7);
    // Along input l the product is the derivative of every first derivative by it.
    for (std::size_t l = 0; l < inputs; ++l) {
      if (!model.inputs[l].used) continue;
      Matrix directions(rows.rows(), inputs), products(rows.rows(), outputs * inputs);
      for (std::size_t i = 0; i < rows.rows(); ++i) directions(i, l) = 1.0;
      ASSERT_TRUE(predictor.hessian_products(rows.view(), directions.view(), products.view(), {.threads = 2}));
      const auto values = [&](const Matrix& moved) { return gradients(model, moved.view()); };
      const double step = named.step * std::max(model.inputs[l].sd, 0.1);
      const Matrix coarse = difference(rows, l, step, values), fine = difference(rows, l, 0.6 * step, values);
      const double scale = largest(fine, 0, 1);
      std::size_t compared = 0;
      for (std::size_t c = 0; c < fine.size(); ++c) {
        if (std::abs(coarse.data()[c] - fine.data()[c]) > 1e-7 * scale) continue;
        ++compared;
        EXPECT_NEAR(products.data()[c], fine.data()[c], 1e-6 * scale) << named.name << ", " << c << " by " << l;
      }
      EXPECT_GT(compared, fine.size() * 7 / 10) << named.name;
    }
  }
}

TEST(Gradients, BitsDependOnTheRowAloneAndValuesAreThePredictions) {
  for (const NamedModel& named : models_of_every_kind(5000)) {
    const Model& model = named.model;
    const std::size_t count = 300, columns = model.outputs() * model.input_count();
    const Matrix rows = rows_for(model, count, 8);
    const GradientPredictor predictor(model);
    Matrix outputs(count, model.outputs()), jacobian(count, columns);
    ASSERT_TRUE(predictor.gradients(rows.view(), outputs.view(), jacobian.view()));
    EXPECT_EQ(outputs, predict(model, rows.view())) << named.name;
    for (const std::size_t batch : {1U, 97U}) {
      Matrix parts(count, columns), values(count, model.outputs());
      for (std::size_t first = 0; first < count; first += batch) {
        const std::size_t some = std::min(batch, count - first);
        predictor.gradients(rows.view().rows_from(first, some), values.view().rows_from(first, some),
                            parts.view().rows_from(first, some), {.threads = 3});
      }
      EXPECT_EQ(parts, jacobian) << named.name << ", " << batch;
      EXPECT_EQ(values, outputs) << named.name << ", " << batch;
    }
  }
}

TEST(Gradients, OfSomeBlocksAndOfNone) {
  const NamedModel named = models_of_every_kind(6000).front();
  Model cut = named.model;
  for (Network& member : cut.members) member.blocks.resize(std::min<std::size_t>(member.blocks.size(), 2));
  const Matrix rows = rows_for(cut, 5, 9);
  EXPECT_EQ(gradients(named.model, rows.view(), {.blocks = 2}), gradients(cut, rows.view()));
  const Matrix none = gradients(named.model, rows.view(), {.blocks = 0});
  for (std::size_t c = 0; c < none.size(); ++c) EXPECT_EQ(none.data()[c], 0.0);
}

// A kernel with a kink at its centre has there the mean of both sides, 0; a logarithm does not change below its range.
TEST(Gradients, WhereThereIsNoDerivative) {
  Model model = testing::narrow_model(1);
  Branch branch = testing::random_series(1);
  branch.closed_form->law.parts = {{1.0, {0.0}, {2.0}, 0, {}}};
  branch.closed_form->centres = Matrix(1, 1, 0.5);
  branch.closed_form->coefficients = Matrix(1, 2, 1.0);
  model.members = {{{{{branch}}}}};
  Matrix at(1, 1, 1.0 + 2.0 * 0.5);
  EXPECT_EQ(gradients(model, at.view()).data()[0], 0.0);  // a series
  branch.closed_form->law.parts.push_back({1.0, {0.5}, {0.0}, 0, {}});
  model.members = {{{{{branch}}}}};
  EXPECT_EQ(gradients(model, at.view()).data()[0], 0.0);
  model.scaler.input_log_from = {3.0};
  EXPECT_EQ(gradients(model, at.view()).data()[1], 0.0);
  at(0, 0) = 3.5;
  EXPECT_NE(gradients(model, at.view()).data()[1], 0.0);
}

TEST(Gradients, RefusesShapesThatDoNotFitAndEndsWhenItIsTold) {
  const NamedModel named = models_of_every_kind(7000).front();
  const GradientPredictor predictor(named.model);
  const Matrix rows = rows_for(named.model, 300, 1), narrow(300, 3);
  Matrix outputs(300, 2), jacobian(300, 8), wrong(300, 4);
  EXPECT_THROW(predictor.gradients(narrow.view(), outputs.view(), jacobian.view()), UsageError);
  EXPECT_THROW(predictor.gradients(rows.view(), outputs.view(), wrong.view()), UsageError);
  EXPECT_THROW(predictor.hessian_products(rows.view(), narrow.view(), jacobian.view()), UsageError);
  PredictOptions options;
  options.proceed = [] { return false; };
  EXPECT_FALSE(predictor.gradients(rows.view(), outputs.view(), jacobian.view(), options));
}

}  // namespace
}  // namespace rfnn
