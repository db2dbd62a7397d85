#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/columns.hpp"
#include "cli/command.hpp"
#include "cli/command_text.hpp"
#include "cli/odd_columns.hpp"
#include "cli/ranks.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_ranks.hpp"
#include "cli/tune_teller.hpp"
#include "cli/tune_work.hpp"
#include "rfnn/assessment/cross_ranks.hpp"
#include "rfnn/core/error.hpp"
#include "rfnn/core/parallel.hpp"
#include "rfnn/io/json.hpp"
#include "rfnn/io/table_data.hpp"
#include "rfnn/options/number_text.hpp"
#include "rfnn/options/table.hpp"
#include "rfnn/report/run_text.hpp"
#include "rfnn/training/ranks/agreement.hpp"

namespace rfnn::cli {
namespace {

using assessment::Trial;
using io::Json;

struct TuneArguments {
  std::vector<std::string> files;
  std::vector<std::string> targets, ignored;
  std::optional<std::string> weight, budget, folds, state;
  bool json = false, quiet = false;
  GivenOptions given;
};

TuneArguments tune_arguments(const Invocation& call) {
  TuneArguments result;
  Arguments arguments("tune", "Look for good options of preset paper, or show how much is chance with preset auto.",
                      "DATA... --target NAME [--preset paper] [--budget SEC] [OPTIONS]");
  arguments.positionals(result.files, "DATA...",
                        "table with inputs and targets: CSV, .csv.gz, .npy or .npz; several files are one table");
  arguments.values(result.targets, "-t,--target", "NAME[,NAME...]", "columns to learn, by name or by number from 1");
  arguments.values(result.ignored, "--ignore", "NAME[,NAME...]", "columns to leave out; all others are inputs");
  arguments.value(result.weight, "--weight", "NAME", "column that says how much each row counts; 2 is the row twice");
  arguments.value(result.budget, "--budget", "SEC", "seconds to search for [four rounds of eight candidates]");
  arguments.value(result.folds, "--folds", "K", "folds of the cross-validation [5]");
  arguments.value(
      result.state, "--state", "FILE",
      "record of the search, which a later call goes on from [stem of DATA + .tune.jsonl, .chance.jsonl with "
      "preset auto]");
  arguments.flag(result.json, "--json", "print the result as one JSON object");
  arguments.flag(result.quiet, "-q,--quiet", "print nothing but the result and errors");
  arguments.option_flags(result.given);
  arguments.footer(fmt::format(
      "Tuned are {}; one that is given stays as it is. Preset paper: eight candidates a round are measured on one "
      "fold, "
      "the better half on more, the last two on all. Preset auto has nothing to tune: it is trained with five seeds. "
      "`mpirun -n 4 rfnn tune` "
      "deals the networks out to ranks of MPI.",
      fmt::join(assessment::tuned_options(), ", ")));
  arguments.parse(call.words);
  return result;
}

TableData read_table(const TuneArguments& arguments, const Options& options) {
  const auto file = open_tables(arguments.files, available_threads(), table_format(options));
  if (arguments.targets.empty())
    throw UsageError("`rfnn tune` needs --target with the column to learn.",
                     fmt::format("The columns of {} are {}.", printable(file->origin()), listed(file->names())));
  const Choice choice = choose_columns(*file, arguments.targets, arguments.ignored, arguments.weight, options.columns);
  TableData data = read_training(*file, matched_of(choice), options);
  for (const std::string& warning : odd_columns(*file, layout_of(*file, choice), data, options.header))
    if (!arguments.quiet) say(warning_text(printable(warning)) + "\n");
  return data;
}

Options base_options(const TuneArguments& arguments, std::vector<std::string>& given) {
  Options options;
  for (const auto& [field, text] : arguments.given)
    if (field->name == "preset") field->parse(*field, options, text);
  options = preset_options(options.preset);
  for (const auto& [field, text] : arguments.given) {
    field->parse(*field, options, text);
    if (field->name != "threads") given.emplace_back(field->name);  // they have no part in a result
  }
  if (options.max_time > 0.0)
    throw UsageError("max-time is of a single network.", "Give --budget for the whole search.");
  validate(options);
  return options;
}

double seconds_of(const std::optional<std::string>& budget) {
  if (!budget) return 0.0;
  const auto number = number_from<double>(*budget);
  if (!number || !(*number > 0.0) || !std::isfinite(*number))
    throw UsageError(fmt::format("--budget cannot be \"{}\".", printable(*budget)), "Give a number of seconds > 0.");
  return *number;
}

/// The command that trains with these options.
std::string command_for(const TuneArguments& arguments, const Options& options) {
  std::vector<std::string> words = {"rfnn", "fit"};
  words.insert(words.end(), arguments.files.begin(), arguments.files.end());
  const auto add = [&](const std::string& flag, const std::string& value) {
    words.push_back(flag);
    words.push_back(value);
  };
  for (const std::string& target : arguments.targets) add("--target", target);
  for (const std::string& name : arguments.ignored) add("--ignore", name);
  if (arguments.weight) add("--weight", *arguments.weight);
  const Options usual = preset_options(options.preset);
  for (const Field& field : option_table())
    if (field.name == "preset" ? options.preset != Preset::automatic : field.print(options) != field.print(usual))
      add("--" + flag_name(field), field.print(options));
  return report::shell_line(words);
}

/// How much smaller the winner's error is than the defaults', fold by fold.
std::string against_defaults(const Trial& best, const Trial* defaults) {
  if (defaults == nullptr) return "";
  if (best.options == defaults->options) return "The options that the search began with are the best found.\n";
  if (defaults->errors.size() != best.errors.size() || best.errors.size() < 2) return "";
  Trial difference;
  for (std::size_t f = 0; f < best.errors.size(); ++f)
    difference.errors.push_back(defaults->errors[f] - best.errors[f]);
  return fmt::format(
      "Its error is {:.3g} ± {:.1g} below that of the options the search began with, {:.4g}, on the same "
      "folds.\n",
      difference.mean(), *difference.standard_error(), defaults->mean());
}

Json trial_json(const Trial& trial) {
  Json options = Json::object();
  const Json all = io::read_json(options_to_json(trial.options));
  for (const char* more : {"gamma_state", "delta_state"}) options[more] = all.at(more);
  for (const std::string& name : assessment::tuned_options()) options[name] = all.at(name);
  const auto spread = trial.standard_error();
  return {{"mse", trial.mean()},
          {"standard_error", spread ? Json(*spread) : Json(nullptr)},
          {"folds", trial.errors},
          {"options", std::move(options)}};
}

std::string about(const DatasetView& data, const Options& base, const std::vector<std::string>& given,
                  std::size_t folds) {
  const Json about = {{"event", "tune"},     {"fingerprint", fingerprint(data.inputs, data.targets)},
                      {"rows", data.rows()}, {"folds", folds},
                      {"fixed", given},      {"options", io::read_json(options_to_json(base))}};
  return io::json_text(about);
}

/// The record of a search: the stem of the data file, in the current folder.
std::string usual_state(const std::string& data, Preset preset) {
  std::filesystem::path name = std::filesystem::path(data).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string() + (preset == Preset::paper ? ".tune.jsonl" : ".chance.jsonl");
}

ExitCode ended_by() { return StopSignals::received() != 0 ? ExitCode::cut_short : ExitCode::done; }

/// What ends a search before it has a result.
std::string what_ended_it() {
  return StopSignals::received() != 0 ? "a signal" : "--budget (give a larger one, or fewer rows)";
}

ExitCode search(const TuneArguments& arguments, const assessment::TuningPlan& plan, TuneWork& work, Teller& teller,
                const std::string& state) {
  const std::vector<Trial> trials = assessment::tune(
      plan, [&](const std::vector<assessment::Task>& tasks) { return work.measure(tasks, true); },
      [&](const assessment::TuningProgress& now) { teller.step(now); });
  teller.clear();
  if (trials.empty()) {
    if (arguments.json)
      print_result(io::json_text(Json{{"preset", "paper"},
                                      {"folds", plan.folds},
                                      {"complete", false},
                                      {"trials", Json::array()},
                                      {"command", nullptr}}) +
                   "\n");
    say(warning_text(fmt::format("{} ended the work before a candidate was measured; the same command goes on from {}",
                                 what_ended_it(), printable(state))) +
        "\n");
    return ExitCode::cut_short;
  }
  const Trial& best = trials.front();
  const auto defaults =
      std::find_if(trials.begin(), trials.end(), [&](const Trial& trial) { return trial.options == plan.base; });
  const std::string command = command_for(arguments, best.options);
  const bool complete = best.errors.size() == plan.folds;
  if (arguments.json) {
    Json list = Json::array();
    for (const Trial& trial : trials) list.push_back(trial_json(trial));
    const Json json = {{"preset", "paper"},
                       {"folds", plan.folds},
                       {"complete", complete},
                       {"trials", std::move(list)},
                       {"command", command}};
    print_result(io::json_text(json) + "\n");
  } else {
    std::string text = leaderboard(trials, 10, plan.base);
    const std::string gain = against_defaults(best, defaults == trials.end() ? nullptr : &*defaults);
    text += "\n" + (gain.empty() ? gain : wrapped(gain, result_width(), 0) + "\n");
    if (!complete) text += "No candidate was measured on all folds: the ranks are uncertain.\n";
    print_result(for_locale(text + "This trains with the best found, on all rows:\n  " + command + "\n"));
  }
  if (!arguments.quiet) say(fmt::format("the same command goes on from {}\n", printable(state)));
  return ended_by();
}

/// Preset auto: the same rows with other seeds, and other rows with the same seed.
ExitCode show_chance(const TuneArguments& arguments, const Options& base, std::size_t folds, TuneWork& work,
                     Teller& teller) {
  constexpr std::uint64_t seeds = 5;
  std::vector<assessment::Task> tasks;
  for (std::uint64_t s = 0; s < seeds; ++s) {
    tasks.push_back({base, 0});
    tasks.back().options.seed = base.seed + s;
  }
  for (std::size_t fold = 1; fold < folds; ++fold) tasks.push_back({base, fold});
  if (!arguments.quiet)
    say("Nothing is to be tuned with preset auto: it chooses by rows held out.\nHow much is chance:\n");
  const std::vector<double> errors = work.measure(tasks, false);
  teller.clear();
  if (errors.size() < 2) {
    if (arguments.json)
      print_result(io::json_text(Json{{"preset", "auto"},
                                      {"repeats", Json::array()},
                                      {"mse", nullptr},
                                      {"sd", nullptr},
                                      {"folds", errors},
                                      {"folds_sd", nullptr},
                                      {"command", command_for(arguments, base)}}) +
                   "\n");
    say(warning_text(fmt::format("{} ended the work before two networks were trained.", what_ended_it())) + "\n");
    return ExitCode::cut_short;
  }
  Trial by_seed, by_rows;
  for (std::size_t t = 0; t < errors.size(); ++t) {
    if (t < seeds) by_seed.errors.push_back(errors[t]);
    if (t == 0 || t >= seeds) by_rows.errors.push_back(errors[t]);
  }
  const auto spread = [](const Trial& trial) {
    return trial.errors.size() < 2 ? 0.0
                                   : *trial.standard_error() * std::sqrt(static_cast<double>(trial.errors.size()));
  };
  if (arguments.json) {
    Json repeats = Json::array();
    for (std::size_t s = 0; s < by_seed.errors.size(); ++s)
      repeats.push_back({{"seed", base.seed + s}, {"mse", by_seed.errors[s]}});
    const Json json = {{"preset", "auto"},
                       {"repeats", std::move(repeats)},
                       {"mse", by_seed.mean()},
                       {"sd", spread(by_seed)},
                       {"folds", by_rows.errors},
                       {"folds_sd", spread(by_rows)},
                       {"command", command_for(arguments, base)}};
    print_result(io::json_text(json) + "\n");
    return ended_by();
  }
  std::string text = fmt::format("{:>6}  mean squared error on one of {} folds\n", "seed", folds);
  for (std::size_t s = 0; s < by_seed.errors.size(); ++s)
    text += fmt::format("{:>6}  {:.6g}\n", base.seed + s, by_seed.errors[s]);
  text += fmt::format("\nFrom seed to seed the error, {:.4g}, varies by {:.2g} ({:.0f} %).\n", by_seed.mean(),
                      spread(by_seed), 100.0 * spread(by_seed) / by_seed.mean());
  if (by_rows.errors.size() > 1)
    text += fmt::format("With other rows held out, from fold to fold, it varies by {:.2g} ({:.0f} %).\n",
                        spread(by_rows), 100.0 * spread(by_rows) / by_rows.mean());
  text += "Differences smaller than these mean nothing. This trains on all rows:\n  " + command_for(arguments, base) +
          "\n`rfnn tune --preset paper` searches the options of the published algorithm.\n";
  print_result(for_locale(text));
  return ended_by();
}

/// Of all ranks at once: throws where they were not told to search the same. Every rank reads the table; the first
/// alone searches, keeps the record and talks.
void agree_on_search(const assessment::CrossTable& table, const TuneArguments& arguments, const Options& base,
                     std::size_t folds, Ranks& ranks) {
  assessment::agree_on_cross(table, {}, base, ranks.all());
  training::agree_on(ranks.all(),
                     {{"--folds", std::to_string(folds)},
                      {"--budget", arguments.budget.value_or("")},
                      {"--state", arguments.state.value_or("")}},
                     "Ranks search together: give all of them the same words.");
}

/// `ranks`: processes that search together; null: this one is alone.
ExitCode look_for_options(TuneArguments arguments, const Invocation& call, Ranks* ranks) {
  const bool helps = ranks != nullptr && !ranks->first();
  if (helps) arguments.quiet = true;
  std::vector<std::string> given;
  const Options asked = base_options(arguments, given);
  const double budget = seconds_of(arguments.budget);
  const std::size_t folds = arguments.folds ? whole_number(*arguments.folds, "--folds", 2, 100) : 5;
  if (std::find(arguments.files.begin(), arguments.files.end(), "-") != arguments.files.end())
    throw UsageError("DATA cannot be standard input: a search that goes on reads it again.", "Put it into a file.");
  const TableData table = read_table(arguments, asked);
  const DatasetView& data = table.table.view;
  if (!arguments.quiet)
    for (const std::string& note : table.table.notes) say("  " + told(printable(note), 4) + "\n");
  Options base = options_along_time(asked, table.table.code);
  base.threads = 0;  // how many there are has no part in a result
  const assessment::CrossTable whole{
      .data = data, .raw = table.raw ? &*table.raw : nullptr, .places = table.table.rows, .missing = base.missing};
  if (ranks != nullptr) agree_on_search(whole, arguments, base, folds, *ranks);
  const std::string state = arguments.state.value_or(usual_state(arguments.files[0], base.preset));
  const assessment::FoldErrors errors(whole, folds, base.seed);
  TuneLimits limits;
  limits.threads = thread_count(asked.threads);
  const StopSignals signals;
  std::unique_ptr<TuneRecord> record;
  const auto look_back = [&] {
    if (!helps) record = std::make_unique<TuneRecord>(state, about(data, base, given, folds));
  };
  ranks != nullptr ? training::agree(ranks->all(), look_back) : look_back();
  std::optional<TuneRanks> dealt;
  if (ranks != nullptr) dealt.emplace(ranks->all());
  if (helps) {
    dealt->serve(errors, limits.threads);
    return ExitCode::done;
  }
  if (!arguments.quiet && record->size() > 0)
    say(fmt::format("{} of an earlier search are in {}\n", io::counted(record->size(), "result"), printable(state)));
  if (const std::string apart = tasks_apart(); ranks == nullptr && !arguments.quiet && !apart.empty())
    say(warning_text(apart) + "\n");

  Teller teller(arguments.quiet, base, call.started);
  if (budget > 0.0)
    limits.deadline = call.started + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                         std::chrono::duration<double>(budget));
  limits.tell = [&](std::size_t done, std::size_t of) { teller.look(done, of); };
  TuneWork work(errors, *record, std::move(limits), dealt ? &*dealt : nullptr);
  if (base.preset == Preset::automatic) return show_chance(arguments, base, folds, work, teller);
  assessment::TuningPlan plan{.base = base, .fixed = given, .folds = folds};
  plan.rounds = budget > 0.0 ? 1000 : 4;
  plan.rows = data.rows() * (folds - 1) / folds;
  plan.inputs = data.inputs.size();
  plan.outputs = data.targets.size();
  return search(arguments, plan, work, teller, state);
}

}  // namespace

ExitCode run_tune(const Invocation& call) {
  return with_ranks([&](Ranks* ranks) { return look_for_options(tune_arguments(call), call, ranks); });
}

}  // namespace rfnn::cli
