// What a page shows of closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rfnn/diagnostics/law_density.hpp"
#include "rfnn/report/run_sections.hpp"
#include "run_stories.hpp"

namespace rfnn::report {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two waves with units of their own: a fast one in the first input, none in the last.
Dataset data_of(std::size_t inputs) {
  Dataset data;
  data.inputs = uniform_matrix(120, inputs, 3, -2.0, 2.0);
  data.targets = Matrix(120, 1);
  for (std::size_t i = 0; i < 120; ++i) data.targets(i, 0) = std::sin(3.0 * data.inputs(i, 0));
  for (std::size_t k = 0; k < inputs; ++k) data.input_names.push_back("x" + std::to_string(k + 1));
  data.target_names = {"y"};
  return data;
}

/// Trained, then block 1 replaced by a closed form over the inputs whose law ends with a variable of no influence.
RunStory closed_form_story(std::size_t inputs, std::size_t blocks, BranchKind kind = BranchKind::input) {
  RunStory story = story_with_rows(data_of(inputs), quick_options(static_cast<std::int64_t>(blocks), 10));
  Model& model = *story.model;
  ClosedForm form;
  const std::size_t variables = variables_of(kind, inputs, 1);
  FrequencyLaw::Part smooth{2.0, std::vector<double>(variables, 1.0), std::vector<double>(variables, 0.0)},
      rough{1.0, std::vector<double>(variables, 0.0), std::vector<double>(variables, 0.5), 1};
  smooth.smooth[0] = 4.0;
  if (inputs > 1) smooth.smooth[inputs - 1] = rough.rough[inputs - 1] = 0.0;
  form.law.parts = {smooth, rough};
  form.centres = normal_matrix(30, variables, 5);
  form.coefficients = normal_matrix(30, 1, 6, 0.1);
  model.members[0].blocks[0].branches = {{.kind = kind, .closed_form = form}};
  RunStory again = story_of(model, "model.rfnn");
  again.shown = story.shown;
  return again;
}

TEST(RunLaws, AClosedFormIsADensityOverFrequency) {
  const RunStory story = closed_form_story(1, 1);
  const Page page = run_page(story);
  expect_sound(page);
  EXPECT_EQ(figure_named(page, "spectrum"), nullptr) << "there are no lines";
  const Figure* figure = figure_named(page, "law-1");
  ASSERT_NE(figure, nullptr);
  EXPECT_TRUE(figure->x.logarithmic && figure->y.logarithmic);
  EXPECT_TRUE(figure->frames.empty());
  ASSERT_EQ(figure->series.size(), 4U) << "one period, two parts, the law";
  const Series& law = figure->series.back();
  EXPECT_EQ(law.colour, Colour::red);
  const BranchLaw expected = laws(*story.model).front();
  for (std::size_t i = 0; i < law.x.size(); ++i)
    EXPECT_NEAR(law.y[i], law.x[i] * law_density(expected, 0, law.x[i]), 1e-12);
  // Over the logarithm of the frequency the area is the share: nearly all of it is seen.
  double area = 0.0;
  for (std::size_t i = 1; i < law.x.size(); ++i)
    area += 0.5 * (law.y[i] + law.y[i - 1]) * std::log(law.x[i] / law.x[i - 1]);
  EXPECT_GT(area, 0.9);
  EXPECT_LT(area, 1.0);
  const double range = story.model->inputs[0].max - story.model->inputs[0].min;
  EXPECT_DOUBLE_EQ(figure->series.front().x.front(), 2.0 * std::numbers::pi / range);
  const std::string words = words_of(page, "spectrum");
  EXPECT_THAT(words, HasSubstr("30 training rows"));
  EXPECT_THAT(words, Not(HasSubstr("is a line at its frequency")));
  EXPECT_THAT(words_of(page, "run"), HasSubstr("part of the model file"));
}

TEST(RunLaws, VariablesOfNoInfluenceHaveNoFigure) {
  const RunStory story = closed_form_story(3, 2);
  const Page page = run_page(story);
  expect_sound(page);
  EXPECT_NE(figure_named(page, "law-1"), nullptr);
  EXPECT_NE(figure_named(page, "law-2"), nullptr);
  EXPECT_EQ(figure_named(page, "law-3"), nullptr);
  EXPECT_NE(figure_named(page, "spectrum-norm"), nullptr) << "block 2 has lines";
  EXPECT_THAT(words_of(page, "spectrum"), HasSubstr("x3|0|0|∞|0.0 %"));
  EXPECT_EQ(inputs_by_effect(*story.model).front(), 0U);
}

TEST(RunLaws, EffectsCountClosedForms) {
  RunStory story = closed_form_story(3, 1);
  FrequencyLaw& law = story.model->members[0].blocks[0].branches[0].closed_form->law;
  law.parts[0].smooth = {0.0, 0.1, 5.0};
  law.parts[1].rough = {0.0, 0.1, 5.0};
  EXPECT_EQ(inputs_by_effect(*story.model), (std::vector<std::size_t>{2, 1, 0}));
}

TEST(RunLaws, JointOnesNameTheState) {
  const Page page = run_page(closed_form_story(2, 1, BranchKind::joint));
  expect_sound(page);
  const Figure* state = figure_named(page, "joint-law-3");
  ASSERT_NE(state, nullptr);
  EXPECT_THAT(state->title, HasSubstr("joint branch"));
  EXPECT_THAT(state->x.label, HasSubstr("unit of y"));
}

TEST(RunLaws, SeveralBlocksHaveASlider) {
  RunStory story = closed_form_story(1, 2);
  Block& second = story.model->members[0].blocks[1];
  second.branches = {story.model->members[0].blocks[0].branches[0]};
  second.branches[0].closed_form->law.parts[0].smooth = {40.0};
  const Page page = run_page(story);
  expect_sound(page);
  const Figure* figure = figure_named(page, "law-1");
  ASSERT_NE(figure, nullptr);
  ASSERT_EQ(figure->frames.size(), 3U);
  EXPECT_EQ(figure->frames[0].label, "all closed forms");
  EXPECT_EQ(figure->frames[2].label, "block 2");
  EXPECT_EQ(figure->frames[1].series.size(), 3U);
}

}  // namespace
}  // namespace rfnn::report
