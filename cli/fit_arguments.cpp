#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/fit_plan.hpp"
#include "cli/ranks.hpp"
#include "cli/report_file.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"

namespace rfnn::cli {
namespace {

/// Strips .gz and then one more ending: a.csv.gz and a.csv are both a.
std::string stem_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

}  // namespace

FitArguments fit_arguments_of(const std::vector<std::string>& words) {
  FitArguments result;
  Arguments arguments("fit", "Train a network on a table and write a model file.",
                      "DATA... --target NAME[,NAME...] [--out MODEL] [--from MODEL] [OPTIONS]");
  arguments.positionals(
      result.files, "DATA...",
      "table with inputs and targets: CSV, .csv.gz, .npy, .npz, or - for standard input; several files "
      "are one table",
      &result.resume);
  arguments.values(result.targets, "-t,--target", "NAME[,NAME...]", "columns to learn, by name or by number from 1");
  arguments.values(result.ignored, "--ignore", "NAME[,NAME...]", "columns to leave out; all others are inputs");
  arguments.value(result.weight, "--weight", "NAME", "column that says how much each row counts; 2 is the row twice");
  arguments.value(result.out, "-o,--out", "MODEL", "model file to write [stem of DATA + .rfnn, in the current folder]");
  arguments.value(
      result.from, "--from", "MODEL",
      "model to go on from: its blocks, columns and options stay, blocks are added; --blocks counts them all "
      "[as many again]");
  arguments.value(result.base, "--base", "MODEL",
                  "model to learn the difference to: a cheaper one's, say; it becomes part of the new model");
  arguments.values(result.base_columns, "--base-column", "NAME[,NAME...]",
                   "column to learn the difference to, one per target; predict needs it too");
  arguments.value(result.validation, "--valid", "FILE", "table to control the error on, columns as in DATA");
  arguments.value(result.config, "--config", "FILE",
                  "JSON object of options, or all that `rfnn inspect --json` prints; flags win");
  arguments.value(result.run_directory, "--run-dir", "DIR",
                  "folder for a record of the run and its checkpoints, so that it can be resumed");
  arguments.value(result.resume, "--resume", "RUN_DIR",
                  "go on with a run that was ended, to the result it would have had; all else as it was begun");
  arguments.value(result.checkpoint_every, "--checkpoint-every", "SEC",
                  "seconds between checkpoints inside long pieces of work, with --run-dir [30]");
  arguments.value(result.report, "--report", "FILE", "HTML page about the run to write at the end");
  arguments.flag(result.json, "--json", "print progress as JSON lines on standard output");
  arguments.flag(result.quiet, "-q,--quiet", "print nothing but errors (and what --json asks for)");
  arguments.flag(result.no_origin, "--no-origin",
                 "leave host, folder, command and paths out of the model file, before it is shared say");
  arguments.flag(result.dry_run, "--dry-run", "read the data, print the plan, train nothing");
  arguments.option_flags(result.given);
  arguments.footer(
      "\nExit codes: 0 done, 1 usage, 2 bad input or output, 3 numerical failure or out of memory,\n"
      "4 cut short by --max-time or a signal with the model saved. Ctrl-C once stops and saves, twice aborts.");
  arguments.parse(words);
  return result;
}

std::string model_place(const FitArguments& arguments) {
  const std::string place = arguments.out               ? *arguments.out
                            : arguments.files[0] == "-" ? "model.rfnn"
                                                        : stem_of(without_rank(arguments.files[0])) + ".rfnn";
  if (place == "-" || place.empty()) {
    throw UsageError("--out needs a file name for the model.", "Give --out model.rfnn, say; /dev/stdout works too.");
  }
  std::vector<std::string> read = arguments.files;
  for (const auto& file : {arguments.validation, arguments.config}) {
    if (file) read.push_back(*file);
  }
  for (const std::string& file : read) {
    if (same_file(place, file)) {
      throw UsageError(fmt::format("The model would overwrite {}, which is read.", printable(place)),
                       "Give another --out.");
    }
  }
  if (arguments.from && !arguments.out && same_file(place, *arguments.from))
    throw UsageError(fmt::format("The model would overwrite {}, which it goes on from.", printable(place)),
                     fmt::format("Give another --out, or --out {} if it is to be replaced.", printable(place)));
  return place;
}

void check_report_place(const FitArguments& arguments, const std::string& model) {
  if (!arguments.report) return;
  if (*arguments.report == "-" || arguments.report->empty()) {
    throw UsageError("--report needs a file name for the page.", "Give --report report.html, say.");
  }
  std::vector<std::string> read = arguments.files;
  for (const auto& file : {arguments.validation, arguments.config, arguments.from}) {
    if (file) read.push_back(*file);
  }
  refuse_overwriting("report", *arguments.report, read);
  std::error_code error;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  if (same_file(*arguments.report, model) || whole(*arguments.report) == whole(model)) {
    throw UsageError(fmt::format("--report {} is the place of the model.", printable(*arguments.report)),
                     "Give the report another name.");
  }
}

}  // namespace rfnn::cli
