#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "rfnn/reproduction/figures.hpp"
#include "rfnn/reproduction/statistics.hpp"

namespace rfnn::reproduction {
namespace {

struct ShownMethod {
  const char* id;
  const char* name;
  Colour colour;
  const char* colour_name;
};

constexpr ShownMethod method_1{"method1", "Method 1, last state", Colour::red, "Red"};
constexpr ShownMethod method_1_best{"method1-best", "Method 1, best state", Colour::orange, "Orange"};
constexpr ShownMethod component{"component", "Method 1, no negative component", Colour::blue, "Blue"};
constexpr ShownMethod component_best{"component-best", "the same, best state", Colour::cyan, "Cyan"};
constexpr ShownMethod method_2{"method2", "Method 2, last state", Colour::blue, "Blue"};
constexpr ShownMethod method_2_best{"method2-best", "Method 2, best state", Colour::cyan, "Cyan"};

SeedCurves errors_of(const std::vector<const Run*>& runs, const ShownMethod& method) {
  SeedCurves curves{.name = method.name, .colour = method.colour, .x = {}, .y = {}};
  for (const RunBlock& block : runs.front()->blocks)
    curves.x.push_back(static_cast<double>(runs.front()->task.method.width() * block.block));
  for (const Run* run : runs) {
    curves.y.emplace_back();
    for (const RunBlock& block : run->blocks) curves.y.back().push_back(block.test_mse);
  }
  return curves;
}

double median_error(const std::vector<const Run*>& runs, bool at_end) {
  std::vector<double> errors;
  for (const Run* run : runs) errors.push_back((at_end ? run->blocks.back() : run->blocks.front()).test_mse);
  return quartiles(errors).median;
}

/// The smallest and the largest median or quartile shown, for axes that are to be compared.
void widen(std::pair<double, double>& range, const std::vector<Series>& series) {
  for (const Series& each : series) {
    for (const auto* values : {&each.y, &each.low})
      for (const double value : *values) {
        if (!std::isfinite(value) || value <= 0.0) continue;
        range.first = std::min(range.first, value);
        range.second = std::max(range.second, value);
      }
  }
}

/// Nothing when there is no run of any of the methods.
std::optional<Figure> error_figure(std::span<const Run> runs, Target target, const std::string& id,
                                   const std::string& title, std::span<const ShownMethod> methods) {
  Figure figure{.id = id,
                .title = title,
                .caption = {},
                .alternative = {},
                .x = {.label = "W·L", .logarithmic = true, .low = {}, .high = {}},
                .y = {.label = "mean squared error, test rows", .logarithmic = true, .low = {}, .high = {}}};
  std::string ends, colours;
  std::set<std::size_t> seeds;
  for (const ShownMethod& method : methods) {
    const std::vector<const Run*> found = runs_of(runs, target, method.id);
    if (found.empty()) continue;
    const SeedCurves curves = errors_of(found, method);
    if (figure.series.empty()) {
      // The theory's rate, through the first method's first block.
      Series line{.name = "rate 1/(WL)", .mark = Mark::line, .colour = Colour::grey, .dashed = true, .x = {}, .y = {}};
      for (const double x : curves.x) {
        line.x.push_back(x);
        line.y.push_back(median_error(found, false) * curves.x.front() / x);
      }
      figure.series.push_back(std::move(line));
      colours = fmt::format(" Grey, dashed: falls like 1/(WL) from the first block of {}.", method.name);
    }
    add_over_seeds(figure.series, curves, Mark::line_points);
    seeds.insert(found.size());
    colours += fmt::format(" {}: {}.", method.colour_name, method.name);
    ends += fmt::format("{}{} goes from {} after one block to {} after {}", ends.empty() ? "" : "; ", method.name,
                        short_number(median_error(found, false)), short_number(median_error(found, true)),
                        found.front()->last().block);
  }
  if (figure.series.empty()) return std::nullopt;
  figure.caption = fmt::format("Error on fresh test rows after each block{}.",
                               *seeds.rbegin() > 1 ? fmt::format(": median (lines) and quartiles (bands) over {} seeds",
                                                                 fmt::join(seeds, " or "))
                                                   : ", one seed") +
                   colours;
  figure.alternative = fmt::format("Test error against network size, both on logarithmic axes: {}.", ends);
  return figure;
}

}  // namespace

std::vector<Figure> error_figures(std::span<const Run> runs, Target target) {
  std::vector<Figure> figures;
  const auto add = [&](const std::string& id, const std::string& title, std::span<const ShownMethod> methods) {
    if (auto figure = error_figure(runs, target, id, title, methods)) figures.push_back(std::move(*figure));
  };
  const std::string name(target_names()[static_cast<std::size_t>(target)]);
  if (target == Target::sine) {
    add(name + "-error", "Error against network size, both readings of \"negative\"",
        std::array{method_1, method_1_best, component, component_best});
    return figures;
  }
  if (target == Target::multiscale) {
    add(name + "-error", "Error against network size", std::array{method_1, method_1_best});
    return figures;
  }
  add(name + "-error", "Error of Methods 1 and 2, last state (published)", std::array{method_1, method_2});
  add(name + "-error-best", "Error of Methods 1 and 2, best state", std::array{method_1_best, method_2_best});
  std::pair<double, double> range{1e300, 0.0};
  for (const Figure& figure : figures) widen(range, figure.series);
  for (Figure& figure : figures) {  // to be compared: the same axis
    figure.size = FigureSize::half;
    figure.y.low = std::pow(10.0, std::floor(std::log10(range.first)));
    figure.y.high = std::pow(10.0, std::ceil(std::log10(range.second)));
  }
  return figures;
}

}  // namespace rfnn::reproduction
