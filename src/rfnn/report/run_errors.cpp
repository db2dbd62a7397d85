#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "rfnn/diagnostics/rate.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

/// A point of the error figure.
struct Point {
  std::int64_t member, block;
  double features;  ///< W·ℓ, the widths of the blocks so far added up
  double error;
};

std::string tested_text(const Point& point, std::string_view rows, bool several) {
  return fmt::format("{}block {}: MSE {} on {}, W·ℓ = {}", several ? fmt::format("member {}, ", point.member) : "",
                     point.block, short_number(point.error), rows, short_number(point.features));
}

/// What errors after a block are on: while blocks were found, held-out rows were not fitted to.
std::string place_of(const RunStory& story, RowsRole role) {
  const bool held_out = role == RowsRole::validation && story.model && held_out_of_data(*story.model);
  return held_out ? "held-out rows" : std::string(name_of(role));
}

bool searched(const RunStory& story) { return story.options.preset == Preset::automatic; }

/// What the widths of blocks count.
const char* width_word(const RunStory& story) {
  return story.model && holds_rows(*story.model) ? "features or centres" : "features";
}

/// A line for every member. Only positive errors have a place on a logarithmic axis.
std::vector<Series> series_of(const std::vector<Point>& points, std::string_view rows, Colour colour, bool several) {
  std::map<std::int64_t, Series> members;
  for (const Point& point : points) {
    if (!(point.error > 0.0) || !std::isfinite(point.error)) continue;
    Series& series = members[point.member];
    series.x.push_back(point.features);
    series.y.push_back(point.error);
    series.notes.push_back(tested_text(point, rows, several));
  }
  std::vector<Series> list;
  for (auto& [member, series] : members) {
    series.name = rows;
    series.mark = Mark::line_points;
    series.colour = colour;
    list.push_back(std::move(series));
  }
  return list;
}

/// The points of the member that comes first.
std::vector<Point> of_first_member(const std::vector<Point>& points) {
  std::vector<Point> first;
  for (const Point& point : points)
    if (point.member == points.front().member) first.push_back(point);
  return first;
}

/// The member that errors on test rows are shown with: they are those of the average, at every depth.
std::int64_t deepest_member(const Model& model) {
  std::size_t deepest = 0;
  for (std::size_t e = 0; e < model.members.size(); ++e)
    if (model.members[e].blocks.size() > model.members[deepest].blocks.size()) deepest = e;
  return static_cast<std::int64_t>(deepest);
}

struct Errors {
  std::vector<Point> train, validation, test, given_up;
};

Errors errors_of(const RunStory& story) {
  Errors errors;
  const ShownRows* test = story.rows_of(RowsRole::test);
  std::map<std::int64_t, double> widths;  // per member, added up
  for (const BlockRecord& record : story.blocks) {
    const double features = widths[record.member] += static_cast<double>(record.width);
    errors.train.push_back({record.member, record.block, features, record.train_mse});
    if (record.validation_mse)
      errors.validation.push_back({record.member, record.block, features, *record.validation_mse});
    const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(record.block, 0));
    if (test != nullptr && story.model && is_kept(*story.model, record) && depth < test->scores.size() &&
        record.member == deepest_member(*story.model)) {
      errors.test.push_back({record.member, record.block, features, mean_mse(test->scores[depth])});
    }
    if (story.given_up(record)) {
      errors.given_up.push_back(
          {record.member, record.block, features, record.validation_mse.value_or(record.train_mse)});
    }
  }
  return errors;
}

std::string fall_text(const std::vector<Point>& all, std::string_view rows) {
  if (all.empty()) return "";
  const std::vector<Point> points = of_first_member(all);
  return fmt::format("On {} it goes from {} after block {} to {} after block {}.", rows,
                     short_number(points.front().error), points.front().block, short_number(points.back().error),
                     points.back().block);
}

/// The theory's rate, from the error of block 1. Nothing where features hardly grow: the rate is one of growing them.
std::optional<Series> rate_line(const std::vector<Point>& points) {
  const Point& first = points.front();
  if (points.size() < 2 || points.back().features < 2.0 * first.features) return std::nullopt;
  if (!(first.error > 0.0) || !std::isfinite(first.error)) return std::nullopt;
  Series line{
      .name = "1/(W·ℓ) through block 1", .mark = Mark::line, .colour = Colour::grey, .dashed = true, .x = {}, .y = {}};
  for (const Point& point : points) {
    line.x.push_back(point.features);
    line.y.push_back(first.error * first.features / point.features);
  }
  return line;
}

std::string error_caption(const RunStory& story, const Errors& errors, bool with_rate) {
  std::string text =
      sentences({"Mean squared error in the target's units, on axes with logarithmic scales: blue on the training rows",
                 errors.validation.empty() ? "" : "and orange on the " + place_of(story, RowsRole::validation),
                 errors.test.empty() ? "" : "and purple on the test rows"}) +
      ".";
  if (story.members() > 1) {
    text += " Every member has a line of its own";
    text += errors.test.empty() ? "." : "; test errors are those of the average of all members.";
  }
  if (story.model && fitted_to_all_rows(*story.model))
    text += " Errors on training and held-out rows are those before the last fit, to all rows.";
  if (with_rate) text += " The dashed grey line falls like 1/(W·ℓ), the rate of the theory, from the error of block 1.";
  if (const auto slope = rate_slope(story.blocks))
    text +=
        fmt::format(" The training error falls like (W·ℓ)^{:.2f} (straight line fitted to the logarithms).", *slope);
  if (!errors.given_up.empty()) {
    text += fmt::format(
        " Red dots: {} that brought no gain and {} given up again; the model ends before them, and test errors end "
        "there too.",
        io::counted(errors.given_up.size(), "block"), errors.given_up.size() == 1 ? "was" : "were");
  }
  return text;
}

Figure error_figure(const RunStory& story, const Errors& errors) {
  Figure figure{
      .id = "error-per-block", .title = "Error after every block", .caption = {}, .alternative = {}, .x = {}, .y = {}};
  figure.x = {.label = searched(story) ? fmt::format("{} so far, the widths of the blocks added up", width_word(story))
                                       : "W·ℓ, features of one branch up to block ℓ",
              .logarithmic = true,
              .low = {},
              .high = {}};
  figure.y = {.label = "mean squared error", .logarithmic = true, .low = {}, .high = {}};
  std::optional<Series> rate = rate_line(of_first_member(errors.train));
  figure.caption = error_caption(story, errors, rate.has_value());
  if (rate) figure.series.push_back(std::move(*rate));
  const bool several = story.members() > 1;
  std::vector<std::string> words;
  const std::pair<const std::vector<Point>*, RowsRole> sets[] = {
      {&errors.train, RowsRole::training}, {&errors.validation, RowsRole::validation}, {&errors.test, RowsRole::test}};
  for (const auto& [points, role] : sets) {
    for (Series& series : series_of(*points, place_of(story, role), colour_of(role), several))
      figure.series.push_back(std::move(series));
    words.push_back(fall_text(*points, place_of(story, role)));
  }
  for (Series& series : series_of(errors.given_up, "given up again", Colour::red, several)) {
    series.mark = Mark::points;
    figure.series.push_back(std::move(series));
  }
  const auto slope = rate_slope(story.blocks);
  words.push_back(slope ? fmt::format("The fitted slope is {:.2f}; the theory's is −1.", *slope) : "");
  figure.alternative = sentences(words);
  return figure;
}

Table block_table(const RunStory& story, const Errors& errors) {
  const bool several = story.members() > 1, chain = story.options.preset == Preset::paper || story.has_chain();
  const bool methods = std::any_of(story.blocks.begin(), story.blocks.end(),
                                   [](const BlockRecord& record) { return record.method != Method::sampled; });
  Table table{.caption = "Blocks", .header = {}, .rows = {}};
  if (several) table.header.emplace_back("member");
  table.header.insert(table.header.end(), {"block", searched(story) ? width_word(story) : "W·ℓ"});
  if (methods) table.header.emplace_back("method");
  if (chain) table.header.emplace_back("iterations");
  table.header.emplace_back("MSE, training rows");
  if (!errors.validation.empty()) table.header.emplace_back("MSE, " + place_of(story, RowsRole::validation));
  if (!errors.test.empty()) table.header.emplace_back("MSE, test rows");
  table.header.emplace_back("time");
  table.header.emplace_back("remark");
  const ShownRows* test = story.rows_of(RowsRole::test);
  if (story.model) {
    std::vector<Cell> row;
    if (several) row.emplace_back("");
    row.insert(row.end(), {"0", "0"});
    if (methods) row.emplace_back("");
    if (chain) row.emplace_back("");
    row.emplace_back(short_number(story.model->history.empty_train_mse));
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
    std::vector<Cell> row;
    if (several) row.emplace_back(std::to_string(record.member));
    row.emplace_back(std::to_string(record.block));
    row.emplace_back(short_number(errors.train[i].features));
    if (methods) row.emplace_back(std::string(name_of(record.method)));
    if (chain) row.emplace_back(record.has_chain() || !methods ? std::to_string(record.iterations) : "");
    row.emplace_back(short_number(record.train_mse));
    if (!errors.validation.empty())
      row.emplace_back(record.validation_mse ? short_number(*record.validation_mse) : "–");
    const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(record.block, 0));
    const bool kept = story.model && is_kept(*story.model, record);
    const bool tested = kept && !errors.test.empty() && errors.test.front().member == record.member;
    if (!errors.test.empty())
      row.emplace_back(tested && depth < test->scores.size() ? short_number(mean_mse(test->scores[depth])) : "–");
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

}  // namespace rfnn::report
