#include "cli/inspect_lines.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/command_text.hpp"
#include "cli/terminal.hpp"
#include "rfnn/data/moment.hpp"

namespace rfnn::cli {
namespace {

constexpr std::size_t entries_shown = 6;

std::string vector_text(const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), entries_shown); ++i)
    text += fmt::format("{}{:.5g}", i == 0 ? "" : ", ", values[i]);
  return values.size() > entries_shown ? text + ", …" : text;
}

double size_of(const SpectralLine& line) {
  double sum = 0.0;
  for (const double amplitude : line.amplitude) sum += amplitude * amplitude;
  return std::sqrt(sum);
}

/// Along the time, in its words, where there is one; else along the line's own direction. A wave over other inputs that
/// hardly turns along the time has no period there that the rows could show.
std::string period_of(const SpectralLine& line, const Model& model) {
  if (const auto time = time_among(model, line.branch)) {
    constexpr double least_turns = 0.5;  // a wave that has not come back is a slope
    const Column along = variables_seen(model, line.branch)[*time];
    const double cycles = std::abs(line.cycles[*time]);
    if (line.cycles.size() > 1 && cycles * (along.max - along.min) < least_turns) return "-";
    return cycles != 0.0 ? span_text(1.0 / cycles) : "∞";
  }
  double squared = 0.0;
  for (const double cycles : line.cycles) squared += cycles * cycles;
  return squared > 0.0 ? fmt::format("{:.5g}", 1.0 / std::sqrt(squared)) : "∞";
}

std::string place_of(const SpectralLine& line, bool several) {
  return fmt::format("{}block {}, {}", several ? fmt::format("member {}, ", line.member) : "", line.block,
                     name_of(line.branch));
}

/// A space where no line ends.
constexpr char unbroken = '\x1f';

/// The variables a line goes along, by how much each turns it over the spread of its values, with the cycles per unit.
std::string cycles_by_name(const Model& model, const SpectralLine& line) {
  const std::vector<Column> columns = variables_seen(model, line.branch);
  const auto turns = [&](std::size_t k) { return std::abs(line.cycles[k]) * columns[k].sd; };
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < line.cycles.size(); ++k)
    if (line.cycles[k] != 0.0) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return turns(a) > turns(b); });
  constexpr std::size_t longest = 36;  // with its number beside it within a line
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), entries_shown); ++i) {
    const std::string name = printable(columns[order[i]].name);
    text += fmt::format("{}{}{}{:.4g}", i == 0 ? "" : ", ", name, name.size() <= longest ? unbroken : ' ',
                        line.cycles[order[i]]);
  }
  return order.empty() ? "a constant" : order.size() > entries_shown ? text + ", …" : text;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0, begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  return longest;
}

/// Lines along one variable, in the columns of a table.
std::string single_lines_text(const Model& model, const std::vector<SpectralLine>& lines, bool with_place,
                              bool several) {
  const std::size_t wide = with_place ? 14 : 24;  // what is left of 80 columns
  std::string text =
      fmt::format("  {:>12} {:<{}} {:<{}} {:>12}{}\n", "amplitude", with_place ? "rad/unit" : "frequency (rad/unit)",
                  wide, "cycles/unit", wide, "period", with_place ? "  place" : "");
  for (std::size_t i = 0; i < std::min(lines.size(), lines_shown); ++i) {
    const SpectralLine& line = lines[i];
    text += fmt::format("  {:>12.5g} {:<{}} {:<{}} {:>12}", size_of(line), vector_text(line.frequency), wide,
                        vector_text(line.cycles), wide, period_of(line, model));
    text += with_place ? "  " + place_of(line, several) + "\n" : "\n";
  }
  return text;
}

}  // namespace

std::string more_text(std::size_t count, std::size_t shown) {
  return count > shown ? fmt::format("  … {} more; --json lists them all\n", count - shown) : "";
}

std::optional<std::size_t> time_among(const Model& model, BranchKind kind) {
  const std::vector<Column> columns = variables_seen(model, kind);
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return counts_days(model, column.name); });
  return found == columns.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - columns.begin()));
}

std::string lines_text(const Model& model, const std::vector<SpectralLine>& lines, bool with_place, bool several) {
  const auto single = [](const SpectralLine& line) { return line.cycles.size() == 1; };
  if (std::all_of(lines.begin(), lines.end(), single))
    return single_lines_text(model, lines, with_place, several) + more_text(lines.size(), lines_shown);
  constexpr std::size_t indent = 29;
  std::string text = fmt::format("  {:>12} {:>12}  {}\n", "amplitude", "period",
                                 with_place ? "place: cycles per unit of" : "cycles per unit of");
  for (std::size_t i = 0; i < std::min(lines.size(), lines_shown); ++i) {
    const SpectralLine& line = lines[i];
    const std::string what =
        (with_place ? place_of(line, several) + ": " : std::string()) + cycles_by_name(model, line);
    // Names that have no room beside the numbers stand below them.
    const bool below = longest_word(what) > result_width() - indent;
    text += fmt::format("  {:>12.5g} {:>12}{}{}\n", size_of(line), period_of(line, model), below ? "\n    " : "  ",
                        wrapped(what, result_width(), below ? 4 : indent));
  }
  std::replace(text.begin(), text.end(), unbroken, ' ');
  return text + more_text(lines.size(), lines_shown);
}

}  // namespace rfnn::cli
