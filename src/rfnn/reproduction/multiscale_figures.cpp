#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "rfnn/reproduction/figures.hpp"
#include "rfnn/reproduction/measures.hpp"
#include "rfnn/reproduction/statistics.hpp"

namespace rfnn::reproduction {
namespace {

constexpr auto target = Target::multiscale;

/// The target in black and a prediction over it, dashed.
Figure over_target(const Run& run, std::int64_t blocks, double low, double high, std::size_t points,
                   const std::string& name, Colour colour) {
  Figure figure;
  figure.x = {.label = "θ", .logarithmic = false, .low = low, .high = high};
  figure.y = {.label = "Q(θ)", .logarithmic = false, .low = {}, .high = {}};
  const std::vector<double> x = even_grid(low, high, points);
  const std::vector<double> truth = target_values(target, x), prediction = predicted_values(run, x, blocks);
  figure.series.push_back({.name = "target", .mark = Mark::line, .colour = Colour::black, .x = x, .y = truth});
  figure.series.push_back(
      {.name = name, .mark = Mark::line, .colour = colour, .dashed = true, .x = x, .y = prediction});
  figure.alternative =
      fmt::format("Target and prediction for θ from {} to {}. The largest distance between them is {}.",
                  short_number(low), short_number(high), short_number(largest_difference(truth, prediction)));
  return figure;
}

Figure prediction_figure(const Run& run, std::int64_t block, bool close) {
  Figure figure = close ? over_target(run, block, 0.0, 0.2, 401, "prediction", Colour::red)
                        : over_target(run, block, -1.0, 1.0, 801, "prediction", Colour::red);
  figure.id = fmt::format("multiscale-{}-block-{}", close ? "zoom" : "prediction", block);
  figure.title = fmt::format("{} {}", close ? "Closer look, block" : "Prediction after block", block);
  figure.caption = fmt::format(
      "Black: the target. Red, dashed: the network after {}, Method 1, last state, seed {}. "
      "Test error {}.",
      block_label(block), run.task.seed, short_number(test_error(run, block)));
  figure.size = FigureSize::third;
  return figure;
}

Figure histogram_figure(const Run& run, std::int64_t block) {
  constexpr double shown = 200.0;  // beyond the largest true frequency
  const Histogram* histogram = accepted_input_frequencies(run, block);
  Figure figure;
  figure.id = fmt::format("multiscale-histogram-block-{}", block);
  figure.title = fmt::format("Accepted frequencies, block {}", block);
  figure.x = {.label = "frequency, radians per unit of θ", .logarithmic = false, .low = 0.0, .high = shown};
  figure.y = {.label = "% of accepted, per bin", .logarithmic = false, .low = 0.0, .high = {}};
  figure.size = FigureSize::third;
  Series bars{.name = "accepted after burn-in", .mark = Mark::bars, .colour = Colour::red, .x = {}, .y = {}};
  double beyond = 0.0, highest = 0.0, all = 0.0;
  if (histogram != nullptr) {
    const auto bins = histogram->counts.size();
    bars.bar_width = (histogram->high - histogram->low) / static_cast<double>(bins);
    all = static_cast<double>(std::accumulate(histogram->counts.begin(), histogram->counts.end(), std::uint64_t{0}));
    for (std::size_t i = 0; i < bins; ++i) {
      const double centre = histogram->low + (static_cast<double>(i) + 0.5) * bars.bar_width;
      const double share = all > 0.0 ? 100.0 * static_cast<double>(histogram->counts[i]) / all : 0.0;
      if (centre > shown) {
        beyond += share;
        continue;
      }
      bars.x.push_back(centre);
      bars.y.push_back(share);
      highest = std::max(highest, share);
    }
  }
  figure.series.push_back(std::move(bars));
  Series lines{.name = "true frequencies", .mark = Mark::stems, .colour = Colour::grey, .x = {}, .y = {}};
  std::string shares;
  for (const double line : multiscale_lines) {
    lines.x.push_back(line);
    lines.y.push_back(highest);
    shares += fmt::format("{}{} % near {}", shares.empty() ? "" : ", ",
                          short_number(histogram == nullptr ? 0.0 : 100.0 * share_near(*histogram, line)), line);
  }
  figure.series.push_back(std::move(lines));
  const auto& options = std::get<Options>(run.task.method.options);
  figure.caption = fmt::format(
      "Red: input frequencies accepted in block {} after {} of {} iterations, all chains, seed {} ({} of them{}). "
      "Grey: the target's frequencies 4, 70 and 150.",
      block, options.burn_in, options.iterations, run.task.seed, static_cast<std::uint64_t>(all),
      beyond > 0.0 ? fmt::format("; {} % lie above {} and are not shown", short_number(beyond), shown) : "");
  figure.alternative =
      fmt::format("Histogram of accepted frequencies: within 5 of the true frequencies lie {}.", shares);
  return figure;
}

Figure adam_prediction(const Run& run, const std::string& words) {
  const auto& options = std::get<baselines::AdamOptions>(run.task.method.options);
  Figure figure = over_target(run, run.last().block, -1.0, 1.0, 801, "Adam", Colour::purple);
  figure.id = "multiscale-" + run.task.method.id + "-prediction";
  figure.title = fmt::format("Adam's prediction ({})", words);
  figure.caption = fmt::format(
      "Black: the target. Purple, dashed: the network of {} after {} epochs of Adam, seed {}. "
      "Test error {}.",
      block_label(options.blocks), options.epochs, run.task.seed, short_number(run.last().test_mse));
  figure.size = FigureSize::half;
  return figure;
}

Figure adam_loss(const std::vector<const Run*>& runs, const std::string& words) {
  const Run& first = *runs.front();
  SeedCurves curves{.name = "loss", .colour = Colour::purple, .x = {}, .y = {}};
  std::vector<double> ends;
  for (const Run* run : runs) {
    curves.y.emplace_back();
    for (const baselines::AdamPoint& point : run->curve) {
      if (point.epoch == 0) continue;  // has no place on a logarithmic axis
      if (run == &first) curves.x.push_back(static_cast<double>(point.epoch));
      curves.y.back().push_back(point.loss);
    }
    if (!curves.y.back().empty()) ends.push_back(curves.y.back().back());
  }
  Figure figure;
  figure.id = "multiscale-" + first.task.method.id + "-loss";
  figure.title = fmt::format("Adam's loss ({})", words);
  figure.x = {.label = "epoch", .logarithmic = true, .low = {}, .high = {}};
  figure.y = {.label = "training error + λ|b|²", .logarithmic = true, .low = {}, .high = {}};
  figure.size = FigureSize::half;
  const auto add_level = [&](const std::string& name, double level, bool dashed) {
    if (!curves.x.empty())
      figure.series.push_back({.name = name,
                               .mark = Mark::line,
                               .colour = Colour::grey,
                               .dashed = dashed,
                               .x = {curves.x.front(), curves.x.back()},
                               .y = {level, level}});
  };
  add_level("only 4 right", error_with_4, true);
  add_level("4 and 70 right", error_with_4_and_70, false);
  add_over_seeds(figure.series, curves, Mark::line);
  figure.caption = fmt::format(
      "Purple: loss on all training rows, {}. Grey: what the error would be with only frequency 4 right (dashed, "
      "0.0464) and with 4 and 70 right (solid, 0.00125).",
      runs.size() > 1 ? fmt::format("median and quartiles over {} seeds", runs.size()) : "one seed");
  std::vector<double> at_100;
  for (const Run* run : runs) at_100.push_back(adam_error_at(*run, 100));
  figure.alternative = fmt::format(
      "Loss against epoch on logarithmic axes: the median training error after 100 epochs is {}, the median "
      "loss at the end {}.",
      short_number(quartiles(at_100).median), short_number(quartiles(ends).median));
  return figure;
}

}  // namespace

std::vector<Figure> multiscale_progress_figures(std::span<const Run> runs) {
  const Run* run = first_run(runs, target, "method1");
  if (run == nullptr) return {};
  std::vector<Figure> figures;
  const std::int64_t blocks = std::min<std::int64_t>(3, run->last().block);
  for (std::int64_t block = 1; block <= blocks; ++block) figures.push_back(prediction_figure(*run, block, false));
  for (std::int64_t block = 1; block <= blocks; ++block) figures.push_back(histogram_figure(*run, block));
  for (std::int64_t block = 1; block <= blocks; ++block) figures.push_back(prediction_figure(*run, block, true));
  return figures;
}

std::vector<Figure> adam_figures(std::span<const Run> runs) {
  std::vector<Figure> figures;
  for (const auto& [id, words] :
       {std::pair{"adam-text", "the text's settings"}, std::pair{"adam-table", "the table's settings"}}) {
    const std::vector<const Run*> found = runs_of(runs, target, id);
    if (found.empty()) continue;
    figures.push_back(adam_prediction(*found.front(), words));
    figures.push_back(adam_loss(found, words));
  }
  return figures;
}

}  // namespace rfnn::reproduction
