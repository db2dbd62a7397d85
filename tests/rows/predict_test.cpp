#include "rfnn/data/stand_in.hpp"
#include "rfnn/rows/predict.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "rfnn/core/error.hpp"
#include "rfnn/rows/tiles.hpp"
#include "rows/naive.hpp"

namespace rfnn::rows {
namespace {

using testing::naive_predict;
using testing::normal_matrix;
using testing::random_branch;
using testing::random_closed_form;
using testing::to_eigen;

/// Four columns of which one is not used, two outputs, members of different depth with every kind of branch.
Model model_by_hand(std::size_t members = 2) {
  Model model;
  model.inputs = {{"a", 0, 0.0, 1.0, -1.0, 1.0, true},
                  {"b", 1, 5.0, 0.0, 5.0, 5.0, false},
                  {"c", 2, 3.0, 2.0, 0.0, 9.0, true},
                  {"d", 3, -1.0, 0.5, -2.0, 0.0, true}};
  model.targets = {{"y1", 4, 0.75, 3.0, -5.0, 5.0, true}, {"y2", 5, -2.0, 1.0, -4.0, 0.0, true}};
  model.scaler = {{0.1, 3.0, -1.0}, {1.5, 2.0, 0.5}, {10.0, -20.0}, {3.0, 0.25}};
  model.members.resize(members);
  for (std::size_t e = 0; e < members; ++e)
    for (std::size_t l = 0; l < 4 - e; ++l) {
      Block block{{random_branch(BranchKind::input, 5, 3, 2, 100 * e + 10 * l)}};
      if (l > 0) block.branches.push_back(random_branch(BranchKind::state, 3, 3, 2, 100 * e + 10 * l + 3));
      if (l > 1) block.branches.push_back(random_branch(BranchKind::joint, 4, 3, 2, 100 * e + 10 * l + 5));
      model.members[e].blocks.push_back(block);
    }
  return model;
}

void expect_near(const Matrix& actual, const Eigen::MatrixXd& expected, double tolerance) {
  ASSERT_EQ(actual.rows(), static_cast<std::size_t>(expected.rows()));
  ASSERT_EQ(actual.cols(), static_cast<std::size_t>(expected.cols()));
  EXPECT_LE((to_eigen(actual) - expected).cwiseAbs().maxCoeff(), tolerance);
}

TEST(Predict, IsTheFormulaForAllRowCounts) {
  const Model model = model_by_hand();
  for (const std::size_t rows :
       {std::size_t{1}, std::size_t{3}, tile_rows - 1, tile_rows, tile_rows + 1, 4 * tile_rows + 5}) {
    const Matrix inputs = normal_matrix(rows, 4, rows);
    expect_near(predict(model, inputs.view()), naive_predict(model, inputs), 1e-11);
  }
}

TEST(Predict, SomeInputsAsLogarithms) {
  Model model = model_by_hand();
  model.scaler.input_log_from = {0.0, 0.25, 0.0};
  const Matrix inputs = normal_matrix(300, 4, 1);  // half of them negative
  expect_near(predict(model, inputs.view()), naive_predict(model, inputs), 1e-11);
}

TEST(Predict, StagesAreTheTruncatedNetwork) {
  const Model model = model_by_hand(1);
  const Matrix inputs = normal_matrix(300, 4, 1);
  for (std::size_t blocks = 0; blocks <= 4; ++blocks) {
    Model cut = model;
    cut.members[0].blocks.resize(blocks);
    const Matrix staged = predict(model, inputs.view(), {.blocks = blocks});
    EXPECT_EQ(staged, predict(cut, inputs.view())) << blocks;
    expect_near(staged, naive_predict(model, inputs, blocks), 1e-11);
  }
  EXPECT_EQ(predict(model, inputs.view(), {.blocks = 100}), predict(model, inputs.view()));
}

TEST(Predict, WithoutBlocksIsTheMeanOfTheTarget) {
  const Matrix inputs = normal_matrix(5, 4, 1);
  for (const std::size_t members : {1U, 2U}) {
    const Matrix mean = predict(model_by_hand(members), inputs.view(), {.blocks = 0});
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(mean(i, 0), 0.75);
      EXPECT_EQ(mean(i, 1), -2.0);
    }
  }
}

TEST(Predict, BitsDoNotDependOnThreadsOrBatches) {
  const Model model = model_by_hand();
  const Matrix inputs = normal_matrix(5000, 4, 2);
  const Matrix alone = predict(model, inputs.view());
  for (const std::size_t threads : {0U, 2U, 3U, 4U})
    EXPECT_EQ(predict(model, inputs.view(), {.blocks = {}, .threads = threads}), alone) << threads;
  for (const std::size_t batch : {1U, 7U, 1000U}) {
    Matrix parts(5000, 2);
    for (std::size_t first = 0; first < 5000; first += batch) {
      const std::size_t count = std::min(batch, 5000 - first);
      predict(model, inputs.view().rows_from(first, count), parts.view().rows_from(first, count));
    }
    EXPECT_EQ(parts, alone) << batch;
  }
}

/// One input, a lattice of frequencies and a block beside it.
Model lattice_by_hand() {
  Model model;
  model.inputs = {{"x", 0, 0.0, 1.0, -1.7, 1.7, true}};
  model.targets = {{"y", 1, 0.5, 2.0, -5.0, 5.0, true}};
  model.scaler = {{0.0}, {1.0}, {0.5}, {2.0}};
  Branch lattice{BranchKind::input, Matrix(500, 1), normal_matrix(1000, 1, 40, 0.01), {0.37}};
  for (std::size_t j = 0; j < 500; ++j) lattice.frequencies(j, 0) = 0.37 * static_cast<double>(j);
  model.members = {{{{{lattice}}, {{random_branch(BranchKind::joint, 7, 1, 1, 41)}}}}};
  return model;
}

/// The model by hand with closed forms: a block of them alone, and others beside features, before more features.
Model closed_forms_by_hand(bool centred = true) {
  Model model = model_by_hand();
  auto& blocks = model.members[0].blocks;
  blocks[0].branches = {random_closed_form(BranchKind::input, 150, 3, 2, 50)};
  blocks[2].branches.push_back(random_closed_form(BranchKind::joint, 64, 3, 2, 54));
  blocks[2].branches.push_back(random_closed_form(BranchKind::input, 3, 3, 2, 58));
  model.members[1].blocks.resize(1);
  model.members[1].blocks[0].branches = {random_closed_form(BranchKind::input, 700, 3, 2, 62)};
  for (Network& member : model.members)
    for (Block& block : member.blocks)
      for (Branch& branch : block.branches)
        if (branch.closed_form && !centred)
          for (FrequencyLaw::Part& part : branch.closed_form->law.parts) part.centre.clear();
  return model;
}

TEST(Predict, ClosedFormsAreTheFormula) {
  for (const bool centred : {true, false}) {
    const Model model = closed_forms_by_hand(centred);
    check(model);
    for (const std::size_t rows : {std::size_t{1}, tile_rows - 1, tile_rows, 2 * tile_rows + 5}) {
      const Matrix inputs = normal_matrix(rows, 4, rows);
      for (const std::size_t blocks : {0U, 1U, 3U, 4U})
        expect_near(predict(model, inputs.view(), {.blocks = blocks}), naive_predict(model, inputs, blocks), 1e-12);
    }
  }
}

TEST(Predict, AClosedFormAwayFromItsCentresIsNothing) {
  for (const bool centred : {true, false}) {
    Model model = closed_forms_by_hand(centred);
    for (Network& member : model.members) member.blocks.resize(1);
    for (const double far : {1e4, 1e100, 1e155, 1e300, -1e300}) {
      const Matrix inputs(1, 4, far);
      const Matrix found = predict(model, inputs.view());
      EXPECT_EQ(found(0, 0), 10.0) << far;
      EXPECT_EQ(found(0, 1), -20.0) << far;
    }
  }
}

/// Laws of one input without smooth factors have a quicker sum; centres in any order, some twice.
Model series_by_hand() {
  Model model = lattice_by_hand();
  Branch branch = random_closed_form(BranchKind::input, 300, 1, 1, 70);
  FrequencyLaw& law = branch.closed_form->law;
  law.map = {};
  for (FrequencyLaw::Part& part : law.parts) {
    part.smooth = {0.0};
    part.rough[0] += 0.5;
  }
  law.parts[1].centre = {3.0};
  for (std::size_t i = 0; i < 20; ++i) branch.closed_form->centres(i, 0) = branch.closed_form->centres(i + 100, 0);
  model.members[0].blocks[0].branches = {branch};
  return model;
}

TEST(Predict, ClosedFormsOfOneInputAreTheFormula) {
  Model model = series_by_hand();
  const Matrix inputs = normal_matrix(500, 1, 3);
  expect_near(predict(model, inputs.view()), naive_predict(model, inputs), 1e-11);
  model.members[0].blocks.resize(1);
  for (const double far : {1e4, 1e155, 1e300, -1e300}) {
    const Matrix away(1, 1, far);
    EXPECT_EQ(predict(model, away.view())(0, 0), 0.5) << far;
  }
}

TEST(Predictor, ARowDoesNotDependOnTheRowsBesideIt) {
  for (const Model& model :
       {model_by_hand(), lattice_by_hand(), closed_forms_by_hand(), closed_forms_by_hand(false), series_by_hand()}) {
    const Matrix inputs = normal_matrix(1200, model.input_count(), 42);
    const Predictor predictor(model);
    Matrix together(1200, model.outputs());
    ASSERT_TRUE(predictor.predict(inputs.view(), together.view()));
    expect_near(together, naive_predict(model, inputs), 1e-10);
    EXPECT_EQ(predict(model, inputs.view(), {.blocks = {}, .threads = 3}), together);
    for (const std::size_t batch : {1U, 3U}) {
      Matrix parts(1200, model.outputs());
      for (std::size_t first = 0; first < 1200; first += batch)
        ASSERT_TRUE(predictor.predict(inputs.view().rows_from(first, batch), parts.view().rows_from(first, batch)));
      EXPECT_EQ(parts, together) << batch;
      // Without the preparation, too.
      EXPECT_EQ(predict(model, inputs.view().rows_from(600, batch))(0, 0), together(600, 0));
    }
  }
}

TEST(Predictor, StagesArePredictionsWithSoManyBlocksToTheBit) {
  for (const Model& model :
       {model_by_hand(), lattice_by_hand(), closed_forms_by_hand(), closed_forms_by_hand(false), series_by_hand()})
    for (const std::size_t rows : {std::size_t{1}, tile_rows + 1}) {
      const Matrix inputs = normal_matrix(rows, model.input_count(), 43);
      const Predictor predictor(model);
      std::size_t next = 0;
      predictor.stages(inputs.view(), [&](std::size_t blocks, ConstMatrixView outputs) {
        EXPECT_EQ(blocks, next++);
        const Matrix expected = predict(model, inputs.view(), {.blocks = blocks});
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t o = 0; o < model.outputs(); ++o) ASSERT_EQ(outputs(i, o), expected(i, o)) << blocks;
      });
      EXPECT_EQ(next, model.blocks() + 1);
    }
}

TEST(Predictor, EndsWhenItIsTold) {
  const Model model = model_by_hand();
  const Matrix inputs = normal_matrix(3000, 4, 44);
  Matrix outputs(3000, 2);
  PredictOptions options;
  options.proceed = [] { return false; };
  EXPECT_FALSE(Predictor(model).predict(inputs.view(), outputs.view(), options));
}

TEST(Predict, TakesAnyStrides) {
  const Model model = model_by_hand();
  const std::size_t rows = 700;
  const Matrix inputs = normal_matrix(rows, 4, 3);
  std::vector<double> by_column(rows * 4), answers(2 * rows * 3, -1.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < 4; ++k) by_column[k * rows + i] = inputs(i, k);
  const MatrixView every_third(answers.data(), rows, 2, 3, static_cast<std::ptrdiff_t>(3 * rows));
  predict(model, ConstMatrixView(by_column.data(), rows, 4, 1, static_cast<std::ptrdiff_t>(rows)), every_third);
  const Matrix expected = predict(model, inputs.view());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t o = 0; o < 2; ++o) {
      ASSERT_EQ(every_third(i, o), expected(i, o));
      ASSERT_EQ(answers[o * 3 * rows + 3 * i + 1], -1.0) << "written beside the view";
    }
}

TEST(Predict, TheColumnLeftOutDoesNotMatter) {
  const Model model = model_by_hand();
  Matrix inputs = normal_matrix(50, 4, 4);
  const Matrix before = predict(model, inputs.view());
  for (std::size_t i = 0; i < 50; ++i) inputs(i, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(predict(model, inputs.view()), before);
}

TEST(Predict, IsSafeFromSeveralThreadsAtOnce) {
  const Model model = model_by_hand();
  const Matrix inputs = normal_matrix(2000, 4, 5);
  const Matrix expected = predict(model, inputs.view());
  std::vector<Matrix> results(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 3; ++round)
        results[t] = predict(model, inputs.view(), {.blocks = {}, .threads = 1 + t % 2});
    });
  for (auto& thread : threads) thread.join();
  for (const Matrix& result : results) EXPECT_EQ(result, expected);
}

TEST(Predict, RefusesShapesThatDoNotFit) {
  const Model model = model_by_hand();
  const Matrix inputs = normal_matrix(3, 4, 6), narrow = normal_matrix(3, 3, 6);
  Matrix short_place(2, 2), narrow_place(3, 1);
  EXPECT_THROW(predict(model, narrow.view()), UsageError);
  EXPECT_THROW(predict(model, inputs.view(), short_place.view()), UsageError);
  EXPECT_THROW(predict(model, inputs.view(), narrow_place.view()), UsageError);
  EXPECT_THROW(rows_outside_training_range(model, narrow.view()), UsageError);
  try {
    predict(model, narrow.view());
  } catch (const UsageError& error) {
    EXPECT_NE(error.cause().find('3'), std::string::npos) << error.what();
    EXPECT_NE(error.cause().find('4'), std::string::npos) << error.what();
    EXPECT_FALSE(error.cure().empty());
  }
}

TEST(Predict, NoRowsNoPredictions) {
  const Matrix result = predict(model_by_hand(), Matrix(0, 4).view());
  EXPECT_EQ(result.rows(), 0U);
  EXPECT_EQ(result.cols(), 2U);
}

TEST(TrainingRange, CountsRowsOutside) {
  const Model model = model_by_hand();  // a in [−1, 1], b always 5 and not used, c in [0, 9], d in [−2, 0]
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Matrix inputs(8, 4);
  const double rows[8][4] = {{0, 5, 1, -1},     {1, 5, 9, 0},  {-1, nan, 0, -2}, {0, 5 + 1e-9, 0, -2},
                             {1.001, 5, 1, -1}, {2, 5, -1, 7}, {0, 5, nan, -1},  {0, 50, 1, -1}};
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t k = 0; k < 4; ++k) inputs(i, k) = rows[i][k];
  EXPECT_EQ(rows_outside_training_range(model, inputs.view()), 4U);
  EXPECT_EQ(rows_outside_training_range(model, inputs.view().rows_from(0, 4)), 0U);
  EXPECT_EQ(rows_outside_training_range(model, inputs.view().rows_from(4, 1), 0.25), 0U) << "by little";
  for (const std::size_t i : {5U, 6U, 7U})
    EXPECT_EQ(rows_outside_training_range(model, inputs.view().rows_from(i, 1), 0.25), 1U) << i;
}

TEST(TrainingRange, WhatStandsInForACellIsOutsideUnlessTrainingHadIts) {
  Model model = model_by_hand();
  Matrix row(1, 4);
  const auto outside = [&](std::size_t k, double value) {
    const double known[] = {0.5, 5, 1, -1.25};
    std::copy_n(known, 4, row.data());
    row(0, k) = value;
    return rows_outside_training_range(model, row.view()) > 0;
  };
  EXPECT_TRUE(outside(2, marked(3.0, StandIn::missing)));
  EXPECT_FALSE(outside(2, 3.0)) << "a number that is the mean";
  EXPECT_FALSE(outside(1, marked(5.0, StandIn::missing))) << "of a column that was always the same";
  model.table.inputs = {{.name = "a", .fill = {0.25}, .missing = 4},
                        {.name = "b", .position = 1, .fill = {5.0}},
                        {.name = "c",
                         .position = 2,
                         .kind = ColumnKind::category,
                         .levels = {"u", "v"},
                         .fill = {0.25, 0.75},
                         .missing = 2}};
  EXPECT_TRUE(outside(0, marked(0.25, StandIn::missing))) << "rows with missing cells were left out";
  model.options.missing = Missing::mean;
  EXPECT_FALSE(outside(0, marked(0.25, StandIn::missing)));
  EXPECT_FALSE(outside(2, marked(0.25, StandIn::missing)));
  EXPECT_TRUE(outside(2, marked(0.25, StandIn::unseen)));
}

}  // namespace
}  // namespace rfnn::rows
