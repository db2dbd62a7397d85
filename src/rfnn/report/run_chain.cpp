#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

constexpr Colour colour_of_branch(BranchKind kind) {
  return kind == BranchKind::input ? Colour::blue : kind == BranchKind::state ? Colour::green : Colour::purple;
}

std::string_view colour_word(BranchKind kind) {
  return kind == BranchKind::input ? "blue" : kind == BranchKind::state ? "green" : "purple";
}

std::optional<Figure> acceptance_figure(const RunStory& story) {
  Figure figure{.id = "acceptance", .title = "Acceptance", .caption = {}, .alternative = {}, .x = {}, .y = {}};
  figure.x.label = "block";
  figure.y = {.label = "accepted moves (%)", .logarithmic = false, .low = 0.0, .high = 100.0};
  figure.size = FigureSize::half;
  std::string colours;
  for (const BranchKind kind : {BranchKind::input, BranchKind::state, BranchKind::joint}) {
    Series series{.name = fmt::format("{} branch", name_of(kind)),
                  .mark = Mark::line_points,
                  .colour = colour_of_branch(kind),
                  .x = {},
                  .y = {}};
    for (const BlockRecord& record : story.blocks) {
      for (const BranchRecord& branch : record.branches) {
        if (branch.kind != kind || branch.proposed == 0) continue;
        series.x.push_back(static_cast<double>(record.block));
        series.y.push_back(100.0 * branch.acceptance());
        series.notes.push_back(fmt::format("block {}: {} of {} moves ({:.0f} %)", record.block, branch.accepted,
                                           branch.proposed, 100.0 * branch.acceptance()));
      }
    }
    if (series.x.empty()) continue;
    const auto [low, high] = std::minmax_element(series.y.begin(), series.y.end());
    figure.alternative += fmt::format("{}{} branch: {:.0f} to {:.0f} %.", figure.alternative.empty() ? "" : " ",
                                      name_of(kind), *low, *high);
    colours += fmt::format("{}{} the {} branch", colours.empty() ? "" : ", ", colour_word(kind), name_of(kind));
    figure.series.push_back(std::move(series));
  }
  if (figure.series.empty()) return std::nullopt;
  figure.caption = fmt::format(
      "Share of the proposed frequencies that were accepted in each block: {}. A random walk does well near 30 %; near "
      "0 "
      "the steps are too wide, near 100 too small.",
      colours);
  return figure;
}

std::optional<Figure> trace_figure(const RunStory& story) {
  constexpr std::size_t most_blocks = 60;
  const std::vector<std::size_t> chosen = spread(story.blocks.size(), most_blocks);
  const std::size_t most_points = std::clamp<std::size_t>(3000 / std::max<std::size_t>(chosen.size(), 1), 40, 300);
  Figure figure{
      .id = "loss-trace", .title = "Loss along the chains", .caption = {}, .alternative = {}, .x = {}, .y = {}};
  figure.x.label = "iteration, counted over all blocks";
  figure.y = {.label = "mean squared misfit", .logarithmic = true, .low = {}, .high = {}};
  figure.size = FigureSize::half;
  double before = 0.0, first = NAN, last = NAN;
  bool thinned = false;
  for (std::size_t i = 0; i < story.blocks.size(); ++i) {
    const BlockRecord& record = story.blocks[i];
    const bool odd = record.block % 2 == 1;
    Series series{.name = odd ? "odd blocks" : "even blocks",
                  .mark = Mark::line,
                  .colour = odd ? Colour::blue : Colour::cyan,
                  .x = {},
                  .y = {}};
    for (const std::size_t p : spread(record.trace.size(), most_points)) {
      const TracePoint& point = record.trace[p];
      if (!(point.loss > 0.0) || !std::isfinite(point.loss)) continue;
      series.x.push_back(before + static_cast<double>(point.iteration));
      series.y.push_back(point.loss);
    }
    thinned = thinned || record.trace.size() > most_points ||
              record.iterations > static_cast<std::int64_t>(record.trace.size());
    before += static_cast<double>(record.iterations);
    if (series.x.empty() || std::find(chosen.begin(), chosen.end(), i) == chosen.end()) continue;
    if (std::isnan(first)) first = series.y.front();
    last = series.y.back();
    figure.series.push_back(std::move(series));
  }
  if (figure.series.empty()) return std::nullopt;
  figure.caption =
      "Mean squared misfit of the frequencies held at each iteration, the blocks one after the other, odd ones "
      "in blue and even ones in cyan. The chain may go up: it samples, it does not descend.";
  if (thinned) figure.caption += " Some iterations are left out.";
  if (chosen.size() < story.blocks.size())
    figure.caption += fmt::format(" {} of {} blocks are shown.", chosen.size(), story.blocks.size());
  figure.alternative =
      fmt::format("The loss goes from {} at the start of the first chain to {} at the end of the last.",
                  short_number(first), short_number(last));
  return figure;
}

}  // namespace

Section run_chain(const RunStory& story) {
  Section section{.id = "chain", .title = "The chain", .items = {}};
  if (auto figure = acceptance_figure(story)) section.items.emplace_back(std::move(*figure));
  if (auto figure = trace_figure(story)) section.items.emplace_back(std::move(*figure));
  if (section.items.empty()) section.items.emplace_back(Paragraph{"No chain was run."});
  if (!story.traces) {
    section.items.emplace_back(
        Paragraph{"Traces of the loss and histograms of frequencies are kept with the model, and there is none."});
  }
  return section;
}

}  // namespace rfnn::report
