#include "rfnn/report/compare_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "rfnn/diagnostics/law_density.hpp"
#include "rfnn/diagnostics/spectrum.hpp"
#include "rfnn/io/text.hpp"
#include "rfnn/report/run_rows.hpp"
#include "rfnn/report/run_sections.hpp"
#include "rfnn/report/run_text.hpp"

namespace rfnn::report {
namespace {

constexpr std::array colours = {Colour::red, Colour::blue, Colour::green, Colour::orange, Colour::purple, Colour::cyan};
constexpr std::size_t most_points = 1500;

std::size_t drawn(const ComparedStory& story) { return std::min(story.runs.size(), colours.size()); }

std::string drawn_note(const ComparedStory& story) {
  return story.runs.size() > colours.size()
             ? fmt::format("The first {} of {} models are drawn.", colours.size(), story.runs.size())
             : "";
}

Series series_of(const ComparedStory& story, std::size_t run, Mark mark) {
  return {.name = label_of(story.runs[run].label), .mark = mark, .colour = colours[run], .x = {}, .y = {}};
}

Figure figure_of(std::string id, std::string title) {
  return {.id = std::move(id), .title = std::move(title), .caption = {}, .alternative = {}, .x = {}, .y = {}};
}

std::string quantile_text(std::size_t q) {
  return fmt::format("error of {:.0f} % of rows", 100.0 * assessment::compared_quantiles[q]);
}

// ---- errors ---------------------------------------------------------------------------------------------------------

Table error_table(const ComparedStory& story) {
  Table table{.caption = "Errors", .header = {"model", "MSE", "RMSE", "MAE"}, .rows = {}};
  for (std::size_t q = 0; q < assessment::compared_quantiles.size(); ++q) table.header.push_back(quantile_text(q));
  for (const ComparedRun& run : story.runs) {
    std::vector<Cell> row = {label_of(run.label), short_number(run.errors.mse), short_number(std::sqrt(run.errors.mse)),
                             short_number(run.errors.mae)};
    for (const double value : run.errors.quantiles) row.emplace_back(short_number(value));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Cell> difference_row(const std::string& label, const std::string& measure,
                                 const assessment::Interval& interval) {
  const bool better = interval.difference < 0.0;
  return {
      label, measure, short_number(interval.difference),
      fmt::format("{} to {}", short_number(interval.low), short_number(interval.high)),
      interval.sure() ? Cell(better ? "better" : "worse", better ? Tone::good : Tone::bad) : Cell("not told apart")};
}

Table difference_table(const ComparedStory& story) {
  Table table{.caption = fmt::format("Differences from {}", label_of(story.runs.front().label)),
              .header = {"model", "of", "difference", "95 % confidence interval", ""},
              .rows = {}};
  for (std::size_t m = 1; m < story.runs.size(); ++m) {
    const std::string label = label_of(story.runs[m].label);
    const assessment::ComparedModel& errors = story.runs[m].errors;
    table.rows.push_back(difference_row(label, "MSE", errors.mse_difference));
    table.rows.push_back(difference_row(label, "MAE", errors.mae_difference));
    for (std::size_t q = 0; q < assessment::compared_quantiles.size(); ++q)
      table.rows.push_back(difference_row(label, quantile_text(q), errors.quantile_differences[q]));
  }
  return table;
}

/// The absolute error that a share of the rows does not exceed.
Figure error_curves(const ComparedStory& story) {
  Figure figure = figure_of("error-curves", "Absolute errors, smallest to largest");
  figure.x = {.label = "share of the rows", .low = 0.0, .high = 1.0};
  figure.y = {.label = "absolute error", .logarithmic = true};
  for (std::size_t m = 0; m < drawn(story); ++m) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < story.targets.rows(); ++i) {
      double sum = 0.0;
      for (std::size_t o = 0; o < story.targets.cols(); ++o)
        sum += std::abs(story.targets(i, o) - story.runs[m].predictions(i, o));
      errors.push_back(sum / static_cast<double>(story.targets.cols()));
    }
    std::sort(errors.begin(), errors.end());
    Series line = series_of(story, m, Mark::line);
    // The few smallest are chance, and would take most of a logarithmic axis; those that are 0 have no place there.
    const double small = errors[errors.size() / 50];
    if (small > 0.0) figure.y.low = std::min(figure.y.low.value_or(small), small);
    for (const std::size_t i : spread(errors.size(), 300)) {
      if (!(errors[i] > 0.0)) continue;
      line.x.push_back(static_cast<double>(i + 1) / static_cast<double>(errors.size()));
      line.y.push_back(errors[i]);
    }
    figure.series.push_back(std::move(line));
  }
  figure.caption =
      sentences({"The lower a line, the smaller the errors: where lines cross, one model is better on easy "
                 "rows and worse on hard ones.",
                 drawn_note(story)});
  figure.alternative = fmt::format("{} lines of absolute errors of {} rows each.", drawn(story), story.targets.rows());
  return figure;
}

// ---- predictions ----------------------------------------------------------------------------------------------------

/// The axis of the input in common, as the first model knows it: it has read the places.
Axis axis_of_input(const ComparedStory& story) {
  const Model& first = story.runs.front().model;
  for (std::size_t k = 0; k < first.inputs.size(); ++k)
    if (first.inputs[k].used && first.inputs[k].name == story.input) return axis_of(first, k);
  return {.label = label_of(story.input)};
}

/// One input in common: data and predictions over it.
Figure overlay(const ComparedStory& story, std::size_t output, const std::vector<std::size_t>& rows) {
  Figure figure = figure_of("predictions" + suffix(output, story.targets.cols()),
                            fmt::format("{} over {}", label_of(story.target_names[output]), label_of(story.input)));
  figure.x = axis_of_input(story);
  figure.y.label = label_of(story.target_names[output]);
  Series data{.name = "data", .mark = Mark::points, .colour = Colour::black, .x = {}, .y = {}};
  for (const std::size_t i : rows) {
    data.x.push_back(story.places[i]);
    data.y.push_back(story.targets(i, output));
  }
  figure.series.push_back(std::move(data));
  for (std::size_t m = 0; m < drawn(story); ++m) {
    Series line = series_of(story, m, Mark::line);
    for (const std::size_t i : rows) {
      line.x.push_back(story.places[i]);
      line.y.push_back(story.runs[m].predictions(i, output));
    }
    figure.series.push_back(std::move(line));
  }
  figure.caption = sentences({"Black: the data. Lines: what each model predicts at these rows.",
                              spread_note(story.targets.rows(), rows.size()), drawn_note(story)});
  return figure;
}

/// Predicted against true values of all models.
Figure parity(const ComparedStory& story, std::size_t output, const std::vector<std::size_t>& rows) {
  const std::string target = label_of(story.target_names[output]);
  Figure figure =
      figure_of("parity" + suffix(output, story.targets.cols()), fmt::format("{}: predicted against true", target));
  figure.x.label = fmt::format("{} in the data", target);
  figure.y.label = fmt::format("{} predicted", target);
  double low = INFINITY, high = -INFINITY;
  for (const std::size_t i : rows) {
    low = std::min(low, story.targets(i, output));
    high = std::max(high, story.targets(i, output));
  }
  figure.series.push_back({.name = "equal",
                           .mark = Mark::line,
                           .colour = Colour::grey,
                           .dashed = true,
                           .x = {low, high},
                           .y = {low, high}});
  for (std::size_t m = 0; m < drawn(story); ++m) {
    Series dots = series_of(story, m, Mark::points);
    for (const std::size_t i : rows) {
      dots.x.push_back(story.targets(i, output));
      dots.y.push_back(story.runs[m].predictions(i, output));
    }
    figure.series.push_back(std::move(dots));
  }
  figure.caption = sentences({"On the dashed grey line prediction and data are equal.",
                              spread_note(story.targets.rows(), rows.size()), drawn_note(story)});
  return figure;
}

Section predictions(const ComparedStory& story) {
  Section section{.id = "predictions", .title = "Predictions", .items = {}};
  std::vector<std::size_t> rows = spread(story.targets.rows(), most_points / drawn(story));
  if (!story.input.empty())
    std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return story.places[a] < story.places[b]; });
  for (std::size_t o = 0; o < std::min(story.targets.cols(), most_outputs); ++o) {
    Figure figure = story.input.empty() ? parity(story, o, rows) : overlay(story, o, rows);
    figure.alternative = fmt::format("{} models at {} rows.", drawn(story), rows.size());
    section.items.emplace_back(std::move(figure));
  }
  section.items.emplace_back(error_curves(story));
  return section;
}

// ---- convergence ----------------------------------------------------------------------------------------------------

Section convergence(const ComparedStory& story) {
  Section section{.id = "convergence", .title = "Convergence", .items = {}};
  Figure figure = figure_of("convergence", "Error after every block");
  figure.x = {.label = "features or centres so far, the widths of the blocks added up", .logarithmic = true};
  figure.y = {.label = "mean squared error", .logarithmic = true};
  std::vector<std::string> without;
  for (std::size_t m = 0; m < drawn(story); ++m) {
    std::map<std::int64_t, Series> members;
    std::map<std::int64_t, double> widths;
    for (const BlockRecord& record : story.runs[m].model.history.blocks) {
      const double error = record.validation_mse.value_or(record.train_mse);
      const double features = widths[record.member] += static_cast<double>(record.width);
      if (!(error > 0.0) || !std::isfinite(error)) continue;
      Series& series = members.try_emplace(record.member, series_of(story, m, Mark::line_points)).first->second;
      series.dashed = !record.validation_mse;
      series.x.push_back(features);
      series.y.push_back(error);
      series.notes.push_back(fmt::format("{}, block {}: MSE {} on {} rows", label_of(story.runs[m].label), record.block,
                                         short_number(error), record.validation_mse ? "held-out" : "training"));
    }
    if (members.empty()) without.push_back(label_of(story.runs[m].label));
    for (auto& [member, series] : members) figure.series.push_back(std::move(series));
  }
  figure.caption = sentences(
      {"As recorded in training, each model on its own rows: on rows held out where there were any, dashed on training "
       "rows. A member of several has a line of its own.",
       without.empty() ? "" : fmt::format("No block with an error above zero: {}.", listed_labels(without)),
       drawn_note(story)});
  figure.alternative = fmt::format("Errors of {} models after their blocks.", drawn(story));
  if (figure.series.empty())
    section.items.emplace_back(Paragraph{"No model has a block."});
  else
    section.items.emplace_back(std::move(figure));
  return section;
}

// ---- spectra --------------------------------------------------------------------------------------------------------

/// Shares of a model's variance by frequency along one input, in bins of equal ratio.
struct Bins {
  double low, high;
  static constexpr std::size_t count = 48;
  [[nodiscard]] double edge(std::size_t k) const {
    return low * std::pow(high / low, static_cast<double>(k) / static_cast<double>(count));
  }
  [[nodiscard]] double centre(std::size_t k) const { return std::sqrt(edge(k) * edge(k + 1)); }
};

/// Place of an input among the variables of input branches, by its name; nothing where the model does not see it.
std::optional<std::size_t> variable_of(const Model& model, const std::string& input) {
  const auto seen = variables_seen(model, BranchKind::input);
  for (std::size_t v = 0; v < seen.size(); ++v)
    if (seen[v].name == input) return v;
  return std::nullopt;
}

double variance_of(const SpectralLine& line) {
  double sum = 0.0;
  for (const double amplitude : line.amplitude) sum += 0.5 * amplitude * amplitude;
  return sum;
}

std::vector<double> shares(const Model& model, std::size_t variable, const Bins& bins) {
  std::vector<double> share(Bins::count, 0.0);
  for (const SpectralLine& line : distinguishable_lines(model)) {
    const double at = std::abs(line.frequency[variable]);
    if (!(at > 0.0) || !std::isfinite(at)) continue;
    const double place = std::log(at / bins.low) / std::log(bins.high / bins.low) * Bins::count;
    share[static_cast<std::size_t>(std::clamp(place, 0.0, Bins::count - 1.0))] += variance_of(line);
  }
  for (const BranchLaw& law : laws(model)) {
    if (law.branch != BranchKind::input) continue;
    const double variance = std::accumulate(law.variance.begin(), law.variance.end(), 0.0);
    for (const LawPart& part : law.parts) {
      const MarginalLaw& along = part.marginals[variable];
      for (std::size_t k = 0; k < Bins::count; ++k)
        share[k] += variance * part.share * std::max(along.beyond(bins.edge(k)) - along.beyond(bins.edge(k + 1)), 0.0);
    }
  }
  const double total = std::accumulate(share.begin(), share.end(), 0.0);
  for (double& each : share) each = total > 0.0 ? each / total : 0.0;
  return share;
}

Figure spectrum_figure(const ComparedStory& story, const Column& input, std::size_t number, std::size_t count) {
  Figure figure =
      figure_of("spectra" + suffix(number, count), fmt::format("Frequencies along {}", label_of(input.name)));
  // From a wave that fills ten ranges of the data to one that fills a five-hundredth of it.
  const double range = input.max > input.min ? input.max - input.min : 1.0;
  const Bins bins{0.2 * M_PI / range, 1000.0 * M_PI / range};
  const bool days = counts_days(story.runs.front().model, input.name);
  figure.x = {.label = fmt::format("frequency, radians per {} of {}", days ? "day" : "unit", label_of(input.name)),
              .logarithmic = true,
              .low = bins.low,
              .high = bins.high};
  figure.y = {.label = "share of the variance", .low = 0.0};
  figure.size = FigureSize::half;
  for (std::size_t m = 0; m < drawn(story); ++m) {
    const auto variable = variable_of(story.runs[m].model, input.name);
    if (!variable) continue;
    Series line = series_of(story, m, Mark::line);
    line.y = shares(story.runs[m].model, *variable, bins);
    for (std::size_t k = 0; k < Bins::count; ++k) {
      line.x.push_back(bins.centre(k));
      line.notes.push_back(fmt::format("{}, period {}: {} of the variance", line.name,
                                       period_text(bins.centre(k), days), percent(line.y[k])));
    }
    figure.series.push_back(std::move(line));
  }
  figure.caption =
      sentences({"How the variance of the waves of each model's input branches is spread over frequency, in "
                 "48 bins; lines of features and laws of closed forms alike. What is beyond an end counts "
                 "in the last bin there.",
                 fmt::format("Periods go from {} on the left to {} on the right.", period_text(bins.low, days),
                             period_text(bins.high, days)),
                 drawn_note(story)});
  figure.alternative = fmt::format("{} curves over frequency.", figure.series.size());
  return figure;
}

Section spectra(const ComparedStory& story) {
  Section section{.id = "spectra", .title = "Spectra", .items = {}};
  const Model& first = story.runs.front().model;
  const auto seen = variables_seen(first, BranchKind::input);
  std::vector<std::size_t> used;  // place among the variables by place among the inputs
  std::size_t place = 0;
  for (const Column& input : first.inputs) used.push_back(input.used ? place++ : 0);
  std::vector<std::size_t> shown;
  for (const std::size_t input : inputs_by_effect(first))
    if (shown.size() < 4) shown.push_back(used[input]);
  for (std::size_t k = 0; k < shown.size(); ++k)
    section.items.emplace_back(spectrum_figure(story, seen[shown[k]], k, shown.size()));
  if (shown.empty()) section.items.emplace_back(Paragraph{"The first model has no frequencies."});
  return section;
}

}  // namespace

std::string interval_method(std::size_t rows) {
  return fmt::format(
      "Intervals: of MSE and MAE Student's t for the mean of the {} differences row by row; of quantiles, 400 "
      "resamples "
      "of the rows (paired bootstrap). Rows are taken for independent, models as they are.",
      rows);
}

Page compare_page(const ComparedStory& story) {
  Page page;
  page.title = fmt::format("{} models compared", story.runs.size());
  page.subtitle = fmt::format("{} on {} of {}", listed_labels(story.target_names, 4),
                              io::counted(story.targets.rows(), "row"), label_of(story.origin));
  Section errors{.id = "errors", .title = "Errors", .items = {}};
  errors.items.emplace_back(error_table(story));
  if (story.runs.size() > 1) {
    errors.items.emplace_back(difference_table(story));
    errors.items.emplace_back(Paragraph{interval_method(story.targets.rows())});
  }
  if (story.targets.cols() > 1)
    errors.items.emplace_back(Paragraph{"A row's squared and absolute error are the means over its outputs."});
  Section how{.id = "how", .title = "How to make it again", .items = {Code{story.command}}};
  page.sections = {std::move(errors), predictions(story), convergence(story), spectra(story), std::move(how)};
  return page;
}

}  // namespace rfnn::report
