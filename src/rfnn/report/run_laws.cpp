#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "rfnn/diagnostics/law_density.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

constexpr std::size_t most_variables = 6, most_rows = 20, points = 160;
/// The smallest share drawn, of the largest.
constexpr double decades_shown = 1e-5;
/// A variable of whose waves less than this share shows over its range plays no part.
constexpr double least_turning = 1e-3;

double range_of(const Column& column) {
  const double range = column.max - column.min;
  return range > 0.0 && std::isfinite(range) ? range : 1.0;
}

/// How much of the law's variance shows over the range of a variable: 0, it plays no part; 1, whole turns.
double turning(const BranchLaw& law, std::size_t variable, const Column& column) {
  double sum = 0.0;
  for (const LawPart& part : law.parts) sum += part.share * part.marginals[variable].turning(range_of(column));
  return sum;
}

/// A share of one in percent, small ones too.
std::string share_text(double share) {
  return share < 0.01 ? fmt::format("{:.1g} %", 100.0 * share) : fmt::format("{:.0f} %", 100.0 * share);
}

/// The closed forms of one kind of branch.
struct Laws {
  std::vector<Column> variables;
  std::vector<bool> days;  ///< per variable: a time
  std::vector<BranchLaw> all;
  BranchLaw mean;
  std::vector<double> turning;         ///< per variable, of their mean
  std::vector<std::size_t> by_effect;  ///< variables that play a part, largest first
};

Laws laws_of(const Model& model, BranchKind kind) {
  Laws laws{.variables = variables_seen(model, kind),
            .days = {},
            .all = rfnn::laws(model),
            .mean = {},
            .turning = {},
            .by_effect = {}};
  for (const Column& column : laws.variables) laws.days.push_back(counts_days(model, column.name));
  std::erase_if(laws.all, [&](const BranchLaw& law) { return law.branch != kind || law.parts.empty(); });
  if (laws.all.empty()) return laws;
  laws.mean = mean_law(laws.all);
  for (std::size_t k = 0; k < laws.variables.size(); ++k) {
    laws.turning.push_back(turning(laws.mean, k, laws.variables[k]));
    const bool spread = std::any_of(laws.mean.parts.begin(), laws.mean.parts.end(), [&](const LawPart& part) {
      return part.share > 0.0 && !part.marginals[k].is_point();
    });
    if (spread && laws.turning[k] > least_turning && takes_many_values(model, laws.variables[k]))
      laws.by_effect.push_back(k);
  }
  std::stable_sort(laws.by_effect.begin(), laws.by_effect.end(),
                   [&](std::size_t a, std::size_t b) { return laws.turning[a] > laws.turning[b]; });
  return laws;
}

/// ω · density: the share of the variance per factor of e in frequency. A strong slow part, which to the data is a
/// trend, may stand beside a weak one that makes the waves: both are seen on a logarithmic axis alone.
template <class Density>
Series curve(std::string name, Colour colour, const std::vector<double>& frequencies, const Density& density) {
  Series series{.name = std::move(name), .mark = Mark::line, .colour = colour, .x = {}, .y = {}};
  for (const double frequency : frequencies) {
    const double share = frequency * density(frequency);
    if (!(share > 0.0) || !std::isfinite(share)) continue;
    series.x.push_back(frequency);
    series.y.push_back(share);
    series.notes.push_back(fmt::format("{} rad per unit, period {}", short_number(frequency), period_text(frequency)));
  }
  return series;
}

std::vector<Series> curves(const BranchLaw& law, std::size_t variable, const std::vector<double>& frequencies,
                           bool with_parts) {
  constexpr Colour colours[] = {Colour::blue, Colour::green, Colour::orange, Colour::purple, Colour::cyan};
  std::vector<Series> series;
  if (with_parts && law.parts.size() > 1 && law.parts.size() <= std::size(colours))
    for (std::size_t p = 0; p < law.parts.size(); ++p) {
      const LawPart& part = law.parts[p];
      series.push_back(curve(fmt::format("part {}, {}", p + 1, share_text(part.share)), colours[p], frequencies,
                             [&](double f) { return part.share * part.marginals[variable].density(f); }));
      series.back().dashed = true;
    }
  series.push_back(curve("law", Colour::red, frequencies, [&](double f) { return law_density(law, variable, f); }));
  return series;
}

/// Frequencies over which the law along a variable is drawn, evenly in their logarithm.
std::vector<double> places_along(const Laws& laws, std::size_t variable) {
  double low = INFINITY, high = 0.0;
  for (const LawPart& part : laws.mean.parts) {
    if (!(part.share > 0.0) || part.marginals[variable].is_point()) continue;
    low = std::min(low, part.marginals[variable].quantile(0.02));
    high = std::max(high, part.marginals[variable].quantile(0.97));
  }
  // Waves much longer than the range of the data are a constant to them.
  const double range = range_of(laws.variables[variable]), once = 2.0 * std::numbers::pi / range;
  low = std::min({std::max(low, 0.02 / range), high / 30.0, once / 1.3});
  high = std::max(high, 7.0 * once);
  std::vector<double> places;
  for (std::size_t i = 0; i < points; ++i)
    places.push_back(low * std::pow(1.5 * high / low, static_cast<double>(i) / (points - 1)));
  return places;
}

/// Where one period fills the range of the data: waves left of it are trends.
Series one_period(const Column& column, double lowest, double highest) {
  const double place = 2.0 * std::numbers::pi / range_of(column);
  return {.name = "one period over the data",
          .mark = Mark::line,
          .colour = Colour::grey,
          .dashed = true,
          .x = {place, place},
          .y = {lowest, highest}};
}

/// All laws together, and where they are of several blocks, block by block.
std::vector<Frame> frames_of(const Laws& laws, std::size_t variable, const std::vector<double>& places) {
  const bool several = laws.all.size() > 1;
  std::vector<Frame> frames = {{several ? "all closed forms" : "", curves(laws.mean, variable, places, !several)}};
  std::map<std::size_t, std::vector<BranchLaw>> blocks;
  for (const BranchLaw& law : laws.all) blocks[law.block].push_back(law);
  if (blocks.size() == 1) return frames;
  for (const auto& [block, own] : blocks)
    frames.push_back({fmt::format("block {}", block), curves(mean_law(own), variable, places, own.size() == 1)});
  return frames;
}

Figure law_figure(const Laws& laws, std::size_t variable, const std::string& id, const std::string& of_branch) {
  const Column& column = laws.variables[variable];
  const std::string name = label_of(column.name);
  Figure figure{
      .id = fmt::format("{}law-{}", id, variable + 1),
      .title = fmt::format("Law of frequencies of {}{}", name, of_branch),
      .caption = {},
      .alternative = {},
      .x = {.label = fmt::format("frequency (radians per {} of {})", laws.days[variable] ? "day" : "unit", name),
            .logarithmic = true},
      .y = {.label = "variance per factor e (share)", .logarithmic = true}};
  figure.size = laws.variables.size() == 1 ? FigureSize::full : FigureSize::half;
  const std::vector<double> places = places_along(laws, variable);
  figure.x.low = places.front();
  figure.x.high = places.back();
  std::vector<Frame> frames = frames_of(laws, variable, places);
  double highest = 0.0;
  for (const Frame& frame : frames)
    for (const double share : frame.series.back().y) highest = std::max(highest, share);
  figure.y.low = decades_shown * highest;
  figure.y.high = 2.0 * highest;
  figure.series = {one_period(column, *figure.y.low, *figure.y.high)};
  if (frames.size() > 1) {
    figure.frames = std::move(frames);
    figure.slider = "law of";
  } else {
    for (Series& series : frames.front().series) figure.series.push_back(std::move(series));
  }
  const double median = law_quantile(laws.mean, variable, 0.5), most = law_quantile(laws.mean, variable, 0.9);
  figure.caption = fmt::format(
      "Red: how the variance of the closed form is spread over the frequencies of {}, per factor e of frequency, on "
      "logarithmic axes. Left of the dashed line waves are trends to the data. Half of it is below {} radians per unit "
      "(period {}), nine tenths below {} (period {}).",
      name, short_number(median), period_text(median, laws.days[variable]), short_number(most),
      period_text(most, laws.days[variable]));
  figure.alternative = fmt::format("A density over frequency on a logarithmic axis from {} to {}; the median is {}.",
                                   short_number(places.front()), short_number(places.back()), short_number(median));
  return figure;
}

Table law_table(const Laws& laws) {
  Table table{.caption = "Law of frequencies by variable",
              .header = {"variable", "half of the variance below (cycles per unit)", "nine tenths below",
                         "median period", "shows over the data's range"},
              .rows = {}};
  constexpr double turn = 2.0 * std::numbers::pi;
  std::vector<std::size_t> order(laws.variables.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return laws.turning[a] > laws.turning[b]; });
  for (std::size_t i = 0; i < std::min(order.size(), most_rows); ++i) {
    const std::size_t k = order[i];
    const double median = law_quantile(laws.mean, k, 0.5), most = law_quantile(laws.mean, k, 0.9);
    table.rows.push_back({label_of(laws.variables[k].name), short_number(median / turn), short_number(most / turn),
                          period_text(median, laws.days[k]), percent(laws.turning[k])});
  }
  if (order.size() > most_rows) table.caption += fmt::format(" ({} of {})", most_rows, order.size());
  return table;
}

std::string introduction(const Laws& laws, BranchKind kind) {
  std::size_t centres = 0;
  for (const BranchLaw& law : laws.all) centres = std::max(centres, law.centres);
  const std::string over = kind == BranchKind::input ? "the inputs" : "inputs and state";
  const std::string what =
      laws.all.size() == 1
          ? fmt::format("Block {} holds the closed form of infinitely many waves over {}", laws.all.front().block, over)
          : fmt::format("{} branches of the network are closed forms of infinitely many waves over {}", laws.all.size(),
                        over);
  return fmt::format(
      "{}. Their frequencies are not a list but a law, learnt from the data: its density is shown variable by "
      "variable. "
      "What the waves add up to follows from {}{}, the centres, which are part of the model file.",
      what, laws.all.size() == 1 ? "" : "up to ", io::counted(centres, "training row"));
}

}  // namespace

std::vector<Item> frequency_laws(const RunStory& story, BranchKind kind, const std::string& id) {
  const Laws laws = laws_of(*story.model, kind);
  std::vector<Item> items;
  if (laws.all.empty()) return items;
  items.emplace_back(Paragraph{introduction(laws, kind)});
  const std::string of_branch = kind == BranchKind::input ? "" : fmt::format(" ({} branch)", name_of(kind));
  for (std::size_t i = 0; i < std::min(laws.by_effect.size(), most_variables); ++i)
    items.emplace_back(law_figure(laws, laws.by_effect[i], id, of_branch));
  if (laws.by_effect.size() > most_variables)
    items.emplace_back(Paragraph{fmt::format("Of {} variables the {} with the fastest waves are shown.",
                                             laws.by_effect.size(), most_variables)});
  items.emplace_back(law_table(laws));
  return items;
}

}  // namespace rfnn::report
