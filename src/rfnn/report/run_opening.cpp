// What a page opens with: how the run stands where it is not simply done, how far off the model is in a sentence, and
// the picture of it.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

/// How the run stands, where that is not simply "done".
std::vector<Item> notices(const RunStory& story) {
  std::vector<Item> items;
  const std::string so_far =
      story.model ? fmt::format(" The page shows the model as it is after {}.", io::counted(story.kept(), "block"))
                  : "";
  switch (story.state) {
    case RunState::finished:
      break;
    case RunState::cut_short: {
      std::string text = fmt::format("This run was cut short: {}.{}", io::to_utf8(story.ending), so_far);
      if (!story.blocks.empty() && !story.blocks.back().complete && story.blocks.back().has_chain()) {
        text += fmt::format(" Block {} ended after {} of {} iterations.", story.blocks.back().block,
                            story.blocks.back().iterations, story.options.iterations);
      }
      items.emplace_back(Notice{text, Tone::caution});
      break;
    }
    case RunState::failed:
      items.emplace_back(Notice{fmt::format("This run failed: {}{}", io::to_utf8(story.ending), so_far), Tone::bad});
      break;
    case RunState::killed:
      items.emplace_back(Notice{fmt::format("This run did not end by itself: {}.{}", story.ending, so_far), Tone::bad});
      break;
    case RunState::running:
      items.emplace_back(
          Notice{fmt::format("This run is still going on: {}.{} Make the report again later.", story.ending, so_far),
                 Tone::caution});
      break;
    case RunState::unknown:
      items.emplace_back(
          Notice{fmt::format("It is not known whether this run is over: {}.{}", io::to_utf8(story.ending), so_far),
                 Tone::caution});
      break;
  }
  if (!story.model_missing.empty()) items.emplace_back(Notice{story.model_missing, Tone::caution});
  return items;
}

/// The rows of the picture: those that the model has not seen, where there are any. A curve or a map is best seen over
/// the rows that made it.
const ShownRows* rows_of_picture(const RunStory& story) {
  const ShownRows* test = story.rows_of(RowsRole::test);
  const ShownRows* apart = story.rows_of(RowsRole::validation);
  if (test == nullptr && apart != nullptr && story.model && inputs_drawn(*story.model) > 2) return apart;
  return story.main_rows();
}

/// "on 200 held-out rows", "by cross-fitting, over 500 rows"
std::string measured_on(const RunStory& story, RowsRole role) {
  const std::size_t rows = story.error_rows(role);
  if (role == RowsRole::validation && !story.judged_by_rows_apart())
    return fmt::format("by {}, over {} rows", name_of(final_errors(*story.model).judge), rows);
  const std::string place = role == RowsRole::test ? "test rows" : story.error_place(role);
  return fmt::format("on {} {}", rows, rows == 1 ? place.substr(0, place.size() - 1) : place);
}

/// The standard error of the mean squared error: of test rows from those that were kept, which are spread over all.
std::optional<double> standard_error(const RunStory& story, RowsRole role) {
  const ShownRows* rows = story.rows_of(role);
  if (role != RowsRole::test || rows == nullptr || rows->inputs.rows() < 2) return story.standard_error(role);
  const Matrix predicted = std::move(predictions_at(*story.model, rows->inputs.view(), {story.kept()}).front());
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < predicted.rows(); ++i) {
    double error = 0.0;
    for (std::size_t o = 0; o < predicted.cols(); ++o) error += std::pow(rows->targets(i, o) - predicted(i, o), 2.0);
    error /= static_cast<double>(predicted.cols());
    sum += error;
    squares += error * error;
  }
  const auto kept = static_cast<double>(predicted.rows());
  const double variance = (squares - sum * sum / kept) / (kept - 1.0);
  return std::sqrt(std::max(0.0, variance) / static_cast<double>(rows->total));
}

std::size_t points_in(const Figure& figure) {
  const auto dots = std::find_if(figure.series.begin(), figure.series.end(),
                                 [](const Series& series) { return series.mark == Mark::points; });
  return dots == figure.series.end() ? 0 : dots->x.size();
}

/// With a minus sign in exponents, where a line does not break.
std::string unbroken(std::string number) {
  for (std::size_t place = 0; (place = number.find("e-", place)) != std::string::npos; ++place)
    number.replace(place, 2, "e−");
  return number;
}

/// "off by 0.12 ± 0.01": how far, in the target's units, and of what.
std::string how_far(const RunStory& story, RowsRole role) {
  const std::string what = story.targets.size() == 1
                               ? fmt::format(" in {}", label_of(story.targets.front()))
                               : fmt::format(" in the mean over {} outputs", story.targets.size());
  return fmt::format("off by {}{}", unbroken(rmse_text(*story.final_error(role), standard_error(story, role))), what);
}

std::string explained_text(const RunStory& story, RowsRole role) {
  const auto share = story.explained(role);
  if (!share || !std::isfinite(*share)) return "";
  if (*share <= 0.0) return "It is no better than the mean of the data.";
  constexpr double nearly_all = 0.9999;
  return fmt::format("It explains {} of the variance.", *share > nearly_all ? "more than 99.99 %" : percent(*share));
}

std::optional<Lead> lead_of(const RunStory& story) {
  for (const RowsRole role : {RowsRole::test, RowsRole::validation}) {
    if (!story.final_error(role)) continue;
    return Lead{sentences({fmt::format("On rows it has not seen the model is {} (root mean squared error, {}).",
                                       how_far(story, role), measured_on(story, role)),
                           explained_text(story, role)})};
  }
  if (!story.final_error(RowsRole::training)) return std::nullopt;
  return Lead{sentences(
      {fmt::format("On the {} it was fitted to the model is {} (root mean squared error).",
                   io::counted(story.error_rows(RowsRole::training), "row"), how_far(story, RowsRole::training)),
       explained_text(story, RowsRole::training),
       "How far off it is on rows it has not seen is not known: no rows were held out."})};
}

/// What the rows of the picture are called, as in the sentence above it.
std::string name_of_rows(const RunStory& story, const ShownRows& rows) {
  return rows.role == RowsRole::validation ? story.error_place(rows.role) : rows.name;
}

/// What the picture is of, without the words about a slider.
std::string caption_of(const RunStory& story, const ShownRows& rows) {
  const std::size_t inputs = inputs_drawn(*story.model);
  const std::string seen = rows.role == RowsRole::training ? " The model was fitted to these rows." : "";
  if (inputs == 1)
    return fmt::format("Black dots: the {}. Red line: the prediction.{}", name_of_rows(story, rows), seen);
  return fmt::format("Each dot is one of the {}; on the dashed line measured and predicted values are equal.{}",
                     name_of_rows(story, rows), seen);
}

/// The words of a person with measurements.
void measured_against_predicted(Figure& figure, const Model& model) {
  for (const Column& column : model.targets) {
    const std::string target = label_of(column.name);
    if (figure.y.label != target + " predicted") continue;
    figure.title = target + ": predicted against measured";
    figure.x.label = target + " measured";
  }
}

}  // namespace

Figure at_rest(Figure figure) {
  if (!figure.frames.empty()) {
    for (Series& series : figure.frames.back().series) figure.series.push_back(std::move(series));
    figure.frames.clear();
  }
  figure.slider.clear();
  figure.first_frame = 0;
  figure.id = "opening-" + figure.id;
  return figure;
}

Section run_opening(const RunStory& story) {
  Section section{.id = "result", .title = "The result", .items = notices(story)};
  if (auto lead = lead_of(story)) section.items.emplace_back(std::move(*lead));
  const ShownRows* rows = rows_of_picture(story);
  if (!story.model || rows == nullptr || rows->inputs.rows() == 0) {
    if (story.model)
      section.items.emplace_back(Paragraph{fmt::format(
          "{} With rows of your own this page opens with a picture of them:", io::to_utf8(story.rows_missing))});
    if (story.model) section.items.emplace_back(Code{report_with_data(story)});
    return section;
  }
  for (Item& item : opening_pictures(story, *rows)) {
    Figure& figure = std::get<Figure>(item);
    for (Series& series : figure.series)
      if (series.name == rows->name) series.name = name_of_rows(story, *rows);
    if (inputs_drawn(*story.model) > 2) measured_against_predicted(figure, *story.model);
    if (inputs_drawn(*story.model) != 2)
      figure.caption = sentences({caption_of(story, *rows), spread_note(rows->total, points_in(figure))});
    else if (figure.id.find("prediction") != std::string::npos)
      figure.caption = "The prediction with all blocks, in the colours of the data's map.";
    section.items.push_back(std::move(item));
  }
  return section;
}

}  // namespace rfnn::report
