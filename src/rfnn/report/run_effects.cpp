// What the inputs do to the prediction: importance, partial dependence, interactions.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "rfnn/assessment/importance.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::report {
namespace {

// Sizes that keep the section to tens of thousands of predictions: fractions of a second as a rule.
constexpr std::size_t importance_rows = 400, importance_repeats = 3;
constexpr std::size_t average_rows = 60, curve_points = 40, most_curves = 6, single_curves = 12;
constexpr std::size_t map_rows = 40, map_side = 16;
constexpr std::size_t interaction_rows = 30, interacting_inputs = 4;

/// Rows to average over: fewer where a prediction is a sum of very many terms.
std::size_t rows_for(const Model& model, std::size_t count) {
  constexpr double usual = 2000.0;
  double terms = 0.0;
  for (const Network& member : model.members)
    for (const Block& block : member.blocks)
      for (const Branch& branch : block.branches) terms += static_cast<double>(branch.width());
  const double share = std::clamp(usual / std::max(terms, 1.0), 0.2, 1.0);
  return static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
}

Matrix some_rows(const Matrix& all, std::size_t count) {
  const std::vector<std::size_t> which = spread(all.rows(), count);
  Matrix some(which.size(), all.cols());
  for (std::size_t i = 0; i < which.size(); ++i)
    for (std::size_t j = 0; j < all.cols(); ++j) some(i, j) = all(which[i], j);
  return some;
}

/// A column of the table with the inputs it makes; of a number, a time or a boolean the first is its value.
struct Ranked {
  std::string name;
  std::vector<std::size_t> inputs;
  bool category;
  assessment::Importance importance = {};
};

/// The column that an input belongs to, with all of its inputs.
Ranked column_with(const Model& model, std::size_t input) {
  const ColumnCode* const column = column_of_input(model.table, input);
  if (column == nullptr) return {model.inputs[input].name, {input}, false};
  Ranked found{column->name, {}, column->kind == ColumnKind::category};
  for (std::size_t j = 0; j < model.inputs.size(); ++j)
    if (column_of_input(model.table, j) == column) found.inputs.push_back(j);
  return found;
}

/// Used columns, the most important first. Of very many, those with the largest part in the learned function.
std::vector<Ranked> ranked_inputs(const Model& model, const ShownRows& rows) {
  constexpr std::size_t most = 30;
  std::vector<std::size_t> inputs = inputs_by_effect(model);
  if (inputs.size() > most) inputs.resize(most);
  std::vector<Ranked> ranked;
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t input : inputs) {
    Ranked column = column_with(model, input);
    if (std::find(groups.begin(), groups.end(), column.inputs) != groups.end()) continue;
    groups.push_back(column.inputs);
    ranked.push_back(std::move(column));
  }
  assessment::ImportanceOptions options;
  options.repeats = importance_repeats;
  options.threads = available_threads();
  const std::size_t count = rows_for(model, importance_rows);
  const auto found = assessment::permutation_importance(model, some_rows(rows.inputs, count).view(),
                                                        some_rows(rows.targets, count).view(), groups, options);
  for (std::size_t i = 0; i < ranked.size(); ++i) ranked[i].importance = found[i];
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.importance.share > b.importance.share; });
  return ranked;
}

Table importance_table(const Model& model, const ShownRows& rows, const std::vector<Ranked>& ranked) {
  Table table{.caption = fmt::format("Importance, on {} {}",
                                     std::min(rows.inputs.rows(), rows_for(model, importance_rows)), rows.name),
              .header = {"input", "R² lost when its values are permuted", "± standard error"},
              .rows = {}};
  for (const Ranked& each : ranked)
    table.rows.push_back(
        {label_of(each.name), short_number(each.importance.share), short_number(each.importance.share_error)});
  return table;
}

/// Partial dependence on one input, over the curves of single rows it is the mean of.
Figure dependence(const Model& model, const ShownRows& rows, std::size_t input, std::size_t output, std::size_t place) {
  const std::string name = label_of(model.inputs[input].name), target = label_of(model.targets[output].name);
  const auto [low, high] = range_along(rows, input);
  const std::vector<double> values = grid_along(model, input, low, high, curve_points);
  Figure figure{.id = fmt::format("dependence-{}", place + 1) + suffix(output, outputs_shown(model)),
                .title = fmt::format("{} along {}", target, name),
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  figure.x = axis_of(model, input);
  figure.x.logarithmic = seen_as_logarithm(model, input) && low > 0.0;
  figure.y.label = fmt::format("{} predicted", target);
  figure.size = FigureSize::third;
  const Matrix singles = some_rows(rows.inputs, rows_for(model, single_curves));
  Matrix batch(singles.rows() * values.size(), singles.cols());
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    for (std::size_t j = 0; j < batch.cols(); ++j) batch(i, j) = singles(i / values.size(), j);
    batch(i, input) = values[i % values.size()];
  }
  const Matrix predictions = predict(model, batch.view(), {.blocks = {}, .threads = available_threads()});
  for (std::size_t row = 0; row < singles.rows(); ++row) {
    Series curve{.name = "single rows", .mark = Mark::line, .colour = Colour::grey, .x = values, .y = {}};
    for (std::size_t k = 0; k < values.size(); ++k) curve.y.push_back(predictions(row * values.size() + k, output));
    figure.series.push_back(std::move(curve));
  }
  const Matrix average = some_rows(rows.inputs, rows_for(model, average_rows));
  const Matrix mean = assessment::partial_dependence(model, average.view(), input, values, available_threads());
  Series line{.name = "mean", .mark = Mark::line, .colour = Colour::red, .x = values, .y = {}};
  for (std::size_t k = 0; k < values.size(); ++k) line.y.push_back(mean(k, output));
  const auto [least, largest] = std::minmax_element(line.y.begin(), line.y.end());
  figure.alternative =
      fmt::format("The mean prediction lies between {} and {}.", short_number(*least), short_number(*largest));
  figure.series.push_back(std::move(line));
  figure.caption = fmt::format(
      "Red: the mean prediction for {} rows if {} had each of these values and all else stayed. "
      "Grey: {} of the rows by themselves; where they are not parallel, others matter too.",
      average.rows(), name, singles.rows());
  return figure;
}

/// The mean prediction at every level of a category, over those of single rows.
Figure dependence_on_levels(const Model& model, const ShownRows& rows, const Ranked& category, std::size_t output,
                            std::size_t place) {
  const std::string name = label_of(category.name), target = label_of(model.targets[output].name);
  const ColumnCode& code = *column_of_input(model.table, category.inputs.front());
  Figure figure{.id = fmt::format("dependence-{}", place + 1) + suffix(output, outputs_shown(model)),
                .title = fmt::format("{} by {}", target, name),
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  figure.x = {.label = name, .low = -0.5, .high = static_cast<double>(code.levels.size()) - 0.5};
  for (const std::string& level : code.levels) figure.x.names.push_back(label_of(level));
  figure.y.label = fmt::format("{} predicted", target);
  figure.size = FigureSize::third;
  const Matrix some = some_rows(rows.inputs, rows_for(model, average_rows));
  const std::size_t levels = code.levels.size(), singles = std::min(some.rows(), single_curves);
  Matrix batch(some.rows() * levels, some.cols());
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    for (std::size_t j = 0; j < batch.cols(); ++j) batch(i, j) = some(i / levels, j);
    for (const std::size_t input : category.inputs) batch(i, input) = 0.0;  // of the indicator too
    batch(i, category.inputs[i % levels]) = 1.0;
  }
  const Matrix predictions = predict(model, batch.view(), {.blocks = {}, .threads = available_threads()});
  Series dots{.name = "single rows", .mark = Mark::points, .colour = Colour::grey, .x = {}, .y = {}};
  Series means{.name = "mean", .mark = Mark::points, .colour = Colour::red, .x = {}, .y = {}};
  for (std::size_t level = 0; level < levels; ++level) {
    double sum = 0.0;
    for (std::size_t row = 0; row < some.rows(); ++row) {
      const double value = predictions(row * levels + level, output);
      sum += value;
      if (row >= singles) continue;
      dots.x.push_back(static_cast<double>(level));
      dots.y.push_back(value);
    }
    means.x.push_back(static_cast<double>(level));
    means.y.push_back(sum / static_cast<double>(some.rows()));
  }
  const auto least = std::min_element(means.y.begin(), means.y.end()) - means.y.begin();
  const auto largest = std::max_element(means.y.begin(), means.y.end()) - means.y.begin();
  const auto at = [&](auto level) {
    const auto k = static_cast<std::size_t>(level);
    return fmt::format("{} at {}", short_number(means.y[k]), label_of(code.levels[k]));
  };
  figure.alternative = fmt::format("The mean prediction lies between {} and {}.", at(least), at(largest));
  figure.series.push_back(std::move(dots));
  figure.series.push_back(std::move(means));
  figure.caption = fmt::format(
      "Red: the mean prediction for {} rows if {} had each of its levels and all else stayed. Grey: {} of the rows by "
      "themselves.",
      some.rows(), name, singles);
  return figure;
}

/// Pairs of the most important inputs with their H, the strongest first.
struct Pair {
  std::size_t first, second;
  double strength;
};

std::vector<Pair> interacting_pairs(const Model& model, const ShownRows& rows, const std::vector<std::size_t>& ranked) {
  const Matrix some = some_rows(rows.inputs, interaction_rows);
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < std::min(ranked.size(), interacting_inputs); ++a)
    for (std::size_t b = a + 1; b < std::min(ranked.size(), interacting_inputs); ++b)
      pairs.push_back({ranked[a], ranked[b],
                       assessment::interaction(model, some.view(), ranked[a], ranked[b], 0, available_threads())});
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.strength > b.strength; });
  return pairs;
}

Table pair_table(const Model& model, const std::vector<Pair>& pairs) {
  Table table{.caption = fmt::format("Interactions of the most important inputs{}",
                                     model.outputs() > 1 ? " in " + label_of(model.targets[0].name) : ""),
              .header = {"inputs", "Friedman's H"},
              .rows = {}};
  for (const Pair& pair : pairs)
    table.rows.push_back(
        {fmt::format("{} and {}", label_of(model.inputs[pair.first].name), label_of(model.inputs[pair.second].name)),
         fmt::format("{:.2f}", pair.strength)});
  return table;
}

/// The mean prediction over two inputs.
Figure pair_map(const Model& model, const ShownRows& rows, std::size_t first, std::size_t second) {
  const std::string a = label_of(model.inputs[first].name), b = label_of(model.inputs[second].name);
  const std::string target = label_of(model.targets[0].name);
  Figure figure{.id = "interaction",
                .title = fmt::format("{} over {} and {}", target, a, b),
                .caption = {},
                .alternative = {},
                .x = {},
                .y = {}};
  // Centres of cells, which a heat map lays out evenly between the ends of its axes.
  const auto axis = [&](std::size_t input, Axis& shown, std::vector<double>& centres) {
    const auto [low, high] = range_along(rows, input);
    const bool logarithmic = seen_as_logarithm(model, input) && low > 0.0;
    shown = axis_of(model, input);
    shown.logarithmic = logarithmic;
    shown.low = low;
    shown.high = high;
    for (std::size_t k = 0; k < map_side; ++k) {
      const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(map_side);
      centres.push_back(logarithmic ? low * std::pow(high / low, share) : low + share * (high - low));
    }
  };
  std::vector<double> across, up;
  axis(first, figure.x, across);
  axis(second, figure.y, up);
  const Matrix some = some_rows(rows.inputs, rows_for(model, map_rows));
  const Matrix mean =
      assessment::partial_dependence(model, some.view(), second, up, first, across, available_threads());
  Series cells{.name = "prediction", .mark = Mark::cells, .colour = Colour::red, .x = {}, .y = {}};
  cells.columns = map_side;
  double low = INFINITY, high = -INFINITY;
  for (std::size_t c = 0; c < mean.rows(); ++c) {
    cells.y.push_back(mean(c, 0));
    low = std::min(low, mean(c, 0));
    high = std::max(high, mean(c, 0));
  }
  if (!(high > low)) high = low + 1.0;
  figure.scale = ColourScale{.label = target, .low = low, .high = high, .diverging = false};
  figure.series.push_back(std::move(cells));
  figure.caption = fmt::format(
      "The mean prediction for {} rows if they had these values of {} and {}. Pairs of values that no row has are "
      "guesses.",
      some.rows(), a, b);
  figure.alternative = fmt::format("Mean predictions between {} and {}.", short_number(low), short_number(high));
  return figure;
}

}  // namespace

Section run_effects(const RunStory& story) {
  Section section{.id = "effects", .title = "What the inputs do", .items = {}};
  const ShownRows* rows = story.main_rows();
  if (!story.model || rows == nullptr || rows->inputs.rows() < 2 || story.model->used_inputs() < 2 || story.kept() == 0)
    return section;
  const Model& model = *story.model;
  const std::vector<Ranked> ranked = ranked_inputs(model, *rows);
  section.items.emplace_back(Paragraph{
      "How much worse predictions become when rows are given each other's values of an input. Inputs that say the same "
      "share their importance."});
  section.items.emplace_back(importance_table(model, *rows, ranked));
  // Between the levels of a category there is nothing: it has dots, and curves and maps are of the others.
  std::vector<std::size_t> values;
  std::vector<const Ranked*> shown;
  for (const Ranked& each : ranked)
    if (each.category || model.inputs[each.inputs.front()].used) shown.push_back(&each);
  for (const Ranked& each : ranked)
    if (!each.category && is_needed(model, each.inputs.front())) values.push_back(each.inputs.front());
  const std::size_t outputs = outputs_shown(model);
  const std::size_t curves = std::min(shown.size(), std::max<std::size_t>(2, most_curves / outputs));
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t k = 0; k < curves; ++k)
      section.items.emplace_back(shown[k]->category ? dependence_on_levels(model, *rows, *shown[k], o, k)
                                                    : dependence(model, *rows, shown[k]->inputs.front(), o, k));
  if (values.size() < 2) return section;
  const std::vector<Pair> pairs = interacting_pairs(model, *rows, values);
  section.items.emplace_back(Paragraph{fmt::format(
      "H is 0 where the effects of two inputs add up and near 1 where the effect of one depends on the other; from {} "
      "rows, so that values below 0.1 mean little.",
      std::min(rows->inputs.rows(), interaction_rows))});
  section.items.emplace_back(pair_table(model, pairs));
  section.items.emplace_back(pair_map(model, *rows, pairs.front().first, pairs.front().second));
  return section;
}

}  // namespace rfnn::report
