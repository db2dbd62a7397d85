#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

Figure condition_figure(const RunStory& story) {
  Figure figure{.id = "condition",
                .title = "Condition of the least-squares problems",
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  figure.x.label = "block";
  figure.y = {.label = "condition number", .logarithmic = true, .low = {}, .high = {}};
  figure.size = FigureSize::half;
  const bool several = story.members() > 1;
  std::map<std::int64_t, Series> members;
  double low = INFINITY, high = 0.0;
  for (const BlockRecord& record : story.blocks) {
    if (!(record.condition > 0.0) || !std::isfinite(record.condition)) continue;
    Series& series = members[record.member];
    low = std::min(low, record.condition);
    high = std::max(high, record.condition);
    series.x.push_back(static_cast<double>(record.block));
    series.y.push_back(record.condition);
    series.notes.push_back(fmt::format("{}block {}: {}, {}", several ? fmt::format("member {}, ", record.member) : "",
                                       record.block, short_number(record.condition),
                                       io::counted(record.solver_fallbacks, "fallback")));
  }
  if (high > 0.0)
    figure.alternative = fmt::format("Condition numbers between {} and {}.", short_number(low), short_number(high));
  figure.caption =
      "Blue: condition number of the regularised normal equations for the frequencies each block kept (logarithmic "
      "axis). "
      "About as many digits of the amplitudes are lost as it has zeros; doubles have sixteen.";
  if (several) figure.caption += " Every member has a line of its own.";
  for (auto& [member, series] : members) {
    series.name = "condition number";
    series.mark = Mark::line_points;
    series.colour = Colour::blue;
    figure.series.push_back(std::move(series));
  }
  return figure;
}

Table condition_table(const RunStory& story) {
  Table table{.caption = "Least-squares problems of each block",
              .header = {"block", "rows", "ridge λ", "condition number", "solves", "fallbacks to QR"},
              .rows = {},
              .folded = story.blocks.size() > 12};
  const bool several = story.members() > 1;
  if (several) table.header.insert(table.header.begin(), "member");
  constexpr std::size_t most = 100;
  for (const std::size_t i : spread(story.blocks.size(), most)) {
    const BlockRecord& record = story.blocks[i];
    table.rows.push_back(
        {std::to_string(record.block), std::to_string(record.rows), short_number(record.ridge),
         record.condition > 0.0 ? short_number(record.condition) : "–", std::to_string(record.solves),
         Cell(std::to_string(record.solver_fallbacks), record.solver_fallbacks > 0 ? Tone::caution : Tone::plain)});
    if (several) table.rows.back().insert(table.rows.back().begin(), std::to_string(record.member));
  }
  if (story.blocks.size() > most) table.caption += fmt::format(" ({} of {} shown)", most, story.blocks.size());
  return table;
}

}  // namespace

Section run_conditioning(const RunStory& story) {
  Section section{.id = "conditioning", .title = "Conditioning and fallbacks", .items = {}};
  if (story.blocks.empty()) {
    section.items.emplace_back(Paragraph{"No least-squares problem was solved."});
    return section;
  }
  std::uint64_t solves = 0, fallbacks = 0;
  for (const BlockRecord& record : story.blocks) {
    solves += record.solves;
    fallbacks += record.solver_fallbacks;
  }
  if (fallbacks > 0) {
    section.items.emplace_back(Notice{
        fmt::format(
            "{} of {} least-squares problems were too ill-conditioned for the solver asked for and were solved by "
            "QR. A larger ridge, or the solver qr from the start, avoids that.",
            fallbacks, solves),
        Tone::caution});
  } else {
    section.items.emplace_back(
        Paragraph{fmt::format("{} least-squares problems were solved, none of them needed a fallback.", solves)});
  }
  if (Figure figure = condition_figure(story); !figure.series.empty()) section.items.emplace_back(std::move(figure));
  section.items.emplace_back(condition_table(story));
  return section;
}

}  // namespace rfnn::report
