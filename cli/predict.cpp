#include "rfnn/rows/predict.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/predict_columns.hpp"
#include "cli/predict_uncertainty.hpp"
#include "cli/ranks.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/sensitivity/gradients.hpp"

namespace rfnn::cli {
namespace {

std::size_t rows_without_prediction(ConstMatrixView predictions) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < predictions.rows(); ++i) {
    bool known = true;
    for (std::size_t o = 0; o < predictions.cols(); ++o) known = known && std::isfinite(predictions(i, o));
    count += known ? 0 : 1;
  }
  return count;
}

}  // namespace

ExitCode run_predict(const Invocation& call) {
  std::string model_path, data_path;
  std::optional<std::string> out, blocks, threads;
  ColumnWishes wishes;
  UncertaintyWishes of_errors;
  bool quiet = false;
  GivenOptions given;
  Arguments arguments("predict", "Apply a model to a table, row by row, whatever its length.",
                      "MODEL DATA [--out FILE] [--keep NAME,...] [--with-inputs] [--residual] [--gradient] "
                      "[--flag-outside] [--std] [--interval C] [--quantiles P,...] [--draws K]");
  arguments.positional(model_path, "MODEL", "model file written by `rfnn fit`");
  arguments.positional(data_path, "DATA", "table with the inputs: CSV, .csv.gz, .npy, or - for CSV on standard input");
  arguments.value(out, "-o,--out", "FILE", "where the predictions go: CSV, .csv.gz or .npy [standard output]");
  arguments.group("Columns to add");
  arguments.values(wishes.keep, "--keep", "NAME[,NAME...]", "columns of DATA to copy in front, of text too");
  arguments.flag(wishes.with_inputs, "--with-inputs", "copy the inputs in front of the predictions");
  arguments.flag(wishes.residual, "--residual",
                 "add NAME_residual, measured minus predicted; DATA has the targets then");
  arguments.flag(wishes.gradient, "--gradient",
                 "add d_NAME_d_INPUT, exact derivatives in the units of the table; of a date per day");
  arguments.flag(wishes.flag_outside, "--flag-outside",
                 "add the column outside: 1 where a row lies outside the range seen in training, else 0");
  arguments.group("How sure");
  of_errors.add_flags(arguments);
  arguments.group("Options");
  arguments.value(blocks, "--blocks", "K", "use only the first K blocks; 0 is the mean alone [all]");
  arguments.value(threads, "--threads", "N", "worker threads, 0 is all there are [0]");
  arguments.flag(quiet, "-q,--quiet", "print nothing but errors");
  arguments.reading_flags(given);
  arguments.footer(
      "\n`mpirun -n 4 rfnn predict MODEL part-%r.csv --out predicted-%r.csv`: a part for each rank of MPI.");
  arguments.parse(call.words);
  if (const auto rank = rank_started()) {
    data_path = with_rank(data_path, *rank);
    if (out) out = with_rank(*out, *rank);
  }

  PredictOptions options;
  options.threads = threads ? whole_number(*threads, "--threads", 0, 1024) : 0;
  const std::string place = out.value_or("-");
  refuse_overwriting("table of predictions", place, {model_path, data_path});
  const Model model = load_model_argument("predict", model_path, data_path);
  if (blocks) options.blocks = whole_number(*blocks, "--blocks", 0, model.blocks());
  if (blocks && of_errors.any())
    throw UsageError("Error bars are those of the whole model, --blocks asks for a part of it.",
                     "Leave out --blocks, or ask for the predictions alone.");
  UncertaintyColumns uncertainty(model, of_errors);
  wishes.more = uncertainty.names();

  // A table to a file is cleaned up when a signal comes; on standard output there is nothing to clean up.
  const auto signals = place == "-" ? nullptr : std::make_unique<StopSignals>();
  const Options reading = reading_options(model, given);
  const auto file = open_table(data_path, thread_count(options.threads), table_format(reading));
  const Matched matched = match_columns(*file, layout_of(model), wishes.residual);
  PredictionColumns columns(*file, matched, model, wishes);
  TableBatches batches = batches_of(*file, matched, model, reading, !asked_to_refuse_missing(given));

  std::size_t rows = 0, outside = 0, unknown = 0;
  Matrix predictions, jacobian;
  std::optional<GradientPredictor> gradients;
  if (wishes.gradient) gradients.emplace(model, options.threads);
  try {
    auto table = create_table(place, columns.names());
    while (batches.next()) {
      if (predictions.rows() != batches.rows()) predictions = Matrix(batches.rows(), model.outputs());
      if (gradients) {
        jacobian = Matrix(batches.rows(), model.outputs() * model.input_count());
        gradients->gradients(batches.inputs(), predictions.view(), jacobian.view(), options);
      } else {
        predict(model, batches.inputs(), predictions.view(), options);
      }
      for (const std::size_t row : batches.incomplete())
        for (std::size_t o = 0; o < model.outputs(); ++o)
          predictions(row, o) = std::numeric_limits<double>::quiet_NaN();
      const ConstMatrixView more = uncertainty.numbers(batches.inputs(), predictions.view(), options);
      table->write(batches.kept(), columns.numbers(batches, predictions.view(), jacobian.view(), more));
      rows += batches.rows();
      unknown += rows_without_prediction(predictions.view());
      outside += rows_outside_training_range(model, batches.inputs());
      if (signals && StopSignals::received() != 0) break;
    }
    if (!signals || StopSignals::received() == 0) table->commit();
  } catch (const InputError&) {
    if (place == "-" && reader_gone()) throw ReaderGone{};
    throw;
  }
  if (signals && StopSignals::received() != 0) die_by(StopSignals::received());
  if (unknown > 0 && !quiet) {
    say(warning_text(
            fmt::format("{} of {} rows {} inputs that are missing or too large to compute with; {}.", unknown, rows,
                        unknown == 1 ? "has" : "have",
                        unknown == 1 ? "its prediction is an empty cell" : "their predictions are empty cells")) +
        "\n");
  }
  for (const std::string& note : reading_notes(batches))
    if (!quiet) say(told(note, 2) + "\n");
  if (outside > 0 && !quiet) {
    say(warning_text(fmt::format(
            "{} of {} rows {} outside the range seen in training; {}.", outside, rows, outside == 1 ? "lies" : "lie",
            outside == 1 ? "the prediction there is an extrapolation" : "predictions there are extrapolations")) +
        "\n");
  }
  return ExitCode::done;
}

}  // namespace rfnn::cli
