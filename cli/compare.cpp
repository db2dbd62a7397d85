#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/report_file.hpp"
#include "cli/terminal.hpp"
#include "rfnn/assessment/comparison.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/atomic_file.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/report/compare_page.hpp"
#include "rfnn/report/run_text.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::cli {
namespace {

using assessment::compared_quantiles;
using assessment::ComparedModel;
using assessment::Interval;
using io::Json;
using report::ComparedRun;
using report::ComparedStory;

/// File names where they tell the models apart, else the paths as given.
std::vector<std::string> labels_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(std::filesystem::path(path).filename().string());
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? names : paths;
}

std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

void append(Matrix& all, ConstMatrixView more) {
  const std::size_t first = all.rows();
  all.resize_rows(first + more.rows());
  for (std::size_t i = 0; i < more.rows(); ++i)
    for (std::size_t j = 0; j < more.cols(); ++j) all(first + i, j) = more(i, j);
}

/// The one input a model has; nothing where it has several.
std::optional<std::size_t> only_input(const Model& model) {
  std::optional<std::size_t> found;
  for (std::size_t j = 0; j < model.inputs.size(); ++j) {
    if (!model.inputs[j].used) continue;
    if (found) return std::nullopt;
    found = j;
  }
  return found;
}

/// Rows of the table that one of the models cannot be judged by, since cells that count are missing.
struct Unjudged {
  std::vector<bool> rows;
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::count(rows.begin(), rows.end(), true));
  }
};

/// Takes these rows out, of all models alike.
void leave_out(ComparedStory& story, const Unjudged& unjudged) {
  const auto shorten = [&](Matrix& all) {
    std::size_t stay = 0;
    for (std::size_t i = 0; i < all.rows(); ++i) {
      if (unjudged.rows[i]) continue;
      for (std::size_t j = 0; j < all.cols(); ++j) all(stay, j) = all(i, j);
      ++stay;
    }
    all.resize_rows(stay);
  };
  shorten(story.targets);
  for (ComparedRun& run : story.runs) shorten(run.predictions);
  std::size_t stay = 0;
  for (std::size_t i = 0; i < story.places.size(); ++i)
    if (!unjudged.rows[i]) story.places[stay++] = story.places[i];
  story.places.resize(stay);
}

/// Predicts the table with one model; the first one also says what the targets are.
std::size_t add_model(ComparedStory& story, ComparedRun run, const std::string& data, const GivenOptions& given,
                      std::size_t threads, Unjudged& unjudged) {
  const Model& model = run.model;
  const Options reading = reading_options(model, given);
  const auto file = open_table(data, threads, table_format(reading));
  // What one model leaves out the others may predict: all rows are read, and taken out at the end.
  TableBatches batches = batches_of(*file, match_columns(*file, layout_of(model), true), model, reading,
                                    reading.missing != Missing::error);
  const bool first = story.runs.empty();
  story.origin = file->origin();
  if (first) {
    story.target_names = names_of(model.targets);
    story.targets = Matrix(0, model.outputs());
  } else if (names_of(model.targets) != story.target_names) {
    throw InputError(fmt::format("{} predicts {}, {} predicts {}.", printable(story.runs.front().label),
                                 listed(story.target_names), printable(run.label), listed(names_of(model.targets))),
                     "Compare models of the same targets, in the same order.");
  }
  const auto input = only_input(model);
  const std::string name = input ? model.inputs[*input].name : "";
  if (first) story.input = name;
  if (name != story.input) story.input = "";
  run.predictions = Matrix(0, model.outputs());
  const Predictor predictor(model, threads);
  std::size_t outside = 0;
  Matrix predicted;
  while (batches.next()) {
    if (predicted.rows() != batches.rows()) predicted = Matrix(batches.rows(), model.outputs());
    predictor.predict(batches.inputs(), predicted.view(), {.blocks = {}, .threads = threads});
    const std::size_t before = run.predictions.rows();
    unjudged.rows.resize(std::max(unjudged.rows.size(), before + batches.rows()), false);
    for (const std::size_t row : batches.incomplete()) unjudged.rows[before + row] = true;
    for (std::size_t i = 0; i < batches.rows(); ++i)
      for (std::size_t o = 0; o < model.outputs(); ++o)
        if (std::isnan(batches.targets()(i, o))) unjudged.rows[before + i] = true;
    append(run.predictions, predicted.view());
    if (first) append(story.targets, batches.targets());
    for (std::size_t i = 0; first && input && i < batches.rows(); ++i)
      story.places.push_back(batches.inputs()(i, *input));
    outside += rows_outside_training_range(model, batches.inputs());
  }
  if (story.targets.rows() == 0)
    throw InputError(fmt::format("{} has no rows.", file->origin()), "Give a table with at least one.");
  if (run.predictions.rows() != story.targets.rows())
    throw InputError(fmt::format("{} changed while it was read.", file->origin()), "Compare again.");
  story.runs.push_back(std::move(run));
  return outside;
}

// ---- results --------------------------------------------------------------------------------------------------------

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const Interval& interval) {
  return {{"difference", number(interval.difference)}, {"low", number(interval.low)}, {"high", number(interval.high)}};
}

std::string json_text(const ComparedStory& story, const std::vector<std::string>& paths) {
  const auto key = [](std::size_t q) { return fmt::format("{}", compared_quantiles[q]); };
  Json models = Json::array();
  for (std::size_t m = 0; m < story.runs.size(); ++m) {
    const ComparedModel& errors = story.runs[m].errors;
    Json quantiles = Json::object(), differences = Json::object();
    for (std::size_t q = 0; q < compared_quantiles.size(); ++q) {
      quantiles[key(q)] = number(errors.quantiles[q]);
      differences[key(q)] = json_of(errors.quantile_differences[q]);
    }
    Json entry = {{"model", paths[m]},
                  {"mse", number(errors.mse)},
                  {"rmse", number(std::sqrt(errors.mse))},
                  {"mae", number(errors.mae)},
                  {"quantiles", quantiles}};
    if (m > 0)
      entry["difference"] = {
          {"mse", json_of(errors.mse_difference)}, {"mae", json_of(errors.mae_difference)}, {"quantiles", differences}};
    models.push_back(std::move(entry));
  }
  return io::json_text({{"rows", story.targets.rows()},
                        {"targets", story.target_names},
                        {"reference", paths.front()},
                        {"confidence", 0.95},
                        {"models", models}}) +
         "\n";
}

std::string interval_line(const std::string& name, const Interval& interval) {
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high))
    return fmt::format("  {:<14}{:>+12.4g}   no interval: too few rows\n", name, interval.difference);
  const std::string_view verdict = !interval.sure() ? "not told apart" : interval.difference < 0.0 ? "better" : "worse";
  return fmt::format("  {:<14}{:>+12.4g}   [{:>+11.4g}, {:>+11.4g} ]  {}\n", name, interval.difference, interval.low,
                     interval.high, verdict);
}

std::string text_of(const ComparedStory& story) {
  std::size_t longest = 5;
  for (const ComparedRun& run : story.runs) longest = std::max(longest, std::min<std::size_t>(run.label.size(), 28));
  const std::string heading =
      fmt::format("{}: {}, target{} {}", printable(story.origin), io::counted(story.targets.rows(), "row"),
                  story.target_names.size() == 1 ? "" : "s", listed(story.target_names));
  std::string text =
      fmt::format("{}\n\n{:<{}}{:>12}{:>12}", wrapped(heading, result_width(), 2), "model", longest, "mse", "mae");
  for (const double q : compared_quantiles) text += fmt::format("{:>9}", fmt::format("q{:.0f}", 100.0 * q));
  text += "\n";
  for (const ComparedRun& run : story.runs) {
    text += fmt::format("{}{:>12.5g}{:>12.5g}", name_cell(run.label, longest), run.errors.mse, run.errors.mae);
    for (const double value : run.errors.quantiles) text += fmt::format("{:>9.3g}", value);
    text += "\n";
  }
  text += "q50, q90, q95: the absolute error that so many percent of the rows do not exceed\n";
  for (std::size_t m = 1; m < story.runs.size(); ++m) {
    const ComparedModel& errors = story.runs[m].errors;
    text += "\n" +
            wrapped(fmt::format("{} minus {}, with 95 % confidence intervals", printable(story.runs[m].label),
                                printable(story.runs[0].label)),
                    result_width(), 2) +
            "\n";
    text += interval_line("mse", errors.mse_difference) + interval_line("mae", errors.mae_difference);
    for (std::size_t q = 0; q < compared_quantiles.size(); ++q)
      text += interval_line(fmt::format("q{:.0f}", 100.0 * compared_quantiles[q]), errors.quantile_differences[q]);
  }
  return text;
}

}  // namespace

ExitCode run_compare(const Invocation& call) {
  std::vector<std::string> paths;
  std::optional<std::string> data, place, threads;
  bool json = false, quiet = false;
  GivenOptions given;
  Arguments arguments("compare", "Compare models on the same rows: errors, and whether their differences are chance.",
                      "MODEL... --data TEST [--report FILE] [--json]");
  arguments.positionals(paths, "MODEL...", "model files written by `rfnn fit`; differences are from the first");
  arguments.value(data, "--data", "TEST", "table with inputs and targets, of rows that no model was trained on");
  arguments.value(place, "--report", "FILE", "HTML page: predictions, convergence and spectra over each other");
  arguments.value(threads, "--threads", "N", "worker threads, 0 is all there are [0]");
  arguments.flag(json, "--json", "print one JSON object");
  arguments.flag(quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.reading_flags(given);
  arguments.footer(
      "\nConfidence intervals are paired, row by row: Student's t for mse and mae, 400 resamples of the rows for\n"
      "quantiles. They take rows for independent draws: rows of one series or group say less than they seem to.");
  arguments.parse(call.words);
  if (!data) throw UsageError("`rfnn compare` needs --data with a table.", "Give --data test.csv, say.");
  if (*data == "-" && paths.size() > 1)
    throw UsageError("Several models read the table one after the other, standard input can be read once.",
                     "Put the table into a file.");
  if (place) {
    std::vector<std::string> read = paths;
    read.push_back(*data);
    refuse_overwriting("report", *place, read);
    io::check_writable(*place);
  }

  const std::size_t wanted = threads ? whole_number(*threads, "--threads", 0, 1024) : 0;
  const std::size_t workers = wanted == 0 ? available_threads() : wanted;
  const std::vector<std::string> labels = labels_of(paths);
  ComparedStory story;
  story.command = report::shell_line(call.line);
  Unjudged unjudged;
  for (std::size_t m = 0; m < paths.size(); ++m) {
    Model model = load_model_argument("compare", paths[m], *data, "--data ");
    const std::size_t outside =
        add_model(story, {labels[m], std::move(model), {}, {}}, *data, given, workers, unjudged);
    if (outside > 0 && !quiet)
      say(warning_text(fmt::format("{} of {} rows {} outside the range that {} saw in training.", outside,
                                   story.targets.rows(), outside == 1 ? "lies" : "lie", printable(labels[m]))) +
          "\n");
  }
  if (const std::size_t count = unjudged.count(); count > 0) {
    if (!quiet) say(fmt::format("{} left out for missing cells\n", io::counted(count, "row")));
    if (count == story.targets.rows())
      throw InputError(fmt::format("{}: every row has a missing cell; none is left.", story.origin),
                       "Fill them in with --missing mean, or give other rows.");
    leave_out(story, unjudged);
  }
  std::vector<ConstMatrixView> predictions;
  for (const ComparedRun& run : story.runs) predictions.push_back(run.predictions.view());
  const auto compared = assessment::compare_models(story.targets.view(), predictions, workers);
  for (std::size_t m = 0; m < compared.size(); ++m) story.runs[m].errors = compared[m];

  if (place) {
    io::AtomicFile file(*place);
    file.write(html(report::compare_page(story)));
    file.commit();
    if (!quiet && *place != "-")
      say(fmt::format("report {}: open it in a browser\n", styled(Style::strong, printable(*place))));
  }
  print_result(json ? json_text(story, paths) : for_locale(text_of(story)));
  return ExitCode::done;
}

}  // namespace rfnn::cli
