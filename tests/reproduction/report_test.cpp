#include "rfnn/reproduction/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "reproduction/support.hpp"

namespace rfnn::reproduction {
namespace {

namespace fs = std::filesystem;
using namespace report;
using test::Counter;
using test::text_of;
using test::tiny_study;

/// The tiny study, run once for all tests here.
class Reproduced : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TempFolder;
    const ReproductionFolder place(*folder_ / "out");
    place.create();
    Counter counter;
    result_ = new StudyResult(run_study(tasks_of(tiny_study(), 2), place, 2, counter));
  }
  static void TearDownTestSuite() {
    delete result_;
    delete folder_;
  }
  static Page page_of(const StudyResult& result, bool quick = false) {
    Study study = tiny_study();
    study.quick = quick;
    return reproduction_page(study, result, claims_of(result.runs), "rfnn reproduce all --out out");
  }

  static test::TempFolder* folder_;
  static StudyResult* result_;
};
test::TempFolder* Reproduced::folder_ = nullptr;
StudyResult* Reproduced::result_ = nullptr;

std::string notices_of(const Page& page) {
  std::string text;
  for (const Section& section : page.sections)
    for (const Item& item : section.items)
      if (const auto* notice = std::get_if<Notice>(&item)) text += notice->text + "\n";
  return text;
}

/// Numbers of a series that can be drawn.
std::size_t marks_of(const Series& series) {
  return static_cast<std::size_t>(
      std::count_if(series.y.begin(), series.y.end(), [](double value) { return std::isfinite(value); }));
}

TEST_F(Reproduced, HasEveryFigureOfThePaper) {
  const Page page = page_of(*result_);
  std::set<std::string> ids;
  for (const Figure* figure : figures_of(page)) EXPECT_TRUE(ids.insert(figure->id).second) << figure->id;
  for (const char* id : {"multiscale-prediction-block-1",
                         "multiscale-prediction-block-2",
                         "multiscale-prediction-block-3",
                         "multiscale-histogram-block-1",
                         "multiscale-histogram-block-2",
                         "multiscale-histogram-block-3",
                         "multiscale-error",
                         "multiscale-adam-text-prediction",
                         "multiscale-adam-text-loss",
                         "multiscale-adam-table-prediction",
                         "multiscale-adam-table-loss",
                         "stairstep-function",
                         "stairstep-error",
                         "stairstep-prediction-block-2",
                         "stairstep-prediction-block-5",
                         "stairstep-prediction-block-10",
                         "sine-error",
                         "sine-slice-1",
                         "sine-plane-target",
                         "sine-plane-prediction",
                         "sine-plane-difference"})
    EXPECT_TRUE(ids.contains(id)) << id;
}

TEST_F(Reproduced, EveryFigureHasMarksWordsAndNumbersInItsAlternative) {
  const Page page = page_of(*result_);
  for (const Figure* figure : figures_of(page)) {
    EXPECT_FALSE(figure->title.empty() || figure->caption.empty()) << figure->id;
    EXPECT_TRUE(std::any_of(figure->alternative.begin(), figure->alternative.end(), [](char c) {
      return c >= '0' && c <= '9';
    })) << figure->id;
    std::vector<std::vector<Series>> shown;
    for (const Frame& frame : figure->frames) shown.push_back(frame.series);
    if (shown.empty()) shown.emplace_back();
    for (std::vector<Series>& of_frame : shown) {
      of_frame.insert(of_frame.begin(), figure->series.begin(), figure->series.end());
      EXPECT_FALSE(of_frame.empty()) << figure->id;
      for (const Series& series : of_frame) {
        EXPECT_GE(marks_of(series), 2u) << figure->id << " " << series.name;
        EXPECT_FALSE(series.name.empty()) << figure->id << ": every colour is explained";
        EXPECT_EQ(series.low.size(), series.mark == Mark::band ? series.y.size() : 0u) << figure->id;
        if (series.mark == Mark::cells) {
          EXPECT_TRUE(figure->scale) << figure->id;
          EXPECT_EQ(series.y.size() % series.columns, 0u) << figure->id;
        } else {
          EXPECT_EQ(series.x.size(), series.y.size()) << figure->id << " " << series.name;
        }
      }
    }
    if (!figure->frames.empty()) {
      EXPECT_FALSE(figure->slider.empty()) << figure->id;
      EXPECT_LT(figure->first_frame, figure->frames.size()) << figure->id;
    }
  }
}

TEST_F(Reproduced, TheReferenceFallsLikeTheTheoryFromTheFirstBlock) {
  const Page page = page_of(*result_);
  for (const Figure* figure : figures_of(page)) {
    if (figure->id != "sine-error") continue;
    const auto named = [&](const std::string& name) -> const Series& {
      return *std::find_if(figure->series.begin(), figure->series.end(),
                           [&](const Series& series) { return series.name == name; });
    };
    const Series& line = named("rate 1/(WL)");
    const Series& median = named("Method 1, last state, median");
    ASSERT_EQ(line.x, (std::vector<double>{4, 8, 12, 16, 20, 24, 28, 32, 36, 40}));
    EXPECT_EQ(median.x, line.x);
    EXPECT_DOUBLE_EQ(line.y.front(), median.y.front());
    EXPECT_DOUBLE_EQ(line.y.back(), median.y.front() / 10.0);
    const auto runs = runs_of(result_->runs, Target::sine, "method1");
    EXPECT_DOUBLE_EQ(median.y.back(), 0.5 * (runs[0]->last().test_mse + runs[1]->last().test_mse));
  }
}

TEST_F(Reproduced, SaysWhenItIsShortenedOrIncomplete) {
  EXPECT_EQ(notices_of(page_of(*result_)), "");
  EXPECT_NE(notices_of(page_of(*result_, true)).find("shortened"), std::string::npos);
  StudyResult cut = *result_;
  cut.missing.push_back(cut.runs.back().task);
  cut.runs.pop_back();
  const std::string words = notices_of(page_of(cut));
  EXPECT_NE(words.find("1 of 30 runs are missing"), std::string::npos) << words;
  EXPECT_NE(words.find("sine component-best (seed 2)"), std::string::npos) << words;
}

TEST_F(Reproduced, APageOfAnyPartCanBeMade) {
  // Of each single run, and of none: nothing falls over what is missing.
  EXPECT_FALSE(page_of({}).sections.empty());
  for (const reproduction::Run& run : result_->runs) {
    StudyResult one;
    one.runs.push_back(run);
    EXPECT_GE(page_of(one).sections.size(), 3u) << run.task.name();
  }
}

TEST_F(Reproduced, WritesThePageTheResultsAndACsvFilePerFigure) {
  const ReproductionFolder place(*folder_ / "out");
  write_reproduction(place, tiny_study(), *result_, claims_of(result_->runs), "rfnn reproduce all --out out");
  EXPECT_EQ(Json::parse(text_of(*folder_ / "out/results.json"))["complete"], true);
  const std::string page = text_of(place.report());
  EXPECT_NE(page.find("The paper, reproduced"), std::string::npos);
  EXPECT_NE(page.find("rfnn reproduce all --out out"), std::string::npos);
  const Page as_value = page_of(*result_);
  for (const Figure* figure : figures_of(as_value)) {
    const std::string text = text_of(*folder_ / ("out/figures/" + figure->id + ".csv"));
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 2) << figure->id;
  }
}

}  // namespace
}  // namespace rfnn::reproduction
