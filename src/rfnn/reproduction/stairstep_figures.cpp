#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rfnn/reproduction/figures.hpp"
#include "rfnn/reproduction/measures.hpp"

namespace rfnn::reproduction {
namespace {

constexpr auto target = Target::stairstep;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// The steps, with gaps at the jumps.
Series steps(double low, double high) {
  Series series{.name = "target", .mark = Mark::line, .colour = Colour::black, .x = {}, .y = {}};
  double from = low;
  const auto add = [&](double to) {
    const double value = evaluate(target, std::array{0.5 * (from + to)});
    for (const double x : {from, to}) {
      series.x.push_back(x);
      series.y.push_back(value);
    }
    from = to;
  };
  for (const double jump : stairstep_jumps) {
    if (jump <= low || jump >= high) continue;
    add(jump);
    series.x.push_back(jump);
    series.y.push_back(gap);
  }
  add(high);
  return series;
}

Figure function_figure() {
  Figure figure;
  figure.id = "stairstep-function";
  figure.title = "The stairstep function";
  figure.caption = "Black: the function to learn. A step's left end belongs to it.";
  figure.alternative = "Four steps between −1 and 1: 0, one third, two thirds and 1, with jumps at −0.5, 0 and 0.5.";
  figure.x = {.label = "θ", .logarithmic = false, .low = -1.0, .high = 1.0};
  figure.y = {.label = "Q(θ)", .logarithmic = false, .low = -0.1, .high = 1.1};
  figure.series = {steps(-1.0, 1.0)};
  figure.size = FigureSize::half;
  return figure;
}

struct Shown {
  const Run* run;
  const char* name;
  Colour colour;
};

std::vector<Shown> both_methods(std::span<const Run> runs) {
  std::vector<Shown> shown;
  if (const Run* run = first_run(runs, target, "method2")) shown.push_back({run, "Method 2", Colour::blue});
  if (const Run* run = first_run(runs, target, "method1")) shown.push_back({run, "Method 1", Colour::red});
  return shown;
}

std::vector<Series> predictions(const std::vector<Shown>& shown, const std::vector<double>& x, std::int64_t block) {
  std::vector<Series> series;
  for (const Shown& each : shown)
    series.push_back({.name = each.name,
                      .mark = Mark::line,
                      .colour = each.colour,
                      .dashed = true,
                      .x = x,
                      .y = predicted_values(*each.run, x, block)});
  return series;
}

std::string errors_after(const std::vector<Shown>& shown, std::int64_t block) {
  std::string text;
  for (const Shown& each : shown)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.name, short_number(test_error(*each.run, block)));
  return text;
}

Figure prediction_figure(const std::vector<Shown>& shown, std::int64_t block) {
  Figure figure;
  figure.id = fmt::format("stairstep-prediction-block-{}", block);
  figure.title = fmt::format("Predictions after block {}", block);
  figure.caption = fmt::format(
      "Black: the target. Red, dashed: Method 1. Blue, dashed: Method 2. Last state, seed {}. "
      "Test errors: {}.",
      shown.front().run->task.seed, errors_after(shown, block));
  figure.x = {.label = "θ", .logarithmic = false, .low = -1.0, .high = 1.0};
  figure.y = {.label = "Q(θ)", .logarithmic = false, .low = -0.2, .high = 1.2};
  figure.size = FigureSize::third;
  figure.series = {steps(-1.0, 1.0)};
  for (Series& series : predictions(shown, even_grid(-1.0, 1.0, 801), block))
    figure.series.push_back(std::move(series));
  figure.alternative = fmt::format(
      "The stairstep and its approximations after block {}; mean squared errors on test "
      "rows: {}.",
      block, errors_after(shown, block));
  return figure;
}

/// Around the jump in the middle, block by block.
Figure jump_figure(const std::vector<Shown>& shown) {
  constexpr double reach = 0.1;
  Figure figure;
  figure.id = "stairstep-jump";
  figure.title = "A closer look at the jump at 0";
  figure.x = {.label = "θ", .logarithmic = false, .low = -reach, .high = reach};
  figure.y = {.label = "Q(θ)", .logarithmic = false, .low = 0.2, .high = 0.8};
  figure.size = FigureSize::half;
  figure.slider = "blocks used";
  figure.series = {steps(-reach, reach)};
  Series rows{.name = "training rows", .mark = Mark::points, .colour = Colour::grey, .x = {}, .y = {}};
  const Dataset data = training_rows_of(shown.front().run->task);
  for (std::size_t i = 0; i < data.inputs.rows(); ++i) {
    if (std::abs(data.inputs(i, 0)) > reach) continue;
    rows.x.push_back(data.inputs(i, 0));
    rows.y.push_back(data.targets(i, 0));
  }
  figure.series.push_back(std::move(rows));
  std::int64_t blocks = shown.front().run->last().block;
  for (const Shown& each : shown) blocks = std::min(blocks, each.run->last().block);
  for (std::int64_t block = 1; block <= blocks; ++block)
    figure.frames.push_back({block_label(block), predictions(shown, even_grid(-reach, reach, 401), block)});
  figure.first_frame = figure.frames.size() - 1;
  std::string overshoots;
  for (const Shown& each : shown)
    overshoots +=
        fmt::format("{}{} {} %", overshoots.empty() ? "" : ", ", each.name, short_number(100.0 * overshoot(*each.run)));
  figure.caption = fmt::format(
      "Black: the target. Grey dots: the training rows near the jump. Red, dashed: Method 1. "
      "Blue, dashed: Method 2. Last state, seed {}; the slider chooses how many blocks are used. "
      "Overshoot after the last block, median over the three jumps: {}.",
      shown.front().run->task.seed, overshoots);
  figure.alternative = fmt::format(
      "Approximations within 0.1 of the jump from one third to two thirds at 0. Overshoot in "
      "units of the jump: {}.",
      overshoots);
  return figure;
}

}  // namespace

std::vector<Figure> stairstep_figures(std::span<const Run> runs) {
  std::vector<Figure> figures{function_figure()};
  const std::vector<Shown> shown = both_methods(runs);
  if (shown.empty()) return figures;
  figures.push_back(jump_figure(shown));
  for (const std::int64_t block : {2, 5, 10})
    if (std::all_of(shown.begin(), shown.end(), [&](const Shown& each) { return block <= each.run->last().block; }))
      figures.push_back(prediction_figure(shown, block));
  return figures;
}

}  // namespace rfnn::reproduction
