#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/evaluation.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::cli {
namespace {

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
  Evaluation evaluation(model, options, group.has_value());
  while (batches.next()) {
    if (weight) check_weights(batches.weights(), *weight, file->origin());
    evaluation.add(batches.inputs(), batches.targets(), batches.weights(), batches.kept());
  }
  evaluation.end();
  for (const std::string& note : reading_notes(batches))
    if (!quiet) say(told(note, 2) + "\n");
  const std::size_t outside = evaluation.rows_outside();
  if (evaluation.rows() == 0)
    say(warning_text(printable(file->origin()) + " has no rows to judge the model by.") + "\n");
  if (outside > 0 && !quiet) {
    say(warning_text(fmt::format("{} of {} rows {} outside the range seen in training.", outside, evaluation.rows(),
                                 outside == 1 ? "lies" : "lie")) +
        "\n");
  }
  print_result(json ? evaluation.json() : for_locale(evaluation.text()));
  return ExitCode::done;
}

}  // namespace rfnn::cli
