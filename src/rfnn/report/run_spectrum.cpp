#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "rfnn/diagnostics/law_density.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

constexpr std::size_t most_inputs = 6;
/// Lines drawn in all, and for each block.
constexpr std::size_t most_drawn = 150, most_drawn_of_block = 40;
/// Lines smaller than this share of the largest are not drawn, the largest of a block always.
constexpr double smallest_drawn = 1e-4;

double norm(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum = std::hypot(sum, value);
  return sum;
}

/// The branches of one kind and the variables they see.
struct Family {
  BranchKind kind;
  std::string id;                  ///< start of the ids of figures
  std::vector<Column> variables;   ///< used inputs, outputs, or both
  std::vector<bool> days;          ///< per variable: a time
  std::vector<std::size_t> shown;  ///< places of the variables with figures of their own; the others show in |ω| only
  std::size_t measured = 0;        ///< inputs that could have one
};

Family family_of(const Model& model, BranchKind kind) {
  Family family{.kind = kind,
                .id = kind == BranchKind::input ? "" : std::string(name_of(kind)) + "-",
                .variables = {},
                .days = {},
                .shown = {},
                .measured = 0};
  family.variables = variables_seen(model, kind);
  for (const Column& column : family.variables) family.days.push_back(counts_days(model, column.name));
  std::vector<std::size_t> places(model.inputs.size(), 0);  // of used inputs among the variables
  std::size_t used = 0;
  for (std::size_t k = 0; k < model.inputs.size(); ++k)
    if (model.inputs[k].used) places[k] = used++;
  if (family.variables.size() == 1) {
    family.shown = {0};
  } else if (kind == BranchKind::input) {
    for (const std::size_t k : inputs_by_effect(model)) {
      if (!takes_many_values(model, model.inputs[k])) continue;
      ++family.measured;
      if (family.shown.size() < most_inputs) family.shown.push_back(places[k]);
    }
    std::sort(family.shown.begin(), family.shown.end());
  }
  return family;
}

/// The lines of a family in all, and block by block; largest first.
struct Lines {
  std::vector<SpectralLine> all;
  std::vector<std::pair<std::size_t, std::vector<SpectralLine>>> blocks;
};

Lines lines_of(const Model& model, const std::vector<SpectralLine>& everything, BranchKind kind) {
  Lines lines{.all = distinguishable_lines(model, everything, kind), .blocks = {}};
  for (const std::size_t block : depths_shown(model.blocks())) {
    std::vector<SpectralLine> of_block;
    for (const SpectralLine& line : everything) {
      if (line.block == block) of_block.push_back(line);
    }
    of_block = distinguishable_lines(model, std::move(of_block), kind);
    if (!of_block.empty()) lines.blocks.emplace_back(block, std::move(of_block));
  }
  return lines;
}

/// Place of a line on the axis of a variable, or of |ω|.
double place_of(const SpectralLine& line, std::optional<std::size_t> variable) {
  return variable ? std::abs(line.frequency[*variable]) : norm(line.frequency);
}

bool in_days(const Family& family, std::optional<std::size_t> variable) { return variable && family.days[*variable]; }

Series stems(const Family& family, const std::vector<SpectralLine>& lines, std::optional<std::size_t> variable,
             double floor, std::size_t most) {
  if (!lines.empty()) floor = std::min(floor, norm(lines.front().amplitude));
  Series series{.name = "lines", .mark = Mark::stems, .colour = Colour::red, .x = {}, .y = {}};
  for (const SpectralLine& line : lines) {
    const double size = norm(line.amplitude), place = place_of(line, variable);
    if (!(size >= floor) || !std::isfinite(size) || !std::isfinite(place) || series.x.size() == most) continue;
    series.x.push_back(place);
    series.y.push_back(size);
    series.notes.push_back(fmt::format("{} rad per unit, period {}, amplitude {}, block {}", short_number(place),
                                       period_text(place, in_days(family, variable)), short_number(size), line.block));
  }
  return series;
}

std::string variable_text(const Family& family, std::optional<std::size_t> variable) {
  if (variable) return label_of(family.variables[*variable].name);
  return "|ω|";
}

std::string figure_suffix(const Family& family, std::optional<std::size_t> variable) {
  if (family.variables.size() == 1) return "";
  return variable ? fmt::format("-{}", *variable + 1) : "-norm";
}

/// The largest lines in words.
std::string largest_text(const Family& family, const std::vector<SpectralLine>& lines,
                         std::optional<std::size_t> variable) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 3); ++i) {
    const double place = place_of(lines[i], variable);
    text += fmt::format("{}{} at {} radians per unit (period {})", i == 0 ? "" : ", ",
                        short_number(norm(lines[i].amplitude)), short_number(place),
                        period_text(place, in_days(family, variable)));
  }
  return text;
}

/// A few lines far out would squeeze all others against zero: where most of an axis would serve less than a twentieth
/// of the lines, it ends before them. Returns how many are beyond.
std::size_t shorten_axis(Figure& figure) {
  std::vector<double> places = figure.frames.front().series.front().x;
  if (places.size() < 20) return 0;
  std::sort(places.begin(), places.end());
  const double end = 1.5 * places[places.size() - 1 - places.size() / 20];
  if (!(end > 0.0) || places.back() < 4.0 * end) return 0;
  figure.x.low = 0.0;
  figure.x.high = end;
  return static_cast<std::size_t>(std::count_if(places.begin(), places.end(), [&](double x) { return x > end; }));
}

Figure line_figure(const Model& model, const Family& family, const Lines& lines, std::optional<std::size_t> variable) {
  Figure figure{.id = family.id + "spectrum" + figure_suffix(family, variable),
                .title = {},
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  const std::string name = variable_text(family, variable);
  const bool state = family.kind == BranchKind::state;
  figure.title = family.kind != BranchKind::input
                     ? fmt::format("Lines of the {} branch{}", name_of(family.kind), variable ? "" : ", by |ω|")
                     : fmt::format("Learned frequencies{}", variable ? " of " + name : ", by |ω|");
  figure.x.label = variable ? fmt::format("frequency (radians per {} of {}{})",
                                          in_days(family, variable) ? "day" : "unit", state ? "the state, " : "", name)
                            : "|ω| (radians per unit, all variables together)";
  const std::string unit = model.outputs() == 1 ? label_of(model.targets[0].name) : "the outputs, norm over them";
  figure.y = {.label = fmt::format("amplitude (units of {})", unit), .logarithmic = true, .low = {}, .high = {}};
  figure.size = family.variables.size() == 1 && !state ? FigureSize::full : FigureSize::half;

  const double floor = smallest_drawn * norm(lines.all.front().amplitude);
  figure.frames.push_back({"all blocks", {stems(family, lines.all, variable, floor, most_drawn)}});
  for (const auto& [block, list] : lines.blocks) {
    figure.frames.push_back(
        {fmt::format("block {}", block), {stems(family, list, variable, floor, most_drawn_of_block)}});
  }
  figure.slider = "lines of";
  const std::size_t drawn = figure.frames.front().series.front().x.size();
  figure.caption = fmt::format(
      "Red: the lines of the {} branch by {}; heights are amplitudes, on a logarithmic axis. {}", name_of(family.kind),
      variable ? "their frequency along " + name : "the length of their frequency vector",
      drawn < lines.all.size() ? fmt::format("The {} largest of {} lines are drawn.", drawn, lines.all.size())
                               : fmt::format("All {} are drawn.", io::counted(drawn, "line")));
  if (const std::size_t beyond = shorten_axis(figure))
    figure.caption += fmt::format(" {} beyond the end of the axis.",
                                  beyond == 1 ? "One of them lies" : fmt::format("{} of them lie", beyond));
  figure.alternative = fmt::format("{}. The largest amplitudes: {}.", io::counted(drawn, "line"),
                                   largest_text(family, lines.all, variable));
  return figure;
}

std::string vector_text(const std::vector<double>& values) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + short_number(values[i]);
  return values.size() > most ? text + ", …" : text;
}

/// A vector by the variables along which it is not 0, those first that turn most over the spread of their values.
std::string named_text(const Family& family, const std::vector<double>& values) {
  constexpr std::size_t most = 6;
  const auto turns = [&](std::size_t k) { return std::abs(values[k]) * family.variables[k].sd; };
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (values[k] != 0.0) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return turns(a) > turns(b); });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), most); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", label_of(family.variables[order[i]].name),
                        short_number(values[order[i]]));
  return order.empty() ? "0" : order.size() > most ? text + ", …" : text;
}

Table line_table(const Model& model, const Family& family, const std::vector<SpectralLine>& lines) {
  constexpr std::size_t most = 20;
  const bool several = family.variables.size() > 1;
  const auto time = std::find(family.days.begin(), family.days.end(), true);
  const auto at = static_cast<std::size_t>(time - family.days.begin());
  const bool days = time != family.days.end();
  const std::string unit = several ? "unit" : (days ? "day of " : "unit of ") + variable_text(family, 0);
  const auto place = [&](const std::vector<double>& values) {
    return several ? named_text(family, values) : vector_text(values);
  };
  Table table{.caption = "Largest lines",
              .header = {"amplitude", "frequency (radians per " + unit + ")", "cycles per " + unit,
                         several && days ? "period along " + variable_text(family, at)
                         : several       ? "period along its direction"
                                         : "period",
                         "block"},
              .rows = {}};
  if (model.outputs() > 1) table.header[0] = "amplitude per output";
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
    const SpectralLine& line = lines[i];
    table.rows.push_back(
        {vector_text(line.amplitude), place(line.frequency), place(line.cycles),
         days ? period_text(line.frequency[at], true) : period_text(norm(line.frequency)),
         (model.members.size() > 1 ? fmt::format("member {}, block ", line.member) : "") + std::to_string(line.block)});
  }
  if (lines.size() > most) table.caption += fmt::format(" ({} of {})", most, lines.size());
  return table;
}

/// |ω| adds up frequencies in different units: worth a word where they are of different size.
std::string scale_note(const Family& family) {
  double smallest = INFINITY, largest = 0.0;
  for (const Column& column : family.variables) {
    if (!(column.sd > 0.0)) continue;
    smallest = std::min(smallest, column.sd);
    largest = std::max(largest, column.sd);
  }
  if (!(largest > 10.0 * smallest)) return "";
  return "The inputs vary on different scales, and |ω| is mostly the frequency of the input with the smallest numbers: "
         "look at the inputs one by one.";
}

void add_family(const RunStory& story, const std::vector<SpectralLine>& everything, BranchKind kind,
                std::vector<Item>& items) {
  const Model& model = *story.model;
  const Family family = family_of(model, kind);
  for (Item& item : frequency_laws(story, kind, family.id)) items.push_back(std::move(item));
  const Lines lines = lines_of(model, everything, kind);
  if (lines.all.empty()) return;
  const bool several = family.variables.size() > 1;
  if (several) items.emplace_back(line_figure(model, family, lines, std::nullopt));
  for (const std::size_t variable : family.shown) items.emplace_back(line_figure(model, family, lines, variable));
  if (kind == BranchKind::input) {
    std::string text;
    if (several && family.shown.size() < family.measured)
      text = fmt::format("Of {} inputs the {} with the largest part in the learned function are shown. ",
                         family.measured, family.shown.size());
    if (several && family.measured < family.variables.size())
      text += "Along levels and truth values, which are 0 or 1, there are no waves to look at: the table has them.";
    if (!text.empty()) items.emplace_back(Paragraph{std::move(text)});
    if (std::string note = several ? scale_note(family) : ""; !note.empty())
      items.emplace_back(Paragraph{std::move(note)});
    items.emplace_back(line_table(model, family, lines.all));
  }
  for (Item& item : accepted_frequencies(story, kind, family.id, family.shown)) items.push_back(std::move(item));
}

}  // namespace

bool takes_many_values(const Model& model, const Column& variable) {
  const auto found = std::find_if(model.inputs.begin(), model.inputs.end(),
                                  [&](const Column& input) { return input.name == variable.name; });
  const ColumnCode* column = found == model.inputs.end()
                                 ? nullptr
                                 : column_of_input(model.table, static_cast<std::size_t>(found - model.inputs.begin()));
  if (column == nullptr) return true;
  return (column->kind == ColumnKind::number || column->kind == ColumnKind::time) && column->name == variable.name;
}

std::vector<std::size_t> inputs_by_effect(const Model& model) {
  std::vector<std::pair<double, std::size_t>> order;  // minus the effect
  for (std::size_t k = 0; k < model.inputs.size(); ++k) {
    if (!model.inputs[k].used) continue;
    order.emplace_back(0.0, k);
  }
  const std::vector<Column> variables = variables_seen(model, BranchKind::input);
  for (const SpectralLine& line : distinguishable_lines(model)) {
    const double size = norm(line.amplitude);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double turn = line.frequency[i] * variables[i].sd;
      order[i].first -= size * size * std::min(1.0, turn * turn);
    }
  }
  for (const BranchLaw& law : laws(model))
    for (const LawPart& part : law.parts) {
      const double size =
          std::accumulate(part.variance.begin(), part.variance.end(), 0.0) / static_cast<double>(model.members.size());
      for (std::size_t i = 0; i < order.size(); ++i)
        order[i].first -= size * part.marginals[i].turning(variables[i].sd);
    }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> sorted;
  for (const auto& [effect, k] : order) sorted.push_back(k);
  return sorted;
}

Section run_spectrum(const RunStory& story) {
  Section section{.id = "spectrum", .title = "Spectrum", .items = {}};
  if (!story.model || story.model->blocks() == 0) {
    section.items.emplace_back(
        Paragraph{story.model ? "The model has no blocks and so no frequencies." : story.model_missing});
    return section;
  }
  const std::vector<SpectralLine> everything = spectrum(*story.model);
  if (!everything.empty())
    section.items.emplace_back(Paragraph{
        "The network is a sum of waves. A wave over the inputs (the input branch of a block) is a line at its "
        "frequency; later "
        "blocks also have waves over the value that the blocks before them have reached (the state branch), or "
        "over both together (the joint branch). "
        "Lines closer to each "
        "other than the data can tell apart are shown as one, amplitudes added with their phases."});
  for (Item& item : trend_terms(story)) section.items.push_back(std::move(item));
  add_family(story, everything, BranchKind::input, section.items);
  add_family(story, everything, BranchKind::joint, section.items);
  add_family(story, everything, BranchKind::state, section.items);
  return section;
}

}  // namespace rfnn::report
