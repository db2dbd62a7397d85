// Which shares of the prediction's variance come from which inputs, what each does by itself, and at which scale.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rfnn/core/parallel.hpp"
#include "rfnn/io/sensitivity_json.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"
#include "rfnn/sensitivity/indices.hpp"

namespace rfnn::report {
namespace {

/// Predictions for the indices: fractions of a second as a rule, and fewer where one is a sum of very many terms.
constexpr double predictions = 200'000.0, usual_terms = 2000.0;
constexpr std::size_t fewest_samples = 64, most_samples = 512;
constexpr std::size_t most_curves = 6, most_lines = 6, most_pairs = 6, most_columns = 30;
constexpr double least_share = 0.01;

std::size_t samples_for(const Model& model, std::size_t varying) {
  double terms = 0.0;
  for (const Network& member : model.members)
    for (const Block& block : member.blocks)
      for (const Branch& branch : block.branches) terms += static_cast<double>(branch.width());
  const double share = std::clamp(usual_terms / std::max(terms, 1.0), 0.1, 1.0);
  const SensitivityOptions options;
  const double each = static_cast<double>(options.replicates * (2 * varying + 2));
  return std::clamp(static_cast<std::size_t>(share * predictions / each), fewest_samples, most_samples);
}

std::vector<std::size_t> by_total(const VarianceShares& shares) {
  std::vector<std::size_t> order(shares.total.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shares.total[a].value > shares.total[b].value; });
  return order;
}

std::string share_text(const Estimate& estimate) {
  return fmt::format("{:.3f} ± {:.3f}", estimate.value, estimate.standard_error);
}

Table shares_table(const Model& model, const SensitivityFindings& found, std::size_t output) {
  const VarianceShares& shares = found.indices.outputs[output];
  Table table{.caption = fmt::format("Shares of the variance of {}, {}", label_of(model.targets[output].name),
                                     short_number(shares.variance)),
              .header = {"input", "alone", "with others"},
              .rows = {}};
  for (const std::size_t f : by_total(shares))
    table.rows.push_back({label_of(found.factors[f].name), share_text(shares.first[f]), share_text(shares.total[f])});
  return table;
}

/// Pairs that are more than chance and worth a line.
Table pairs_table(const Model& model, const SensitivityFindings& found, std::size_t output) {
  std::vector<PairIndex> pairs = found.indices.outputs[output].pairs;
  std::erase_if(pairs, [](const PairIndex& pair) {
    return !(pair.index.value > std::max(least_share, 3.0 * pair.index.standard_error));
  });
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const PairIndex& a, const PairIndex& b) { return a.index.value > b.index.value; });
  Table table{.caption = fmt::format("Shares of {} that two inputs have together and neither alone",
                                     label_of(model.targets[output].name)),
              .header = {"inputs", "share"},
              .rows = {}};
  for (std::size_t p = 0; p < std::min(most_pairs, pairs.size()); ++p)
    table.rows.push_back({fmt::format("{} and {}", label_of(found.factors[pairs[p].first].name),
                                      label_of(found.factors[pairs[p].second].name)),
                          share_text(pairs[p].index)});
  return table;
}

/// The mean prediction along one input, with two standard errors.
Figure effect_figure(const Model& model, const SensitivityFindings& found, std::size_t factor, std::size_t output,
                     std::size_t place) {
  const std::string name = label_of(found.factors[factor].name), target = label_of(model.targets[output].name);
  const MainEffect& effect = found.effects[factor];
  const double mean = found.indices.outputs[output].mean;
  Figure figure{.id = fmt::format("main-effect-{}", place + 1) + suffix(output, outputs_shown(model)),
                .title = fmt::format("{} by {} alone", target, name),
                .caption = fmt::format("The mean prediction where {} has each value and all other inputs vary over "
                                       "their ranges, with two standard errors.",
                                       name),
                .alternative = {},
                .x = {.label = name},
                .y = {.label = "mean " + target}};
  figure.size = FigureSize::third;
  Series band{.name = "", .mark = Mark::band, .colour = Colour::red, .x = effect.values, .y = {}};
  Series line{.name = "mean", .mark = Mark::line, .colour = Colour::red, .x = effect.values, .y = {}};
  for (std::size_t v = 0; v < effect.values.size(); ++v) {
    const double value = mean + effect.effect(v, output), error = 2.0 * effect.standard_error(v, output);
    line.y.push_back(value);
    band.y.push_back(value + error);
    band.low.push_back(value - error);
  }
  const auto [least, largest] = std::minmax_element(line.y.begin(), line.y.end());
  figure.alternative = fmt::format("The mean lies between {} and {}.", short_number(*least), short_number(*largest));
  figure.series = {std::move(band), std::move(line)};
  return figure;
}

/// The share of each octave of wavelengths, a line per input.
Figure scales_figure(const Model& model, const SensitivityFindings& found, std::size_t output) {
  const std::string target = label_of(model.targets[output].name);
  Figure figure{.id = "scales" + suffix(output, outputs_shown(model)),
                .title = fmt::format("{}: which input matters at which scale", target),
                .caption =
                    "Along each input the prediction is a sum of cosines over its range. A dot is the share of "
                    "the variance that those of an octave of wavelengths have, at the longest of them; all dots "
                    "of an input add up to its share with others.",
                .alternative = {},
                .x = {.label = "wavelength over the input's range", .logarithmic = true},
                .y = {.label = "share of the variance"}};
  constexpr Colour colours[] = {Colour::blue,   Colour::orange, Colour::green,
                                Colour::purple, Colour::cyan,   Colour::grey};
  for (const std::size_t f : by_total(found.indices.outputs[output])) {
    const ScaleEnergy& energy = found.scales[f];
    if (energy.longest.empty() || figure.series.size() == most_lines) continue;
    if (found.indices.outputs[output].total[f].value < least_share) continue;
    Series line{.name = label_of(found.factors[f].name),
                .mark = Mark::line_points,
                .colour = colours[figure.series.size()],
                .x = energy.longest,
                .y = {}};
    double largest = 0.0, at = 0.0;
    for (std::size_t k = 0; k < energy.longest.size(); ++k) {
      line.y.push_back(energy.share[output][k].value);
      if (line.y.back() > largest) {
        largest = line.y.back();
        at = energy.longest[k];
      }
    }
    figure.alternative +=
        fmt::format("{}{}: most of it, {}, in waves of up to {} of the range.", figure.alternative.empty() ? "" : " ",
                    line.name, short_number(largest), short_number(at));
    figure.series.push_back(std::move(line));
  }
  return figure;
}

}  // namespace

Section run_variance(const RunStory& story) {
  Section section{.id = "variance", .title = "Where the variance comes from", .items = {}};
  if (!story.model || story.kept() == 0) return section;
  const Model& model = *story.model;
  SensitivityFindings found{.factors = factors_of(model), .indices = {}, .effects = {}, .scales = {}};
  const auto varying = static_cast<std::size_t>(
      std::count_if(found.factors.begin(), found.factors.end(), [](const Factor& factor) { return factor.varies(); }));
  if (varying < 2 || varying > most_columns) return section;
  SensitivityOptions options;
  options.samples = samples_for(model, varying);
  options.threads = available_threads();
  found.indices = sensitivity_indices(model, found.factors, options);
  found.effects = main_effects(model, found.factors, options);
  found.scales = energy_by_scale(model, found.factors, found.indices, options);
  section.items.emplace_back(
      Paragraph{"Every input varies by itself, uniformly over its range in training; where inputs hang together in the "
                "data, some "
                "of these places are unlike any row. Alone: what the variance of the prediction loses if the input is "
                "known. With "
                "others: what is left of it if all else is known. After ± the standard error; `rfnn sensitivity` has "
                "more digits."});
  const std::size_t outputs = outputs_shown(model), curves = std::max<std::size_t>(2, most_curves / outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    if (!(found.indices.outputs[o].variance > 0.0)) continue;
    section.items.emplace_back(shares_table(model, found, o));
    if (Table pairs = pairs_table(model, found, o); !pairs.rows.empty()) section.items.emplace_back(std::move(pairs));
    std::size_t place = 0;
    for (const std::size_t f : by_total(found.indices.outputs[o]))
      if (place < curves && found.factors[f].continuous() && !found.effects[f].values.empty() &&
          found.indices.outputs[o].total[f].value >= least_share)
        section.items.emplace_back(effect_figure(model, found, f, o, place++));
    if (Figure scales = scales_figure(model, found, o); !scales.series.empty())
      section.items.emplace_back(std::move(scales));
  }
  if (section.items.size() == 1) section.items.clear();
  return section;
}

}  // namespace rfnn::report
