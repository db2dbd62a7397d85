#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

/// Bars shown at most; the records have 256 bins.
constexpr std::size_t most_bars = 64;

const BranchRecord* branch_of(const BlockRecord& record, BranchKind kind) {
  for (const BranchRecord& branch : record.branches) {
    if (branch.kind == kind) return &branch;
  }
  return nullptr;
}

double bin_width(const Histogram& histogram) {
  return (histogram.high - histogram.low) / static_cast<double>(std::max<std::size_t>(histogram.counts.size(), 1));
}

/// Bins [first, last) that hold something; first == last: none do.
std::pair<std::size_t, std::size_t> filled(const Histogram& histogram) {
  const auto& counts = histogram.counts;
  std::size_t first = 0, last = counts.size();
  while (first < last && counts[first] == 0) ++first;
  while (last > first && counts[last - 1] == 0) --last;
  return {first, last};
}

Series bars_of(const Histogram& histogram, double widest) {
  const auto [first, last] = filled(histogram);
  // Neighbouring bins join, as many as it takes for bars at least `widest` wide.
  const double width = bin_width(histogram);
  std::size_t group = 1;
  while (static_cast<double>(group) * width < widest && group < histogram.counts.size()) group *= 2;
  Series bars{.name = "accepted frequencies", .mark = Mark::bars, .colour = Colour::blue, .x = {}, .y = {}};
  bars.bar_width = static_cast<double>(group) * width;
  for (std::size_t start = first / group * group; start < last; start += group) {
    std::uint64_t count = 0;
    for (std::size_t i = start; i < std::min(start + group, histogram.counts.size()); ++i) count += histogram.counts[i];
    bars.x.push_back(histogram.low + (static_cast<double>(start) + 0.5 * static_cast<double>(group)) * width);
    bars.y.push_back(static_cast<double>(count));
  }
  return bars;
}

/// The fullest bar in words.
std::string peak_text(const Series& bars, const std::string& block) {
  const auto top = std::max_element(bars.y.begin(), bars.y.end());
  const double place = bars.x[static_cast<std::size_t>(top - bars.y.begin())];
  return fmt::format("In {} most are near {}.", block, short_number(place));
}

std::optional<Figure> histogram_figure(const RunStory& story, BranchKind kind, const std::string& id, std::size_t place,
                                       const std::string& suffix) {
  struct Entry {
    std::int64_t block;
    const Histogram* histogram;
  };
  std::vector<Entry> entries;
  for (const std::size_t i : spread(story.blocks.size(), 17)) {
    const BranchRecord* branch = branch_of(story.blocks[i], kind);
    if (branch == nullptr || place >= branch->accepted_frequencies.size()) continue;
    const Histogram& histogram = branch->accepted_frequencies[place];
    const auto [first, last] = filled(histogram);
    if (first < last && std::isfinite(bin_width(histogram)) && bin_width(histogram) > 0.0) {
      entries.push_back({story.blocks[i].block, &histogram});
    }
  }
  if (entries.empty()) return std::nullopt;

  double low = INFINITY, high = -INFINITY;
  for (const Entry& entry : entries) {
    const auto [first, last] = filled(*entry.histogram);
    low = std::min(low, entry.histogram->low + static_cast<double>(first) * bin_width(*entry.histogram));
    high = std::max(high, entry.histogram->low + static_cast<double>(last) * bin_width(*entry.histogram));
  }
  const bool norm = entries.front().histogram->variable == "norm" && suffix == "-norm";
  const std::string name = norm ? "|ω|" : label_of(entries.front().histogram->variable);
  Figure figure{.id = id + "accepted" + suffix, .title = {}, .caption = {}, .alternative = {}, .x = {}, .y = {}};
  figure.title = fmt::format("Accepted frequencies{}{}",
                             norm             ? ", by |ω|"
                             : suffix.empty() ? ""
                                              : " of " + name,
                             kind == BranchKind::input ? "" : fmt::format(", {} branch", name_of(kind)));
  figure.x = {.label = norm ? "|ω| (radians per unit)"
                            : fmt::format("frequency (radians per unit of {}{})",
                                          kind == BranchKind::state ? "the state, " : "", name),
              .logarithmic = false,
              .low = std::min(low, 0.0),
              .high = high};
  figure.y.label = "accepted moves";
  figure.size = FigureSize::half;
  figure.slider = "chain of";
  for (const Entry& entry : entries) {
    figure.frames.push_back({fmt::format("block {}", entry.block),
                             {bars_of(*entry.histogram, (high - low) / static_cast<double>(most_bars))}});
  }
  const std::int64_t burn_in = std::min(story.options.burn_in, story.options.iterations / 2);
  figure.caption = fmt::format(
      "Blue: how often the chain of a block accepted a frequency there, after the first {} iterations (burn-in).",
      burn_in);
  figure.alternative = peak_text(figure.frames.front().series.front(), figure.frames.front().label);
  if (figure.frames.size() > 1) {
    figure.alternative += " " + peak_text(figure.frames.back().series.front(), figure.frames.back().label);
  }
  return figure;
}

}  // namespace

std::vector<Item> accepted_frequencies(const RunStory& story, BranchKind kind, const std::string& id,
                                       const std::vector<std::size_t>& variables) {
  std::vector<Item> items;
  std::size_t all = 0;  // histograms per branch: one per variable, and that of |ω| last
  for (const BlockRecord& record : story.blocks) {
    if (const BranchRecord* branch = branch_of(record, kind)) all = std::max(all, branch->accepted_frequencies.size());
  }
  const auto take = [&](std::size_t place, const std::string& suffix) {
    if (auto figure = histogram_figure(story, kind, id, place, suffix)) items.emplace_back(std::move(*figure));
  };
  if (all > 1) take(all - 1, "-norm");
  for (const std::size_t variable : variables) take(variable, all > 1 ? fmt::format("-{}", variable + 1) : "");
  return items;
}

}  // namespace rfnn::report
