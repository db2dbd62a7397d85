// Rows beside a model: thinned evenly, scored in full, predicted after every block.

#include "rfnn/report/run_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "identities/naive_training.hpp"
#include "report/run_stories.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::report {
namespace {

using testing::quick_options;

TEST(PredictByDepth, EqualsPredictWithSoManyBlocks) {
  Model model = fit(testing::wavy_data(200, 2, 2), quick_options(3));
  model.members.push_back(fit(testing::wavy_data(200, 2, 2, 5), quick_options(2)).members.front());
  const Dataset rows = testing::wavy_data(1300, 2, 2, 9);  // more than a tile, not a multiple of one
  std::size_t seen = 0;
  predict_by_depth(model, rows.inputs.view(), [&](std::size_t depth, ConstMatrixView predictions) {
    EXPECT_EQ(depth, seen++);
    const Matrix expected = predict(model, rows.inputs.view(), {.blocks = depth, .threads = 1});
    for (std::size_t i = 0; i < expected.rows(); ++i)
      for (std::size_t o = 0; o < 2; ++o) ASSERT_EQ(predictions(i, o), expected(i, o));
  });
  EXPECT_EQ(seen, 4U);
}

TEST(PredictByDepth, EqualsPredictForLatticesToo) {
  Options options = preset_options(Preset::automatic);
  options.threads = 1;
  options.members = 1;
  const Model model = fit(testing::wavy_data(1500, 1, 1), options);
  const Dataset rows = testing::wavy_data(1300, 1, 1, 9);
  std::size_t seen = 0;
  predict_by_depth(model, rows.inputs.view(), [&](std::size_t depth, ConstMatrixView predictions) {
    EXPECT_EQ(depth, seen++);
    const Matrix expected = predict(model, rows.inputs.view(), {.blocks = depth, .threads = 1});
    for (std::size_t i = 0; i < expected.rows(); ++i) ASSERT_EQ(predictions(i, 0), expected(i, 0));
  });
  EXPECT_EQ(seen, model.blocks() + 1);
}

TEST(RowCollector, ScoresAllRowsWhateverTheBatches) {
  const Model model = fit(testing::wavy_data(200), quick_options());
  const Dataset rows = testing::wavy_data(5000, 1, 1, 3);
  RowCollector collector(model, RowsRole::test, "t", true);
  for (std::size_t first = 0; first < 5000; first += 700) {
    const std::size_t count = std::min<std::size_t>(700, 5000 - first);
    collector.add(rows.inputs.view().rows_from(first, count), rows.targets.view().rows_from(first, count));
  }
  const ShownRows shown = collector.take();
  EXPECT_EQ(shown.total, 5000U);
  EXPECT_EQ(shown.inputs, rows.inputs) << "few enough to keep all";
  ASSERT_EQ(shown.scores.size(), 4U);
  for (std::size_t depth = 0; depth <= 3; ++depth) {
    ScoreSum sum(1);
    sum.add(rows.targets.view(), predict(model, rows.inputs.view(), {.blocks = depth, .threads = 1}).view());
    EXPECT_NEAR(shown.scores[depth].mse[0], sum.scores().mse[0], 1e-12);
    EXPECT_NEAR(shown.scores[depth].r2[0], sum.scores().r2[0], 1e-12);
    EXPECT_EQ(shown.scores[depth].rows, 5000U);
  }
}

TEST(RowCollector, KeepsABoundedNumberSpreadOverAllRows) {
  const Model model = fit(testing::wavy_data(50), quick_options(1, 5));
  const std::size_t limit = RowCollector::limit_for(model);
  RowCollector collector(model, RowsRole::test, "t", false);
  constexpr std::size_t rows = 300'000;
  Matrix inputs(1000, 1), targets(1000, 1);
  for (std::size_t first = 0; first < rows; first += 1000) {
    for (std::size_t i = 0; i < 1000; ++i) inputs(i, 0) = static_cast<double>(first + i);
    collector.add(inputs.view(), targets.view());
  }
  const ShownRows shown = collector.take();
  EXPECT_EQ(shown.total, rows);
  const std::size_t kept = shown.inputs.rows();
  ASSERT_LE(kept, limit);
  ASSERT_GE(kept, limit / 2 - 1);
  // One of every group, in order, and not always the same place of the group.
  const std::size_t group = rows / kept;
  std::vector<std::size_t> places(group + 2, 0);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto row = static_cast<std::size_t>(shown.inputs(i, 0));
    if (i > 0) {
      EXPECT_GT(shown.inputs(i, 0), shown.inputs(i - 1, 0));
    }
    EXPECT_LE(row / 32, i + 1) << "groups of 32 rows";
    ++places[row % group];
  }
  EXPECT_GT(std::count_if(places.begin(), places.end(), [](std::size_t n) { return n > 0; }),
            static_cast<std::ptrdiff_t>(group / 2));
}

TEST(RowsOfTraining, SplitsAsTrainingDid) {
  const Dataset data = testing::wavy_data(200);
  Options options = quick_options();
  options.validation_fraction = 0.25;
  const Model model = fit(data, options);
  const auto rows = rows_of_training(model, data, "d");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].total, model.train_rows);
  EXPECT_EQ(rows[1].total, model.validation_rows);
  const auto error = [&](const ShownRows& some) {
    return testing::mse(some.targets, predict(model, some.inputs.view()));
  };
  EXPECT_NEAR(error(rows[0]), model.history.blocks.back().train_mse, 1e-10);
  EXPECT_NEAR(error(rows[1]), *model.history.blocks.back().validation_mse, 1e-10);
}

TEST(DepthsShown, StartsAtTheMeanAndEndsWithAllBlocks) {
  EXPECT_EQ(depths_shown(0), (std::vector<std::size_t>{0}));
  EXPECT_EQ(depths_shown(3), (std::vector<std::size_t>{0, 1, 2, 3}));
  for (const std::size_t blocks : {16U, 17U, 18U, 30U, 1000U}) {
    const auto depths = depths_shown(blocks);
    EXPECT_LE(depths.size(), 17U);
    EXPECT_EQ(depths.front(), 0U);
    EXPECT_EQ(depths.back(), blocks);
    EXPECT_TRUE(std::is_sorted(depths.begin(), depths.end()));
    EXPECT_EQ(std::adjacent_find(depths.begin(), depths.end()), depths.end()) << blocks;
  }
}

}  // namespace
}  // namespace rfnn::report
