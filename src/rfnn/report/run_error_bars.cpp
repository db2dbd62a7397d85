// How far off predictions may be: the error bars, and how they fared on rows that the network had not seen.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rfnn/diagnostics/draw_statistics.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/uncertainty/coverage.hpp"
#include "rfnn/uncertainty/scores.hpp"

namespace rfnn::report {
namespace {

/// The rows that judged, cut in as many parts to be judged by the others.
constexpr std::size_t parts = 5;

/// A row as its error bar saw it: the width, the error, and the probability of a smaller error than that, by scores of
/// other rows.
struct Seen {
  double width = 0.0, error = 0.0, probability = 0.5;
};

std::vector<Seen> seen_rows(const Uncertainty& known, std::size_t output) {
  std::vector<Seen> rows;
  for (std::size_t i = 0; i < known.judged.rows(); ++i)
    rows.push_back({known.judged(i, 2 * output), known.judged(i, 2 * output + 1)});
  for (std::size_t part = 0; part < parts && rows.size() >= 2 * parts; ++part) {
    std::vector<double> others;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i % parts != part) others.push_back(rows[i].error / rows[i].width);
    const uncertainty::ScoreDistribution law(uncertainty::kept_scores(std::move(others), {}));
    for (std::size_t i = part; i < rows.size(); i += parts)
      rows[i].probability = law.probability(rows[i].error / rows[i].width);
  }
  return rows;
}

double share_within(const std::vector<Seen>& rows, double coverage) {
  const auto inside = std::count_if(rows.begin(), rows.end(),
                                    [&](const Seen& row) { return std::abs(2.0 * row.probability - 1.0) <= coverage; });
  return static_cast<double>(inside) / static_cast<double>(rows.size());
}

Figure calibration_figure(const Model& model, const std::vector<Seen>& rows, std::size_t output) {
  constexpr int steps = 50;
  Series measured{.name = "measured", .mark = Mark::line, .colour = Colour::red, .x = {}, .y = {}};
  double worst = 0.0;
  for (int step = 0; step <= steps; ++step) {
    const double stated = static_cast<double>(step) / steps, share = share_within(rows, stated);
    measured.x.push_back(100.0 * stated);
    measured.y.push_back(100.0 * share);
    worst = std::max(worst, 100.0 * std::abs(share - stated));
  }
  const std::string target = label_of(model.targets[output].name);
  return {
      .id = "calibration" + suffix(output, model.outputs()),
      .title = fmt::format("Stated and measured coverage, {}", target),
      .caption = fmt::format(
          "Of {} rows{}, the share inside the interval of each stated "
          "coverage. Each row is judged by the scores of four fifths of the others. On the "
          "dashed line what is stated is what is met.",
          rows.size(), model.uncertainty->judge == Judge::training ? " of training" : " that the network had not seen"),
      .alternative = fmt::format("The measured coverage follows the stated one to within {} percentage points.",
                                 short_number(worst)),
      .x = {.label = "stated coverage (%)", .low = 0.0, .high = 100.0},
      .y = {.label = "measured coverage (%)", .low = 0.0, .high = 100.0},
      .series = {{.name = "as stated", .colour = Colour::grey, .dashed = true, .x = {0.0, 100.0}, .y = {0.0, 100.0}},
                 std::move(measured)},
      .size = FigureSize::half};
}

Figure width_figure(const Model& model, const std::vector<Seen>& rows, double deviation, std::size_t output) {
  constexpr std::size_t groups = 10;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a].width < rows[b].width; });
  Series errors{.name = "error of a row", .mark = Mark::points, .colour = Colour::black, .x = {}, .y = {}},
      means{
          .name = "root mean square of each tenth", .mark = Mark::line_points, .colour = Colour::red, .x = {}, .y = {}};
  double low = rows[order.front()].width * deviation, high = rows[order.back()].width * deviation;
  for (const Seen& row : rows) {
    if (row.error == 0.0) continue;
    errors.x.push_back(row.width * deviation);
    errors.y.push_back(std::abs(row.error));
  }
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t first = g * rows.size() / groups, last = (g + 1) * rows.size() / groups;
    double squares = 0.0, width = 0.0;
    for (std::size_t i = first; i < last; ++i) {
      squares += rows[order[i]].error * rows[order[i]].error;
      width += rows[order[i]].width * deviation;
    }
    if (last == first) continue;
    means.x.push_back(width / static_cast<double>(last - first));
    means.y.push_back(std::sqrt(squares / static_cast<double>(last - first)));
  }
  const std::string target = label_of(model.targets[output].name);
  return {.id = "width-and-error" + suffix(output, model.outputs()),
          .title = fmt::format("Predicted and actual errors, {}", target),
          .caption =
              "The same rows: the standard deviation that the error bars state, and how far off the prediction "
              "was. Where the bars know where errors are large the red points follow the dashed line.",
          .alternative = fmt::format("Stated standard deviations run from {} to {}; the root mean square error of the "
                                     "tenth with the least is {}, of that with the largest {}.",
                                     short_number(low), short_number(high), short_number(means.y.front()),
                                     short_number(means.y.back())),
          .x = {.label = "stated standard deviation", .logarithmic = true},
          .y = {.label = "absolute error", .logarithmic = true},
          .series = {std::move(errors),
                     {.name = "as stated", .colour = Colour::grey, .dashed = true, .x = {low, high}, .y = {low, high}},
                     std::move(means)},
          .size = FigureSize::half};
}

/// How the bars fared on the test rows shown.
void add_test_rows(const Model& model, const ErrorBars& bars, const ShownRows& rows, Table& table) {
  const Matrix predictions = predict(model, rows.inputs.view());
  Matrix widths(predictions.rows(), predictions.cols());
  bars.widths(rows.inputs.view(), predictions.view(), widths.view());
  CoverageSum sum(bars, model.outputs());
  sum.add(rows.targets.view(), predictions.view(), std::as_const(widths).view());
  const Coverage coverage = sum.coverage();
  for (std::size_t o = 0; o < outputs_shown(model); ++o)
    table.rows.push_back({label_of(model.targets[o].name), fmt::format("{} test rows", rows.inputs.rows()),
                          percent(coverage.share[0][o]), percent(coverage.share[1][o]), percent(coverage.share[2][o])});
}

/// A row per block: how well its chain has mixed, by quantities that do not depend on the order of the features.
Table mixing_table(const ChainDraws& draws) {
  Table table{.caption = "Split R̂ and effective samples of the chains", .header = {"block"}, .rows = {}};
  for (const DrawQuantity quantity : draw_quantities)
    for (const char* what : {"R̂", "samples"}) table.header.push_back(fmt::format("{}: {}", name_of(quantity), what));
  for (const DrawStatistic& statistic : draw_statistics({&draws})) {
    if (table.rows.size() < statistic.block) table.rows.push_back({std::to_string(statistic.block)});
    table.rows.back().push_back(statistic.r_hat ? fmt::format("{:.2f}", *statistic.r_hat) : "");
    table.rows.back().push_back(statistic.samples ? fmt::format("{:.0f}", *statistic.samples) : "");
  }
  return table;
}

std::string judges(Judge judge) {
  switch (judge) {
    case Judge::leave_one_out:
      return "each left out of the fit in turn";
    case Judge::cross_fitting:
      return "each by a network that was trained on others";
    case Judge::training:
      return "which are those of training, with errors made larger by what the fit took";
    case Judge::held_out:
      break;
  }
  return "held out";
}

}  // namespace

Section run_error_bars(const RunStory& story) {
  Section section{.id = "error-bars", .title = "How sure: error bars", .items = {}};
  if (!story.model || !story.model->uncertainty || story.model->uncertainty->judged.rows() < 2 * parts) return section;
  const Model& model = *story.model;
  const Uncertainty& known = *model.uncertainty;
  const ErrorBars bars(model);
  if (!model.draws.empty()) {
    section.items.emplace_back(Paragraph{fmt::format(
        "From the chains {} networks were drawn: frequencies from states after burn-in, amplitudes from their "
        "posterior. What they disagree about is part of the bars. Where R̂ is far above 1 a chain was still on its "
        "way; rfnn draws writes the draws.",
        model.draws.count())});
    section.items.emplace_back(mixing_table(model.draws));
  }
  section.items.emplace_back(Paragraph{fmt::format(
      "The model knows how far off its predictions may be from {} rows, {}. The bars widen where errors were large and "
      "away from the rows; rfnn predict --interval 0.9 writes them.",
      known.rows, judges(known.judge))});
  Table table{.caption = "Share of rows inside intervals of 50, 90 and 99 %",
              .header = {"output", "rows", "50 %", "90 %", "99 %"},
              .rows = {}};
  for (std::size_t o = 0; o < outputs_shown(model); ++o) {
    const std::vector<Seen> rows = seen_rows(known, o);
    table.rows.push_back(
        {label_of(model.targets[o].name),
         fmt::format("{} {}", rows.size(), known.judge == Judge::training ? "training rows" : "rows not seen"),
         percent(share_within(rows, 0.5)), percent(share_within(rows, 0.9)), percent(share_within(rows, 0.99))});
  }
  if (const ShownRows* rows = story.rows_of(RowsRole::test); rows != nullptr && rows->inputs.rows() > 0)
    add_test_rows(model, bars, *rows, table);
  section.items.emplace_back(std::move(table));
  for (Item& item : function_samples(story)) section.items.push_back(std::move(item));
  for (std::size_t o = 0; o < outputs_shown(model); ++o) {
    const std::vector<Seen> rows = seen_rows(known, o);
    section.items.emplace_back(calibration_figure(model, rows, o));
    section.items.emplace_back(width_figure(model, rows, bars.deviation(o), o));
  }
  return section;
}

}  // namespace rfnn::report
