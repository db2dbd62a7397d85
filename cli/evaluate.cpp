#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/diagnostics/scores.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/rows/predict.hpp"

namespace rfnn::cli {
namespace {

using io::Json;

/// One number, or a list for several outputs; what is not a number is null.
Json json_of(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
  return values.size() == 1 ? list[0] : list;
}

std::string json_text(const Scores& scores) {
  const Json json = {{"rows", scores.rows},
                     {"mse", json_of(scores.mse)},
                     {"rmse", json_of(scores.rmse)},
                     {"r2", json_of(scores.r2)},
                     {"max_error", json_of(scores.max_error)}};
  return io::json_text(json) + "\n";
}

std::string table_text(const Scores& scores, const Model& model) {
  std::size_t longest = 6;
  for (const Column& target : model.targets) longest = std::max(longest, target.name.size());
  std::string text = fmt::format("{}\n{:<{}}  {:>12}  {:>12}  {:>12}  {:>12}\n", io::counted(scores.rows, "row"),
                                 "output", longest, "mse", "rmse", "r2", "max error");
  for (std::size_t i = 0; i < model.targets.size(); ++i) {
    text += fmt::format("{:<{}}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>12.6g}\n", printable(model.targets[i].name),
                        longest, scores.mse[i], scores.rmse[i], scores.r2[i], scores.max_error[i]);
  }
  return text;
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
  std::optional<std::string> blocks, threads, weight;
  bool json = false, quiet = false;
  GivenOptions given;
  Arguments arguments("evaluate", "Compare a model's predictions with the targets of a table.",
                      "MODEL DATA [--weight NAME] [--json]");
  arguments.positional(model_path, "MODEL", "model file written by `rfnn fit`");
  arguments.positional(data_path, "DATA", "table with inputs and targets: CSV, .csv.gz, .npy, or - for standard input");
  arguments.flag(json, "--json", "print one JSON object; lists when there are several outputs");
  arguments.value(weight, "--weight", "NAME",
                  "column that says how much each row counts in the mean errors [all alike]");
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
  const auto file =
      open_table(data_path, options.threads == 0 ? available_threads() : options.threads, table_format(reading));
  Matched matched = match_columns(*file, layout_of(model), true);
  if (weight) matched.weight = find_column(file->names(), *weight, file->origin());
  TableBatches batches = batches_of(*file, matched, model, reading, false);
  ScoreSum sum(model.outputs());
  std::size_t outside = 0;
  while (batches.next()) {
    if (weight) check_weights(batches.weights(), *weight, file->origin());
    sum.add(batches.targets(), predict(model, batches.inputs(), options).view(), batches.weights());
    outside += rows_outside_training_range(model, batches.inputs());
  }
  const Scores scores = sum.scores();
  for (const std::string& note : reading_notes(batches))
    if (!quiet) say(note + "\n");
  if (outside > 0 && !quiet) {
    say(styled(Style::warning, "warning: ") +
        fmt::format("{} of {} rows lie outside the range seen in training.\n", outside, scores.rows));
  }
  print_result(json ? json_text(scores) : for_locale(table_text(scores, model)));
  return ExitCode::done;
}

}  // namespace rfnn::cli
