#include "cli/fit_plan.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "cli/fit_base.hpp"
#include "cli/fit_from.hpp"
#include "cli/odd_columns.hpp"
#include "cli/terminal.hpp"
#include "rfnn/checks/findings.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/resumption.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/training/prepare.hpp"

namespace rfnn::cli {
namespace {

std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

/// Columns of numbers.
TableCode plain_code(const Layout& layout) {
  TableCode code;
  for (const Column& input : layout.inputs)
    code.inputs.push_back({.name = input.name, .position = input.position, .fill = {0.0}});
  for (const Column& target : layout.targets)
    code.targets.push_back({.name = target.name, .position = target.position});
  return code;
}

/// Takes a column out of the inputs.
void set_aside(Choice& choice, const TableReader& table, const std::string& name) {
  const std::size_t place = find_column(table.names(), name, table.origin());
  if (std::find(choice.targets.begin(), choice.targets.end(), place) != choice.targets.end())
    throw UsageError(fmt::format("Column {} is both target and group.", printable(name)), "Name another column.");
  std::erase(choice.inputs, place);
  if (choice.inputs.empty())
    throw UsageError(fmt::format("No column of {} is left as an input.", table.origin()), "Name another column.");
}

/// Makes the name of an input its number; a name wins over a number.
void set_holdout_by(Options& options, const std::string& wanted, const TableReader& table,
                    const std::vector<std::string>& inputs) {
  const auto found = std::find(inputs.begin(), inputs.end(), wanted);
  if (found != inputs.end()) {
    options.holdout_by = found - inputs.begin() + 1;
    return;
  }
  if (std::find(table.names().begin(), table.names().end(), wanted) != table.names().end())
    throw UsageError(fmt::format("holdout-by names {}, which is no input.", printable(wanted)),
                     fmt::format("Name one of the inputs: {}.", listed(inputs)));
  const Field& field = *find_field("holdout_by");
  try {
    field.parse(field, options, wanted);
  } catch (const UsageError&) {
    find_column(inputs, wanted, table.origin());  // tells what there is
    throw;
  }
}

}  // namespace

FitPlan make_plan(const FitArguments& arguments, const ChosenOptions& chosen, const Invocation& call) {
  FitPlan plan;
  plan.warnings = chosen.warnings;
  Options& options = plan.facts.options = chosen.options;
  const auto in_time = [&] {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - call.started;
    return options.max_time == 0.0 || elapsed.count() < options.max_time;
  };
  const std::size_t threads = thread_count(options.threads);
  const TableFormat format = table_format(options);
  TableFormat part = format;
  part.part = arguments.part;
  part.parts = arguments.parts;
  const auto note = [&](const TableReader& table, const TableData& data) {
    if (data.cut_short) {
      plan.warnings.push_back(fmt::format("max-time ended while {} was read: only its first {} rows were taken.",
                                          table.origin(), data.table.view.rows()));
    }
    plan.notes.insert(plan.notes.end(), data.table.notes.begin(), data.table.notes.end());
  };

  const auto table = open_tables(arguments.files, threads, part);
  if (arguments.may_be_empty) table->accept_no_rows();
  Choice choice;
  if (chosen.start) {
    const Matched matched = columns_to_go_on(arguments, *table, *chosen.start, plan.layout);
    plan.data = read_known(*table, matched, plan.layout.code, options, in_time);
    plan.data.table.code = chosen.start->table;
    if (auto warning = rows_seen_before(arguments, *chosen.start, plan.data.table.view))
      plan.warnings.push_back(*warning);
  } else if (chosen.base && !chosen.base->table.empty()) {
    const Matched matched = columns_of_base(arguments, *table, *chosen.base, plan.layout);
    plan.data = read_known(*table, matched, plan.layout.code, options, in_time);
    plan.data.table.code = plan.layout.code;
  } else {
    choice = choose_columns(*table, arguments.targets, arguments.ignored, arguments.weight, options.columns);
    if (arguments.set_aside) set_aside(choice, *table, *arguments.set_aside);
    plan.layout = layout_of(*table, choice);
    std::vector<std::size_t> kept;
    for (const std::string& name : arguments.kept) kept.push_back(find_column(table->names(), name, table->origin()));
    for (const std::size_t place : kept) plan.kept_names.push_back(table->names()[place]);
    table->keep(kept);
    plan.data = read_training(*table, matched_of(choice), options, in_time);
    plan.layout.code = plan.data.table.code.empty() ? plain_code(plan.layout) : plan.data.table.code;
  }
  plan.base = base_of(arguments, chosen.base, plan.data.table.view.input_names, plan.layout);
  // Inputs as the network sees them: a category is several.
  if (!chosen.holdout_by.empty()) set_holdout_by(options, chosen.holdout_by, *table, plan.data.table.view.input_names);
  note(*table, plan.data);
  checks::refuse_tiny_targets(plan.data.table.view);
  for (std::string& warning : odd_columns(*table, plan.layout, plan.data, options.header))
    plan.warnings.push_back(std::move(warning));
  if (arguments.validation) {
    if (arguments.files[0] == "-" && *arguments.validation == "-") {
      throw UsageError("DATA and --valid cannot both be standard input.", "Put one of them into a file.");
    }
    const auto file = open_table(*arguments.validation, threads, format);
    plan.validation = read_known(*file, match_columns(*file, plan.layout, true), plan.layout.code, options, in_time);
    note(*file, *plan.validation);
  } else if (options.preset == Preset::automatic && options.validation_fraction == 0.0 && options.tolerance == 0.0) {
    plan.warnings.push_back(
        "no rows are held out: preset auto cannot tell noise from signal, and the network may fit both. Leave "
        "--validation-fraction at its default, or give --valid or --tolerance.");
  }

  if (arguments.dry_run) {  // else training says so itself
    FitExtras extras;
    if (plan.validation) extras.validation = plan.validation->table.view;
    extras.base = plan.base;
    for (std::string& doubt : training::doubts_about_judges(plan.data.table.view, extras))
      plan.warnings.push_back(std::move(doubt));
  }

  plan.facts.command = call.line;
  plan.facts.options_given = chosen.given;
  options = options_along_time(options, plan.data.table.code);
  plan.facts.data = fmt::format("{}", fmt::join(arguments.files, " + "));
  plan.facts.validation = arguments.validation.value_or("");
  plan.facts.inputs = plan.data.table.view.input_names;
  plan.facts.targets = names_of(plan.layout.targets);
  for (const std::size_t place : choice.ignored) plan.facts.ignored.push_back(table->names()[place]);
  if (plan.layout.weight) plan.facts.weight = plan.layout.weight->name;
  plan.facts.rows = plan.data.table.view.rows();
  plan.facts.validation_rows = plan.validation ? plan.validation->table.view.rows() : 0;
  plan.facts.model = model_place(arguments);
  if (arguments.run_directory) {
    plan.facts.fingerprint = fingerprint(plan.data.table.view.inputs, plan.data.table.view.targets);
    plan.facts.others =
        io::other_fingerprints(plan.data.table.view, plan.validation ? &plan.validation->table.view : nullptr,
                               chosen.start.get(), plan.base ? &*plan.base : nullptr);
  }
  return plan;
}

}  // namespace rfnn::cli
