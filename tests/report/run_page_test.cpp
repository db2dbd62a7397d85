// The report of a run: what its figures and sentences say about real runs, small and strange ones among them.

#include "rfnn/report/run_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "identities/naive_training.hpp"
#include "report/run_stories.hpp"
#include "rfnn/data/targets.hpp"
#include "rfnn/report/run_text.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::report {
namespace {

using testing::expect_sound;
using testing::figure_named;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::quick_options;
using testing::story_with_rows;
using testing::uniform_matrix;
using testing::words_of;

const Series* series_named(const std::vector<Series>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Series& series) { return series.name == name; });
  return found == list.end() ? nullptr : &*found;
}

/// sin(a)·cos(b/20), with names that would be markup.
Dataset two_inputs(std::size_t rows) {
  Dataset data{
      uniform_matrix(rows, 2, 7, 0.0, 10.0), Matrix(rows, 1), {"<script>alert(1)</script>", "b & \"c\""}, {"z"}};
  for (std::size_t i = 0; i < rows; ++i) {
    data.inputs(i, 1) *= 20.0;
    data.targets(i, 0) = std::sin(data.inputs(i, 0)) * std::cos(data.inputs(i, 1) / 20.0);
  }
  return data;
}

TEST(RunPage, OneInput) {
  const Dataset train = generate(Target::multiscale, 400, 1), test = generate(Target::multiscale, 300, 2);
  Options options = quick_options();
  options.validation_fraction = 0.2;
  const RunStory story = story_with_rows(train, options, &test);
  const Page page = run_page(story);
  expect_sound(page);
  const Model& model = *story.model;

  const Figure* errors = figure_named(page, "error-per-block");
  ASSERT_NE(errors, nullptr);
  const Series* train_line = series_named(errors->series, "training rows");
  const Series* validation_line = series_named(errors->series, "held-out rows");
  const Series* test_line = series_named(errors->series, "test rows");
  ASSERT_TRUE(train_line && validation_line && test_line);
  ASSERT_EQ(train_line->y.size(), 3U);
  ASSERT_EQ(test_line->y.size(), 3U);
  for (std::size_t l = 0; l < 3; ++l) {
    EXPECT_EQ(train_line->x[l], 4.0 * static_cast<double>(l + 1));
    EXPECT_EQ(train_line->y[l], model.history.blocks[l].train_mse);
    EXPECT_EQ(validation_line->y[l], *model.history.blocks[l].validation_mse);
    const Matrix predictions = predict(model, test.inputs.view(), {.blocks = l + 1, .threads = 1});
    EXPECT_NEAR(test_line->y[l], testing::mse(test.targets, predictions), 1e-12);
  }
  const Series* reference = series_named(errors->series, "1/(W·ℓ) through block 1");
  ASSERT_NE(reference, nullptr);
  EXPECT_TRUE(reference->dashed && reference->colour == Colour::grey);
  EXPECT_NEAR(reference->y[2], train_line->y[0] / 3.0, 1e-12);
  EXPECT_THAT(errors->caption, HasSubstr(fmt::format("(W·ℓ)^{:.2f}", *model.history.rate_slope)));

  const Figure* predictions = figure_named(page, "predictions");
  ASSERT_NE(predictions, nullptr);
  ASSERT_EQ(predictions->frames.size(), 4U);
  EXPECT_EQ(predictions->first_frame, 3U);
  EXPECT_EQ(predictions->series.front().colour, Colour::black);
  EXPECT_EQ(predictions->series.front().x.size(), 300U) << "the test rows, not the training rows";
  for (const double y : predictions->frames[0].series[0].y) EXPECT_EQ(y, model.targets[0].mean);
  Matrix place(1, 1, predictions->frames[3].series[0].x[100]);
  EXPECT_NEAR(predictions->frames[3].series[0].y[100], predict(model, place.view())(0, 0), 1e-12);

  EXPECT_EQ(figure_named(page, "spectrum")->frames.size(), 4U) << "all blocks, and each";
  EXPECT_EQ(figure_named(page, "accepted")->frames.size(), 3U);
  EXPECT_EQ(figure_named(page, "state-spectrum")->frames.size(), 3U) << "block 1 has no state branch";
  EXPECT_NE(figure_named(page, "state-accepted"), nullptr);
  EXPECT_EQ(figure_named(page, "acceptance")->series.size(), 2U);
  EXPECT_EQ(figure_named(page, "loss-trace")->series.size(), 3U);
  EXPECT_EQ(figure_named(page, "condition")->series.front().x.size(), 3U);
  for (const char* id : {"residual-histogram", "residual-against-1", "residual-spectrum"})
    EXPECT_NE(figure_named(page, id), nullptr) << id;
  EXPECT_THAT(words_of(page, "run"), HasSubstr("Seed: 1"));
  EXPECT_THAT(words_of(page, "run"), HasSubstr("320 to train on, 80 to validate on"));
  EXPECT_THAT(words_of(page, "rerun"), HasSubstr("rfnn evaluate model.rfnn TEST.csv"));
}

TEST(RunPage, OpensWithHowFarOffItIsAndAPicture) {
  const Dataset train = generate(Target::multiscale, 300, 1), test = generate(Target::multiscale, 200, 2);
  Options options = quick_options();
  RunStory story = story_with_rows(train, options);
  Page page = run_page(story);
  EXPECT_EQ(page.sections.front().id, "result");
  EXPECT_THAT(words_of(page, "result"), HasSubstr("On the 300 rows it was fitted to the model is off by"));
  EXPECT_THAT(words_of(page, "result"), HasSubstr("is not known: no rows were held out"));
  const Figure* line = figure_named(page, "opening-predictions");
  ASSERT_NE(line, nullptr);
  EXPECT_TRUE(line->frames.empty()) << "no slider";
  const Series* prediction = series_named(line->series, "prediction");
  ASSERT_NE(prediction, nullptr);
  const Matrix place(1, 1, prediction->x[100]);
  EXPECT_NEAR(prediction->y[100], predict(*story.model, place.view())(0, 0), 1e-12) << "with all blocks";

  options.validation_fraction = 0.2;
  story = story_with_rows(train, options);
  const ModelErrors errors = final_errors(*story.model);
  EXPECT_THAT(words_of(run_page(story), "result"),
              HasSubstr("On rows it has not seen the model is off by " +
                        rmse_text(*errors.validation, errors.validation_se) + " in y (root mean squared error, on"));
  EXPECT_THAT(words_of(run_page(story), "result"), HasSubstr("held-out rows)"));
  story = story_with_rows(train, options, &test);
  EXPECT_THAT(words_of(run_page(story), "result"), HasSubstr("on 200 test rows)"));

  page = run_page(story_with_rows(two_inputs(200), quick_options(1, 20)));
  EXPECT_NE(figure_named(page, "opening-data-map"), nullptr);
  EXPECT_NE(figure_named(page, "opening-prediction-map"), nullptr);
  page = run_page(story_with_rows(generate(Target::sine, 200, 1), quick_options(1, 20)));
  ASSERT_NE(figure_named(page, "opening-parity"), nullptr);
  EXPECT_EQ(figure_named(page, "opening-parity")->x.label, "y measured");
  page = run_page(story_of(fit(train, quick_options(1, 5)), "model.rfnn"));
  EXPECT_THAT(words_of(page, "result"), HasSubstr("rfnn report model.rfnn --data TEST.csv"));
}

TEST(RunPage, TheSpectrumIsInTheUnitsOfTheInput) {
  // Two lines written into a model: standardised frequencies 2 and 20, amplitudes |3 + 4i| and 0.1.
  RunStory story = story_with_rows(testing::wavy_data(200), quick_options(1, 5, 2));
  Branch& branch = story.model->members[0].blocks[0].branches[0];
  branch.frequencies(0, 0) = 2.0;
  branch.frequencies(1, 0) = 20.0;
  const double amplitudes[] = {3.0, 4.0, 0.1, 0.0};
  std::copy(std::begin(amplitudes), std::end(amplitudes), branch.amplitudes.data());
  const double sd = story.model->scaler.input_sd[0];
  ASSERT_NE(sd, 1.0);
  const Page page = run_page(story);
  expect_sound(page);
  const Figure* figure = figure_named(page, "spectrum");
  for (const Frame& frame : figure->frames) {
    const Series& stems = frame.series[0];
    EXPECT_EQ(stems.mark, Mark::stems);
    ASSERT_EQ(stems.x.size(), 2U) << frame.label;
    EXPECT_NEAR(stems.x[0], 2.0 / sd, 1e-12);
    EXPECT_NEAR(stems.y[0], 5.0, 1e-12);
    EXPECT_NEAR(stems.x[1], 20.0 / sd, 1e-12);
    EXPECT_NEAR(stems.y[1], 0.1, 1e-12);
    EXPECT_THAT(stems.notes[0], HasSubstr("period " + short_number(std::numbers::pi * sd)));
  }
  EXPECT_THAT(words_of(page, "spectrum"), HasSubstr("5|" + short_number(2.0 / sd) + "|"));
}

TEST(RunPage, TwoInputsAreMapsAndSlices) {
  const Page page = run_page(story_with_rows(two_inputs(600), quick_options()));
  expect_sound(page);
  const Figure* data = figure_named(page, "data-map");
  const Figure* prediction = figure_named(page, "prediction-map");
  const Figure* difference = figure_named(page, "difference-map");
  ASSERT_TRUE(data && prediction && difference);
  EXPECT_EQ(prediction->frames.size(), 4U);
  EXPECT_EQ(difference->frames.size(), 4U);
  EXPECT_EQ(data->scale->low, prediction->scale->low);
  EXPECT_EQ(data->scale->high, prediction->scale->high);
  EXPECT_TRUE(difference->scale->diverging);
  EXPECT_EQ(data->x.label, "<script>alert(1)</script>");
  EXPECT_LE(prediction->frames[0].series[0].y.size(), 3600U);
  // The map shows the function: at the cell of its centre the mean of the data is near the function.
  const Series& cells = data->series[0];
  const double x = *data->x.low + (*data->x.high - *data->x.low) * 0.5 / static_cast<double>(cells.columns);
  const double y = *data->y.low + (*data->y.high - *data->y.low) * 0.5 / static_cast<double>(cells.columns);
  if (std::isfinite(cells.y[0])) {
    EXPECT_NEAR(cells.y[0], std::sin(x) * std::cos(y / 20.0), 0.4);
  }
  for (const char* id : {"slice-1", "slice-2", "spectrum-norm", "spectrum-1", "spectrum-2", "residual-spectrum-1",
                         "residual-spectrum-2", "residual-against-2"})
    EXPECT_NE(figure_named(page, id), nullptr) << id;
  EXPECT_EQ(figure_named(page, "slice-1")->frames.size(), 4U);
}

TEST(RunPage, ThreeInputsAreParityAndSlices) {
  const RunStory story = story_with_rows(generate(Target::sine, 500, 1), quick_options(2));
  const Page page = run_page(story);
  expect_sound(page);
  const Figure* parity = figure_named(page, "parity");
  ASSERT_NE(parity, nullptr);
  ASSERT_EQ(parity->frames.size(), 3U);
  EXPECT_EQ(parity->series.front().x, parity->series.front().y) << "the diagonal";
  for (const char* id : {"slice-1", "slice-2", "slice-3", "main-effect-1", "scales"})
    EXPECT_NE(figure_named(page, id), nullptr) << id;
  EXPECT_EQ(figure_named(page, "predictions"), nullptr);
  EXPECT_EQ(figure_named(page, "data-map"), nullptr);
}

TEST(RunPage, ManyInputsShowThoseThatMatter) {
  Dataset data{uniform_matrix(300, 12, 5, -1.0, 1.0), Matrix(300, 1), {}, {}};
  for (std::size_t i = 0; i < 300; ++i) data.targets(i, 0) = std::sin(3.0 * data.inputs(i, 10));
  const Page page = run_page(story_with_rows(data, quick_options(2, 300, 8)));
  expect_sound(page);
  EXPECT_NE(figure_named(page, "slice-11"), nullptr) << "the input the target depends on";
  EXPECT_NE(figure_named(page, "residual-against-11"), nullptr);
  std::size_t slices = 0, against = 0;
  for (const Figure* figure : figures_of(page)) {
    slices += figure->id.rfind("slice-", 0) == 0 ? 1 : 0;
    against += figure->id.rfind("residual-against-", 0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(slices, 6U);
  EXPECT_EQ(against, 8U);
  EXPECT_THAT(words_of(page, "predictions"), HasSubstr("6 of 12 inputs"));
}

TEST(RunPage, SeveralOutputsHaveFiguresOfTheirOwn) {
  const Dataset data = testing::wavy_data(300, 1, 5), test = testing::wavy_data(200, 1, 5, 9);
  const RunStory story = story_with_rows(data, quick_options(), &test);
  const Page page = run_page(story);
  expect_sound(page);
  for (const char* id : {"predictions-1", "predictions-4", "residual-histogram-4", "state-spectrum-norm"})
    EXPECT_NE(figure_named(page, id), nullptr) << id;
  EXPECT_EQ(figure_named(page, "predictions-5"), nullptr);
  EXPECT_THAT(words_of(page, "predictions"), HasSubstr("5 outputs; the first 4"));
  EXPECT_THAT(words_of(page, "run"), HasSubstr("Errors of each output"));
  // The error figure shows the mean over outputs, as training does.
  const Series* line = series_named(figure_named(page, "error-per-block")->series, "test rows");
  EXPECT_NEAR(line->y.back(), testing::mse(test.targets, predict(*story.model, test.inputs.view())), 1e-12);
}

TEST(RunPage, AConstantTargetIsAMeanWithoutFrequencies) {
  Dataset data = testing::wavy_data(50);
  for (std::size_t i = 0; i < 50; ++i) data.targets(i, 0) = 5.0;
  const Page page = run_page(story_with_rows(data, quick_options()));
  expect_sound(page);
  EXPECT_THAT(words_of(page, "errors"), HasSubstr("No block was trained"));
  EXPECT_EQ(figure_named(page, "predictions")->frames.size(), 1U);
  EXPECT_EQ(figure_named(page, "spectrum"), nullptr);
}

TEST(RunPage, NoInputThatVaries) {
  Dataset data{Matrix(40, 2, 1.0), uniform_matrix(40, 1, 3, 0.0, 1.0), {}, {}};
  const Page page = run_page(story_with_rows(data, quick_options()));
  expect_sound(page);
  EXPECT_NE(figure_named(page, "parity"), nullptr);
}

TEST(RunPage, OneRowAndNumbersOfAnySize) {
  Dataset one{Matrix(1, 1, 2.0), Matrix(1, 1, 3.0), {}, {}};
  expect_sound(run_page(story_with_rows(one, quick_options())));
  Dataset huge = testing::wavy_data(60);
  for (std::size_t i = 0; i < 60; ++i) {
    huge.inputs(i, 0) *= 1e-200;
    huge.targets(i, 0) *= 1e100;
  }
  expect_sound(run_page(story_with_rows(huge, quick_options())));
}

TEST(RunPage, NumbersThatAreNoneAreLeftOut) {
  RunStory story = story_with_rows(testing::wavy_data(60), quick_options());
  for (BlockRecord* record : {&story.blocks[1], &story.model->history.blocks[1]}) {
    record->train_mse = std::numeric_limits<double>::quiet_NaN();
    record->condition = std::numeric_limits<double>::infinity();
    record->seconds = std::numeric_limits<double>::quiet_NaN();
    for (TracePoint& point : record->trace) point.loss = 0.0;
  }
  const Page page = run_page(story);
  expect_sound(page);
  EXPECT_EQ(figure_named(page, "error-per-block")->series.back().x.size(), 2U);
  EXPECT_EQ(figure_named(page, "condition")->series.front().x.size(), 2U);
}

TEST(RunPage, AModelAloneSaysHowToSeePredictions) {
  RunStory story = story_of(fit(testing::wavy_data(60), quick_options()), "my model.rfnn");
  story.rows_missing = "A model file holds no rows.";
  const Page page = run_page(story);
  expect_sound(page);
  EXPECT_EQ(figure_named(page, "predictions"), nullptr);
  EXPECT_THAT(words_of(page, "predictions"), HasSubstr("A model file holds no rows."));
  EXPECT_THAT(words_of(page, "predictions"), HasSubstr("rfnn report 'my model.rfnn' --data TEST.csv"));
  EXPECT_THAT(words_of(page, "rerun"), HasSubstr("rfnn fit DATA --target y"));
  EXPECT_THAT(words_of(page, "rerun"), HasSubstr("--keep best"));
}

TEST(RunPage, BlocksGivenUpAreMarked) {
  RunStory story = story_with_rows(testing::wavy_data(100), quick_options(4));
  story.model->members[0].blocks.resize(2);  // as patience does
  const Page page = run_page(story);
  expect_sound(page);
  const Figure* errors = figure_named(page, "error-per-block");
  const Series* given_up = series_named(errors->series, "given up again");
  ASSERT_NE(given_up, nullptr);
  EXPECT_EQ(given_up->x, (std::vector<double>{12.0, 16.0}));
  EXPECT_THAT(errors->caption, HasSubstr("2 blocks that brought no gain"));
  EXPECT_THAT(words_of(page, "run"), HasSubstr("2 of 4 blocks in the model (4 were trained)"));
}

TEST(RunPage, ManyBlocksStaySmall) {
  const RunStory story = story_with_rows(testing::wavy_data(300), quick_options(60, 5, 2));
  const Page page = run_page(story);
  expect_sound(page);
  const Figure* figure = figure_named(page, "predictions");
  EXPECT_LE(figure->frames.size(), 17U);
  EXPECT_EQ(figure->frames.front().label, "0 blocks (the mean)");
  EXPECT_EQ(figure->frames.back().label, "60 blocks");
}

/// Two members of different depth, as preset auto trains them: without chains.
RunStory members_story() {
  const Dataset train = generate(Target::multiscale, 200, 1), test = generate(Target::multiscale, 100, 2);
  RunStory story = story_with_rows(train, quick_options(2, 20), &test);
  Model& model = *story.model;
  model.options = Options{};
  model.members.push_back(model.members[0]);
  model.members[1].blocks.resize(1);
  std::vector<BlockRecord>& records = model.history.blocks;
  for (BlockRecord& record : records) {
    record.method = Method::sequential;
    record.iterations = 0;
    record.trace.clear();
    for (BranchRecord& branch : record.branches) branch = {branch.kind, 0, 0, {}};
  }
  for (std::size_t i = 0; i < 2; ++i) {
    BlockRecord record = records[i];
    record.member = 1;
    records.push_back(record);
  }
  records[3].method = Method::random;
  RunStory again = story_of(model, "model.rfnn");
  again.shown = story.shown;
  return again;
}

TEST(RunPage, MembersWithoutChains) {
  const RunStory story = members_story();
  const Page page = run_page(story);
  expect_sound(page, 7);
  EXPECT_EQ(words_of(page, "chain"), "") << "there was none";
  EXPECT_THAT(words_of(page, "run"), HasSubstr("2 members, 3 blocks in all (4 were trained)"));
  EXPECT_THAT(words_of(page, "run"), Not(HasSubstr("on training rows"))) << "not known of the average";
  const std::string blocks = words_of(page, "errors");
  EXPECT_THAT(blocks, HasSubstr("0|1|4|sequential|"));
  EXPECT_THAT(blocks, HasSubstr("1|1|4|sequential|")) << "W·ℓ begins anew";
  EXPECT_THAT(blocks, ::testing::ContainsRegex("1\\|2\\|8\\|random\\|.*given up again"));
  const Figure* errors = figure_named(page, "error-per-block");
  ASSERT_NE(errors, nullptr);
  EXPECT_EQ(std::count_if(errors->series.begin(), errors->series.end(),
                          [](const Series& series) { return series.name == "training rows"; }),
            2);
  EXPECT_THAT(words_of(page, "rerun"), HasSubstr("rfnn fit DATA --target y")) << "and no --preset";
  EXPECT_THAT(words_of(page, "rerun"), Not(HasSubstr("--preset")));
}

TEST(RunPage, TheCommandOfAPaperModelNamesItsPreset) {
  const RunStory story = story_of(fit(generate(Target::multiscale, 60, 1), quick_options(1, 5)), "model.rfnn");
  const std::string words = words_of(run_page(story), "rerun");
  EXPECT_THAT(words, HasSubstr("--preset paper --width 4 --blocks 1 --iterations 5")) << "and not what it implies";
  EXPECT_THAT(words, Not(HasSubstr("--members")));
}

}  // namespace
}  // namespace rfnn::report
