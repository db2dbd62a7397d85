#pragma once

// Small real runs to make reports of, and what every page has to fulfil.

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "rfnn/report/page.hpp"
#include "rfnn/report/run_page.hpp"
#include "rfnn/report/run_rows.hpp"
#include "rfnn/report/run_story.hpp"
#include "rfnn/training/fit.hpp"
#include "rows/naive.hpp"

namespace rfnn::report::testing {

using namespace rfnn::testing;

inline Options quick_options(std::int64_t blocks = 3, std::int64_t iterations = 60, std::int64_t width = 4) {
  Options options = preset_options(Preset::paper);
  options.blocks = blocks;
  options.iterations = iterations;
  options.width = width;
  options.burn_in = 10;
  options.keep = Keep::best;
  options.threads = 1;
  return options;
}

/// A model with the rows it was trained on.
inline RunStory story_with_rows(const Dataset& data, const Options& options, const Dataset* test = nullptr) {
  RunStory story = story_of(fit(data, options), "model.rfnn");
  story.shown = rows_of_training(*story.model, data, "train.csv");
  if (test != nullptr) {
    RowCollector rows(*story.model, RowsRole::test, "test.csv", true);
    rows.add(test->inputs.view(), test->targets.view());
    story.shown.push_back(rows.take());
  }
  return story;
}

inline const Figure* figure_named(const Page& page, const std::string& id) {
  for (const Figure* figure : figures_of(page)) {
    if (figure->id == id) return figure;
  }
  return nullptr;
}

/// All words of a section that are not in figures.
inline std::string words_of(const Page& page, const std::string& section_id) {
  std::string text;
  for (const Section& section : page.sections) {
    if (section.id != section_id) continue;
    for (const Item& item : section.items) {
      if (const auto* paragraph = std::get_if<Paragraph>(&item)) text += paragraph->text + "\n";
      if (const auto* lead = std::get_if<Lead>(&item)) text += lead->text + "\n";
      if (const auto* notice = std::get_if<Notice>(&item)) text += notice->text + "\n";
      if (const auto* code = std::get_if<Code>(&item)) text += code->text + "\n";
      if (const auto* facts = std::get_if<Facts>(&item))
        for (const auto& [name, value] : facts->rows) text += name + ": " + value + "\n";
      if (const auto* highlights = std::get_if<Highlights>(&item))
        for (const auto& number : highlights->numbers) text += number.value + " " + number.meaning + "\n";
      if (const auto* table = std::get_if<Table>(&item)) {
        text += table->caption + "\n";
        for (const auto& row : table->rows) {
          for (const Cell& cell : row) text += cell.text + "|";
          text += "\n";
        }
      }
    }
  }
  return text;
}

inline void expect_sound(const Series& series, const Figure& figure) {
  if (series.mark == Mark::cells) {
    ASSERT_GT(series.columns, 0U) << figure.id;
    EXPECT_EQ(series.y.size() % series.columns, 0U) << figure.id;
    EXPECT_TRUE(figure.scale && figure.scale->high > figure.scale->low) << figure.id;
    return;
  }
  EXPECT_EQ(series.x.size(), series.y.size()) << figure.id;
  EXPECT_TRUE(series.notes.empty() || series.notes.size() == series.x.size()) << figure.id;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    EXPECT_TRUE(std::isfinite(series.x[i]) && std::isfinite(series.y[i]))
        << figure.id << " " << series.name << " " << i;
    if (figure.x.logarithmic) {
      EXPECT_GT(series.x[i], 0.0) << figure.id;
    }
    if (figure.y.logarithmic) {
      EXPECT_GT(series.y[i], 0.0) << figure.id;
    }
  }
  if (series.mark == Mark::bars) {
    EXPECT_GT(series.bar_width, 0.0) << figure.id;
  }
}

/// Ids are fit for file names and unique; every figure is drawn, explained and labelled; the page is small.
inline void expect_sound(const Page& page, std::size_t sections = 9) {
  EXPECT_FALSE(page.title.empty());
  static const std::regex id("[a-z0-9]+(-[a-z0-9]+)*");
  std::set<std::string> ids;
  for (const Section& section : page.sections) {
    EXPECT_TRUE(std::regex_match(section.id, id)) << section.id;
    EXPECT_FALSE(section.items.empty()) << section.id;
    ids.insert("section " + section.id);
  }
  EXPECT_EQ(ids.size() - ids.count("section effects") - ids.count("section variance") - ids.count("section error-bars"),
            sections);  // those are of two inputs and more, or of enough rows judged
  for (const Figure* figure : figures_of(page)) {
    EXPECT_TRUE(std::regex_match(figure->id, id)) << figure->id;
    EXPECT_TRUE(ids.insert(figure->id).second) << figure->id << " stands twice";
    EXPECT_FALSE(figure->title.empty() || figure->x.label.empty() || figure->y.label.empty()) << figure->id;
    EXPECT_GT(figure->caption.size(), 20U) << figure->id;
    EXPECT_GT(figure->alternative.size(), 15U) << figure->id;
    EXPECT_TRUE(figure->frames.empty() || figure->first_frame < figure->frames.size()) << figure->id;
    EXPECT_TRUE(figure->frames.size() < 2 || !figure->slider.empty()) << figure->id;
    const auto finite = [](const std::vector<Series>& list) {
      std::size_t count = 0;
      for (const Series& series : list)
        for (const double y : series.y) count += std::isfinite(y) ? 1 : 0;
      return count;
    };
    if (figure->frames.empty()) {
      EXPECT_GT(finite(figure->series), 0U) << figure->id;
    }
    for (const Frame& frame : figure->frames) EXPECT_GT(finite(frame.series), 0U) << figure->id << " " << frame.label;
    for (const Series& series : figure->series) expect_sound(series, *figure);
    for (const Frame& frame : figure->frames)
      for (const Series& series : frame.series) expect_sound(series, *figure);
    EXPECT_FALSE(csv(*figure).empty());
  }
  const std::string text = html(page);
  EXPECT_LT(text.size(), 1'000'000U);
  EXPECT_EQ(text.find("<script>alert"), std::string::npos);
}

}  // namespace rfnn::report::testing
