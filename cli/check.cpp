#include <string>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/check_text.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/fit_plan.hpp"
#include "cli/odd_columns.hpp"
#include "cli/terminal.hpp"
#include "rfnn/checks/findings.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/io/table_survey.hpp"

namespace rfnn::cli {
namespace {

FitArguments check_arguments(const Invocation& call) {
  FitArguments result;
  Arguments arguments("check", "Look a table over before training: what is wrong with it, and what to do about it.",
                      "DATA... --target NAME[,NAME...] [--json] [OPTIONS]");
  arguments.positionals(result.files, "DATA...",
                        "table with inputs and targets: CSV, .csv.gz, .npy, .npz, or - for standard input; several "
                        "files are one table");
  arguments.values(result.targets, "-t,--target", "NAME[,NAME...]", "columns to learn, by name or by number from 1");
  arguments.values(result.ignored, "--ignore", "NAME[,NAME...]", "columns to leave out; all others are inputs");
  arguments.value(result.weight, "--weight", "NAME", "column that says how much each row counts; 2 is the row twice");
  arguments.value(result.config, "--config", "FILE",
                  "JSON object of options, or all that `rfnn inspect --json` prints; flags win");
  arguments.flag(result.json, "--json",
                 "print one JSON object: {\"rows\", \"problems\": [{\"column\", \"kind\", \"count\", \"line\", "
                 "\"text\", \"cure\", \"refused\"}, ...], ...}");
  arguments.option_flags(result.given);
  arguments.footer(
      "\nExit codes: 0 `rfnn fit` takes the table, whatever else was found; 2 it would refuse it, with the same\n"
      "arguments. Time is that of a machine with nothing else to do. docs/check.md has all that is looked for.");
  arguments.parse(call.words);
  return result;
}

CheckedData checked_data(const FitArguments& arguments, const Options& options) {
  const std::size_t threads = thread_count(options.threads);
  const auto table = open_tables(arguments.files, threads, table_format(options));
  const Choice choice = choose_columns(*table, arguments.targets, arguments.ignored, arguments.weight, options.columns);
  const SurveyedTable surveyed = survey_training(*table, matched_of(choice), options);
  checks::CheckedTable checked = checks::checked_table(surveyed.table);
  checked.line_of = [&](std::size_t row) { return surveyed.survey->line_of(row); };
  checked.file_of = [&](std::size_t row) {
    const std::string file = surveyed.survey->file_of(row);
    return file.empty() ? file : " (in " + file + ")";
  };
  CheckedData data;
  data.name = fmt::format("{}", fmt::join(arguments.files, " + "));
  for (const std::size_t place : choice.inputs) data.inputs.push_back(table->names()[place]);
  for (const std::size_t place : choice.targets) data.targets.push_back(table->names()[place]);
  const Layout layout = layout_of(*table, choice);
  data.findings = checks::table_findings(
      {surveyed.table, checked, surveyed.problems, table->origin(), static_cast<double>(surveyed.bytes)}, options,
      [&](const EncodedTable& encoded) { return header_among_rows(*table, layout, encoded, options.header); });
  return data;
}

}  // namespace

ExitCode run_check(const Invocation& call) {
  const FitArguments arguments = check_arguments(call);
  const CheckedData data = checked_data(arguments, chosen_options(arguments).options);
  print_result(arguments.json ? check_json(data) : for_locale(check_text(data)));
  return data.findings.refused() == 0 ? ExitCode::done : ExitCode::input;
}

}  // namespace rfnn::cli
