#include "cli/evaluation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command_text.hpp"
#include "cli/terminal.hpp"
#include "rfnn/assessment/folds.hpp"
#include "rfnn/diagnostics/quantile_sum.hpp"
#include "rfnn/diagnostics/scores.hpp"
#include "rfnn/io/json.hpp"
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
  void add(ConstMatrixView inputs, ConstMatrixView targets, ConstMatrixView predictions, ConstMatrixView weights) {
    if (widths.rows() != predictions.rows()) widths = Matrix(predictions.rows(), predictions.cols());
    bars.widths(inputs, predictions, widths.view(), how);
    sum.add(targets, predictions, widths.view(), weights);
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

}  // namespace

struct Evaluation::Sums {
  Sums(const Model& judged, const PredictOptions& options, bool by_group)
      : model(judged), how(options), predictor(judged, options.threads), errors(judged.outputs()) {
    if (by_group) grouped.emplace();
    if (model.uncertainty && !options.blocks) fared.emplace(model, options);
  }

  const Model& model;
  PredictOptions how;
  Predictor predictor;
  Errors errors;
  std::optional<GroupedErrors> grouped;
  std::optional<ErrorBarsFared> fared;
  Matrix predictions;
  std::size_t outside = 0;
};

Evaluation::Evaluation(const Model& model, const PredictOptions& options, bool by_group)
    : sums_(std::make_unique<Sums>(model, options, by_group)) {}

Evaluation::~Evaluation() = default;

void Evaluation::add(ConstMatrixView inputs, ConstMatrixView targets, ConstMatrixView weights,
                     const std::vector<std::string>& groups) {
  Sums& sums = *sums_;
  if (sums.predictions.rows() != inputs.rows()) sums.predictions = Matrix(inputs.rows(), sums.model.outputs());
  sums.predictor.predict(inputs, sums.predictions.view(), sums.how);
  const ConstMatrixView predicted = std::as_const(sums.predictions).view();
  sums.errors.add(targets, predicted, weights);
  if (sums.fared) sums.fared->add(inputs, targets, predicted, weights);
  for (std::size_t i = 0; sums.grouped && i < groups.size(); ++i)
    sums.grouped->add(groups[i], targets.rows_from(i, 1), predicted.rows_from(i, 1),
                      weights.rows() > 0 ? weights.rows_from(i, 1) : ConstMatrixView{});
  sums.outside += rows_outside_training_range(sums.model, inputs);
}

void Evaluation::end() {
  if (sums_->grouped) sums_->grouped->sort();
}

std::size_t Evaluation::rows() const { return sums_->errors.sum.scores().rows; }

std::size_t Evaluation::rows_outside() const { return sums_->outside; }

std::string Evaluation::json() const { return json_text(sums_->errors, sums_->grouped, sums_->fared); }

std::string Evaluation::text() const { return table_text(sums_->errors, sums_->grouped, sums_->fared, sums_->model); }

}  // namespace rfnn::cli
