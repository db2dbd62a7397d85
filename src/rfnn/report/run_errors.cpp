#include <cmath>

#include <fmt/format.h>

#include "rfnn/diagnostics/rate.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn {
namespace {

/// A point of the error figure.
struct Point {
  std::int64_t block;
  double features;  ///< W·ℓ, the widths of the blocks so far added up
  double error;
};

std::string tested_text(const Point& point, std::string_view rows) {
  return fmt::format("block {}: MSE {} on {}, W·ℓ = {}", point.block, short_number(point.error), rows,
                     short_number(point.features));
}

/// Only positive errors have a place on a logarithmic axis.
Series series_of(const std::vector<Point>& points, std::string_view rows, Colour colour) {
  Series series{.name = std::string(rows), .mark = Mark::line_points, .colour = colour, .x = {}, .y = {}};
  for (const Point& point : points) {
    if (!(point.error > 0.0) || !std::isfinite(point.error)) continue;
    series.x.push_back(point.features);
    series.y.push_back(point.error);
    series.notes.push_back(tested_text(point, rows));
  }
  return series;
}

struct Errors {
  std::vector<Point> train, validation, test, given_up;
};

Errors errors_of(const RunStory& story) {
  Errors errors;
  const ShownRows* test = story.rows_of(RowsRole::test);
  double features = 0.0;
  for (const BlockRecord& record : story.blocks) {
    features += static_cast<double>(record.width);
    errors.train.push_back({record.block, features, record.train_mse});
    if (record.validation_mse) errors.validation.push_back({record.block, features, *record.validation_mse});
    const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(record.block, 0));
    if (test != nullptr && depth <= story.kept() && depth < test->scores.size()) {
      errors.test.push_back({record.block, features, mean_mse(test->scores[depth])});
    }
    if (story.given_up(record)) {
      errors.given_up.push_back({record.block, features, record.validation_mse.value_or(record.train_mse)});
    }
  }
  return errors;
}

std::string fall_text(const std::vector<Point>& points, std::string_view rows) {
  if (points.empty()) return "";
  return fmt::format("On {} it goes from {} after block {} to {} after block {}.", rows,
                     short_number(points.front().error), points.front().block, short_number(points.back().error),
                     points.back().block);
}

Figure error_figure(const RunStory& story, const Errors& errors) {
  Figure figure{
      .id = "error-per-block", .title = "Error after every block", .caption = {}, .alternative = {}, .x = {}, .y = {}};
  figure.x = {.label = "W·ℓ, features of one branch up to block ℓ", .logarithmic = true, .low = {}, .high = {}};
  figure.y = {.label = "mean squared error", .logarithmic = true, .low = {}, .high = {}};
  const std::string words[] = {fall_text(errors.train, "training rows"),
                               fall_text(errors.validation, "validation rows"), fall_text(errors.test, "test rows")};

  Series reference{
      .name = "1/(W·ℓ) through block 1", .mark = Mark::line, .colour = Colour::grey, .dashed = true, .x = {}, .y = {}};
  const Point& first = errors.train.front();
  if (errors.train.size() > 1 && first.error > 0.0 && std::isfinite(first.error)) {
    for (const Point& point : errors.train) {
      reference.x.push_back(point.features);
      reference.y.push_back(first.error * first.features / point.features);
    }
    figure.series.push_back(std::move(reference));
  }
  const std::pair<const std::vector<Point>*, RowsRole> sets[] = {
      {&errors.train, RowsRole::training}, {&errors.validation, RowsRole::validation}, {&errors.test, RowsRole::test}};
  for (const auto& [points, role] : sets) {
    if (Series series = series_of(*points, name_of(role), colour_of(role)); !series.x.empty()) {
      figure.series.push_back(std::move(series));
    }
  }
  if (Series series = series_of(errors.given_up, "given up again", Colour::red); !series.x.empty()) {
    series.mark = Mark::points;
    figure.series.push_back(std::move(series));
  }

  const auto slope = rate_slope(story.blocks);
  figure.caption =
      sentences({"Mean squared error in the target's units, on axes with logarithmic scales: blue on the training rows",
                 errors.validation.empty() ? "" : "and orange on the validation rows",
                 errors.test.empty() ? "" : "and purple on the test rows"});
  figure.caption += ".";
  if (errors.train.size() > 1) {
    figure.caption += " The dashed grey line falls like 1/(W·ℓ), the rate of the theory, from the error of block 1.";
  }
  if (slope) {
    figure.caption +=
        fmt::format(" The training error falls like (W·ℓ)^{:.2f} (straight line fitted to the logarithms).", *slope);
  }
  if (!errors.given_up.empty()) {
    figure.caption += fmt::format(
        " Red dots: {} that brought no gain and {} given up again; the model ends before them, and test errors end "
        "there "
        "too.",
        counted(errors.given_up.size(), "block"), errors.given_up.size() == 1 ? "was" : "were");
  }
  figure.alternative = sentences({words[0], words[1], words[2],
                                  slope ? fmt::format("The fitted slope is {:.2f}; the theory's is −1.", *slope) : ""});
  return figure;
}

Table block_table(const RunStory& story, const Errors& errors) {
  Table table{.caption = "Blocks", .header = {"block", "W·ℓ", "iterations", "MSE, training rows"}, .rows = {}};
  if (!errors.validation.empty()) table.header.emplace_back("MSE, validation rows");
  if (!errors.test.empty()) table.header.emplace_back("MSE, test rows");
  table.header.emplace_back("time");
  table.header.emplace_back("remark");
  const ShownRows* test = story.rows_of(RowsRole::test);
  if (story.model) {
    std::vector<Cell> row = {"0", "0", "", short_number(story.model->history.empty_train_mse)};
    if (!errors.validation.empty())
      row.emplace_back(short_number(story.model->history.empty_validation_mse.value_or(NAN)));
    if (!errors.test.empty()) row.emplace_back(short_number(mean_mse(test->scores.front())));
    row.emplace_back("");
    row.emplace_back("the mean alone");
    table.rows.push_back(std::move(row));
  }
  constexpr std::size_t most = 100;
  for (const std::size_t i : spread(story.blocks.size(), most)) {
    const BlockRecord& record = story.blocks[i];
    std::vector<Cell> row = {std::to_string(record.block), short_number(errors.train[i].features),
                             std::to_string(record.iterations), short_number(record.train_mse)};
    if (!errors.validation.empty())
      row.emplace_back(record.validation_mse ? short_number(*record.validation_mse) : "–");
    const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(record.block, 0));
    const bool kept = depth <= story.kept();
    if (!errors.test.empty())
      row.emplace_back(kept && depth < test->scores.size() ? short_number(mean_mse(test->scores[depth])) : "–");
    row.emplace_back(time_span(record.seconds));
    if (!record.complete) {
      row.emplace_back("cut short", Tone::caution);
    } else if (!kept) {
      row.emplace_back(story.given_up(record) ? "given up again" : "not in a model", Tone::caution);
    } else {
      row.emplace_back("");
    }
    table.rows.push_back(std::move(row));
  }
  if (story.blocks.size() > most) table.caption += fmt::format(" ({} of {} shown)", most, story.blocks.size());
  return table;
}

}  // namespace

Section run_errors(const RunStory& story) {
  Section section{.id = "errors", .title = "Error per block", .items = {}};
  if (story.blocks.empty()) {
    std::string text = "No block was trained";
    if (story.model) {
      text += fmt::format(": the model is the mean of the target, with a mean squared error of {} on the training rows",
                          short_number(story.model->history.empty_train_mse));
    }
    section.items.emplace_back(Paragraph{text + "."});
    return section;
  }
  const Errors errors = errors_of(story);
  Figure figure = error_figure(story, errors);
  bool drawn = false;
  for (const Series& series : figure.series) drawn = drawn || (!series.x.empty() && series.colour != Colour::grey);
  if (drawn) {
    section.items.emplace_back(std::move(figure));
  } else {
    section.items.emplace_back(
        Paragraph{"Every error is zero, or not a number, and has no place on a logarithmic axis."});
  }
  section.items.emplace_back(block_table(story, errors));
  return section;
}

}  // namespace rfnn
