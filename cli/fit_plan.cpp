#include "cli/fit_plan.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/fit_from.hpp"
#include "cli/odd_columns.hpp"
#include "cli/report_file.hpp"
#include "cli/terminal.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/data/statistics.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/model_file.hpp"
#include "rfnn/io/table.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/training/memory.hpp"

namespace rfnn::cli {
namespace {

using io::Json;

/// What a config file says of options: all of it, or what is under "options" in the document of `rfnn inspect --json`.
std::string options_in(std::string text) {
  const Json whole = io::read_json(text);  // what is no JSON is explained by those who read it
  if (!whole.is_object() || !whole.contains("options") || !whole["options"].is_object()) return text;
  return io::json_text(whole["options"]);
}

std::string read_config(const std::string& path) {
  constexpr std::size_t largest = std::size_t{64} << 20U, piece = std::size_t{1} << 16U;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  bool readable = file && !std::filesystem::is_directory(path);
  while (readable && !file.eof() && text.size() <= largest) {
    const std::size_t have = text.size();
    text.resize(have + piece);
    file.read(text.data() + have, piece);
    text.resize(have + static_cast<std::size_t>(file.gcount()));
    readable = !file.bad() && (file.good() || file.eof());
  }
  if (!readable) {
    throw InputError(fmt::format("Cannot read the config file {}.", printable(path)),
                     "Check that it exists and may be read.");
  }
  if (text.size() > largest) {
    throw InputError(fmt::format("The config file {} is larger than 64 MiB.", printable(path)),
                     "Give the JSON object that `rfnn inspect --json` prints under \"options\".");
  }
  return options_in(std::move(text));
}

/// Strips .gz and then one more ending: a.csv.gz and a.csv are both a.
std::string stem_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

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

/// An upper bound: every block, every iteration. One solve per proposal and one for the kept state.
double solves(const Options& options) {
  const double per_iteration = options.state_branch == StateBranch::sampled ? 3.0 : 2.0;
  const auto blocks = static_cast<double>(options.blocks);
  if (options.blocks == 0) return 0.0;
  return blocks + static_cast<double>(options.iterations) * (2.0 + per_iteration * (blocks - 1.0));
}

training::MemoryNeed memory_of(const FitPlan& plan, std::size_t constant) {
  const Options& options = plan.facts.options;
  training::RunSizes sizes;
  sizes.rows = plan.facts.rows;
  sizes.validation_rows = plan.facts.validation_rows;
  sizes.inputs = plan.facts.inputs.size() - constant;
  sizes.outputs = plan.facts.targets.size();
  sizes.data_bytes = static_cast<double>(plan.data.bytes + (plan.validation ? plan.validation->bytes : 0));
  sizes.threads = options.threads == 0 ? available_threads() : static_cast<std::size_t>(options.threads);
  return memory_needed(options, sizes);
}

/// Inputs that training will leave out.
std::vector<std::string> constant_inputs(const FitPlan& plan) {
  std::vector<std::string> names;
  const auto statistics = column_statistics(plan.data.table.view.inputs);
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    if (statistics[i].constant) names.push_back(plan.facts.inputs[i]);
  }
  return names;
}

std::string size_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6) : fmt::format("{:.2f} GB", bytes / 1e9);
}

/// The parts that count.
std::string parts_text(const training::MemoryNeed& memory, bool mapped) {
  const std::pair<std::string_view, double> parts[] = {{mapped ? "data (mapped)" : "data", memory.data},
                                                       {"rows", memory.rows},
                                                       {"features", memory.features},
                                                       {"sums", memory.sums},
                                                       {"solver", memory.solver},
                                                       {"program", memory.program}};
  std::string text;
  for (const auto& [name, bytes] : parts) {
    if (bytes >= 0.005 * memory.total())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, size_text(bytes));
  }
  return text;
}

}  // namespace

FitArguments fit_arguments(const Invocation& call) {
  FitArguments result;
  Arguments arguments("fit", "Train a network on a table and write a model file.",
                      "DATA... --target NAME[,NAME...] [--out MODEL] [--from MODEL] [OPTIONS]");
  arguments.positionals(
      result.files, "DATA...",
      "table with inputs and targets: CSV, .csv.gz, .npy, .npz, or - for standard input; several files "
      "are one table");
  arguments.values(result.targets, "-t,--target", "NAME[,NAME...]", "columns to learn, by name or by number from 1");
  arguments.values(result.ignored, "--ignore", "NAME[,NAME...]", "columns to leave out; all others are inputs");
  arguments.value(result.weight, "--weight", "NAME", "column that says how much each row counts; 2 is the row twice");
  arguments.value(result.out, "-o,--out", "MODEL", "model file to write [stem of DATA + .rfnn, in the current folder]");
  arguments.value(
      result.from, "--from", "MODEL",
      "model to go on from: its blocks, columns and options stay, blocks are added; --blocks counts them all "
      "[as many again]");
  arguments.value(result.validation, "--valid", "FILE", "table to control the error on, columns as in DATA");
  arguments.value(result.config, "--config", "FILE",
                  "JSON object of options, or all that `rfnn inspect --json` prints; flags win");
  arguments.value(result.run_directory, "--run-dir", "DIR",
                  "folder for a record of the run and a checkpoint per block");
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
  arguments.parse(call.words);
  return result;
}

namespace {

/// The preset that decides the defaults: the last flag's, else the config file's.
Preset chosen_preset(const FitArguments& arguments, const std::string& config, const Model* start) {
  Options flags;
  bool given = false;
  for (const auto& [field, text] : arguments.given) {
    if (field->name != "preset") continue;
    field->parse(*field, flags, text);
    given = true;
  }
  const Preset otherwise = start != nullptr && !given ? start->options.preset : flags.preset;
  if (given || !arguments.config) return otherwise;
  return preset_in_json(config, *arguments.config, otherwise);
}

/// Options of the published algorithm given with preset auto: all those of flags, and those of a config file that are
/// not the default (a file with all options is as good as one with a few).
std::vector<std::string> without_effect(const FitArguments& arguments, const ChosenOptions& chosen) {
  const Options defaults = preset_options(chosen.options.preset);
  std::vector<std::string> flags;
  for (const std::string& name : chosen.given) {
    const Field& field = *find_field(name);
    const bool flag = std::any_of(arguments.given.begin(), arguments.given.end(),
                                  [&](const auto& given) { return given.first == &field; });
    if (field.paper_only && (flag || field.print(chosen.options) != field.print(defaults)))
      flags.push_back("--" + flag_name(field));
  }
  return flags;
}

}  // namespace

namespace {

/// Takes an input that a config file names out of it, for the columns are not known yet: "" where it names none.
std::string take_named_input(std::string& config) {
  Json whole = io::read_json(config);
  if (!whole.is_object()) return "";
  for (const auto& item : whole.items()) {
    const Field* field = find_field(item.key());
    if (field == nullptr || field->kind != FieldKind::input_or_auto || !item.value().is_string()) continue;
    std::string name = item.value().get<std::string>();
    if (name == "auto") continue;
    item.value() = "auto";
    config = io::json_text(whole);
    return name;
  }
  return "";
}

}  // namespace

ChosenOptions chosen_options(const FitArguments& arguments) {
  ChosenOptions chosen;
  std::string config = arguments.config ? read_config(*arguments.config) : "";
  if (arguments.config) chosen.holdout_by = take_named_input(config);
  if (arguments.from) chosen.start = std::make_shared<const Model>(load_model(*arguments.from));
  const Preset preset = chosen_preset(arguments, config, chosen.start.get());
  chosen.options = options_to_start_from(preset, chosen.start.get());
  const auto note = [&](std::string_view name) {
    std::string given = std::string(find_field(name)->name);
    if (std::find(chosen.given.begin(), chosen.given.end(), given) == chosen.given.end()) chosen.given.push_back(given);
  };
  if (arguments.config) {
    options_from_json(chosen.options, config, *arguments.config);
    const Json given = io::read_json(config);  // named: the loop would outlive a temporary
    for (const auto& item : given.items()) note(item.key());
  }
  for (const auto& [field, text] : arguments.given) {
    const bool input = field->kind == FieldKind::input_or_auto;
    if (input) chosen.holdout_by = text == "auto" ? "" : text;
    field->parse(*field, chosen.options, input ? "auto" : text);
    note(field->name);
  }
  if (chosen.start) count_blocks(chosen, *arguments.from);
  validate(chosen.options);
  // A fraction that nobody asked for gives way to --valid.
  const bool flag = std::any_of(arguments.given.begin(), arguments.given.end(),
                                [](const auto& given) { return given.first->name == "validation_fraction"; });
  if (arguments.validation && !flag &&
      chosen.options.validation_fraction == preset_options(chosen.options.preset).validation_fraction)
    chosen.options.validation_fraction = 0.0;
  if (arguments.validation && chosen.options.holdout != Holdout::random)
    throw UsageError("Validation data were given, and holdout says which rows to hold out.",
                     "Give one of the two: leave out --valid, or leave holdout at random.");
  if (arguments.validation && chosen.options.validation_fraction > 0.0) {
    throw UsageError("Both --valid and validation-fraction ask for validation rows.",
                     "Leave one out, or give --validation-fraction 0.");
  }
  if (chosen.options.preset == Preset::automatic) {
    const std::vector<std::string> idle = without_effect(arguments, chosen);
    if (!idle.empty()) {
      chosen.warnings.push_back(fmt::format("{} {} no effect with preset auto; add --preset paper",
                                            fmt::join(idle, ", "), idle.size() == 1 ? "has" : "have"));
    }
  }
  return chosen;
}

std::string model_place(const FitArguments& arguments) {
  const std::string place = arguments.out               ? *arguments.out
                            : arguments.files[0] == "-" ? "model.rfnn"
                                                        : stem_of(arguments.files[0]) + ".rfnn";
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
  refuse_overwriting(*arguments.report, read);
  std::error_code error;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  if (same_file(*arguments.report, model) || whole(*arguments.report) == whole(model)) {
    throw UsageError(fmt::format("--report {} is the place of the model.", printable(*arguments.report)),
                     "Give the report another name.");
  }
}

namespace {

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
  const std::size_t threads = options.threads == 0 ? available_threads() : static_cast<std::size_t>(options.threads);
  const TableFormat format = table_format(options);
  const auto note = [&](const TableReader& table, const TableData& data) {
    if (data.cut_short) {
      plan.warnings.push_back(fmt::format("max-time ended while {} was read: only its first {} rows were taken.",
                                          table.origin(), data.table.view.rows()));
    }
    plan.notes.insert(plan.notes.end(), data.table.notes.begin(), data.table.notes.end());
  };

  const auto table = open_tables(arguments.files, threads, format);
  Choice choice;
  if (chosen.start) {
    const Matched matched = columns_to_go_on(arguments, *table, *chosen.start, plan.layout);
    plan.data = read_known(*table, matched, plan.layout.code, options, in_time);
    plan.data.table.code = chosen.start->table;
    if (auto warning = rows_seen_before(arguments, *chosen.start, plan.data.table.view))
      plan.warnings.push_back(*warning);
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
  // Inputs as the network sees them: a category is several.
  if (!chosen.holdout_by.empty()) set_holdout_by(options, chosen.holdout_by, *table, plan.data.table.view.input_names);
  note(*table, plan.data);
  refuse_tiny_targets(plan.data.table.view);
  for (std::string& warning : odd_columns(*table, plan.layout, plan.data, options.header))
    plan.warnings.push_back(std::move(warning));
  if (arguments.validation) {
    if (arguments.files[0] == "-" && *arguments.validation == "-") {
      throw UsageError("DATA and --valid cannot both be standard input.", "Put one of them into a file.");
    }
    const auto file = open_table(*arguments.validation, threads, format);
    plan.validation = read_known(*file, match_columns(*file, plan.layout, true), plan.layout.code, options, in_time);
    note(*file, *plan.validation);
    const auto numbers = [](const TableData& of) { return fingerprint(of.table.view.inputs, of.table.view.targets); };
    if (numbers(*plan.validation) == numbers(plan.data)) {
      plan.warnings.push_back(
          "--valid has the rows that are trained on: their errors say nothing about others. Give other rows, or leave "
          "--valid out.");
    }
  } else if (options.preset == Preset::automatic && options.validation_fraction == 0.0 && options.tolerance == 0.0) {
    plan.warnings.push_back(
        "no rows are held out: preset auto cannot tell noise from signal, and the network may fit both. Leave "
        "--validation-fraction at its default, or give --valid or --tolerance.");
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
  if (arguments.run_directory)
    plan.facts.fingerprint = fingerprint(plan.data.table.view.inputs, plan.data.table.view.targets);
  return plan;
}

std::string automatic_plan(const Options& options) {
  std::vector<std::string> chosen;
  if (options.ridge.empty()) chosen.emplace_back("ridge");
  if (options.width == 0) chosen.emplace_back("width");
  if (options.branches == Branches::automatic) chosen.emplace_back("branches");
  const std::string members = options.members > 1 ? fmt::format("{} members of ", options.members) : "";
  const std::string width = options.width > 0 ? fmt::format(" of width up to {}", options.width) : "";
  std::string text =
      fmt::format("{}up to {}{}", members, io::counted(static_cast<std::size_t>(options.blocks), "block"), width);
  if (chosen.empty()) return text;
  const std::string last = chosen.back();
  chosen.pop_back();
  return fmt::format("{}; {}{}{} chosen on {} rows", text, fmt::join(chosen, ", "), chosen.empty() ? "" : " and ", last,
                     options.validation_fraction > 0.0 ? "held-out" : "validation or training");
}

std::string plan_text(const FitPlan& plan) {
  const io::RunFacts& facts = plan.facts;
  const Options& options = facts.options;
  std::string text = fmt::format("data      {}: {}\n", printable(facts.data), io::counted(facts.rows, "row"));
  text += fmt::format("inputs    {}: {}\n", facts.inputs.size(), listed(facts.inputs));
  text += fmt::format("targets   {}: {}\n", facts.targets.size(), listed(facts.targets));
  if (!facts.ignored.empty()) text += fmt::format("left out  {}\n", listed(facts.ignored));
  if (!facts.weight.empty()) text += fmt::format("weight    {}\n", printable(facts.weight));
  for (const std::string& note : plan.notes) text += fmt::format("columns   {}\n", printable(note));
  const std::vector<std::string> constant = constant_inputs(plan);
  if (!constant.empty()) {
    text += fmt::format("constant  {} (left out too)\n", listed(constant));
  }
  if (plan.validation)
    text += fmt::format("valid     {}: {}\n", printable(facts.validation), io::counted(facts.validation_rows, "row"));
  text += "options   ";
  const bool automatic = options.preset == Preset::automatic;
  std::size_t shown = 0;
  for (const Field& field : option_table()) {
    if (automatic && field.paper_only) continue;
    const std::string_view separator = shown == 0 ? "" : shown % 4 == 0 ? "\n          " : ", ";
    text += fmt::format("{}{} {}", separator, flag_name(field), field.print(options));
    ++shown;
  }
  text += "\n";
  if (automatic) {
    text += fmt::format("work      preset auto: {}\n", automatic_plan(options));
  } else {
    text += fmt::format("work      at most {:.3g} least-squares solves of up to {} unknowns\n", solves(options),
                        options.width * (options.blocks > 1 ? 4 : 2));
  }
  const training::MemoryNeed memory = memory_of(plan, constant.size());
  text +=
      fmt::format("memory    {} {}: {}\n", "about", size_text(memory.total()), parts_text(memory, plan.data.mapped));
  text += fmt::format("model     {}\n", printable(facts.model));
  for (const std::string& warning : plan.warnings)
    text += styled(Style::warning, "warning: ") + printable(warning) + "\n";
  return text;
}

std::string plan_json(const FitPlan& plan) {
  const io::RunFacts& facts = plan.facts;
  const std::vector<std::string> constant = constant_inputs(plan);
  const training::MemoryNeed memory = memory_of(plan, constant.size());
  const Json json = {
      {"data", facts.data},
      {"rows", facts.rows},
      {"inputs", facts.inputs},
      {"targets", facts.targets},
      {"ignored", facts.ignored},
      {"weight", facts.weight},
      {"constant", constant},
      {"validation_rows",
       plan.validation || facts.options.validation_fraction == 0.0 ? Json(facts.validation_rows) : Json(nullptr)},
      {"options", io::read_json(options_to_json(facts.options))},
      {"solves", facts.options.preset == Preset::paper ? Json(solves(facts.options)) : Json(nullptr)},
      {"memory_bytes", memory.total()},
      {"memory_is_lower_bound", false},
      {"memory",
       {{"data", memory.data},
        {"rows", memory.rows},
        {"features", memory.features},
        {"sums", memory.sums},
        {"solver", memory.solver},
        {"program", memory.program}}},
      {"mapped", plan.data.mapped},
      {"model", facts.model},
      {"columns", plan.notes},
      {"warnings", plan.warnings}};
  return io::json_text(json) + "\n";
}

}  // namespace rfnn::cli
