#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/terminal.hpp"
#include "rfnn/assessment/folds.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/diagnostics/quantile_sum.hpp"
#include "rfnn/diagnostics/scores.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/rows/predict.hpp"
#include "rfnn/uncertainty/coverage.hpp"

namespace rfnn::cli {
namespace {

using io::Json;

/// One number, or a list for several outputs; what is not a number is null.
Json json_of(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
  return values.size() == 1 ? list[0] : list;
}

constexpr std::array<double, 4> shares = {0.5, 0.9, 0.95, 0.99};

/// Errors added up batch by batch.
struct Errors {
  explicit Errors(std::size_t outputs) : sum(outputs), absolute(outputs) {}
  void add(ConstMatrixView targets, ConstMatrixView predictions, ConstMatrixView weights) {
    sum.add(targets, predictions, weights);
    for (std::size_t i = 0; i < targets.rows(); ++i)
      for (std::size_t o = 0; o < absolute.size(); ++o)
        absolute[o].add(targets(i, o) - predictions(i, o), weights.rows() > 0 ? weights(i, 0) : 1.0);
  }

  ScoreSum sum;
  std::vector<QuantileSum> absolute;  ///< per output
};

/// Errors per group.
struct GroupedErrors {
  void add(const std::string& group, ConstMatrixView targets, ConstMatrixView predictions, ConstMatrixView weights) {
    const auto [place, fresh] = places.try_emplace(group, groups.size());
    if (fresh) groups.emplace_back(group, ScoreSum(targets.cols()));
    groups[place->second].second.add(targets, predictions, weights);
  }
  /// In the order of their names, of numbers where all are numbers.
  void sort() {
    std::vector<std::string> names;
    for (const auto& [name, sum] : groups) names.push_back(name);
    const std::vector<std::size_t> rank = assessment::group_numbers(names);
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const auto& a, const auto& b) { return rank[places.at(a.first)] < rank[places.at(b.first)]; });
  }

  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::pair<std::string, ScoreSum>> groups;
};

Json scores_json(const Scores& scores) {
  return {{"rows", scores.rows},      {"mse", json_of(scores.mse)}, {"rmse", json_of(scores.rmse)},
          {"r2", json_of(scores.r2)}, {"mae", json_of(scores.mae)}, {"max_error", json_of(scores.max_error)}};
}

/// Error bars, where the model has them.
struct ErrorBarsFared {
  ErrorBarsFared(const Model& model, const PredictOptions& options)
      : bars(model), sum(bars, model.outputs()), how(options) {}
  void add(const TableBatches& batch, ConstMatrixView predictions) {
    if (widths.rows() != predictions.rows()) widths = Matrix(predictions.rows(), predictions.cols());
    bars.widths(batch.inputs(), predictions, widths.view(), how);
    sum.add(batch.targets(), predictions, widths.view(), batch.weights());
  }

  ErrorBars bars;
  CoverageSum sum;
  PredictOptions how;
  Matrix widths;
};

Json coverage_json(const Coverage& coverage) {
  Json json = {{"crps", json_of(coverage.crps)}, {"nll", json_of(coverage.nll)}};
  for (std::size_t c = 0; c < looked_at.size(); ++c) {
    json["coverage"][fmt::format("{}", looked_at[c])] = json_of(coverage.share[c]);
    json["interval_score"][fmt::format("{}", looked_at[c])] = json_of(coverage.score[c]);
  }
  return json;
}

std::string coverage_text(const Coverage& coverage, const Model& model, std::size_t longest) {
  const std::string heading = wrapped(
      "error bars: share of the rows within intervals of 50, 90 and 99 %, interval score of the 90 % one, continuous "
      "ranked probability score, negative log likelihood",
      result_width(), 2);
  std::string text = fmt::format("\n{}\n{:<{}}  {:>8}  {:>8}  {:>8}  {:>12}  {:>12}  {:>12}\n", heading, "output",
                                 longest, "50 %", "90 %", "99 %", "score 90 %", "crps", "nll");
  for (std::size_t o = 0; o < model.targets.size(); ++o)
    text += fmt::format("{}  {:>6.1f} %  {:>6.1f} %  {:>6.1f} %  {:>12.6g}  {:>12.6g}  {:>12.6g}\n",
                        name_cell(model.targets[o].name, longest), 100.0 * coverage.share[0][o],
                        100.0 * coverage.share[1][o], 100.0 * coverage.share[2][o], coverage.score[1][o],
                        coverage.crps[o], coverage.nll[o]);
  return text;
}

std::string json_text(const Errors& errors, const std::optional<GroupedErrors>& grouped,
                      const std::optional<ErrorBarsFared>& fared) {
  Json json = scores_json(errors.sum.scores());
  if (fared) json["uncertainty"] = coverage_json(fared->sum.coverage());
  for (const double share : shares) {
    std::vector<double> values;
    for (const QuantileSum& absolute : errors.absolute) values.push_back(absolute.quantile(share));
    json["quantiles"][fmt::format("{}", share)] = json_of(values);
  }
  if (grouped) {
    json["groups"] = Json::array();
    for (const auto& [name, sum] : grouped->groups) {
      Json entry = scores_json(sum.scores());
      entry["group"] = name;
      json["groups"].push_back(std::move(entry));
    }
  }
  return io::json_text(json) + "\n";
}

std::string heading(const std::string& label, std::size_t width) {
  return fmt::format("{:<{}}  {:>12}  {:>12}  {:>12}  {:>12}", label, width, "mse", "rmse", "r2", "max error");
}

/// A line of errors; the label is as wide as the longest.
std::string score_line(const std::string& label, std::size_t width, const Scores& scores, std::size_t o) {
  return fmt::format("{}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>12.6g}", name_cell(label, width), scores.mse[o],
                     scores.rmse[o], scores.r2[o], scores.max_error[o]);
}

std::string absolute_text(const Errors& errors, const Scores& scores, const Model& model, std::size_t longest) {
  std::string text = fmt::format("\nabsolute error: mean, and what so many rows do not exceed\n{:<{}}  {:>12}",
                                 "output", longest, "mean");
  for (const double share : shares) text += fmt::format("  {:>10}", fmt::format("{:.0f} %", 100.0 * share));
  text += "\n";
  for (std::size_t o = 0; o < model.targets.size(); ++o) {
    text += fmt::format("{}  {:>12.6g}", name_cell(model.targets[o].name, longest), scores.mae[o]);
    for (const double share : shares) text += fmt::format("  {:>10.4g}", errors.absolute[o].quantile(share));
    text += "\n";
  }
  return text;
}

std::string groups_text(const GroupedErrors& grouped, const Model& model) {
  const auto label = [](const std::string& name) { return name.empty() ? std::string("(empty)") : printable(name); };
  std::size_t longest = 5;
  for (const auto& [name, sum] : grouped.groups)
    longest = std::max(longest, std::min<std::size_t>(label(name).size(), 24));
  std::string text;
  for (std::size_t o = 0; o < model.targets.size(); ++o) {
    text += model.targets.size() > 1 ? fmt::format("\n{}\n", printable(model.targets[o].name)) : "\n";
    text += fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>8}\n", "group", longest, "mse", "rmse", "r2",
                        "max error", "rows");
    for (const auto& [name, sum] : grouped.groups) {
      const Scores scores = sum.scores();
      text += fmt::format("{} {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g} {:>8}\n", name_cell(label(name), longest),
                          scores.mse[o], scores.rmse[o], scores.r2[o], scores.max_error[o], scores.rows);
    }
  }
  return text;
}

std::string table_text(const Errors& errors, const std::optional<GroupedErrors>& grouped,
                       const std::optional<ErrorBarsFared>& fared, const Model& model) {
  constexpr std::size_t most = 18, most_beside_bars = 8;  // that the numbers leave of 80 columns
  std::size_t longest = 6;
  for (const Column& target : model.targets) longest = std::max(longest, std::min(target.name.size(), most));
  const Scores scores = errors.sum.scores();
  if (scores.rows == 0) return "no rows, and so no errors\n";
  std::string text = io::counted(scores.rows, "row") + "\n" + heading("output", longest) + "\n";
  for (std::size_t o = 0; o < model.targets.size(); ++o)
    text += score_line(model.targets[o].name, longest, scores, o) + "\n";
  text += absolute_text(errors, scores, model, longest);
  if (fared) text += coverage_text(fared->sum.coverage(), model, std::min(longest, most_beside_bars));
  return grouped ? text + groups_text(*grouped, model) : text;
}

void check_weights(ConstMatrixView weights, const std::string& name, const std::string& origin) {
  for (std::size_t i = 0; i < weights.rows(); ++i)
    if (!(weights(i, 0) >= 0.0))
      throw InputError(fmt::format("{}, column {}: {} cannot be a weight.", origin, printable(name), weights(i, 0)),
                       "Give weights that are not negative: 2 is the row twice, 0 is not at all.");
}

}  // namespace

ExitCode run_evaluate(const Invocation& call) {
  std::string model_path, data_path;
  std::optional<std::string> blocks, threads, weight, group;
  bool json = false, quiet = false;
  GivenOptions given;
  Arguments arguments("evaluate", "Compare a model's predictions with the targets of a table.",
                      "MODEL DATA [--weight NAME] [--group COLUMN] [--json]");
  arguments.positional(model_path, "MODEL", "model file written by `rfnn fit`");
  arguments.positional(data_path, "DATA", "table with inputs and targets: CSV, .csv.gz, .npy, or - for standard input");
  arguments.flag(json, "--json", "print one JSON object; lists when there are several outputs");
  arguments.value(weight, "--weight", "NAME",
                  "column that says how much each row counts in the mean errors [all alike]");
  arguments.value(group, "--group", "COLUMN", "also the errors of each group of rows that have the same text there");
  arguments.value(blocks, "--blocks", "K", "use only the first K blocks; 0 is the mean alone [all]");
  arguments.value(threads, "--threads", "N", "worker threads, 0 is all there are [0]");
  arguments.flag(quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.reading_flags(given);
  arguments.parse(call.words);

  PredictOptions options;
  options.threads = threads ? whole_number(*threads, "--threads", 0, 1024) : 0;
  const Model model = load_model_argument("evaluate", model_path, data_path);
  if (blocks) options.blocks = whole_number(*blocks, "--blocks", 0, model.blocks());
  const Options reading = reading_options(model, given);
  const auto file = open_table(data_path, thread_count(options.threads), table_format(reading));
  Matched matched = match_columns(*file, layout_of(model), true);
  if (weight) matched.weight = find_column(file->names(), *weight, file->origin());
  TableBatches batches = batches_of(*file, matched, model, reading, false);
  if (group) file->keep({find_column(file->names(), *group, file->origin())});
  Errors errors(model.outputs());
  std::optional<GroupedErrors> grouped;
  if (group) grouped.emplace();
  std::optional<ErrorBarsFared> fared;
  if (model.uncertainty && !blocks) fared.emplace(model, options);
  const Predictor predictor(model, options.threads);
  Matrix predictions;
  std::size_t outside = 0;
  while (batches.next()) {
    if (weight) check_weights(batches.weights(), *weight, file->origin());
    if (predictions.rows() != batches.rows()) predictions = Matrix(batches.rows(), model.outputs());
    predictor.predict(batches.inputs(), predictions.view(), options);
    const ConstMatrixView predicted = predictions.view();
    errors.add(batches.targets(), predicted, batches.weights());
    if (fared) fared->add(batches, predicted);
    const std::vector<std::string>& names = batches.kept();
    for (std::size_t i = 0; i < names.size(); ++i)
      grouped->add(names[i], batches.targets().rows_from(i, 1), predicted.rows_from(i, 1),
                   weight ? batches.weights().rows_from(i, 1) : ConstMatrixView{});
    outside += rows_outside_training_range(model, batches.inputs());
  }
  if (grouped) grouped->sort();
  for (const std::string& note : reading_notes(batches))
    if (!quiet) say(told(note, 2) + "\n");
  if (errors.sum.scores().rows == 0)
    say(warning_text(printable(file->origin()) + " has no rows to judge the model by.") + "\n");
  if (outside > 0 && !quiet) {
    say(warning_text(fmt::format("{} of {} rows {} outside the range seen in training.", outside,
                                 errors.sum.scores().rows, outside == 1 ? "lies" : "lie")) +
        "\n");
  }
  print_result(json ? json_text(errors, grouped, fared) : for_locale(table_text(errors, grouped, fared, model)));
  return ExitCode::done;
}

}  // namespace rfnn::cli
